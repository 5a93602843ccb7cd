import { KeySet } from "@effect-a2a/signatures"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { makeKey, serve } from "./support.ts"

const url = "https://auth.test/jwks.json"

/** A remote set, whose keys and state the test changes. */
const remote = Effect.fnUntraced(function*(options: Parameters<typeof KeySet.fromUrl>[1] = {}) {
  const [one, two] = yield* Effect.all([makeKey("k1"), makeKey("k2")])
  const state = { response: () => Response.json(one.jwks) }
  const { asked, layer } = serve(() => state.response())
  const keys = yield* KeySet.fromUrl(url, options).pipe(Effect.provide(layer))
  const find = (kid: string) =>
    keys.find({ alg: "ES256", kid }).pipe(
      Effect.match({ onSuccess: ({ length }) => length, onFailure: (error) => error.message })
    )
  return { one, two, state, asked, find }
})

const failed = (issue: string) => `the keys at ${url} cannot be fetched: ${issue}`

describe("keys of a URL", () => {
  it.effect("are fetched when they are first needed, once for all who wait, and kept for ten minutes", () =>
    Effect.gen(function*() {
      const { asked, find } = yield* remote()
      assert.strictEqual(asked.length, 0)
      const found = yield* Effect.forEach(Array(20).fill("k1"), find, { concurrency: "unbounded" })
      assert.deepStrictEqual([found, asked.length], [Array(20).fill(1), 1])
      yield* TestClock.adjust("9 minutes")
      assert.deepStrictEqual([yield* find("k1"), asked.length], [1, 1])
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual([yield* find("k1"), asked.length], [1, 2])
    }))

  it.effect("are fetched again for an unknown key, at most once per interval however many ask", () =>
    Effect.gen(function*() {
      const { asked, find, state, two } = yield* remote()
      assert.deepStrictEqual([yield* find("k1"), yield* find("k2"), asked.length], [1, 0, 1])
      yield* TestClock.adjust("30 seconds")
      const unknown = yield* Effect.forEach(["a", "b", "c", "d"], find, { concurrency: "unbounded" })
      assert.deepStrictEqual([unknown, asked.length], [[0, 0, 0, 0], 2])
      yield* TestClock.adjust("29 seconds")
      assert.deepStrictEqual([yield* find("k2"), asked.length], [0, 2])
      yield* TestClock.adjust("1 second")
      state.response = () => Response.json(two.jwks)
      // a key that is known does not wait, and one that was replaced is gone
      assert.deepStrictEqual([yield* find("k1"), asked.length], [1, 2])
      assert.deepStrictEqual([yield* find("k2"), asked.length], [1, 3])
      assert.deepStrictEqual([yield* find("k1"), asked.length], [0, 3])
    }))

  it.effect("that cannot be fetched are a failure of the service, which is not asked again at once", () =>
    Effect.gen(function*() {
      const { asked, find, one, state } = yield* remote({ minInterval: "5 seconds" })
      state.response = () => new Response("", { status: 500 })
      const all = yield* Effect.forEach(Array(5).fill("k1"), find, { concurrency: "unbounded" })
      assert.deepStrictEqual([all, asked.length], [Array(5).fill(failed("HTTP 500")), 1])
      state.response = () => Response.json(one.jwks)
      assert.strictEqual(yield* find("k1"), failed("HTTP 500"))
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual([yield* find("k1"), asked.length], [1, 2])
      // a known set serves its keys while the service is down; of other keys nothing is known
      state.response = () => new Response("", { status: 503 })
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual([yield* find("k1"), yield* find("k2")], [1, failed("HTTP 503")])
    }))

  it.effect("are read within bounds, and without redirects", () =>
    Effect.gen(function*() {
      const cases: ReadonlyArray<readonly [() => Response, string]> = [
        [() => new Response("x".repeat(300_000)), "the response is larger than 262144 characters"],
        [() => new Response("<html>"), "not a set of keys"],
        [() => new Response(""), "not a set of keys"],
        [() => Response.json([]), "not a set of keys"],
        [() => Response.json({ keys: {} }), "not a set of keys"],
        [() => new Response(null, { status: 302, headers: { location: "https://evil.test" } }), "HTTP 302"],
        [() => new Response(null, { status: 204 }), "HTTP 204"]
      ]
      for (const [response, issue] of cases) {
        const { asked, find, state } = yield* remote()
        state.response = response
        assert.strictEqual(yield* find("k1"), failed(issue))
        assert.strictEqual(asked.length, 1)
      }
    }))

  it.effect("that are odd are left out", () =>
    Effect.gen(function*() {
      const { find, one, state } = yield* remote()
      const odd = [null, 1, {}, { kty: 1 }, { kty: "EC", kid: "k1" }, { kty: "oct", k: "x", kid: "k1" }]
      state.response = () => Response.json({ keys: [...odd, ...one.jwks.keys], more: 1 })
      assert.strictEqual(yield* find("k1"), 1)
    }))

  it.effect("that do not come in time are a failure, and whoever gave up waiting stops nobody", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const { jwks } = yield* makeKey("k1")
      const { asked, layer } = serve(() => Effect.as(Deferred.await(gate), Response.json(jwks)))
      const keys = yield* KeySet.fromUrl(url, { timeout: "2 seconds" }).pipe(Effect.provide(layer))
      const find = Effect.map(keys.find({ alg: "ES256", kid: "k1" }), ({ length }) => length)
      const first = yield* Effect.forkChild(find)
      const second = yield* Effect.forkChild(find)
      yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(first)
      yield* Deferred.succeed(gate, undefined)
      assert.strictEqual(yield* Fiber.join(second), 1)
      assert.strictEqual(asked.length, 2)

      const silent = serve(() => Effect.never)
      const others = yield* KeySet.fromUrl(url).pipe(Effect.provide(silent.layer))
      const waiting = yield* Effect.forkChild(Effect.flip(others.find({ alg: "ES256", kid: "k1" })))
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual((yield* Fiber.join(waiting)).message, failed("no response in time"))
    }))

  it.effect("are fetched over TLS, or from this machine", () =>
    Effect.gen(function*() {
      const { layer } = serve(() => Response.json({ keys: [] }))
      const ok = ["https://a.test", "http://localhost:1/x", "http://127.0.0.1", "http://[::1]:8"]
      const odd = [
        "http://a.test",
        "http://127.0.0.1.evil.test",
        "http://10.0.0.1",
        "file:///etc/passwd",
        "",
        "data:,x"
      ]
      for (const one of ok) yield* Effect.provide(KeySet.fromUrl(one), layer)
      for (const one of odd) {
        const error = yield* KeySet.fromUrl(one).pipe(Effect.provide(layer), Effect.flip)
        assert.include(error.message, "invalid URL of keys: expected an https URL")
      }
    }))
})

describe("known keys", () => {
  it.effect("are at least one", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(KeySet.fromJwks({ keys: [] }))
      assert.strictEqual(error.message, "invalid key set: it has no keys")
    }))

  it.effect("are all tried without a name, and no more than eight of a name", () =>
    Effect.gen(function*() {
      const all = yield* Effect.forEach(["a", "b", "c"], (kid) => makeKey(kid))
      const keys = yield* KeySet.fromJwks({ keys: all.flatMap(({ jwks }) => jwks.keys) })
      assert.strictEqual((yield* keys.find({ alg: "ES256" })).length, 3)
      const many = yield* KeySet.fromJwks({ keys: Array(20).fill(all[0]!.jwks.keys[0]) })
      assert.strictEqual((yield* many.find({ alg: "ES256", kid: "a" })).length, 8)
    }))
})
