import type { AgentError, AgentTransport } from "@effect-a2a/core"
import { Agent, Credential, Credentials, HttpTransport, Id, ServiceParameters } from "@effect-a2a/core"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Config, ConfigProvider, Effect, Exit, Layer, Redacted, Stream } from "effect"
import { FetchHttpClient } from "effect/http"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { inspect } from "node:util"
import { covers } from "../support/covers.ts"
import { type Asked, combination, combinations, talkTo } from "../support/peer.ts"

const taskId = Id.TaskId.make("t-1")
const rest = combination("1.0 HTTP+JSON")
const secret = "s3cr3t"

const answer = new TextEncoder().encode("{\"id\":\"t-1\",\"status\":{\"state\":\"TASK_STATE_WORKING\"}}")
const ok = () => new Response(answer, { headers: { "content-type": "application/json" } })

const presenting = (...credentials: ReadonlyArray<Credentials.Credential>) =>
  Layer.succeed(Credentials.Credentials, {
    get: () => Effect.succeed(credentials),
    renew: () => Effect.succeed(false)
  })

const get = (layer: Layer.Layer<AgentTransport.AgentTransport, AgentError.AgentError>) =>
  Agent.getTask(taskId).pipe(Effect.provide(Agent.layer.pipe(Layer.provide(layer))))

const sentWith = Effect.fnUntraced(function*(...credentials: ReadonlyArray<Credentials.Credential>) {
  const { asked, layer } = talkTo(rest, ok, {
    credentials: presenting(...credentials),
    url: "https://agent.test/a2a?k=1"
  })
  yield* get(layer)
  return asked[0]!
})

describe("credentials in a request", () => {
  it.effect("are a header for a bearer token, and for a user name with a password in UTF-8", () =>
    Effect.gen(function*() {
      const bearer = yield* sentWith({ _tag: "Bearer", token: Redacted.make(secret) })
      assert.strictEqual(bearer.headers.authorization, `Bearer ${secret}`)
      const basic = yield* sentWith({ _tag: "Basic", username: "zoë", password: Redacted.make("päss:日本") })
      assert.strictEqual(basic.headers.authorization, `Basic ${Buffer.from("zoë:päss:日本").toString("base64")}`)
    }))

  it.effect("are a header for an API key whose place is absent or undefined", () =>
    Effect.gen(function*() {
      const key = { name: "X-API-Key", value: Redacted.make(secret) }
      for (const place of [{}, { in: undefined }]) {
        const { asked, layer } = talkTo(rest, ok, { credentials: Credentials.layerApiKey({ ...key, ...place }) })
        yield* get(layer)
        yield* Effect.map(sentWith(Credential.apiKey({ ...key, ...place })), (one) => asked.push(one))
        for (const { headers } of asked) {
          assert.strictEqual(headers["x-api-key"], secret)
          assert.isUndefined(headers.cookie)
        }
      }
    }), covers("field:N2-39"))

  it.effect("are a header, a query parameter or cookies for API keys", () =>
    Effect.gen(function*() {
      const key = (place: "header" | "query" | "cookie", name: string, value = secret): Credentials.Credential => ({
        _tag: "ApiKey",
        in: place,
        name,
        value: Redacted.make(value)
      })
      const header = yield* sentWith(key("header", "X-API-Key"))
      assert.strictEqual(header.headers["x-api-key"], secret)
      const query = yield* sentWith(key("query", "key", "a b&c=+日"))
      assert.deepStrictEqual([...new URL(query.url).searchParams], [["k", "1"], ["key", "a b&c=+日"]])
      const cookies = yield* sentWith(key("cookie", "sid", "1"), key("cookie", "pid", "a;b"))
      assert.strictEqual(cookies.headers.cookie, "sid=1; pid=a%3Bb")
    }))

  it.effect("are a header for an API key without `in`, or with `in` undefined", () =>
    Effect.gen(function*() {
      const options = { name: "x-key", value: Redacted.make(secret) }
      for (const given of [options, { ...options, in: undefined }]) {
        const { asked, layer } = talkTo(rest, ok, { credentials: Credentials.layerApiKey(given) })
        yield* get(layer)
        assert.deepStrictEqual([asked[0]!.headers["x-key"], asked[0]!.headers.cookie], [secret, undefined])
      }
    }), covers("field:N2-39"))

  it.effect(
    "may be several, are never in the body, and are not replaced by the caller's headers",
    () =>
      Effect.gen(function*() {
        const one = yield* sentWith(
          { _tag: "Bearer", token: Redacted.make(secret) },
          { _tag: "ApiKey", in: "header", name: "x-key", value: Redacted.make(secret) }
        ).pipe(ServiceParameters.provide({ headers: { Authorization: "Bearer other" } }))
        assert.deepStrictEqual([one.headers.authorization, one.headers["x-key"]], [`Bearer ${secret}`, secret])
        assert.notInclude(one.body, secret)
        assert.notInclude(one.url, secret)
      }),
    covers("field:AUTH-01")
  )

  for (const value of ["abc\n", "abc\r\nx: y", "日本", "s3cr3t\u0000", ""]) {
    it.effect(
      `are refused without being shown or sent if the value is ${JSON.stringify(value)}`,
      () =>
        Effect.gen(function*() {
          for (
            const credential of [
              { _tag: "Bearer", token: Redacted.make(value) },
              { _tag: "ApiKey", in: "header", name: "x-key", value: Redacted.make(value) },
              { _tag: "ApiKey", in: "cookie", name: "sid", value: Redacted.make(value) }
            ] as const
          ) {
            if (value === "" && credential._tag === "Bearer") continue
            const { asked, layer } = talkTo(rest, ok, { credentials: presenting(credential) })
            const error = yield* Effect.flip(get(layer))
            assert.strictEqual(error.reason._tag, "CredentialsUnavailableError")
            assert.include(error.message, credential._tag)
            if (value !== "") assert.notInclude(inspect(error, { depth: 9 }), value)
            assert.deepStrictEqual(asked, [])
          }
        }),
      covers("field:SEC-02")
    )
  }
})

