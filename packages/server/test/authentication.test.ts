/** What callers present, what they get for it, and what a misconfigured server says. */
import { Agent, AgentError, Credential, Credentials } from "@effect-a2a/core"
import type { AgentCard, Authenticator, SecurityScheme } from "@effect-a2a/core"
import { AgentExecutor, AgentServer, Authentication, CardServer, Cors, InProcessHttp } from "@effect-a2a/server"
import { JsonRpcServer } from "@effect-a2a/transport-jsonrpc"
import { Rest, RestServer } from "@effect-a2a/transport-rest"
import { assert, describe, it } from "@effect/vitest"
import { Cause, ConfigProvider, Effect, Layer, Logger, Redacted, Stream } from "effect"
import { WebCrypto } from "effect/crypto"
import { HttpClient, HttpClientRequest } from "effect/http"
import { combinations } from "../../../test/peers/combinations.ts"
import { covers } from "../../../test/support/covers.ts"

type Card = Pick<AgentCard.AgentCard, "securitySchemes" | "securityRequirements">
type Options = Authentication.Options<AgentError.AgentError>

const bearer = { _tag: "HttpAuth", scheme: "bearer" } as const
const basic = { _tag: "HttpAuth", scheme: "Basic" } as const
const key = (location: SecurityScheme.ApiKey["location"], name: string) => ({ _tag: "ApiKey", location, name } as const)

const ana = { id: "ana", secret: Redacted.make("secret-of-ana"), scopes: ["read"], claims: { team: "blue" } }
const ben = { id: "ben", secret: Redacted.make("secret-of-ben") }

/** An agent that says who calls it, over all bindings, with an open card. */
const routes = (card: Card, options: Options) =>
  Layer.merge(RestServer.routes({ path: "/rest" }), JsonRpcServer.routes({ path: "/rpc" })).pipe(
    Layer.provide(Authentication.layer(options)),
    Layer.merge(CardServer.routes()),
    Layer.provide(AgentServer.layerMemory({ card: { name: "Who", description: "Says who you are", ...card } })),
    Layer.provide(
      AgentExecutor.layer(({ caller }) => Stream.make(JSON.stringify([caller?.id, caller?.scopes, caller?.claims])))
    )
  )

const provide = (card: Card, options: Options) => Effect.provide(InProcessHttp.layer(routes(card, options)))

/** A request as bytes, and the response to it. */
const send = (path: string, headers: Record<string, string> = {}, body?: unknown) =>
  HttpClientRequest.make(body === undefined ? "GET" : "POST")(`http://agent.test${path}`).pipe(
    body === undefined ? (self) => self : HttpClientRequest.bodyText(JSON.stringify(body), "application/json"),
    HttpClientRequest.setHeaders({ "a2a-version": "1.0", ...headers }),
    HttpClient.execute,
    Effect.flatMap((response) =>
      Effect.map(response.text, (text) => ({ status: response.status, headers: response.headers, text }))
    )
  )

const statusOf = (headers: Record<string, string> = {}, path = "/rest/tasks") =>
  Effect.map(send(path, headers), ({ status }) => status)

const challengeOf = (headers: Record<string, string> = {}, path = "/rest/tasks") =>
  Effect.map(send(path, headers), (response) => response.headers["www-authenticate"])

const message = { role: "ROLE_USER", messageId: "m-1", parts: [{ text: "Who am I?" }] }

/** The answer, without the escapes of the JSON around it. */
const whoAmI = (headers: Record<string, string>) =>
  Effect.map(send("/rest/message:send", headers, { message }), ({ text }) => text.replaceAll("\\\"", "\""))

const tokenCard = { securitySchemes: { token: bearer }, securityRequirements: [{ token: [] }] }
const tokens: Options = { schemes: { token: Authentication.bearer([ana, ben]) } }

const authorization = (value: string) => ({ authorization: value })

