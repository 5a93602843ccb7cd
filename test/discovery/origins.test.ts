/** Credentials belong to the origin that the program names: a card, which others write, cannot lead them elsewhere. */
import { Agent, AgentTransport, Credential, Credentials, Discovery, Id, Operation } from "@effect-a2a/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { inspect } from "node:util"
import { covers } from "../support/covers.ts"
import { card, card03, done, find, isCard, one, type Setup } from "./support.ts"

const ask = Agent.getTask(Id.TaskId.make("t-1"))
const credentials = Layer.succeed(Credentials.Credentials, {
  get: () =>
    Effect.succeed([
      Credential.bearer(Redacted.make("planted-token")),
      Credential.apiKey({ name: "k", in: "query", value: Redacted.make("planted-key") })
    ]),
  renew: () => Effect.succeed(false)
})

/** Asks the agent that the card leads to. Returns the refusal, and the origins that anything was sent to. */
const outcome = Effect.fnUntraced(function*(agent: Discovery.Options["agent"], document: unknown, options: Setup = {}) {
  const { asked, layer } = find(agent, document, { credentials, ...options })
  const result = yield* Effect.result(Effect.provide(ask, layer))
  return {
    reason: result._tag === "Failure" ? result.failure.reason : undefined,
    text: inspect(result, { depth: 20 }),
    origins: [...new Set(asked.map(({ url }) => new URL(url).origin))],
    called: asked.filter((one) => !isCard(one)).map(({ url }) => new URL(url).origin + new URL(url).pathname)
  }
})

const typed = "https://agent.test/x"

/** Interfaces that are not on `https://agent.test`, however they look. */
const elsewhere = [
  "https://evil.test/collect",
  "http://agent.test/a2a",
  "https://agent.test:8443/a2a",
  "https://api.agent.test/a2a",
  "https://agent.test.evil.test/a2a",
  "https://agent.test./a2a",
  "https://agent.test@evil.test/a2a",
  "https://agent.test%2f@evil.test/a2a",
  "//evil.test/a2a",
  "/\\evil.test/a2a",
  "/\t/evil.test/a2a",
  ".//\\evil.test/../../..//evil.test",
  "https://аgent.test/a2a",
  "https://agent。test.evil.test/",
  "http://169.254.169.254/latest",
  "http://localhost:9/a2a",
  "https://[::1]/a2a",
  "ftp://agent.test/a2a",
  "file:///etc/passwd",
  "javascript:fetch('//evil.test')",
  "\\\\evil.test\\a2a",
  " https://evil.test/a2a",
  "ht\ntps://evil.test/a2a",
  "https:/evil.test/a2a",
  "https:evil.test/a2a"
]

describe("an interface on another origin", covers("attack:S2-28"), () => {
  for (const url of elsewhere) {
    it.effect(`${JSON.stringify(url)} is refused before anything is sent there`, () =>
      Effect.gen(function*() {
        for (const document of [card(one(url)), card03({ url, preferredTransport: "HTTP+JSON" })]) {
          const { called, origins, reason, text } = yield* outcome(typed, document)
          // what is on the card's own origin after all may be called
          if (reason === undefined) {
            assert.deepStrictEqual(origins, ["https://agent.test"])
            assert.strictEqual(new URL(url, typed).origin, "https://agent.test")
            continue
          }
          assert.deepStrictEqual([origins, called], [["https://agent.test"], []])
          assert.strictEqual(reason._tag, "InvalidRequestError")
          assert.notInclude(text, "planted")
        }
      }))
  }

  it.effect(
    "is named in the refusal beside the origin of the card, without what may be secret",
    () =>
      Effect.gen(function*() {
        const { reason } = yield* outcome(
          "https://agent.test:8443/x?key=k",
          card(one("http://10.0.0.1:8080/a2a?key=k"))
        )
        assert.include(
          reason?.message,
          "the card of https://agent.test:8443 names an interface on another origin, http://10.0.0.1:8080: allow"
        )
        assert.notInclude(reason?.message, "key")
      }),
    covers("field:N2-44")
  )

  it.effect("is left out if the card has a compatible one on its own origin", () =>
    Effect.gen(function*() {
      const document = card(one("https://evil.test/a2a"), one("wss://agent.test/ws", "GRPC"), one("/own"))
      for (const fallback of [false, true]) {
        const { called, origins } = yield* outcome(typed, document, { fallback })
        assert.deepStrictEqual([called, origins], [["https://agent.test/own/tasks/t-1"], ["https://agent.test"]])
      }
    }))

  it.effect("is used if its origin is allowed, however the origin is written", () =>
    Effect.gen(function*() {
      for (const allow of ["https://api.test", "https://api.test/", "HTTPS://API.test:443/x?y"]) {
        const { called } = yield* outcome(typed, card(one("https://api.test/a2a")), { allow: [allow] })
        assert.deepStrictEqual(called, ["https://api.test/a2a/tasks/t-1"])
      }
      for (const allow of ["http://api.test", "https://api.test:444", "api.test", "https://test", ""]) {
        const { called } = yield* outcome(typed, card(one("https://api.test/a2a")), { allow: [allow] })
        assert.deepStrictEqual(called, [], allow)
      }
    }))
})

