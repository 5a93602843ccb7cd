import { Agent, type AgentError, AgentTransport, Timeouts } from "@effect-a2a/core"
import * as Credentials from "@effect-a2a/core/Credentials"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Layer, Stream } from "effect"
import { HttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import { getEventListeners } from "node:events"
import * as process from "node:process"
import { covers } from "../support/covers.ts"
import { type Combination, event, frame, inEach, others, rest } from "../support/peer.ts"
import * as Support from "./support.ts"

const { fastForward, say, status, task, taskId, through, turns } = Support
const { agentOf, eventStream, resumable, taskResponse } = through()

const limited = (timeouts: Timeouts.Timeouts) => Effect.provideService(Timeouts.CurrentTimeouts, timeouts)

const phaseOf = (end: "success" | AgentError.AgentError) =>
  end !== "success" && end.reason._tag === "TimeoutError" ? end.reason.phase : assert.fail(JSON.stringify(end))

/** Runs an effect while the clock advances, and returns its result and its duration in seconds. */
const timed = <A, E, R>(self: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const result = yield* fastForward(self)
    return [result, (yield* Clock.currentTimeMillis) / 1000] as const
  })

/** A body of pieces that each come after some seconds; it ends after the last. */
const slowly = (
  pieces: ReadonlyArray<readonly [seconds: number, piece: Support.Frames[number]]>
) =>
  Effect.map(Effect.context<never>(), (context) => (asked: Parameters<ReturnType<typeof eventStream>>[0]) => {
    const stream = Stream.fromIterable(pieces).pipe(
      Stream.mapEffect(([seconds, piece]) =>
        Effect.as(
          Effect.sleep(seconds * 1000),
          typeof piece === "string" ? piece : frame(event(rest, asked, piece))
        )
      ),
      Stream.encodeText
    )
    const body = Stream.toReadableStreamWith(stream, context) as ReadableStream<Uint8Array<ArrayBuffer>>
    return new Response(body, { headers: { "content-type": "text/event-stream" } })
  })

/** A transport whose HTTP client never responds. */
const silent = (combination: Combination) =>
  combination.client({ url: "https://agent.test/a2a", protocol: combination.protocol }).pipe(
    Layer.provide([Layer.succeed(HttpClient.HttpClient, HttpClient.make(() => Effect.never)), Credentials.layerNone])
  )

