import { Agent, type AgentCard, Credential, Credentials, Discovery, Id } from "@effect-a2a/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { inspect } from "node:util"
import { vi } from "vitest"
import { covers } from "../support/covers.ts"
import { combination, talkTo } from "../support/peer.ts"
import { json } from "../support/respond.ts"

const rest = combination("1.0 HTTP+JSON")
const taskId = Id.TaskId.make("t-1")
const working = JSON.stringify({ id: "t-1", contextId: "c-1", status: { state: "TASK_STATE_WORKING" } })

const document = {
  name: "x",
  supportedInterfaces: [{ url: "https://agent.test/a2a", protocolBinding: "HTTP+JSON", protocolVersion: "1.0" }]
}
const of03 = { name: "x", url: "https://agent.test/a2a", preferredTransport: "HTTP+JSON", protocolVersion: "0.3.0" }

type Providers = { readonly [scheme: string]: Credentials.Provider }

/** What the agent of a card is sent, three times over. */
const sent = Effect.fnUntraced(function*(card: unknown, providers: Providers, answer = () => json(working)) {
  const read = yield* Discovery.fromJson(card)
  const { asked, layer } = talkTo(rest, answer, { credentials: Credentials.layerFromCard(read, providers) })
  const results = yield* Effect.forEach([1, 2, 3], () => Effect.result(Agent.getTask(taskId))).pipe(
    Effect.provide(Agent.layer.pipe(Layer.provide(layer)))
  )
  return { asked, results }
})

const key = (name: string, location = "header") => ({ apiKeySecurityScheme: { location, name } })
const requiring = (securitySchemes: unknown, ...all: ReadonlyArray<ReadonlyArray<string>>) => ({
  ...document,
  securitySchemes,
  securityRequirements: all.map((names) => ({
    schemes: Object.fromEntries(names.map((name) => [name, { list: [] }]))
  }))
})

describe("a requirement with several schemes", covers("field:AUTH-01"), () => {
  it.effect("applies all of them to every request, each with its own secret", () =>
    Effect.gen(function*() {
      const { asked } = yield* sent(
        requiring({ gw: key("X-Gateway-Key"), user: key("X-User") }, ["gw", "user"]),
        { user: Effect.succeed(Redacted.make("u-1")), gw: Redacted.make("g-1") }
      )
      assert.deepStrictEqual(
        asked.map(({ headers }) => [headers["x-gateway-key"], headers["x-user"], headers.authorization]),
        [1, 2, 3].map(() => ["g-1", "u-1", undefined])
      )
    }))

  it.effect("renews the one that is rejected and keeps the others", () =>
    Effect.gen(function*() {
      let reads = 0
      const { asked, results } = yield* sent(
        requiring({ gw: key("X-Gateway-Key"), user: { httpAuthSecurityScheme: { scheme: "bearer" } } }, ["gw", "user"]),
        { gw: Redacted.make("g-1"), user: Effect.sync(() => Redacted.make(`u-${++reads}`)) },
        () => reads === 1 ? new Response("", { status: 401 }) : json(working)
      )
      assert.deepStrictEqual(asked.map(({ headers }) => [headers["x-gateway-key"], headers.authorization]), [
        ["g-1", "Bearer u-1"],
        ["g-1", "Bearer u-2"],
        ["g-1", "Bearer u-2"],
        ["g-1", "Bearer u-2"]
      ])
      assert.isTrue(results.every(({ _tag }) => _tag === "Success"))
    }))
})