describe("credentials from configuration", () => {
  const layer = Credentials.layerConfig(
    Config.all([
      Config.map(Config.Redacted("AGENT_TOKEN"), Credential.bearer),
      Config.map(Config.Redacted("AGENT_KEY"), (value) => Credential.apiKey({ name: "x-key", value }))
    ])
  )
  const sent = (environment: Record<string, string>) => {
    const { asked, layer: transport } = talkTo(rest, ok, { credentials: Layer.orDie(layer) })
    return Effect.as(get(transport), asked).pipe(
      Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(environment))
    )
  }

  it.effect("are read when the layer is built", () =>
    Effect.gen(function*() {
      const [one] = yield* sent({ AGENT_TOKEN: "t", AGENT_KEY: "k" })
      assert.deepStrictEqual([one?.headers.authorization, one?.headers["x-key"]], ["Bearer t", "k"])
    }))

  it.effect("fail with a ConfigError if a member is missing", () =>
    Effect.gen(function*() {
      const exit = yield* Effect.exit(sent({ AGENT_TOKEN: "t" }))
      assert.include(String(Exit.isFailure(exit) && Cause.pretty(exit.cause)), "AGENT_KEY")
    }))
})

describe("a 401 response", () => {
  const challenge = "Bearer realm=\"agents\""
  const refused = () => new Response("", { status: 401, headers: { "www-authenticate": challenge } })

  /** Credentials whose renewal says `renews`, and what they were asked. */
  const renewable = (renews: boolean) => {
    const challenges: Array<Credentials.Challenge> = []
    const layer = Layer.sync(Credentials.Credentials, () => {
      let token = "old"
      return {
        get: () => Effect.sync(() => [{ _tag: "Bearer", token: Redacted.make(token) }] as const),
        renew: (challenge) =>
          Effect.sync(() => {
            challenges.push(challenge)
            if (renews) token = "new"
            return renews
          })
      }
    })
    return { challenges, layer }
  }
  const tokens = (asked: ReadonlyArray<Asked>) => asked.map(({ headers }) => headers.authorization)

  it.effect("renews the credentials and repeats the request, once", () =>
    Effect.forEach(
      combinations,
      Effect.fnUntraced(function*(one) {
        const { challenges, layer: credentials } = renewable(true)
        const { asked, layer } = talkTo(one, refused, { credentials })
        const error = yield* Effect.flip(get(layer))
        if (error.reason._tag !== "UnauthenticatedError") return assert.fail(error.reason._tag)
        assert.strictEqual(error.reason.challenge, challenge)
        assert.strictEqual(error.reason.status, 401)
        assert.deepStrictEqual(tokens(asked), ["Bearer old", "Bearer new"])
        assert.deepStrictEqual(challenges.map((one) => one.wwwAuthenticate), [challenge])
        assert.strictEqual(challenges[0]!.target.protocolBinding, one.binding)
      })
    ))

  it.effect("is final if there is nothing to renew", () =>
    Effect.forEach(
      combinations,
      Effect.fnUntraced(function*(one) {
        const { challenges, layer: credentials } = renewable(false)
        const { asked, layer } = talkTo(one, refused, { credentials })
        const error = yield* Effect.flip(
          Stream.runDrain(Agent.stream("hi")).pipe(Effect.provide(Agent.layer.pipe(Layer.provide(layer))))
        )
        assert.strictEqual(error.reason._tag, "UnauthenticatedError")
        assert.deepStrictEqual([tokens(asked), challenges.length], [["Bearer old"], 1], one.name)
      })
    ))

  it.effect("is followed by the response to the second request", () =>
    Effect.gen(function*() {
      const { asked, layer } = talkTo(
        rest,
        (asked) => asked.headers.authorization === "Bearer new" ? ok() : refused(),
        {
          credentials: renewable(true).layer
        }
      )
      assert.strictEqual((yield* get(layer)).id, taskId)
      assert.strictEqual((yield* get(layer)).id, taskId)
      assert.deepStrictEqual(tokens(asked).slice(0, 2), ["Bearer old", "Bearer new"])
    }))

  it.effect(
    "ends the search for a card with its challenge; credentials are sent with it",
    () =>
      Effect.gen(function*() {
        const card = (layer: Layer.Layer<AgentTransport.AgentTransport, AgentError.AgentError>) =>
          Agent.card.pipe(Effect.provide(Agent.layer.pipe(Layer.provide(layer))))
        const { asked, layer } = talkTo(rest, refused)
        const error = yield* Effect.flip(card(layer))
        if (error.reason._tag !== "UnauthenticatedError") return assert.fail(error.reason._tag)
        assert.strictEqual(error.reason.challenge, challenge)
        assert.notInclude(error.message, "no agent card")
        assert.strictEqual(asked.length, 1)
        const known = talkTo(rest, refused, { credentials: renewable(false).layer })
        yield* Effect.flip(card(known.layer))
        assert.deepStrictEqual(tokens(known.asked), ["Bearer old"])
      }),
    covers("field:CARD-04")
  )
})