describe("timeouts", () => {
  const minutes = [
    [0, task("working")] as const,
    ...Array.from({ length: 36 }, () => [10, say("x")] as const),
    [0, status("completed")] as const
  ]

  it.effect("do not end a stream that is never idle", () =>
    Effect.gen(function*() {
      const layer = agentOf(yield* slowly(minutes))
      const [{ end, events }, seconds] = yield* timed(
        Support.stream.pipe(Effect.provide(layer), limited({ response: "60 seconds", idle: "60 seconds" }))
      )
      assert.deepStrictEqual([end, events.length], ["success", 38])
      assert.isAtLeast(seconds, 360)
    }), covers("field:CAN-01"))

  it.effect("are absent by default, and the total one covers a resumed stream", () =>
    Effect.gen(function*() {
      const layer = agentOf(yield* slowly([[0, task("working")], [3_600, status("completed")]]))
      assert.strictEqual((yield* timed(Support.stream.pipe(Effect.provide(layer))))[0].end, "success")
      const [{ end }] = yield* timed(Support.stream.pipe(Effect.provide(layer), limited({ total: "60 seconds" })))
      assert.strictEqual(phaseOf(end), "total")
      const resumed = resumable([yield* slowly(minutes)])
      const [again] = yield* timed(
        Support.stream.pipe(Effect.provide(resumed.layer), limited({ total: "60 seconds" }))
      )
      assert.strictEqual(phaseOf(again.end), "total")
      assert.strictEqual(resumed.asked.length, 1)
    }), covers("field:CAN-01"))

  it.effect("count comments as bytes", () =>
    Effect.gen(function*() {
      const beats = Array.from({ length: 10 }, () => [50, ": ping\n\n"] as const)
      const layer = agentOf(yield* slowly([[0, task("working")], ...beats, [50, status("completed")]]))
      const [{ end }] = yield* timed(Support.stream.pipe(Effect.provide(layer), limited({ idle: "60 seconds" })))
      assert.strictEqual(end, "success")
    }))

  it.effect("end an idle stream, which is resumed", () =>
    Effect.gen(function*() {
      let isClosed = false
      const half = eventStream([task("working")], { end: "open", onCancel: () => (isClosed = true) })
      const [{ end }, seconds] = yield* timed(
        Support.stream.pipe(Effect.provide(agentOf(half)), limited({ idle: "60 seconds" }))
      )
      assert.strictEqual(phaseOf(end), "idle")
      assert.isTrue(isClosed)
      assert.isAtMost(seconds, 61)
      isClosed = false
      const { layer } = resumable([half, (asked) => {
        assert.isTrue(isClosed, "one connection is closed before the next")
        return eventStream([task("completed", "Hello")])(asked)
      }])
      const [again] = yield* timed(Support.stream.pipe(Effect.provide(layer), limited({ idle: "60 seconds" })))
      assert.deepStrictEqual([again.end, again.text], ["success", "Hello"])
    }), covers("field:PRX-05"))

  it.effect("a proxy that ends every connection after a while does not use up the attempts", () =>
    Effect.gen(function*() {
      const held = yield* slowly([[0, task("working")], [15, ": ping\n\n"]])
      const { asked, layer } = resumable([
        ...Array.from({ length: 8 }, () => held),
        eventStream([task("completed", "Hello")])
      ], AgentTransport.backoff(2))
      const [{ text }] = yield* timed(Support.stream.pipe(Effect.provide(layer)))
      assert.deepStrictEqual([text, asked.length], ["Hello", 9])
    }))

  it.effect(
    "measure idle time by the wall clock, so that a machine that slept notices it",
    () =>
      Effect.gen(function*() {
        let slept = 0
        const clock = yield* Clock.Clock
        const wall: Clock.Clock = {
          ...clock,
          sleep: (duration) => clock.sleep(duration),
          currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe() + slept,
          currentTimeMillis: Effect.map(clock.currentTimeMillis, (now) => now + slept)
        } as Clock.Clock
        const layer = agentOf(eventStream([task("working")], { end: "open" }))
        const fiber = yield* Support.stream.pipe(
          Effect.provide(layer),
          limited({ idle: "30 minutes" }),
          Effect.provideService(Clock.Clock, wall),
          Effect.forkChild
        )
        yield* turns
        yield* TestClock.adjust("10 seconds")
        slept = 3_600_000
        yield* TestClock.adjust("10 seconds")
        assert.strictEqual(phaseOf((yield* Fiber.join(fiber)).end), "idle")
      }),
    covers("field:PRX-05")
  )

  it.effect("do not count the time that a reader takes", () =>
    Effect.gen(function*() {
      const layer = agentOf(eventStream([task("working"), say("a"), say("b"), status("completed")]))
      const slow = Agent.stream("hi").pipe(Stream.tap(() => Effect.sleep("10 minutes")), Stream.runCollect)
      const [events] = yield* timed(slow.pipe(Effect.provide(layer), limited({ idle: "1 second" })))
      assert.strictEqual(events.length, 4)
    }))

  it.effect(
    "limit the time until the response headers, and the outcome of a send is unknown then",
    () =>
      Effect.gen(function*() {
        const agent = Support.agent(silent(rest))
        for (
          const call of [
            Effect.flip(Agent.send("hi")),
            Effect.flip(Stream.runDrain(Agent.stream("hi"))),
            Effect.flip(Agent.getTask(taskId))
          ]
        ) {
          const [{ operation, reason }] = yield* timed(
            call.pipe(Effect.provide(agent), limited({ response: "5 seconds" }))
          )
          if (reason._tag !== "TimeoutError") return assert.fail(reason._tag)
          assert.strictEqual(reason.phase, "response")
          assert.strictEqual(reason.messageId !== undefined, operation.startsWith("Send"))
          assert.match(
            reason.message,
            operation.startsWith("Send") ? /^no response .* 5s; the agent may have received/ : /^no response .* 5s$/
          )
        }
      }),
    covers("attack:S2-41")
  )

  it.effect("cover the body of a call, and close it", () =>
    Effect.gen(function*() {
      for (
        const [timeouts, phase] of [[{ total: "1 second" }, "total"], [{ idle: "1 second" }, "idle"]] as const
      ) {
        let isClosed = false
        const stalled = eventStream(["{\"id\":"], {
          end: "open",
          type: "application/json",
          onCancel: () => (isClosed = true)
        })
        const [error, seconds] = yield* timed(
          Effect.flip(Agent.getTask(taskId)).pipe(Effect.provide(agentOf(stalled)), limited(timeouts))
        )
        assert.strictEqual(phaseOf(error), phase)
        assert.isTrue(isClosed)
        assert.isAtMost(seconds, 4)
      }
    }), covers("field:CAN-05"))

  it.effect(
    "a body that the platform loses is an interruption that keeps its cause, and is resumed",
    () =>
      Effect.gen(function*() {
        for (const code of ["UND_ERR_BODY_TIMEOUT", "UND_ERR_SOCKET", "ECONNRESET"]) {
          const cause = Object.assign(new Error(code), { code })
          const lost = (asked: Parameters<ReturnType<typeof eventStream>>[0]) => {
            const parts = [frame(event(rest, asked, task("working")))]
            const body = new ReadableStream<Uint8Array>({
              pull: (controller) => {
                const part = parts.shift()
                if (part === undefined) return controller.error(new TypeError("terminated", { cause }))
                controller.enqueue(new TextEncoder().encode(part))
              }
            }, { highWaterMark: 0 })
            return new Response(body as BodyInit, { headers: { "content-type": "text/event-stream" } })
          }
          const { end } = yield* Support.stream.pipe(Effect.provide(agentOf(lost)))
          const reason = end !== "success" ? end.reason : assert.fail()
          if (reason._tag !== "StreamInterruptedError") return assert.fail(reason._tag)
          assert.strictEqual(reason.cause, cause)
          assert.strictEqual(reason.taskId, taskId)
          const { layer } = resumable([
            lost,
            eventStream([task("completed", "Hello")])
          ])
          assert.strictEqual((yield* fastForward(Support.stream.pipe(Effect.provide(layer)))).text, "Hello")
        }
      }),
    covers("field:CAN-02")
  )

  it.effect("are noticed in the words of each other combination, and idle streams resumed", () =>
    inEach((other) =>
      Effect.gen(function*() {
        const { eventStream, resumable } = through(other)
        const { asked, layer } = resumable([
          eventStream([task("working")], { end: "open" }),
          eventStream([task("completed", "Hello")])
        ])
        const { end, text } = yield* fastForward(
          Support.stream.pipe(Effect.provide(layer), limited({ idle: "60 seconds" }))
        )
        assert.deepStrictEqual([end, text, asked.length], ["success", "Hello", 2])
        const { reason } = yield* fastForward(
          Effect.flip(Agent.send("hi")).pipe(
            Effect.provide(Support.agent(silent(other))),
            limited({ response: "5 seconds" })
          )
        )
        if (reason._tag !== "TimeoutError") return assert.fail(reason._tag)
        assert.deepStrictEqual([reason.phase, reason.messageId !== undefined], ["response", true])
      }), others))
})

it.live("one AbortSignal serves many calls and keeps no listeners", () =>
  Effect.gen(function*() {
    const warnings: Array<Error> = []
    const listener = (warning: Error) => void warnings.push(warning)
    process.on("warning", listener)
    const { signal } = new AbortController()
    const unary = Agent.getTask(taskId).pipe(Effect.provide(agentOf(taskResponse("completed"))))
    const stream = Support.stream.pipe(
      Effect.provide(agentOf(eventStream([task("working"), status("completed")])))
    )
    yield* Effect.promise(async () => {
      for (let n = 0; n < 1000; n++) await Effect.runPromise(unary, { signal })
      await Promise.all(Array.from({ length: 5 }, () => Effect.runPromise(stream, { signal })))
      for (let n = 0; n < 95; n++) await Effect.runPromise(stream, { signal })
    })
    assert.strictEqual(getEventListeners(signal, "abort").length, 0)
    process.off("warning", listener)
    assert.deepStrictEqual(warnings, [])
  }), covers("field:CAN-11"))