describe("several requirements", covers("field:AUTH-02"), () => {
  const flows = { clientCredentials: { tokenUrl: "https://auth.test/token", scopes: {} } }
  const schemes = { oauth: { oauth2SecurityScheme: { flows } }, key: key("X-Key"), other: key("X-Other") }
  const card = requiring(schemes, ["oauth", "other"], ["key"])

  it.effect("are met by the first for which there are secrets", () =>
    Effect.gen(function*() {
      const only = yield* sent(card, { key: Redacted.make("k-1"), oauth: Redacted.make("never") })
      assert.deepStrictEqual(only.asked.map(({ headers }) => [headers["x-key"], headers.authorization])[0], [
        "k-1",
        undefined
      ])
      const both = yield* sent(requiring(schemes, ["oauth"], ["key"]), {
        key: Redacted.make("k-1"),
        oauth: Redacted.make("at")
      })
      assert.deepStrictEqual(both.asked.map(({ headers }) => [headers["x-key"], headers.authorization])[0], [
        undefined,
        "Bearer at"
      ])
    }))

  it.effect("fail before anything is sent if none can be met, and the error names the missing schemes", () =>
    Effect.gen(function*() {
      const { asked, results: [result] } = yield* sent(card, { other: Redacted.make("o-1") })
      if (result?._tag !== "Failure") return assert.fail("it was sent")
      assert.strictEqual(result.failure.reason._tag, "CredentialsUnavailableError")
      assert.include(result.failure.message, "oauth, or key")
      assert.deepStrictEqual(asked, [])
    }))

  it.effect("are not met by schemes of an unknown kind or without a description", () =>
    Effect.gen(function*() {
      const { asked, results: [result] } = yield* sent(
        requiring({ digest: { httpAuthSecurityScheme: { scheme: "Digest" } } }, ["digest"], ["ghost"]),
        { digest: Redacted.make("d"), ghost: Redacted.make("g") }
      )
      if (result?._tag !== "Failure") return assert.fail("it was sent")
      assert.include(
        result.failure.message,
        "digest (of an unknown kind), or ghost (not described by the card in a known way)"
      )
      assert.deepStrictEqual(asked, [])
    }))

  for (const [name, card] of [["absent", document], ["empty", { ...document, securityRequirements: [] }]] as const) {
    it.effect(`send nothing if there are ${name} requirements`, () =>
      Effect.gen(function*() {
        const { asked } = yield* sent({ ...card, securitySchemes: { key: key("X-Key") } }, {
          key: Redacted.make("k-1")
        })
        assert.deepStrictEqual(asked.map(({ headers }) => "x-key" in headers), [false, false, false])
      }))
  }
})

