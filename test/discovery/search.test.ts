import { Agent, type AgentError, Credentials, Discovery, Id } from "@effect-a2a/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { covers } from "../support/covers.ts"
import { card, card03, find, getCard, isCard, json, one, respond } from "./support.ts"

const taskId = Id.TaskId.make("t-1")
const agent = "https://agent.test/agents/foo"
const document = card(one("https://agent.test/agents/foo/a2a"))
const built = Effect.asVoid(getCard)

const below = `${agent}/.well-known/agent-card.json`
const origin = "https://agent.test/.well-known/agent-card.json"

describe("the search for a card", () => {
  for (const status of [404, 405, 410]) {
    it.effect(`goes on below the origin after a ${status} below the URL`, () =>
      Effect.gen(function*() {
        const { layer, urls } = find(agent, document, {
          answer: ({ url }) => url === origin ? json(JSON.stringify(document)) : new Response("", { status })
        })
        yield* Effect.provide(built, layer)
        assert.deepStrictEqual(urls().slice(0, 2), [below, origin])
      }), covers("field:CARD-01"))
  }

  it.effect("goes on after a page, which web applications serve at any path", () =>
    Effect.gen(function*() {
      const page = () => new Response("<!doctype html><p>Home</p>", { headers: { "content-type": "text/html" } })
      const { layer, urls } = find(agent, document, {
        answer: ({ url }) => url === below ? page() : undefined
      })
      yield* Effect.provide(built, layer)
      assert.deepStrictEqual(urls().slice(0, 2), [below, origin])
      const everywhere = find(agent, document, {
        answer: ({ url }) => url === origin ? new Response("", { status: 404 }) : page()
      })
      const { reason } = yield* Effect.flip(Effect.provide(built, everywhere.layer))
      assert.strictEqual(reason._tag, "MalformedResponseError")
      assert.include(reason.message, `got text/html (HTTP 200) from ${below}: <!doctype html><p>Home</p>`)
    }), covers("field:N2-42", "field:CARD-01"))

  it.effect("fails with the status of each place", () =>
    Effect.gen(function*() {
      const { layer } = find(agent, document, {
        answer: ({ url }) => new Response("", { status: url === below ? 410 : 404 })
      })
      const { reason } = yield* Effect.flip(Effect.provide(built, layer))
      assert.strictEqual(reason._tag, "NotFoundError")
      assert.include(reason.message, `${below} (HTTP 410)`)
      assert.include(reason.message, `${origin} (HTTP 404)`)
    }), covers("field:CARD-01"))

  it.effect("tries a given path only", () =>
    Effect.gen(function*() {
      for (const path of ["/card.json", "card.json"]) {
        const { layer, urls } = find(agent, document, { path, answer: () => new Response("", { status: 404 }) })
        yield* Effect.flip(Effect.provide(built, layer))
        assert.deepStrictEqual(urls(), [`${agent}/card.json`])
      }
    }), covers("field:CARD-01"))

  it.effect("tries the older name of the file last", () =>
    Effect.gen(function*() {
      const { layer, urls } = find(agent, document, {
        answer: ({ url }) =>
          url === "https://agent.test/.well-known/agent.json"
            ? json(JSON.stringify(card03()))
            : new Response("", { status: 404 })
      })
      yield* Effect.provide(built, layer)
      assert.deepStrictEqual(urls().slice(0, 2), [below, origin])
    }), covers("field:CARD-01"))

  for (
    const [url, path] of [
      ["https://agent.test/x/.well-known/agent-card.json", undefined],
      ["https://agent.test/x/.well-known/agent.json?v=2", undefined],
      ["https://agent.test/cards/7.json", ""],
      ["https://agent.test/cards/7", ""]
    ] as const
  ) {
    it.effect(`fetches exactly ${url}`, () =>
      Effect.gen(function*() {
        const missing = find(url, document, { path, answer: () => new Response("", { status: 404 }) })
        assert.strictEqual((yield* Effect.flip(Effect.provide(built, missing.layer))).reason._tag, "NotFoundError")
        assert.deepStrictEqual(missing.urls(), [url])
        const found = respond(() => json(JSON.stringify(document)))
        const read = yield* Discovery.card(url, { path }).pipe(Effect.provide([found.layer, Credentials.layerNone]))
        assert.deepStrictEqual([read.name, found.asked.map(({ url }) => url)], ["x", [url]])
      }), covers("field:CARD-02"))
  }

  it.effect("refuses an invalid URL before anything is sent, and suggests a correction", () =>
    Effect.gen(function*() {
      for (
        const [url, corrected] of [["localhost:8080", "http://localhost:8080"], [
          "agent.test/a2a",
          "https://agent.test/a2a"
        ]]
      ) {
        const { asked, layer } = find(url!, document)
        const { reason } = yield* Effect.flip(Effect.provide(built, layer))
        assert.strictEqual(reason._tag, "InvalidRequestError")
        assert.include(reason.message, corrected!)
        assert.deepStrictEqual(asked, [])
      }
    }), covers("field:URL-07"))
})