describe("a request with credentials", () => {
  it.effect("has the caller whose token it presents, with scopes and claims", () =>
    Effect.gen(function*() {
      assert.include(
        yield* whoAmI(authorization("Bearer secret-of-ana")),
        `["ana",["read"],{"team":"blue"}]`
      )
      assert.include(yield* whoAmI(authorization("bEARER   secret-of-ben")), `"ben"`)
    }).pipe(provide(tokenCard, tokens)))

  it.effect("is refused unless the token is exactly one that is known", () =>
    Effect.gen(function*() {
      for (
        const wrong of [
          "Bearer secret-of-an",
          "Bearer secret-of-anaa",
          "Bearer SECRET-OF-ANA",
          "Bearer x",
          "Bearer",
          "Bearer ",
          "secret-of-ana",
          "Basic secret-of-ana",
          "Bearer secret-of-ana secret-of-ben",
          `Bearer ${"x".repeat(9000)}`
        ]
      ) assert.strictEqual(yield* statusOf(authorization(wrong)), 401, wrong)
      assert.strictEqual(yield* statusOf({ "x-api-key": "secret-of-ana" }), 401)
      assert.strictEqual(yield* statusOf({}, "/rest/tasks?token=secret-of-ana"), 401)
    }).pipe(provide(tokenCard, tokens)))

  it.effect("presents a key where the card says, and nowhere else", () =>
    Effect.gen(function*() {
      const secret = "secret-of-ana"
      const places = [
        [key("header", "X-Key"), { "x-key": secret }, ""],
        [key("query", "k e y"), {}, `?k%20e%20y=${secret}`],
        [key("cookie", "session"), { cookie: `other=1; session=${secret}` }, ""]
      ] as const
      for (const [scheme] of places) {
        const card = { securitySchemes: { key: scheme }, securityRequirements: [{ key: [] }] }
        yield* Effect.gen(function*() {
          for (const [other, presented, search] of places) {
            const status = yield* statusOf(presented, `/rest/tasks${search}`)
            assert.strictEqual(status, scheme === other ? 200 : 401, `${scheme.location} with ${other.location}`)
          }
          assert.strictEqual(
            yield* challengeOf(),
            `ApiKey realm="Who", in="${scheme.location}", name="${scheme.name}"`
          )
        }).pipe(provide(card, { schemes: { key: Authentication.apiKey([ana]) } }))
      }
    }))

  it.effect("is refused if a query has a key twice, even the right one", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* statusOf({}, "/rest/tasks?key=secret-of-ana"), 200)
      assert.strictEqual(yield* statusOf({}, "/rest/tasks?key=secret-of-ana&key=x"), 401)
      assert.strictEqual(yield* statusOf({}, "/rest/tasks?key=secret-of-ana&key=secret-of-ana"), 401)
    }).pipe(provide(
      { securitySchemes: { key: key("query", "key") }, securityRequirements: [{ key: [] }] },
      { schemes: { key: Authentication.apiKey([ana]) } }
    )))

  it.effect("presents a user name and a password in UTF-8, with colons in the password", () =>
    Effect.gen(function*() {
      const encode = (text: string) =>
        authorization(`Basic ${btoa(String.fromCharCode(...new TextEncoder().encode(text)))}`)
      assert.strictEqual(yield* statusOf(encode("zoë:pä:ß")), 200)
      for (const wrong of ["zoë:pä", "zoë:", ":pä:ß", "zoë", "zoë:pä:ß:", "ana:pä:ß"]) {
        assert.strictEqual(yield* statusOf(encode(wrong)), 401, wrong)
      }
      assert.strictEqual(yield* statusOf(authorization("Basic %%%")), 401)
      assert.strictEqual(yield* statusOf(authorization(`Basic ${btoa("zo\xeb:p")}`)), 401)
      assert.strictEqual(yield* challengeOf(), `Basic realm="Who", charset="UTF-8"`)
    }).pipe(provide(
      { securitySchemes: { login: basic }, securityRequirements: [{ login: [] }] },
      { schemes: { login: Authentication.basic([{ id: "zoë", secret: Redacted.make("pä:ß") }]) } }
    )))

  it.effect("reaches a verifier of another scheme whole, and one for certificates without a credential", () => {
    const seen: Array<unknown> = []
    const verify: Authenticator.Verifier = (presented, { headers }) =>
      Effect.sync(() => {
        seen.push(presented._tag === "ApiKey" ? Redacted.value(presented.value) : presented._tag)
        return headers["x-client"] === undefined ? undefined : { id: headers["x-client"] }
      })
    const card = { securitySchemes: { own: { _tag: "HttpAuth", scheme: "Hawk" }, tls: { _tag: "MutualTls" } } } as const
    return Effect.gen(function*() {
      assert.strictEqual(yield* statusOf(authorization(`Hawk id="a", mac="b c"`)), 401)
      assert.strictEqual(yield* statusOf({ "x-client": "ana" }), 200)
      assert.strictEqual(yield* challengeOf(), `Hawk realm="Who"`)
      assert.deepStrictEqual(seen.slice(0, 2), [`id="a", mac="b c"`, "Certificate"])
    }).pipe(provide(card, { schemes: { own: verify, tls: verify } }))
  })
})

