import { Agent, AgentError, AgentTransport, Credentials, Id, Operation } from "@effect-a2a/core"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Fiber, Layer, Redacted, Stream } from "effect"
import { TestClock } from "effect/testing"
import { covers } from "../support/covers.ts"
import { type Asked, chunks, combination, combinations, event, frame, talkTo } from "../support/peer.ts"
import { json } from "../support/respond.ts"

const rest = combination("1.0 HTTP+JSON")
const taskId = Id.TaskId.make("t-1")
const working = JSON.stringify({ id: "t-1", contextId: "c-1", status: { state: "TASK_STATE_WORKING" } })

const tokens = (asked: ReadonlyArray<Asked>) => asked.map(({ headers }) => headers.authorization)

/** Takes the tokens that `isGood`, and refuses all others. */
const guarded = (isGood: (token: string) => boolean) => ({ headers }: Asked) =>
  isGood(headers.authorization?.replace("Bearer ", "") ?? "") ? json(working) : new Response("", { status: 401 })

/** `t1`, `t2` and so on: one more with each reading. */
const counting = () => {
  let readings = 0
  return {
    readings: () => readings,
    read: Effect.sync(() => Redacted.make(`t${++readings}`))
  }
}

const agentOf = (layer: Layer.Layer<AgentTransport.AgentTransport, AgentError.AgentError>) =>
  Agent.layer.pipe(Layer.provide(layer))

const times = (n: number) => Effect.forEach(Array.from({ length: n }), () => Effect.result(Agent.getTask(taskId)))
const together = (n: number) =>
  Effect.forEach(Array.from({ length: n }), () => Effect.result(Agent.getTask(taskId)), { concurrency: "unbounded" })

describe("HTTP Basic", () => {
  it.effect("sends name and password in UTF-8", () =>
    Effect.gen(function*() {
      const { asked, layer } = talkTo(rest, () => json(working), {
        credentials: Credentials.layerBasic({ username: "zoë", password: Redacted.make("p:w") })
      })
      yield* Agent.getTask(taskId).pipe(Effect.provide(agentOf(layer)))
      assert.strictEqual(asked[0]!.headers.authorization, `Basic ${Buffer.from("zoë:p:w").toString("base64")}`)
    }))
})

