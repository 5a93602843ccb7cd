import { BrowserCredentials, Tabs } from "@effect-a2a/browser"
import { Credentials } from "@effect-a2a/core"
import { assert, describe, it } from "@effect/vitest"
import { Context, Duration, Effect, Fiber, Layer, PubSub, Redacted, Semaphore, Stream } from "effect"
import { TestClock } from "effect/testing"

const target = { url: "https://agent.test", protocolBinding: "HTTP+JSON", protocolVersion: "1.0" }

/** Tabs of one origin: turns and messages as browsers have them; and how often a token was had. */
const origin = Effect.gen(function*() {
  const said = yield* PubSub.unbounded<{ readonly by: number; readonly message: unknown }>()
  const lock = Semaphore.makeUnsafe(1)
  let tabs = 0
  let reads = 0
  const open = Effect.fnUntraced(function*(life?: Duration.Input) {
    const by = tabs++
    const layer = BrowserCredentials.layerShared({
      name: "agent.test",
      read: Effect.sync(() => ({
        value: Redacted.make(`token-${++reads}`),
        expiresIn: life === undefined ? undefined : Duration.fromInputUnsafe(life)
      })).pipe(Effect.delay("1 second"))
    })
    const context = yield* Layer.build(layer).pipe(
      Effect.provideService(Tabs.CurrentLocks, () => (self) => lock.withPermits(1)(self)),
      Effect.provideService(Tabs.CurrentChannels, () =>
        Effect.succeed({
          post: (message: unknown) => Effect.asVoid(PubSub.publish(said, { by, message })),
          messages: Stream.fromPubSub(said).pipe(
            Stream.filter((one) => one.by !== by),
            Stream.map(({ message }) => message)
          )
        }))
    )
    const { get, renew } = Context.get(context, Credentials.Credentials)
    const bearer = Effect.map(
      get(target),
      ([credential]) => credential?._tag === "Bearer" ? Redacted.value(credential.token) : undefined
    )
    return {
      bearer: passing(bearer),
      refused: (token: string) =>
        passing(renew({
          target,
          wwwAuthenticate: undefined,
          refused: [{ _tag: "Bearer", token: Redacted.make(token) }]
        }))
    }
  })
  return { open, reads: () => reads, say: (message: unknown) => PubSub.publish(said, { by: -1, message }) }
})

/** While a few seconds pass. */
const passing = <A, E>(self: Effect.Effect<A, E>) =>
  Effect.map(Effect.all([self, TestClock.adjust("3 seconds")], { concurrency: 2 }), ([value]) => value)

describe("BrowserCredentials", () => {
  it.effect("two tabs that need a token at the same time read it once", () =>
    Effect.gen(function*() {
      const { open, reads } = yield* origin
      const [one, two] = [yield* open(), yield* open()]
      const tokens = yield* Effect.all([one.bearer, two.bearer], { concurrency: 2 })
      assert.deepStrictEqual([tokens, reads()], [["token-1", "token-1"], 1])
    }))

  it.effect("a token that is refused in two tabs is renewed once", () =>
    Effect.gen(function*() {
      const { open, reads } = yield* origin
      const [one, two] = [yield* open(), yield* open()]
      yield* Effect.all([one.bearer, two.bearer], { concurrency: 2 })
      const renewed = yield* Effect.all([one.refused("token-1"), two.refused("token-1")], { concurrency: 2 })
      assert.deepStrictEqual(renewed, [true, true])
      const tokens = yield* Effect.all([one.bearer, two.bearer], { concurrency: 2 })
      assert.deepStrictEqual([tokens, reads()], [["token-2", "token-2"], 2])
    }))

  it.effect("a later tab gets the token of the others, and reads it if it is alone", () =>
    Effect.gen(function*() {
      const { open, reads } = yield* origin
      yield* Effect.scoped(Effect.gen(function*() {
        yield* (yield* open()).bearer
        assert.strictEqual(yield* (yield* open()).bearer, "token-1")
        assert.strictEqual(reads(), 1)
      }))
      assert.strictEqual(yield* (yield* open()).bearer, "token-2")
    }))

  it.effect("a token is shared with its remaining lifetime, and not after it", () =>
    Effect.gen(function*() {
      const { open, reads } = yield* origin
      const one = yield* open("1 minute")
      yield* one.bearer
      yield* TestClock.adjust("30 seconds")
      const two = yield* open("1 minute")
      assert.strictEqual(yield* two.bearer, "token-1")
      yield* TestClock.adjust("25 seconds")
      assert.strictEqual(yield* two.bearer, "token-2")
      yield* TestClock.adjust("2 minutes")
      assert.strictEqual(yield* (yield* open()).bearer, "token-3")
      assert.strictEqual(reads(), 3)
    }))

  it.effect("messages that are not tokens are ignored", () =>
    Effect.gen(function*() {
      const { open, reads, say } = yield* origin
      const one = yield* open()
      for (const message of [null, "token", { token: 1, since: 5 }, { token: "evil" }, { ask: "now" }]) {
        yield* say(message)
      }
      assert.deepStrictEqual([yield* one.bearer, reads()], ["token-1", 1])
    }))
})

describe("Tabs", () => {
  it.live("an interrupted wait for a lock does not block others", () =>
    Effect.gen(function*() {
      const locks = yield* Tabs.CurrentLocks
      const first = yield* Effect.forkChild(locks("given up")(Effect.never))
      yield* Effect.sleep("10 millis")
      const second = yield* Effect.forkChild(locks("given up")(Effect.never))
      yield* Effect.sleep("10 millis")
      yield* Fiber.interrupt(second)
      yield* Fiber.interrupt(first)
      assert.strictEqual(yield* locks("given up")(Effect.succeed("mine")), "mine")
    }))

  it.live("lock and exchange messages by default", () =>
    Effect.gen(function*() {
      const [locks, channels] = [yield* Tabs.CurrentLocks, yield* Tabs.CurrentChannels]
      const order: Array<string> = []
      const turn = (name: string) =>
        locks("turns")(Effect.gen(function*() {
          order.push(`${name} begins`)
          yield* Effect.sleep("10 millis")
          order.push(`${name} ends`)
        }))
      yield* Effect.all([turn("a"), turn("b")], { concurrency: 2 })
      assert.deepStrictEqual(order, ["a begins", "a ends", "b begins", "b ends"])
      const [one, two] = [yield* channels("talk"), yield* channels("talk")]
      yield* one.post({ hello: 1 })
      assert.deepStrictEqual(yield* Stream.runCollect(Stream.take(two.messages, 1)), [{ hello: 1 }])
    }))
})