describe("an executor", () => {
  it.effect("sees the headers of a request without its credentials, in every binding", () => {
    const seen: Array<Readonly<Record<string, string>>> = []
    const card = {
      securitySchemes: { key: key("header", "X-Key"), gateway: key("header", "X-Gateway") },
      securityRequirements: [{ key: [] }]
    }
    const app = Layer.merge(RestServer.routes({ path: "/rest" }), JsonRpcServer.routes({ path: "/rpc" })).pipe(
      Layer.provide(Authentication.layer({
        schemes: { key: Authentication.apiKey([ana]), gateway: Authentication.apiKey([ben]) }
      })),
      Layer.provide(AgentServer.layerMemory({ card: { name: "Who", description: "Reads headers", ...card } })),
      Layer.provide(AgentExecutor.layer(({ headers }) => {
        seen.push(headers)
        return Stream.make("Done")
      }))
    )
    const headers = { "x-key": "secret-of-ana", "x-gateway": "secret-of-ben", "x-trace": "t-1", cookie: "a=b" }
    return Effect.gen(function*() {
      yield* send("/rest/message:send", { ...headers, ...authorization("Bearer x") }, { message })
      yield* send("/rpc", headers, { jsonrpc: "2.0", id: 1, method: "SendMessage", params: { message } })
      assert.strictEqual(seen.length, 2)
      for (const one of seen) {
        assert.strictEqual(one["x-trace"], "t-1")
        assert.notMatch(JSON.stringify(one), /secret-of|cookie|authorization/)
      }
    }).pipe(Effect.provide(InProcessHttp.layer(app)))
  })
})