describe("secrets are in no error", covers("field:SEC-01"), () => {
  const texts = (cause: Cause.Cause<AgentError.AgentError>): ReadonlyArray<string> => {
    const [reason] = cause.reasons
    const error = reason?._tag === "Fail" ? reason.error : assert.fail(Cause.pretty(cause))
    const causes: Array<unknown> = []
    for (let one: unknown = error; one instanceof Error; one = one.cause) causes.push(one, one.stack)
    return [
      String(error),
      JSON.stringify(error),
      inspect(error, { depth: 9, showHidden: true }),
      Cause.pretty(cause),
      ...causes.map((one) => inspect(one, { depth: 9, showHidden: true }))
    ]
  }

  const credentials: ReadonlyArray<Credentials.Credential> = [
    { _tag: "Bearer", token: Redacted.make(secret) },
    { _tag: "ApiKey", in: "query", name: "key", value: Redacted.make(secret) },
    { _tag: "ApiKey", in: "cookie", name: "sid", value: Redacted.make(secret) }
  ]
  const basic = Buffer.from(`u:${secret}`).toString("base64")

  const check = Effect.fnUntraced(function*(exit: Exit.Exit<unknown, AgentError.AgentError>, tag: string) {
    if (Exit.isSuccess(exit)) return assert.fail("success")
    const error = exit.cause.reasons[0]
    assert.strictEqual(String(error?._tag === "Fail" && error.error.reason._tag), tag)
    for (const text of texts(exit.cause)) {
      assert.notInclude(text, secret)
      assert.notInclude(text, basic)
    }
  })

  it.effect("for refusals of every kind", () =>
    Effect.forEach(
      combinations,
      Effect.fnUntraced(function*(one) {
        for (
          const [answer, tag] of [
            [() => new Response("oops", { status: 500 }), "InternalError"],
            [() => new Response("", { status: 401 }), "UnauthenticatedError"],
            [() => new Response("<html>", { status: 200 }), "MalformedResponseError"]
          ] as const
        ) {
          const { layer } = talkTo(one, answer, {
            credentials: presenting(...credentials),
            url: `https://agent.test/a2a?secret=${secret}`
          })
          yield* check(yield* Effect.exit(get(layer)), tag)
        }
      })
    ))

  it.effect("for a closed port and a lost connection", () =>
    Effect.forEach(
      combinations,
      Effect.fnUntraced(function*(one) {
        const server = createServer((_, response) => {
          response.writeHead(200, { "content-type": "application/json" })
          response.write("{")
          setTimeout(() => response.destroy(), 5)
        })
        const port = yield* Effect.callback<number>((resume) => {
          server.listen(0, "127.0.0.1", () => resume(Effect.succeed((server.address() as AddressInfo).port)))
        })
        const layer = (port: number, ...given: ReadonlyArray<Credentials.Credential>) =>
          one.client({ url: `http://127.0.0.1:${port}/a2a?x=${secret}`, protocol: one.protocol }).pipe(
            Layer.provide([FetchHttpClient.layer, presenting(...given)])
          )
        const password = { _tag: "Basic", username: "u", password: Redacted.make(secret) } as const
        for (const given of [credentials, [password]]) {
          yield* check(yield* Effect.exit(get(layer(port, ...given))), "ConnectionError")
        }
        yield* Effect.callback<void>((resume) => {
          server.close(() => resume(Effect.void))
        })
        for (const given of [credentials, [password]]) {
          const exit = yield* Effect.exit(get(layer(port, ...given)))
          yield* check(exit, "ConnectionError")
          assert.include(String(Exit.isFailure(exit) && Cause.pretty(exit.cause)), "ECONNREFUSED")
        }
      })
    ))

  it.effect("for user info in a URL, which is refused when the transport is made", () =>
    Effect.gen(function*() {
      for (const url of [`https://u:${secret}@agent.test/a2a`, `u:${secret}@agent.test/a2a?k=${secret}`]) {
        const exit = yield* Effect.exit(get(talkTo(rest, ok, { url }).layer))
        yield* check(exit, "InvalidRequestError")
      }
    }))

  it.effect("for a request beside the operations", () =>
    Effect.gen(function*() {
      const error = yield* Effect.exit(
        HttpTransport.request({
          url: `http://127.0.0.1:1/?k=${secret}`,
          operation: "feedback",
          request: { method: "GET", path: "", query: [], body: undefined }
        }).pipe(Effect.provide([FetchHttpClient.layer, presenting(...credentials)]))
      )
      yield* check(error, "ConnectionError")
    }))
})