describe("an interface on the origin that the program named", () => {
  it.effect("is used, however it is written", () =>
    Effect.gen(function*() {
      for (const url of ["/a2a", "../a2a", "https://AGENT.test/a2a", "https://agent.test:443/a2a"]) {
        const { called } = yield* outcome("https://agent.test/a/", card(one(url)))
        assert.match(called[0] ?? "", /^https:\/\/agent\.test\/(a\/)?a2a\/tasks\/t-1$/, url)
      }
      const local = yield* outcome("http://127.0.0.1:4000/x", card(one("http://127.0.0.1:4000/a2a")))
      assert.deepStrictEqual(local.called, ["http://127.0.0.1:4000/a2a/tasks/t-1"])
    }))
})

describe("a card that is passed as a value", () => {
  it.effect("is trusted if the program read or wrote it", () =>
    Effect.gen(function*() {
      const own = yield* Discovery.fromJson(card(one("http://127.0.0.1:4000/a2a")))
      assert.deepStrictEqual((yield* outcome(own, "")).called, ["http://127.0.0.1:4000/a2a/tasks/t-1"])
    }))

  it.effect("is the peer's if it was fetched: copies and changes of other members do not make it the program's", () =>
    Effect.gen(function*() {
      const document = { ...card(one("https://evil.test/a2a"), one("/own")), capabilities: { extendedAgentCard: true } }
      const { http, layer } = find(typed, document, {
        answer: ({ url }) => url.includes("extended") ? Response.json(document) : undefined
      })
      const received = yield* Effect.gen(function*() {
        const transport = yield* AgentTransport.AgentTransport
        return [
          yield* Agent.card,
          yield* transport.call(Operation.GetExtendedAgentCard, {}),
          yield* Effect.provide(Discovery.card(typed), [http, Credentials.layerNone])
        ]
      }).pipe(Effect.provide(layer))
      for (const { supportedInterfaces: [evil], ...rest } of received) {
        const agent = { ...rest, name: "mine", supportedInterfaces: evil === undefined ? [] : [evil] }
        const { origins, reason } = yield* outcome(agent, "")
        assert.deepStrictEqual([reason?._tag, origins], ["InvalidRequestError", []])
        const allowed = yield* outcome(agent, "", { allow: ["https://evil.test"] })
        assert.deepStrictEqual(allowed.called, ["https://evil.test/a2a/tasks/t-1"])
      }
    }))
})

describe("credentials per origin", covers("attack:S2-28"), () => {
  const bearer = (token: string) => Credentials.layerBearer(Redacted.make(token))
  const sentTo = (url: string) =>
    Effect.gen(function*() {
      const { asked, layer } = find(typed, card(one(url)), {
        allow: ["https://api.test", "https://files.test"],
        credentials: Layer.orDie(
          Credentials.layerOrigins({
            "https://agent.test/x": bearer("of-agent"),
            "HTTPS://API.test:443": bearer("of-api")
          })
        )
      })
      yield* Effect.provide(ask, layer)
      return asked.map(({ headers }) => headers.authorization)
    })

  it.effect("are each sent to their origin, and nothing to one that has none", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* sentTo("/a2a"), ["Bearer of-agent", "Bearer of-agent"])
      assert.deepStrictEqual(yield* sentTo("https://api.test/a2a"), ["Bearer of-agent", "Bearer of-api"])
      assert.deepStrictEqual(yield* sentTo("https://files.test/a2a"), ["Bearer of-agent", undefined])
    }))

  it.effect("fail if an origin is not a URL", () =>
    Effect.gen(function*() {
      for (const origin of ["agent.test", "", "ftp://agent.test", "//agent.test"]) {
        const error = yield* Effect.flip(Layer.build(Credentials.layerOrigins({ [origin]: bearer("x") })))
        assert.strictEqual(error.reason._tag, "InvalidRequestError")
      }
    }).pipe(Effect.scoped))
})

it.effect("a task of the right origin is answered with the credentials in it", () =>
  Effect.gen(function*() {
    const { asked, layer } = find(typed, card(one("/a2a")), {
      credentials,
      answer: (asked) => isCard(asked) ? undefined : done(asked)
    })
    yield* Effect.provide(ask, layer)
    assert.deepStrictEqual(asked.map(({ headers }) => headers.authorization), [
      "Bearer planted-token",
      "Bearer planted-token"
    ])
  }))