describe("requirements of a card", () => {
  const two = {
    securitySchemes: { gateway: key("header", "x-gateway"), user: bearer, admin: basic },
    securityRequirements: [{ gateway: [], user: [] }, { admin: [] }]
  }
  const schemes = {
    user: Authentication.bearer([ana]),
    gateway: Authentication.apiKey([{ id: "edge", secret: Redacted.make("secret-of-edge") }]),
    admin: Authentication.basic([ben])
  }
  const gateway = { "x-gateway": "secret-of-edge" }
  const user = authorization("Bearer secret-of-ana")

  it.effect("are alternatives of conjunctions; the caller is that of the scheme that stands first in the options", () =>
    Effect.gen(function*() {
      assert.include(yield* whoAmI({ ...gateway, ...user }), `"ana"`)
      assert.include(yield* whoAmI(authorization(`Basic ${btoa("ben:secret-of-ben")}`)), `"ben"`)
      for (
        const part of [
          {},
          gateway,
          user,
          { ...user, "x-gateway": "secret-of-ana" },
          { ...gateway, ...authorization("Bearer secret-of-edge") }
        ]
      ) assert.strictEqual(yield* statusOf(part), 401, JSON.stringify(part))
    }).pipe(provide(two, { schemes })))

  it.effect("are challenged for together, and what is wrong is marked", () =>
    Effect.gen(function*() {
      const basicPart = `Basic realm="Who", charset="UTF-8"`
      const keyPart = `ApiKey realm="Who", in="header", name="x-gateway"`
      assert.strictEqual(yield* challengeOf(gateway), `Bearer realm="Who", ${keyPart}, ${basicPart}`)
      assert.strictEqual(
        yield* challengeOf({ ...gateway, ...authorization("Bearer old") }),
        `Bearer realm="Who", error="invalid_token", ${keyPart}, ${basicPart}`
      )
      const { text } = yield* send("/rest/tasks")
      assert.include(text, "credentials are missing: send those for gateway and user, or admin")
    }).pipe(provide(two, { schemes })))

  it.effect("without a verifier cannot be used, the others can", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* statusOf(authorization(`Basic ${btoa("ben:secret-of-ben")}`)), 200)
      assert.strictEqual(yield* statusOf({ ...gateway, ...user }), 401)
      assert.strictEqual(yield* challengeOf(), `Basic realm="Who", charset="UTF-8"`)
    }).pipe(provide(two, { schemes: { admin: schemes.admin } })))

  it.effect("that are absent mean one scheme, whichever", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* statusOf(gateway), 200)
      assert.strictEqual(yield* statusOf(user), 200)
      assert.strictEqual(yield* statusOf(), 401)
    }).pipe(provide({ securitySchemes: two.securitySchemes }, { schemes })))

  for (
    const [what, card, options] of [
      ["that include the empty one", { ...tokenCard, securityRequirements: [{}, { token: [] }] }, tokens],
      ["that are all empty", { ...tokenCard, securityRequirements: [{}] }, tokens],
      ["that the options make optional", tokenCard, { ...tokens, required: false }]
    ] as const
  ) {
    it.effect(`${what} admit requests without credentials, and refuse wrong ones`, () =>
      Effect.gen(function*() {
        assert.include(yield* whoAmI({}), "[null,null,null]")
        assert.include(yield* whoAmI(authorization("Bearer secret-of-ana")), `"ana"`)
        assert.strictEqual(yield* statusOf(authorization("Bearer guessed")), 401)
      }).pipe(provide(card, options)))
  }
})

