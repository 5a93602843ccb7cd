import { AgentError, Credentials, OAuth } from "@effect-a2a/core"
import { assert, describe, it } from "@effect/vitest"
import type { Duration } from "effect"
import { Effect, Fiber, Layer, Redacted } from "effect"
import { HttpClient, HttpClientRequest, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"
import { covers } from "../support/covers.ts"

const target = { url: "https://agent.test", protocolBinding: "HTTP+JSON", protocolVersion: "1.0" }

const token = Effect.flatMap(Credentials.Credentials, ({ get }) => get(target)).pipe(
  Effect.map(([credential]) => credential?._tag === "Bearer" ? Redacted.value(credential.token) : undefined)
)

/** A token endpoint that takes 400 ms, spends each refresh token, and refuses those that were spent. */
const makeEndpoint = () => {
  const spent: Array<string> = []
  const client = HttpClient.make((request) =>
    Effect.gen(function*() {
      const web = yield* Effect.orDie(HttpClientRequest.toWeb(request))
      const given = new URLSearchParams(yield* Effect.promise(() => web.text())).get("refresh_token") ?? ""
      const isValid = given === `r${spent.length}`
      spent.push(given)
      yield* Effect.sleep("400 millis")
      const body = isValid
        ? { access_token: `at${spent.length}`, refresh_token: `r${spent.length}`, expires_in: 600 }
        : { error: "invalid_grant" }
      return HttpClientResponse.fromWeb(request, Response.json(body, { status: isValid ? 200 : 400 }))
    })
  )
  return { spent, layer: Layer.succeed(HttpClient.HttpClient, client) }
}

const client = { tokenUrl: "https://auth.test/token", clientId: "app", refreshToken: Redacted.make("r0") }

/** Lets a caller wait for 100 ms only. */
const silent = Layer.succeed(HttpClient.HttpClient, HttpClient.make(() => Effect.never))

const hurried = Effect.gen(function*() {
  const fiber = yield* Effect.forkChild(Effect.timeoutOption(token, "100 millis"))
  yield* TestClock.adjust("100 millis")
  return yield* Fiber.join(fiber)
})

const patient = <A, E, R>(self: Effect.Effect<A, E, R>, time: Duration.Input = "400 millis") =>
  Effect.gen(function*() {
    const fiber = yield* Effect.forkChild(self)
    yield* TestClock.adjust(time)
    return yield* Fiber.join(fiber)
  })

describe("the exchange of a refresh token", () => {
  it.effect("goes on if its caller gives up, serves the next one, and keeps the new refresh token", () => {
    const { layer, spent } = makeEndpoint()
    const saved: Array<string> = []
    const credentials = OAuth.layerRefreshToken({
      ...client,
      save: (refreshToken) => Effect.sync(() => void saved.push(Redacted.value(refreshToken)))
    })
    return Effect.gen(function*() {
      assert.strictEqual((yield* hurried)._tag, "None")
      assert.strictEqual(yield* patient(token, "300 millis"), "at1")
      assert.deepStrictEqual([spent, saved], [["r0"], ["r1"]])
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual(yield* patient(token), "at2")
      assert.deepStrictEqual([spent, saved], [["r0", "r1"], ["r1", "r2"]])
    }).pipe(Effect.provide(Layer.provide(credentials, layer)))
  }, covers("field:N2-12"))

  it.effect("is finished if all callers give up, also in a renewal", () => {
    const { layer, spent } = makeEndpoint()
    return Effect.gen(function*() {
      const credentials = yield* Credentials.Credentials
      const refused = yield* patient(credentials.get(target))
      yield* TestClock.adjust("1 minute")
      const renewal = credentials.renew({ target, refused, wwwAuthenticate: undefined })
      const fibers = yield* Effect.forEach([1, 2, 3], () => Effect.forkChild(renewal))
      yield* TestClock.adjust("100 millis")
      yield* Fiber.interruptAll(fibers)
      yield* TestClock.adjust("300 millis")
      assert.strictEqual(yield* token, "at2")
      assert.deepStrictEqual(spent, ["r0", "r1"])
    }).pipe(Effect.provide(Layer.provide(OAuth.layerRefreshToken(client), layer)))
  }, covers("field:N2-12"))

  it.effect("is one for all credentials that share the provider", () => {
    const { layer, spent } = makeEndpoint()
    return Effect.gen(function*() {
      const provider = yield* OAuth.refreshToken(client)
      const both = [1, 2].map(() => Effect.provide(token, Layer.fresh(Credentials.layerBearerEffect(provider))))
      assert.deepStrictEqual(yield* patient(Effect.all(both, { concurrency: 2 })), ["at1", "at1"])
      assert.deepStrictEqual(spent, ["r0"])
    }).pipe(Effect.provide(layer))
  }, covers("field:N2-12"))

  it.effect("ends after a minute without a response", () =>
    Effect.gen(function*() {
      const error = yield* patient(Effect.flip(token), "1 minute")
      assert.strictEqual(error.code, "CREDENTIALS_UNAVAILABLE")
      assert.isTrue(error.isRetryable)
      assert.include(error.message, "https://auth.test/token did not respond within 1m")
    }).pipe(
      Effect.provide(Layer.provide(OAuth.layerRefreshToken(client), silent))
    ), covers("field:N2-12"))
})

describe("the reading of a token", () => {
  const reading = (time: Duration.Input) => {
    const log: Array<string> = []
    const read = Effect.gen(function*() {
      const n = log.push("begun")
      yield* Effect.sleep(time)
      log.push("done")
      return Redacted.make(`t${n}`)
    }).pipe(Effect.onInterrupt(() => Effect.sync(() => void log.push("interrupted"))))
    return { log, layer: Credentials.layerBearerEffect(read) }
  }

  it.effect("goes on if its caller gives up", () => {
    const { layer, log } = reading("30 seconds")
    return Effect.gen(function*() {
      assert.strictEqual((yield* hurried)._tag, "None")
      assert.strictEqual(yield* patient(token, "30 seconds"), "t1")
      assert.deepStrictEqual(log, ["begun", "done"])
    }).pipe(Effect.provide(layer))
  }, covers("field:N2-12"))

  it.effect("is replaced if nobody has waited for it for a minute", () => {
    const { layer, log } = reading("10 minutes")
    return Effect.gen(function*() {
      assert.strictEqual((yield* hurried)._tag, "None")
      yield* TestClock.adjust("61 seconds")
      assert.strictEqual(yield* patient(token, "10 minutes"), "t2")
      assert.deepStrictEqual(log, ["begun", "begun", "interrupted", "done"])
    }).pipe(Effect.provide(layer))
  }, covers("field:N2-12"))

  it.effect("fails for all who wait, and is tried again by the next", () => {
    let n = 0
    const read = Effect.suspend(() =>
      ++n === 1
        ? Effect.fail(AgentError.make("credentials", "CredentialsUnavailableError", { message: "no" }))
        : Effect.succeed(Redacted.make(`t${n}`))
    )
    const layer = Credentials.layerBearerEffect(Effect.delay(read, "1 second"))
    return Effect.gen(function*() {
      const failed = yield* patient(
        Effect.all([Effect.exit(token), Effect.exit(token)], { concurrency: 2 }),
        "1 second"
      )
      assert.deepStrictEqual(failed.map(({ _tag }) => _tag), ["Failure", "Failure"])
      assert.strictEqual(yield* patient(token, "1 second"), "t2")
    }).pipe(Effect.provide(layer))
  }, covers("field:N2-12"))
})