describe("a protected card", covers("field:CARD-04"), () => {
  const challenge = "Bearer realm=\"agents\""
  const refuse = () => new Response("", { status: 401, headers: { "www-authenticate": challenge } })

  it.effect("ends the search with its challenge if there are no credentials", () =>
    Effect.gen(function*() {
      const { layer, urls } = find(agent, document, { answer: refuse })
      const { reason } = yield* Effect.flip(Effect.provide(built, layer))
      if (reason._tag !== "UnauthenticatedError") return assert.fail(reason._tag)
      assert.deepStrictEqual([reason.challenge, reason.status], [challenge, 401])
      assert.notInclude(reason.message, "no agent card")
      assert.deepStrictEqual(urls(), [below])
    }))

  it.effect("is fetched with credentials, which are renewed if they are rejected", () =>
    Effect.gen(function*() {
      let reads = 0
      const { asked, layer } = find(agent, document, {
        credentials: Credentials.layerBearerEffect(Effect.sync(() => Redacted.make(`t${++reads}`))),
        answer: (asked) =>
          asked.headers.authorization === "Bearer t1" ? refuse() : json(JSON.stringify(isCard(asked) ? document : {}))
      })
      yield* Effect.provide(built, layer)
      assert.deepStrictEqual(asked.slice(0, 2).map(({ headers }) => headers.authorization), ["Bearer t1", "Bearer t2"])
    }))
})

describe("a card passed as a value", covers("field:CARD-05"), () => {
  it.effect("is never fetched, and decides locally which operations the agent supports", () =>
    Effect.gen(function*() {
      const inHand = yield* Discovery.fromJson(card(one("https://agent.test/a2a")))
      const { asked, layer, urls } = find(inHand, undefined, {
        answer: (asked) => isCard(asked) ? new Response("", { status: 500 }) : undefined
      })
      yield* Effect.gen(function*() {
        yield* Agent.getTask(taskId)
        assert.strictEqual((yield* Agent.card).name, "x")
        for (
          const [tag, call] of [
            [
              "PushNotificationNotSupportedError",
              Effect.flatMap(Agent.Agent, ({ pushConfigs }) => pushConfigs.list(taskId))
            ],
            [
              "PushNotificationNotSupportedError",
              Agent.send("hi", { taskPushNotificationConfig: { url: "https://hook.test" } })
            ],
            ["UnsupportedOperationError", Effect.flatMap(Agent.Agent, ({ extendedCard }) => extendedCard)]
          ] as const
        ) {
          assert.strictEqual(
            (yield* Effect.flip(call as Effect.Effect<unknown, AgentError.AgentError, Agent.Agent>)).reason._tag,
            tag
          )
        }
      }).pipe(Effect.provide(layer))
      assert.deepStrictEqual(urls(), ["https://agent.test/a2a/tasks/t-1"])
      assert.strictEqual(asked.length, 1)
    }))
})

describe("a card with null lists and missing members", covers("field:CARD-10"), () => {
  it.effect("reads them as empty", () =>
    Effect.gen(function*() {
      const sparse = {
        name: "x",
        skills: null,
        defaultInputModes: null,
        capabilities: null,
        supportedInterfaces: [one("https://agent.test/a2a")]
      }
      const { layer } = find(agent, sparse)
      const read = yield* Effect.provide(getCard, layer)
      assert.deepStrictEqual([read.skills, read.defaultInputModes, read.capabilities], [[], [], {}])
    }))

  it.effect("names the member if no interface is usable", () =>
    Effect.gen(function*() {
      for (const supportedInterfaces of [null, [], [{ url: "", protocolBinding: "JSONRPC" }]]) {
        const { layer } = find(agent, { name: "x", supportedInterfaces })
        const { reason } = yield* Effect.flip(Effect.provide(built, layer))
        assert.strictEqual(reason._tag, "MalformedResponseError")
        assert.include(reason.message, "supportedInterfaces")
      }
    }))
})