describe("scopes", () => {
  const all = Authentication.bearer([ana, ben, {
    id: "eva",
    secret: Redacted.make("secret-of-eva"),
    scopes: ["read", "write"]
  }])
  const as = (name: string) => authorization(`Bearer secret-of-${name}`)

  it.effect("of a requirement are needed for everything", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* statusOf(as("eva")), 200)
      const refused = yield* send("/rest/tasks", as("ana"))
      assert.strictEqual(refused.status, 403)
      assert.strictEqual(
        refused.headers["www-authenticate"],
        `Bearer realm="Who", error="insufficient_scope", scope="read write"`
      )
      assert.include(refused.text, "the caller lacks the scope write")
      assert.strictEqual(yield* statusOf(as("ben")), 403)
      assert.strictEqual(yield* challengeOf(), `Bearer realm="Who", scope="read write"`)
    }).pipe(
      provide({ ...tokenCard, securityRequirements: [{ token: ["read", "write"] }] }, { schemes: { token: all } })
    ))

  const limited: Options = { schemes: { token: all }, scopes: { SendMessage: ["write"], GetTask: ["read"] } }
  const rpc = (method: string, params: object = { message }) => ({ jsonrpc: "2.0", id: 7, method, params })

  it.effect("of an operation are needed for it and for its stream, in every binding and version", () =>
    Effect.gen(function*() {
      const old = { "a2a-version": "0.3" }
      const requests = [
        ["/rest/message:send", {}, { message }],
        ["/rest/message:stream", {}, { message }],
        ["/rest/v1/message:send", old, { message }],
        ["/rest/v1/message:stream", old, { message }],
        ["/rpc", {}, rpc("SendMessage")],
        ["/rpc", {}, rpc("SendStreamingMessage")],
        ["/rpc", old, rpc("message/send")],
        ["/rpc", old, rpc("message/stream")]
      ] as const
      for (const [path, headers, body] of requests) {
        const refused = yield* send(path, { ...headers, ...as("ana") }, body)
        assert.strictEqual(refused.status, 403, path)
        assert.strictEqual(
          refused.headers["www-authenticate"],
          `Bearer realm="Who", error="insufficient_scope", scope="write"`
        )
        if (path === "/rpc") {
          const { error, id } = JSON.parse(refused.text)
          assert.deepStrictEqual([id, error.code], [7, -31403])
        }
        const { status } = yield* send(path, { ...headers, ...as("eva") }, body)
        assert.strictEqual(status === 403, false, path)
      }
      assert.strictEqual(yield* statusOf(as("ana"), "/rest/tasks/t-1"), 404)
      assert.strictEqual(yield* statusOf(as("ben"), "/rest/tasks/t-1"), 403)
      assert.strictEqual(yield* statusOf(as("ben"), "/rest/tasks/t-1:subscribe"), 403)
      assert.strictEqual(yield* statusOf(as("ben"), "/rest/tasks"), 200)
    }).pipe(provide(tokenCard, limited)))

  it.effect("that an anonymous request lacks are credentials that it lacks", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* statusOf(), 200)
      const refused = yield* send("/rest/message:send", {}, { message })
      assert.deepStrictEqual([refused.status, refused.headers["www-authenticate"]], [401, `Bearer realm="Who"`])
    }).pipe(provide(tokenCard, { ...limited, required: false })))

  it.effect("do not come from another scheme of the same requirement", () => {
    const card = {
      securitySchemes: { token: bearer, gateway: key("header", "x-gateway") },
      securityRequirements: [{ token: [], gateway: [] }]
    }
    const gateway = Authentication.apiKey([{ id: "edge", secret: Redacted.make("secret"), scopes: ["write"] }])
    return Effect.gen(function*() {
      const { status } = yield* send("/rest/message:send", { ...as("ana"), "x-gateway": "secret" }, { message })
      assert.strictEqual(status, 403)
    }).pipe(provide(card, { ...limited, schemes: { token: all, gateway } }))
  })
})

describe("a verifier", () => {
  const failing = (verify: Authenticator.Verifier) => provide(tokenCard, { schemes: { token: verify } })
  const token = authorization("Bearer some")

  it.effect("may say why a credential is not valid", () =>
    Effect.gen(function*() {
      const { headers, status, text } = yield* send("/rest/tasks", token)
      assert.deepStrictEqual([status, headers["www-authenticate"]], [401, `Bearer realm="Who", error="invalid_token"`])
      assert.include(text, "the token expired at noon")
    }).pipe(
      failing(() => Effect.fail(AgentError.reason("UnauthenticatedError", { message: "the token expired at noon" })))
    ))

  it.effect("that cannot decide leaves the credential unrefused", () =>
    Effect.gen(function*() {
      const { headers, status } = yield* send("/rest/tasks", token)
      assert.deepStrictEqual([status, headers["retry-after"], headers["www-authenticate"]], [503, "5", undefined])
      assert.strictEqual(yield* statusOf(), 401)
    }).pipe(
      failing(() =>
        Effect.fail(AgentError.reason("ServiceUnavailableError", { message: "no keys", retryAfter: "5 seconds" }))
      )
    ))

  it.effect("that dies is an internal error of the server, whose text stays there", () => {
    const logged: Array<string> = []
    const logger = Logger.layer([Logger.make(({ cause }) => void logged.push(Cause.pretty(cause)))])
    return Effect.gen(function*() {
      for (const path of ["/rest/tasks", "/rpc"]) {
        const { status, text } = yield* send(path, token, path === "/rpc" ? {} : undefined)
        assert.include([200, 500], status)
        assert.include(text, "internal error")
        assert.notInclude(text, "boom")
      }
      assert.include(logged.join(), "boom")
    }).pipe(failing(() => Effect.die("boom")), Effect.provide(logger))
  })

  it.effect("of tokens for a scheme with keys is a defect, not an open door", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* statusOf({ "x-key": "secret-of-ana" }), 500)
    }).pipe(
      provide({ securitySchemes: { key: key("header", "x-key") } }, { schemes: { key: Authentication.bearer([ana]) } }),
      Effect.provide(Logger.layer([]))
    ))

  it.effect("of fixed secrets computes one digest per credential, whatever its length, and keeps no secret", () => {
    const digested: Array<number> = []
    const subtle = {
      digest: (name: string, data: Uint8Array<ArrayBuffer>) => {
        digested.push(data.length)
        return crypto.subtle.digest(name, data)
      }
    }
    return Effect.gen(function*() {
      const verify = yield* Authentication.bearer([ana, ben])
      digested.length = 0
      const request = {} as Parameters<Authenticator.Verifier>[1]
      const lengths = [1, 12, 13, 14, 5000]
      for (const length of lengths) {
        assert.isUndefined(yield* verify(Credential.bearer(Redacted.make("s".repeat(length))), request))
      }
      assert.deepStrictEqual(digested, lengths)
      // what a heap snapshot or a log of the verifier may show
      assert.notInclude(Object.entries(verify).join() + String(verify), "secret-of")
    }).pipe(Effect.provide(WebCrypto.layer({ subtle } as unknown as Crypto)))
  })
})

