import { Agent, Credentials, Protocol } from "@effect-a2a/core"
import { CardServer } from "@effect-a2a/server"
import { AgentTest, Script, Wire } from "@effect-a2a/testing"
import { Rest } from "@effect-a2a/transport-rest"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import { covers } from "../support/covers.ts"
import { type Asked, card, find, getCard, one } from "./support.ts"

const agent = "https://agent.test"
const document = card(one(`${agent}/a2a`))

const reply = (headers: Record<string, string>, name = "x") => Response.json({ ...document, name }, { headers })

/** Asks for the card after each pause in seconds; what was asked, and the names in the answers. */
const over = Effect.fnUntraced(function*(pauses: ReadonlyArray<number>, answer: (asked: Asked, n: number) => Response) {
  let n = 0
  const { asked, layer } = find(agent, undefined, { answer: (asked) => answer(asked, ++n) })
  const names = yield* Effect.forEach(
    pauses,
    (seconds) => Effect.andThen(TestClock.adjust(`${seconds} seconds`), Effect.map(getCard, ({ name }) => name))
  ).pipe(Effect.provide(layer))
  return { asked, names }
})

describe("a cached card", covers("field:CARD-11"), () => {
  it.effect("is used within `max-age`, then revalidated by its tag; 304 renews its age", () =>
    Effect.gen(function*() {
      const { asked, names } = yield* over([0, 59, 2, 58, 3], ({ headers }) =>
        headers["if-none-match"] === "\"v1\""
          ? new Response(null, { status: 304, headers: { "cache-control": "max-age=60" } })
          : reply({ etag: "\"v1\"", "cache-control": "public, max-age=60" }))
      assert.deepStrictEqual(asked.map(({ headers }) => headers["if-none-match"]), [undefined, "\"v1\"", "\"v1\""])
      assert.deepStrictEqual(names, ["x", "x", "x", "x", "x"])
    }))

  it.effect("is replaced by a new one", () =>
    Effect.gen(function*() {
      const { asked, names } = yield* over([0, 61, 0, 61], (_, n) =>
        reply({ etag: `"v${n}"`, "cache-control": "max-age=60" }, `x${n}`))
      assert.deepStrictEqual(names, ["x1", "x2", "x2", "x3"])
      assert.deepStrictEqual(
        asked.map(({ headers }) =>
          headers["if-none-match"]
        ),
        [undefined, "\"v1\"", "\"v2\""]
      )
    }))

  for (
    const [name, headers, requests, condition] of [
      ["no-store: nothing is kept", { etag: "\"v1\"", "cache-control": "no-store, max-age=60" }, 3, undefined],
      ["no-cache: asked for each time", { etag: "\"v1\"", "cache-control": "no-cache" }, 3, "\"v1\""],
      ["nothing said: asked for each time", {}, 3, undefined],
      ["s-maxage is for shared caches", { "cache-control": "s-maxage=60" }, 3, undefined],
      ["age counts", { "cache-control": "max-age=60", age: "60" }, 3, undefined],
      ["expires", { expires: "Thu, 01 Jan 1970 00:01:00 GMT" }, 1, undefined]
    ] as const
  ) {
    it.effect(name, () =>
      Effect.gen(function*() {
        // the first is that of discovery itself
        const { asked } = yield* over([0, 0], () => reply(headers as Record<string, string>))
        assert.strictEqual(asked.length, requests)
        assert.strictEqual(asked.at(-1)!.headers["if-none-match"], condition)
      }))
  }

  it.effect("is revalidated by `Last-Modified` if there is no tag", () =>
    Effect.gen(function*() {
      const modified = "Thu, 01 Jan 1970 00:00:00 GMT"
      const { asked } = yield* over([0], ({ headers }) =>
        headers["if-modified-since"] === modified
          ? new Response(null, { status: 304 })
          : reply({ "last-modified": modified }))
      assert.deepStrictEqual(
        asked.map(({ headers }) => headers["if-modified-since"]),
        [undefined, modified]
      )
    }))

  it.effect("is fetched by one request for all waiting calls", () =>
    Effect.gen(function*() {
      const { asked, layer } = find(agent, undefined, {
        answer: () => reply({ "cache-control": "max-age=60" })
      })
      yield* Effect.gen(function*() {
        yield* TestClock.adjust("2 minutes")
        yield* Effect.all(Array.from({ length: 10 }, () => getCard), { concurrency: "unbounded" })
      }).pipe(Effect.provide(layer))
      assert.strictEqual(asked.length, 2)
    }))

  it.effect("is kept by a transport without discovery too", () =>
    Effect.gen(function*() {
      const routes = CardServer.routes({ path: "/a2a", protocols: [Protocol.v1_0], maxAge: "1 minute" }).pipe(
        Layer.provide(AgentTest.layer),
        Layer.provide(Script.layer(Script.say("Hello")))
      )
      const layer = Agent.layer.pipe(
        Layer.provide(Rest.layer({ url: "http://agent.test/a2a" })),
        Layer.provide(Credentials.layerNone),
        Layer.provideMerge(Wire.layerHttp(routes))
      )
      const statuses = yield* Effect.gen(function*() {
        for (const seconds of [0, 30, 31]) {
          yield* TestClock.adjust(`${seconds} seconds`)
          assert.strictEqual((yield* Agent.card).name, AgentTest.card.name)
        }
        return (yield* (yield* Wire.Tape).exchanges).map(({ status }) => status)
      }).pipe(Effect.provide(layer))
      assert.deepStrictEqual(statuses, [200, 304])
    }))
})

describe("the server's card", covers("field:CARD-11"), () => {
  it.effect("is a 304 for its tag in a list, weak or strong, and for `*`", () =>
    Effect.gen(function*() {
      const routes = CardServer.routes({ protocols: [Protocol.v1_0] }).pipe(
        Layer.provide(AgentTest.layer),
        Layer.provide(Script.layer(Script.say("Hello")))
      )
      yield* Effect.gen(function*() {
        const client = yield* HttpClient.HttpClient
        const get = (headers: Record<string, string>) =>
          client.get("http://agent.test/.well-known/agent-card.json", { headers })
        const { headers, status } = yield* get({})
        assert.strictEqual(status, 200)
        const weak = headers.etag!
        const strong = weak.replace("W/", "")
        for (
          const [list, expected] of [
            [weak, 304],
            [strong, 304],
            [`"x", ${weak}`, 304],
            [`"a,b",${strong} , "c"`, 304],
            ["*", 304],
            [" * ", 304],
            ["\"x\"", 200],
            [strong.slice(1, -1), 200],
            [`"x${strong.slice(1)}`, 200],
            ["", 200]
          ] as const
        ) {
          const response = yield* get({ "if-none-match": list })
          assert.strictEqual(response.status, expected, list)
          assert.strictEqual(response.headers.etag, weak)
        }
      }).pipe(Effect.provide(Wire.layerHttp(routes)))
    }))
})
