import { Agent, Credentials, Id, OAuth } from "@effect-a2a/core"
import { NodeAgentServer } from "@effect-a2a/node"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Fiber, Layer, Redacted } from "effect"
import { FetchHttpClient, HttpClient, HttpClientError, HttpRouter, HttpServerResponse } from "effect/http"
import { TestClock } from "effect/testing"
import { inspect } from "node:util"
import { covers } from "../support/covers.ts"
import { combination, talkTo } from "../support/peer.ts"
import { type Asked, json, respond } from "../support/respond.ts"

const rest = combination("1.0 HTTP+JSON")
const taskId = Id.TaskId.make("t-1")
const working = JSON.stringify({ id: "t-1", contextId: "c-1", status: { state: "TASK_STATE_WORKING" } })
const secret = "s3cr3t/ü"
const client = { tokenUrl: "https://auth.test/token?tenant=7", clientId: "me:1", clientSecret: Redacted.make(secret) }

const form = ({ body }: Asked) => Object.fromEntries(new URLSearchParams(body))

/** An agent that takes any token, behind credentials from a token endpoint. */
const setup = (
  layer: Layer.Layer<Credentials.Credentials, never, HttpClient.HttpClient>,
  answer: (asked: Asked, n: number) => Response
) => {
  let n = 0
  const endpoint = respond((asked) => answer(asked, ++n))
  const agent = talkTo(
    rest,
    ({ headers }) => headers.authorization === "Bearer revoked" ? new Response("", { status: 401 }) : json(working),
    {
      credentials: layer.pipe(Layer.provide(endpoint.layer))
    }
  )
  return {
    endpoint: endpoint.asked,
    tokens: () => agent.asked.map(({ headers }) => headers.authorization),
    layer: Agent.layer.pipe(Layer.provide(agent.layer))
  }
}

const granted = (fields: Record<string, unknown>) => json(JSON.stringify({ token_type: "Bearer", ...fields }))

describe("client credentials", () => {
  it.effect("send id and secret in the header, scopes and audience in the form", () =>
    Effect.gen(function*() {
      const { endpoint, layer, tokens } = setup(
        OAuth.layerClientCredentials({
          ...client,
          scopes: ["a", "b c"],
          audience: "https://agent.test",
          parameters: { resource: "x" }
        }),
        () => granted({ access_token: "at", expires_in: 3600 })
      )
      yield* Agent.getTask(taskId).pipe(Effect.provide(layer))
      assert.deepStrictEqual(tokens(), ["Bearer at"])
      const [asked] = endpoint
      assert.deepStrictEqual([asked!.method, asked!.url], ["POST", "https://auth.test/token?tenant=7"])
      assert.strictEqual(asked!.headers["content-type"], "application/x-www-form-urlencoded")
      assert.strictEqual(asked!.headers.authorization, `Basic ${btoa("me%3A1:s3cr3t%2F%C3%BC")}`)
      assert.deepStrictEqual(form(asked!), {
        grant_type: "client_credentials",
        scope: "a b c",
        audience: "https://agent.test",
        resource: "x"
      })
    }))

  it.effect("send everything in the form if the endpoint requires it", () =>
    Effect.gen(function*() {
      const { endpoint, layer } = setup(
        OAuth.layerClientCredentials({ ...client, clientAuthentication: "body" }),
        () => granted({ access_token: "at" })
      )
      yield* Agent.getTask(taskId).pipe(Effect.provide(layer))
      assert.isUndefined(endpoint[0]!.headers.authorization)
      assert.deepStrictEqual(form(endpoint[0]!), {
        grant_type: "client_credentials",
        client_id: "me:1",
        client_secret: secret
      })
    }))

  it.effect("keep a token until shortly before it expires, also if `expires_in` is a string", () =>
    Effect.gen(function*() {
      const { endpoint, layer, tokens } = setup(
        OAuth.layerClientCredentials(client),
        (_, n) => granted({ access_token: `at${n}`, expires_in: n === 1 ? "60" : 60 })
      )
      yield* Effect.gen(function*() {
        for (const seconds of [0, 53, 1, 53, 1]) {
          yield* TestClock.adjust(`${seconds} seconds`)
          yield* Agent.getTask(taskId)
        }
      }).pipe(Effect.provide(layer))
      assert.deepStrictEqual(tokens(), ["at1", "at1", "at2", "at2", "at3"].map((token) => `Bearer ${token}`))
      assert.strictEqual(endpoint.length, 3)
    }))

  it.effect("renew a revoked token once for all calls", () =>
    Effect.gen(function*() {
      const { endpoint, layer } = setup(
        OAuth.layerClientCredentials(client),
        (_, n) => granted({ access_token: n === 1 ? "revoked" : "at", expires_in: 60 })
      )
      yield* Effect.all([1, 2, 3, 4].map(() => Agent.getTask(taskId)), { concurrency: "unbounded" }).pipe(
        Effect.provide(layer)
      )
      assert.strictEqual(endpoint.length, 2)
    }))

  it.live("follow no redirect of the endpoint, not even by `fetch`", () => {
    let followed = 0
    const routes = Layer.merge(
      HttpRouter.add("POST", "/token", HttpServerResponse.redirect("/other", { status: 307 })),
      HttpRouter.add(
        "POST",
        "/other",
        Effect.sync(() => {
          followed++
          return HttpServerResponse.jsonUnsafe({ access_token: "at" })
        })
      )
    )
    return Effect.gen(function*() {
      const tokenUrl = `${yield* NodeAgentServer.url}/token`
      const token = Effect.flatten(OAuth.clientCredentials({ ...client, tokenUrl }))
      const error = yield* Effect.flip(Effect.provide(token, FetchHttpClient.layer))
      assert.include(error.message, "responded with HTTP 307")
      assert.strictEqual(followed, 0)
    }).pipe(Effect.provide(NodeAgentServer.layer({ routes, port: 0 })))
  }, covers("attack:S2-46"))
})