describe("a server whose options do not fit its card", () => {
  const build = (card: Card, options: Options) =>
    Layer.build(InProcessHttp.layer(routes(card, options))).pipe(Effect.scoped, Effect.flip, Effect.map(String))

  it.effect("does not start", () =>
    Effect.gen(function*() {
      const none = Authentication.bearer([])
      const cases: ReadonlyArray<readonly [Card, Options, string]> = [
        [tokenCard, { schemes: { tokn: none } }, `no security scheme "tokn"; it has: token`],
        [{}, { schemes: { token: none } }, "it has: none"],
        [
          { securitySchemes: { login: basic } },
          { schemes: { login: Authentication.basic([{ id: "a:b", secret: Redacted.make("c") }]) } },
          "\"a:b\" has a colon"
        ],
        [{ ...tokenCard, securityRequirements: [{ token: [], other: [] }] }, tokens, "requires: token and other"],
        [tokenCard, { schemes: {} }, "requires: token"],
        [
          tokenCard,
          { schemes: { token: Authentication.bearer([ana, { ...ana, id: "ben" }]) } },
          "ana and ben have the same"
        ],
        [
          tokenCard,
          { schemes: { token: Authentication.bearer([{ id: "ana", secret: Redacted.make("") }]) } },
          "ana is empty"
        ]
      ]
      for (const [card, options, expected] of cases) {
        const error = yield* build(card, options)
        assert.include(error, expected)
        assert.notInclude(error, "secret-of")
      }
    }))
})

describe("keys from configuration", () => {
  const read = (text: string) => Authentication.configKeys("TOKENS").parse(ConfigProvider.fromUnknown({ TOKENS: text }))

  it.effect("are pairs with commas between them; a secret may have colons", () =>
    Effect.gen(function*() {
      const keys = yield* read(" ana:secret1, ben:a:b=/+ ,ana:secret2")
      assert.deepStrictEqual(keys.map(({ id, secret }) => [id, Redacted.value(secret)]), [
        ["ana", "secret1"],
        ["ben", "a:b=/+"],
        ["ana", "secret2"]
      ])
      assert.notInclude(JSON.stringify(keys), "secret1")
    }))

  it.effect("that cannot be read are named by their position, without the secret", () =>
    Effect.gen(function*() {
      for (const text of ["secret1", "ana:ok,:secret1", "ana:ok,ben:", "ana:ok,,", "ana:ok,ben:secret 1"]) {
        const error = String((yield* Effect.flip(read(text))).message)
        assert.match(error, text.startsWith("ana") ? /entry 2 is not id:secret/ : /entry 1 is not id:secret/, text)
        assert.notInclude(error, "secret1")
      }
    }))
})

