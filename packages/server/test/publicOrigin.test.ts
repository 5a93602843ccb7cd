/** The origin in a card: nobody who only sends headers chooses it. */
import { PublicOrigin } from "@effect-a2a/core"
import { AgentExecutor, AgentServer, CardServer, InProcessHttp } from "@effect-a2a/server"
import { RestServer } from "@effect-a2a/transport-rest"
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Layer, Schema, Stream } from "effect"
import { HttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import { covers } from "../../../test/support/covers.ts"

const routes = Layer.mergeAll(RestServer.routes({ path: "/a2a" }), CardServer.routes()).pipe(
  Layer.provide(AgentServer.layerMemory({ card: { name: "Agent", description: "For tests" } })),
  Layer.provide(AgentExecutor.layer(() => Stream.make("Hello")))
)
const read = (headers: Readonly<Record<string, string>>) =>
  Effect.gen(function*() {
    const response = yield* HttpClient.get("http://agent.test/.well-known/agent-card.json", {
      headers: { "a2a-version": "1.0", ...headers }
    })
    const text = yield* response.text
    return {
      url: text === "" ? undefined : JSON.parse(text).supportedInterfaces[0].url as string,
      headers: response.headers,
      status: response.status
    }
  })
const behind = (origin: Layer.Layer<never>) => InProcessHttp.layer(Layer.provide(routes, origin))

const spoofed: ReadonlyArray<Readonly<Record<string, string>>> = [
  { "x-forwarded-proto": "https, http" },
  { "x-forwarded-proto": "https://evil.example/?" },
  { "x-forwarded-host": "evil.example" },
  { forwarded: "host=evil.example;proto=https" }
]

describe("the origin of a card", () => {
  it.effect("is that of the request, whatever headers of proxies say", () =>
    Effect.gen(function*() {
      for (const headers of spoofed) {
        const { headers: { vary }, url } = yield* read(headers)
        assert.deepStrictEqual([url, vary], ["http://agent.test/a2a", "A2A-Version"])
      }
    }).pipe(Effect.provide(InProcessHttp.layer(routes))), covers("field:N2-14"))

  it.effect("is the one that the application names", () =>
    Effect.gen(function*() {
      for (const headers of spoofed) {
        assert.strictEqual((yield* read(headers)).url, "https://agent.example:8443/a2a")
      }
    }).pipe(Effect.provide(behind(PublicOrigin.layer("https://agent.example:8443/ignored")))))

  it.effect("is that of the proxy's headers behind one, and caches know", () =>
    Effect.gen(function*() {
      const expected: ReadonlyArray<readonly [Readonly<Record<string, string>>, string]> = [
        [{}, "http://agent.test/a2a"],
        [{ "x-forwarded-proto": "https, http" }, "https://agent.test/a2a"],
        [{ "x-forwarded-proto": "https", "x-forwarded-host": "a.example:444, b" }, "https://a.example:444/a2a"],
        [{ forwarded: "for=1.1.1.1;proto=https;host=\"a.example\", host=b.example" }, "https://a.example/a2a"],
        [{ forwarded: "Host=\"[2001:db8::1]:99\";Proto=HTTPS" }, "https://[2001:db8::1]:99/a2a"],
        [{ "x-forwarded-proto": "https://evil.example/?" }, "http://agent.test/a2a"],
        [{ "x-forwarded-proto": "javascript" }, "http://agent.test/a2a"],
        [{ "x-forwarded-host": "evil.example/x?" }, "http://agent.test/a2a"],
        [{ "x-forwarded-host": "user@evil.example" }, "http://agent.test/a2a"]
      ]
      for (const [headers, url] of expected) {
        const got = yield* read(headers)
        assert.strictEqual(got.url, url, JSON.stringify(headers))
        assert.include(got.headers.vary, "X-Forwarded-Host")
      }
    }).pipe(Effect.provide(behind(PublicOrigin.layerForwarded))))

  it.prop("is an http or https origin, or nothing, for any headers", [
    Arbitrary.schema(Schema.Struct({
      host: Schema.String,
      forwarded: Schema.String,
      "x-forwarded-proto": Schema.String,
      "x-forwarded-host": Schema.String
    }))
  ], ([headers]) => {
    for (const origin of [PublicOrigin.fromHost(headers), PublicOrigin.fromForwarded(headers)]) {
      if (origin !== undefined) assert.match(origin, /^https?:\/\/[^/?#@\s]+$/)
    }
  })
})

describe("the validators of a card", () => {
  it.effect("a client that has it gets 304, by its tag or by its time", () =>
    Effect.gen(function*() {
      const { headers } = yield* read({})
      const modified = headers["last-modified"]!
      yield* TestClock.adjust("1 hour")
      assert.strictEqual((yield* read({})).headers["last-modified"], modified)
      const status = (headers: Readonly<Record<string, string>>) => Effect.map(read(headers), ({ status }) => status)
      assert.strictEqual(yield* status({ "if-none-match": headers.etag! }), 304)
      assert.strictEqual(yield* status({ "if-modified-since": modified }), 304)
      assert.strictEqual(yield* status({ "if-none-match": "\"x\"", "if-modified-since": modified }), 200)
      assert.strictEqual(yield* status({ "if-modified-since": "Thu, 01 Jan 1960 00:00:00 GMT" }), 200)
      assert.strictEqual(yield* status({ "if-modified-since": "yesterday" }), 200)
    }).pipe(Effect.provide(InProcessHttp.layer(routes))))
})