describe("the place of a secret", covers("field:AUTH-05"), () => {
  const first = Effect.fnUntraced(function*(card: unknown, secret: string) {
    return (yield* sent(card, { k: Redacted.make(secret) })).asked[0]!
  })

  it.effect("is the query, a cookie or a header for an API key, as cards of 1.0 and 0.3 say it", () =>
    Effect.gen(function*() {
      const query = yield* first(requiring({ k: key("key", "query") }, ["k"]), "a&b")
      assert.strictEqual(new URL(query.url).searchParams.get("key"), "a&b")
      const cookie = yield* first(requiring({ k: key("sid", "cookie") }, ["k"]), "a;b")
      assert.strictEqual(cookie.headers.cookie, "sid=a%3Bb")
      for (const place of ["in", "location"]) {
        const scheme = { type: "apiKey", [place]: "header", name: "X-Key" }
        const header = yield* first({ ...of03, securitySchemes: { k: scheme }, security: [{ k: [] }] }, "v")
        assert.strictEqual(header.headers["x-key"], "v")
      }
    }))

  it.effect("is the authorization header for HTTP Basic and OpenID Connect, and the connection for mutual TLS", () =>
    Effect.gen(function*() {
      const basic = yield* first(requiring({ k: { httpAuthSecurityScheme: { scheme: "Basic" } } }, ["k"]), "me:p:w")
      assert.strictEqual(basic.headers.authorization, `Basic ${btoa("me:p:w")}`)
      const openIdConnectUrl = "https://auth.test/.well-known/openid-configuration"
      const oidc = yield* first(requiring({ k: { openIdConnectSecurityScheme: { openIdConnectUrl } } }, ["k"]), "id")
      assert.strictEqual(oidc.headers.authorization, "Bearer id")
      const tls = yield* first(requiring({ k: { mtlsSecurityScheme: {} } }, ["k"]), "unused")
      assert.notInclude(JSON.stringify(tls), "unused")
    }))

  it.effect(
    "is refused under a name that is not allowed there, before anything is sent, whoever chose the name",
    () =>
      Effect.gen(function*() {
        const broken = [
          "",
          "a b",
          "a\r\nx-evil: 1",
          "a\0",
          "a=b; admin",
          "a;b",
          "a,b",
          "a:b",
          "na\u00efve",
          "\ud83d\ude00",
          "(x)",
          "\ud800"
        ]
        const reserved = [
          "Host",
          "content-LENGTH",
          "Transfer-Encoding",
          "connection",
          "TE",
          "Upgrade",
          "Expect",
          "Cookie",
          "__proto__"
        ]
        const others = [
          "Content-Type",
          "Accept",
          "Accept-Encoding",
          "A2A-Version",
          "proxy-authorization",
          "Sec-Fetch-Site"
        ]
        const cases = [
          ...[...broken, ...reserved, ...others].map((name) => ["header", name] as const),
          ...broken.map((name) => ["cookie", name] as const),
          ["query", ""] as const
        ]
        for (const [place, name] of cases) {
          const value = Redacted.make("s3cr3t")
          const card = yield* Discovery.fromJson(requiring({ k: key(name, place) }, ["k"]))
          const own = {
            get: () => Effect.succeed([Credential.apiKey({ name, in: place, value })]),
            renew: () => Effect.succeed(false)
          }
          for (
            const credentials of [
              Credentials.layerFromCard(card, { k: value }),
              Credentials.layerApiKey({ name, in: place, value }),
              Layer.succeed(Credentials.Credentials, own)
            ]
          ) {
            const { asked, layer } = talkTo(rest, () => json(working), { credentials })
            const error = yield* Effect.flip(Effect.provide(Agent.send("hi"), Agent.layer.pipe(Layer.provide(layer))))
            assert.deepStrictEqual([error.reason._tag, error.delivery, error.isRetryable], [
              "CredentialsUnavailableError",
              "not-sent",
              false
            ])
            assert.include(error.message, `as ${place} ${JSON.stringify(name)}: the name is not allowed there`)
            assert.notInclude(inspect(error, { depth: 20 }), "s3cr3t")
            assert.lengthOf(asked, 0)
          }
        }
      }),
    covers("attack:S2-34")
  )

  it.effect("is sent under every other name, and a long name does not make a long error", () =>
    Effect.gen(function*() {
      for (
        const name of ["x", "Authorization", "X-Host", "connection-key", "!#$%&'*+.^_`|~-", "hostname"]
      ) {
        const { headers } = yield* first(requiring({ k: key(name, "header") }, ["k"]), "v")
        assert.strictEqual(headers[name.toLowerCase()], "v", name)
        const { headers: { cookie } } = yield* first(requiring({ k: key(name, "cookie") }, ["k"]), "v")
        assert.strictEqual(cookie, `${name}=v`)
      }
      for (const name of ["a b", "a&b=c#d", "\r\n", "\0", "\u65e5", "\ud800", "Host"]) {
        const { url } = yield* first(requiring({ k: key(name, "query") }, ["k"]), "v")
        assert.deepStrictEqual([...new URL(url).searchParams], [[name.replace("\ud800", "\ufffd"), "v"]])
      }
      const { results: [result] } = yield* sent(requiring({ k: key(" ".repeat(100_000)) }, ["k"]), {
        k: Redacted.make("v")
      })
      assert.isBelow(String(result?._tag === "Failure" && result.failure.message).length, 200)
    }), covers("attack:S2-34"))

  it.effect("is refused with an explanation if it is a cookie and the platform drops cookies, as browsers do", () =>
    Effect.gen(function*() {
      const card = yield* Discovery.fromJson(requiring({ k: key("sid", "cookie") }, ["k"]))
      const { asked, layer } = talkTo(rest, () => json(working), {
        credentials: Credentials.layerFromCard(card satisfies AgentCard.AgentCard, { k: Redacted.make("s3cr3t") })
      })
      yield* Effect.acquireRelease(
        Effect.sync(() =>
          vi.stubGlobal(
            "Request",
            class extends Request {
              constructor(input: string, { headers, ...init }: RequestInit = {}) {
                super(input, { ...init, headers: [...new Headers(headers)].filter(([name]) => name !== "cookie") })
              }
            }
          )
        ),
        () => Effect.sync(() => vi.unstubAllGlobals())
      )
      const error = yield* Effect.flip(
        Agent.getTask(taskId).pipe(Effect.provide(Agent.layer.pipe(Layer.provide(layer))))
      )
      assert.strictEqual(error.reason._tag, "CredentialsUnavailableError")
      assert.include(error.message, "browsers")
      assert.notInclude(error.message, "s3cr3t")
      assert.deepStrictEqual(asked, [])
    }))
})