describe("our own client", () => {
  const schemes = { token: bearer, login: basic, key: key("header", "X-Key") }
  const card = { securitySchemes: schemes, securityRequirements: [{ token: [] }, { login: [], key: [] }] }
  const options: Options = {
    schemes: {
      token: Authentication.bearer([ana]),
      login: Authentication.basic([ben]),
      key: Authentication.apiKey([{ id: "edge", secret: Redacted.make("secret-of-edge") }])
    }
  }
  const secrets = {
    login: Redacted.make("ben:secret-of-ben"),
    key: Redacted.make("secret-of-edge")
  }

  it.effect("answers a challenge by another token, once", () =>
    Effect.gen(function*() {
      let readings = 0
      const token = Effect.sync(() => Redacted.make(readings++ === 0 ? "expired" : "secret-of-ana"))
      const agent = Agent.layer.pipe(
        Layer.provide(Rest.layer({ url: "http://agent.test/rest" })),
        Layer.provide(Credentials.layerFromCard(card, { token }))
      )
      assert.include((yield* Effect.provide(Agent.ask("Who?"), agent)).text, `"ana"`)
      const { exchanges } = yield* InProcessHttp.Tape
      assert.deepStrictEqual((yield* exchanges).map(({ status }) => status), [401, 200])
      assert.strictEqual(readings, 2)
    }).pipe(provide(card, options)))

  for (const { client, http, name, path, protocol } of combinations) {
    it.effect(`meets whichever requirement it can over ${name}, and reads the challenge if it cannot`, () =>
      Effect.gen(function*() {
        const connect = (providers: Record<string, Redacted.Redacted>) =>
          Agent.layer.pipe(
            Layer.provide(client({ url: `http://agent.test${path}`, protocol })),
            Layer.provide(Credentials.layerFromCard(card, providers))
          )
        const both = connect(secrets)
        assert.include((yield* Effect.provide(Agent.ask("Who?"), both)).text, `"ben"`)
        const events = yield* Stream.runCollect(Agent.stream("Who?")).pipe(Effect.provide(both))
        assert.include(JSON.stringify(events), "ben")
        const wrong = connect({ token: Redacted.make("guessed") })
        for (const call of [Agent.ask("Who?"), Stream.runDrain(Agent.stream("Who?"))]) {
          const error = yield* Effect.flip(Effect.provide(call, wrong))
          assert.strictEqual(error.reason._tag, "UnauthenticatedError", http.protocolBinding)
          assert.include(
            error.reason._tag === "UnauthenticatedError" ? error.reason.challenge : undefined,
            `Bearer realm="Who", error="invalid_token", Basic realm="Who"`
          )
          assert.include(error.message, "the credential for token is not valid")
        }
      }).pipe(provide(card, options)))
  }
})