describe("a bearer token from an effect", () => {
  it.effect("is read once for all calls, including those that wait for it at the same time", () =>
    Effect.gen(function*() {
      const { read, readings } = counting()
      const { asked, layer } = talkTo(rest, guarded(() => true), {
        credentials: Credentials.layerBearerEffect(Effect.delay(read, "1 second"))
      })
      const fiber = yield* together(20).pipe(Effect.provide(agentOf(layer)), Effect.forkChild)
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(fiber)
      assert.deepStrictEqual([asked.length, readings(), new Set(tokens(asked))], [20, 1, new Set(["Bearer t1"])])
    }))

  it.effect(
    "is read before each request, and when a stream is resumed",
    () =>
      Effect.forEach(
        combinations,
        Effect.fnUntraced(function*(one) {
          let current = "a"
          let streams = 0
          const { asked, layer } = talkTo(one, (asked) => {
            const status = (state: "working" | "completed") =>
              frame(event(one, asked, {
                _tag: "StatusUpdate",
                taskId,
                contextId: Id.ContextId.make("c-1"),
                status: { state }
              }))
            if (asked.headers.accept === "text/event-stream") current = `b${++streams}`
            return streams === 1 ? chunks([status("working")]) : chunks([status("completed")])
          }, {
            credentials: Layer.succeed(Credentials.Credentials, {
              get: () => Effect.sync(() => [{ _tag: "Bearer", token: Redacted.make(current) }] as const),
              renew: () => Effect.succeed(false)
            })
          })
          const fiber = yield* Stream.runDrain(Agent.stream("hi")).pipe(
            Effect.provide(agentOf(layer.pipe(AgentTransport.resumable()))),
            Effect.forkChild
          )
          yield* TestClock.adjust("1 minute")
          yield* Fiber.join(fiber)
          assert.deepStrictEqual(tokens(asked), ["Bearer a", "Bearer b1"], one.name)
        })
      ),
    covers("field:AUTH-04")
  )

  it.effect("is renewed if it is rejected, once for all waiting calls", () =>
    Effect.gen(function*() {
      const { read, readings } = counting()
      const { asked, layer } = talkTo(rest, guarded((token) => token !== "t1"), {
        credentials: Credentials.layerBearerEffect(Effect.delay(read, "1 second"))
      })
      const fiber = yield* together(20).pipe(Effect.provide(agentOf(layer)), Effect.forkChild)
      yield* TestClock.adjust("3 seconds")
      const results = yield* Fiber.join(fiber)
      assert.isTrue(results.every(({ _tag }) => _tag === "Success"))
      assert.deepStrictEqual([readings(), asked.length], [2, 40])
    }))

  it.effect("is not renewed for a call that used an older one; that call is repeated with the present one", () =>
    Effect.gen(function*() {
      const { read, readings } = counting()
      const late = yield* Deferred.make<void>()
      let isFirst = true
      const { layer } = talkTo(rest, guarded((token) => token !== "t1"), {
        credentials: Layer.effect(
          Credentials.Credentials,
          Effect.map(Credentials.Credentials, (credentials) => ({
            ...credentials,
            // the first rejection arrives after the others were handled
            renew: (challenge) => {
              const wait = isFirst ? Deferred.await(late) : Effect.void
              isFirst = false
              return Effect.andThen(wait, credentials.renew(challenge))
            }
          }))
        ).pipe(Layer.provide(Credentials.layerBearerEffect(read)))
      })
      yield* Effect.gen(function*() {
        const slow = yield* Effect.forkChild(Agent.getTask(taskId), { startImmediately: true })
        yield* times(3)
        assert.strictEqual(readings(), 2)
        yield* Deferred.succeed(late, undefined)
        yield* Fiber.join(slow)
        assert.strictEqual(readings(), 2)
      }).pipe(Effect.provide(agentOf(layer)))
    }))

  for (
    const [name, read] of [
      ["the same token", () => Effect.succeed(Redacted.make("t"))],
      ["new tokens that are refused too", () => counting().read]
    ] as const
  ) {
    it.effect(`is not renewed again for ten seconds if a renewal returns ${name}`, () =>
      Effect.gen(function*() {
        let readings = 0
        const { asked, layer } = talkTo(rest, guarded(() => false), {
          credentials: Credentials.layerBearerEffect(Effect.tap(read(), () => Effect.sync(() => readings++)))
        })
        yield* Effect.gen(function*() {
          const results = yield* times(10)
          assert.isTrue(
            results.every((one) => one._tag === "Failure" && one.failure.reason._tag === "UnauthenticatedError")
          )
          assert.strictEqual(readings, 2)
          assert.isAtMost(asked.length, 11)
          yield* TestClock.adjust("11 seconds")
          yield* times(10)
          assert.strictEqual(readings, 3)
        }).pipe(Effect.provide(agentOf(layer)))
      }))
  }

  it.effect("shares a failed renewal among all waiting calls, and does not repeat it at once", () =>
    Effect.gen(function*() {
      let readings = 0
      const { layer } = talkTo(rest, guarded(() => false), {
        credentials: Credentials.layerBearerEffect(
          Effect.suspend(() =>
            readings++ === 0
              ? Effect.succeed(Redacted.make("t1"))
              : Effect.fail(AgentError.make("credentials", "CredentialsUnavailableError", { message: "none" }))
          )
        )
      })
      yield* Effect.gen(function*() {
        for (const results of [yield* together(10), yield* times(3)]) {
          assert.isTrue(
            results.every((one) => one._tag === "Failure" && one.failure.reason._tag === "CredentialsUnavailableError")
          )
        }
        assert.strictEqual(readings, 2)
      }).pipe(Effect.provide(agentOf(layer)))
    }))

  it.effect("is read again shortly before it expires", () =>
    Effect.gen(function*() {
      const { read } = counting()
      const { asked, layer } = talkTo(rest, guarded(() => true), {
        credentials: Credentials.layerBearerEffect(
          Effect.map(read, (value) => ({ value, expiresIn: Duration.minutes(10) }))
        )
      })
      yield* Effect.gen(function*() {
        yield* times(1)
        yield* TestClock.adjust("569 seconds")
        yield* times(1)
        yield* TestClock.adjust("1 second")
        yield* times(1)
      }).pipe(Effect.provide(agentOf(layer)))
      assert.deepStrictEqual(tokens(asked), ["Bearer t1", "Bearer t1", "Bearer t2"])
    }))

  it.effect("is still read for the others if one call is interrupted", () =>
    Effect.gen(function*() {
      const { read, readings } = counting()
      const { asked, layer } = talkTo(rest, guarded(() => true), {
        credentials: Credentials.layerBearerEffect(Effect.delay(read, "1 second"))
      })
      yield* Effect.gen(function*() {
        const first = yield* Effect.forkChild(Agent.getTask(taskId), { startImmediately: true })
        const second = yield* Effect.forkChild(Agent.getTask(taskId), { startImmediately: true })
        yield* Fiber.interrupt(first)
        yield* TestClock.adjust("2 seconds")
        yield* Fiber.join(second)
      }).pipe(Effect.provide(agentOf(layer)))
      assert.deepStrictEqual([tokens(asked), readings()], [["Bearer t1"], 1])
    }))
})

describe("an agent card on another origin", () => {
  it.effect("is fetched without credentials", () =>
    Effect.gen(function*() {
      const { asked, layer } = talkTo(rest, () => new Response("", { status: 401 }), {
        url: "https://agent.test/a2a",
        agentCardUrl: "https://cards.test/7.json",
        credentials: Credentials.layerBearer(Redacted.make("s3cr3t"))
      })
      const call = Effect.flatMap(AgentTransport.AgentTransport, (one) => one.call(Operation.GetAgentCard, {}))
      const error = yield* Effect.flip(Effect.provide(call, layer))
      assert.strictEqual(error.reason._tag, "UnauthenticatedError")
      assert.deepStrictEqual(asked.map(({ headers }) => "authorization" in headers), [false])
    }), covers("ML-02"))
})