describe("refresh tokens", () => {
  it.effect("are replaced by a new one that the endpoint returns, and kept otherwise", () =>
    Effect.gen(function*() {
      const { endpoint, layer, tokens } = setup(
        OAuth.layerRefreshToken({ tokenUrl: client.tokenUrl, clientId: "app", refreshToken: Redacted.make("r1") }),
        (_, n) =>
          granted({ access_token: `at${n}`, expires_in: 60, ...(n === 2 ? {} : { refresh_token: `r${n + 1}` }) })
      )
      yield* Effect.gen(function*() {
        for (let i = 0; i < 4; i++) {
          yield* Agent.getTask(taskId)
          yield* TestClock.adjust("1 minute")
        }
      }).pipe(Effect.provide(layer))
      assert.deepStrictEqual(
        endpoint.map(form),
        ["r1", "r2", "r2", "r4"].map((refresh_token) => ({
          grant_type: "refresh_token",
          refresh_token,
          client_id: "app"
        }))
      )
      assert.deepStrictEqual(tokens(), ["at1", "at2", "at3", "at4"].map((token) => `Bearer ${token}`))
    }))

  it.effect("refresh an expired token once for all calls", () =>
    Effect.gen(function*() {
      const { endpoint, layer } = setup(
        OAuth.layerRefreshToken({ ...client, refreshToken: Redacted.make("r1") }),
        (_, n) => granted({ access_token: `at${n}`, expires_in: 60, refresh_token: `r${n + 1}` })
      )
      yield* Effect.gen(function*() {
        for (let i = 0; i < 2; i++) {
          const fiber = yield* Effect.forkChild(
            Effect.all([1, 2, 3].map(() => Agent.getTask(taskId)), { concurrency: "unbounded" })
          )
          yield* Fiber.join(fiber)
          yield* TestClock.adjust("1 minute")
        }
      }).pipe(Effect.provide(layer))
      assert.deepStrictEqual(endpoint.map((asked) => form(asked).refresh_token), ["r1", "r2"])
    }))
})

describe("failures of the token endpoint", () => {
  const refused = (status: number, body: unknown) => () => new Response(JSON.stringify(body), { status })
  const cases: ReadonlyArray<readonly [name: string, answer: () => Response, says: string, isRetryable: boolean]> = [
    [
      "a refusal",
      refused(400, { error: "invalid_grant", error_description: `${secret} is wrong` }),
      "responded with HTTP 400: invalid_grant",
      false
    ],
    ["a refusal that echoes", refused(401, { error: secret }), "responded with HTTP 401", false],
    ["an outage", refused(503, "busy"), "responded with HTTP 503", true],
    ["no token", refused(200, { expires_in: 3 }), "responded without a token", false],
    ["no JSON", () => new Response(`<html>${secret}`), "responded without a token", false]
  ]
  for (const [name, answer, says, isRetryable] of cases) {
    it.effect(
      `${name}: the error does not contain the secret, and nothing is sent to the agent`,
      () =>
        Effect.gen(function*() {
          const { layer, tokens } = setup(
            OAuth.layerRefreshToken({ ...client, refreshToken: Redacted.make(secret) }),
            answer
          )
          const exit = yield* Effect.exit(Agent.getTask(taskId).pipe(Effect.provide(layer)))
          if (!Exit.isFailure(exit)) return assert.fail("it was answered")
          const error = yield* Effect.flip(exit)
          assert.strictEqual(error.reason._tag, "CredentialsUnavailableError")
          assert.strictEqual(error.isRetryable, isRetryable)
          assert.include(error.message, `https://auth.test/token ${says}`)
          assert.deepStrictEqual(tokens(), [])
          const shown = [inspect(error, { depth: 20 }), JSON.stringify(error), Cause.pretty(exit.cause), String(error)]
            .join()
          assert.notInclude(shown, "s3cr3t")
        }),
      covers("field:SEC-01")
    )
  }

  it.effect("no response: the error does not contain the secret", () =>
    Effect.gen(function*() {
      const unreachable = HttpClient.make((request) =>
        Effect.fail(
          new HttpClientError.HttpClientError({
            reason: new HttpClientError.TransportError({ request, cause: new Error("connect ECONNREFUSED") })
          })
        )
      )
      const error = yield* Effect.flatMap(Credentials.Credentials, ({ get }) =>
        get({ url: "", protocolBinding: "", protocolVersion: "" }))
        .pipe(
          Effect.provide(OAuth.layerRefreshToken({ ...client, refreshToken: Redacted.make(secret) })),
          Effect.provideService(HttpClient.HttpClient, unreachable),
          Effect.flip
        )
      assert.isTrue(error.isRetryable)
      assert.include(error.message, "ECONNREFUSED")
      assert.notInclude(inspect(error, { depth: 20 }) + JSON.stringify(error), "s3cr3t")
    }), covers("field:SEC-01"))
})