describe("an application", covers("attack:S2-24"), () => {
  const of = (name: string, card: Card) =>
    AgentServer.layerMemory({ card: { name, description: "One of several", ...card } }).pipe(
      Layer.provide(AgentExecutor.layer(() => Stream.make("Done")))
    )
  const rest = RestServer.routes({ path: "/rest" })
  const rpc = JsonRpcServer.routes({ path: "/rpc" })
  const authenticated = Authentication.layer(tokens)
  const compositions = [
    ["provides the layer to both", Layer.merge(rest, rpc).pipe(Layer.provide(authenticated))],
    ["provides it to one binding", Layer.merge(rest.pipe(Layer.provide(authenticated)), rpc)],
    ["provides it to the other binding", Layer.merge(rest, rpc.pipe(Layer.provide(authenticated)))],
    ["provides it fresh", Layer.merge(rest, rpc).pipe(Layer.provide(Layer.fresh(authenticated)))],
    ["merges it with the routes", Layer.mergeAll(rest, rpc, authenticated)],
    ["merges it first", Layer.mergeAll(authenticated, rest, rpc)],
    ["merges it with fresh routes", Layer.fresh(Layer.mergeAll(rest, authenticated, rpc))]
  ] as const
  for (const [how, bindings] of compositions) {
    it.effect(`that ${how} leaves no binding of the agent open, and others as they are`, () =>
      Effect.gen(function*() {
        const bodies = {
          "/rest/message:send": { message },
          "/rpc": { jsonrpc: "2.0", id: 1, method: "ListTasks", params: {} }
        }
        for (const [path, body] of Object.entries(bodies)) {
          assert.strictEqual((yield* send(path, {}, body)).status, 401, path)
          assert.strictEqual((yield* send(path, authorization("Bearer secret-of-ana"), body)).status, 200, path)
        }
        assert.strictEqual(yield* statusOf({}, "/open/tasks"), 200)
        assert.strictEqual(yield* statusOf({}, "/other/tasks"), 401)
        assert.strictEqual(yield* statusOf({ "x-key": "secret-of-ben" }, "/other/tasks"), 200)
        assert.strictEqual(yield* statusOf(authorization("Bearer secret-of-ana"), "/other/tasks"), 401)
      }).pipe(Effect.provide(InProcessHttp.layer(Layer.mergeAll(
        bindings.pipe(Layer.provide(of("closed", tokenCard))),
        RestServer.routes({ path: "/open" }).pipe(Layer.provide(of("open", {}))),
        RestServer.routes({ path: "/other" }).pipe(
          Layer.provide(Authentication.layer({ schemes: { key: Authentication.apiKey([ben]) } })),
          Layer.provide(of("other", { securitySchemes: { key: key("header", "x-key") } }))
        )
      )))))
  }

  it.effect("authenticates each agent that one layer is given to by its card", () => {
    const either = Authentication.layer({ schemes: { token: Authentication.bearer([ana]) } })
    const other = { ...tokenCard, securityRequirements: [{ token: ["write"] }] }
    const first = RestServer.routes({ path: "/rest" })
    const second = RestServer.routes({ path: "/other" })
    const apps = [
      Layer.merge(
        first.pipe(Layer.provide(either), Layer.provide(of("first", tokenCard))),
        second.pipe(Layer.provide(either), Layer.provide(of("second", other)))
      ),
      Layer.merge(
        Layer.merge(first, either).pipe(Layer.provide(of("first", tokenCard))),
        Layer.merge(second, either).pipe(Layer.provide(of("second", other)))
      )
    ]
    return Effect.forEach(apps, (app) =>
      Effect.gen(function*() {
        const user = authorization("Bearer secret-of-ana")
        assert.deepStrictEqual([yield* statusOf(), yield* statusOf(user)], [401, 200])
        assert.deepStrictEqual([yield* statusOf({}, "/other/tasks"), yield* statusOf(user, "/other/tasks")], [401, 403])
      }).pipe(Effect.provide(InProcessHttp.layer(app))), { discard: true })
  })

  it.effect("answers preflights of pages without credentials", () =>
    Effect.gen(function*() {
      const { headers, status } = yield* HttpClientRequest.options("http://agent.test/rest/message:send").pipe(
        HttpClientRequest.setHeaders({ origin: "https://app.test", "access-control-request-method": "POST" }),
        HttpClient.execute
      )
      assert.deepStrictEqual([status, headers["access-control-allow-origin"]], [204, "https://app.test"])
      const refused = yield* send("/rest/message:send", { origin: "https://app.test" }, { message })
      assert.strictEqual(refused.status, 401)
      assert.include(refused.headers["access-control-expose-headers"], "www-authenticate")
    }).pipe(Effect.provide(InProcessHttp.layer(
      Layer.merge(routes(tokenCard, tokens), Cors.layer({ origins: ["https://app.test"] }))
    ))))
})

describe("the public card", () => {
  it.effect("stays open, and says what is needed", () =>
    Effect.gen(function*() {
      const { status, text } = yield* send("/.well-known/agent-card.json")
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(JSON.parse(text).securityRequirements, [{ schemes: { token: {} } }])
    }).pipe(provide(tokenCard, tokens)))
})
