import { BrowserAgent, Page } from "@effect-a2a/browser"
import { AgentError, AgentTransport, Operation } from "@effect-a2a/core"
import { AgentTest, Script } from "@effect-a2a/testing"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Layer, Schedule, Stream } from "effect"
import { TestClock } from "effect/testing"
import { covers } from "../../../test/support/covers.ts"
import * as FakePage from "./support/page.ts"

const settle = TestClock.adjust("1 millis")

/** Fails each time, and says how often it was tried. */
const trying = Effect.fnUntraced(function*(retryAfter?: Duration.Duration) {
  const fake = yield* FakePage.make
  let attempts = 0
  const reason = new AgentError.ConnectionError({ message: "no answer", ...(retryAfter && { retryAfter }) })
  const attempt = Effect.suspend(() => {
    attempts++
    return Effect.fail(new AgentError.AgentError({ operation: "Test", reason }))
  })
  const policy = BrowserAgent.wakeful(Schedule.spaced("5 seconds"))
  yield* Effect.retry(attempt, AgentTransport.respectRetryAfter(policy)).pipe(
    Effect.provideService(Page.CurrentPage, fake.page),
    Effect.forkScoped
  )
  yield* settle
  return { ...fake, attempts: () => attempts }
})

describe("BrowserAgent.wakeful", () => {
  it.effect("waits as long as the policy says", () =>
    Effect.gen(function*() {
      const { attempts } = yield* trying()
      yield* TestClock.adjust("4998 millis")
      assert.strictEqual(attempts(), 1)
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(attempts(), 2)
    }), covers("field:RES-01"))

  for (const signal of ["online", "visible", "show"] as const) {
    it.effect(`makes the next attempt at once on the signal ${signal}`, () =>
      Effect.gen(function*() {
        const { attempts, signal: give } = yield* trying()
        yield* give("hidden")
        yield* settle
        assert.strictEqual(attempts(), 1)
        yield* give(signal)
        yield* settle
        assert.strictEqual(attempts(), 2)
      }), covers("field:RES-01"))
  }

  it.effect("makes an attempt every 30 seconds while there is no network", () =>
    Effect.gen(function*() {
      const { attempts, offline, online, signal } = yield* trying()
      yield* offline
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(attempts(), 2)
      yield* signal("visible")
      yield* TestClock.adjust("29 seconds")
      assert.strictEqual(attempts(), 2)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(attempts(), 3)
      yield* online
      yield* settle
      assert.strictEqual(attempts(), 4)
    }), covers("field:RES-01"))

  it.effect("respects the peer's Retry-After", () =>
    Effect.gen(function*() {
      const { attempts, online } = yield* trying(Duration.seconds(20))
      yield* online
      yield* TestClock.adjust("19 seconds")
      assert.strictEqual(attempts(), 1)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(attempts(), 2)
    }), covers("ML-36"))
})

describe("BrowserAgent.dropOnHide", () => {
  it.effect("drops a stream when the page is left, and resumes it when the page is back", () =>
    Effect.gen(function*() {
      const fake = yield* FakePage.make
      let open = 0
      const counted = AgentTransport.transform((transport) => ({
        ...transport,
        stream: (operation, request) =>
          Stream.unwrap(Effect.as(
            Effect.acquireRelease(Effect.sync(() => open++), () => Effect.sync(() => open--)),
            transport.stream(operation, request)
          ))
      }))
      const steps = ["one", " two", " three"].flatMap((word) => [Script.say(word), Script.wait("1 minute")])
      const agent = AgentTest.layer.pipe(Layer.provide(Script.layer(...steps)))
      const layer = agent.pipe(counted, BrowserAgent.dropOnHide, BrowserAgent.resilient)
      const program = Effect.gen(function*() {
        const transport = yield* AgentTransport.AgentTransport
        const message = { _tag: "Message", messageId: "m-1", role: "user", parts: [{ _tag: "Text", text: "Hi" }] }
        const request = { message } as unknown as Operation.SendMessageRequest
        const running = yield* Effect.forkChild(
          Stream.runCollect(transport.stream(Operation.SendStreamingMessage, request))
        )
        yield* TestClock.adjust("10 seconds")
        assert.strictEqual(open, 1)
        yield* fake.signal("hide")
        yield* settle
        assert.strictEqual(open, 0)
        yield* fake.signal("show")
        yield* settle
        assert.strictEqual(open, 1)
        yield* TestClock.adjust("5 minutes")
        const events = yield* Fiber.join(running)
        assert.include(JSON.stringify(events.at(-1)), "completed")
      })
      yield* program.pipe(Effect.provide(layer), Effect.provideService(Page.CurrentPage, fake.page))
    }), covers("field:RES-01"))
})
