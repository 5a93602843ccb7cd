import { Agent, type AgentError, AgentTransport, Timeouts } from "@effect-a2a/core"
import * as Credentials from "@effect-a2a/core/Credentials"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Layer, Stream } from "effect"
import { HttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import { getEventListeners } from "node:events"
import * as process from "node:process"
import { type Combination, combinations, event, frame } from "../support/peer.ts"
import * as Support from "./support.ts"

const { eventStream, peer, say, status, task, taskAnswer, taskId } = Support

const limited = (timeouts: Timeouts.Timeouts) => Effect.provideService(Timeouts.CurrentTimeouts, timeouts)
const turn = Effect.repeat(Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve))), { times: 5 })

const timeout = (end: "success" | AgentError.AgentError) =>
  end !== "success" && end.reason._tag === "TimeoutError" ? end.reason.phase : assert.fail(JSON.stringify(end))

/** Runs an effect while the clock goes on, and gives its result and how long it took, in seconds. */
const timed = <A, E, R>(self: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const result = yield* Support.hurried(self)
    return [result, (yield* Clock.currentTimeMillis) / 1000] as const
  })

/** A body of pieces that each come after some seconds, and the last of which closes it. */
const slowly = (
  combination: Combination,
  pieces: ReadonlyArray<readonly [seconds: number, piece: Support.Frames[number]]>
) =>
  Effect.map(Effect.context<never>(), (context) => (asked: Parameters<ReturnType<typeof eventStream>>[0]) => {
    const stream = Stream.fromIterable(pieces).pipe(
      Stream.mapEffect(([seconds, piece]) =>
        Effect.as(
          Effect.sleep(seconds * 1000),
          typeof piece === "string" ? piece : frame(event(combination, asked, piece))
        )
      ),
      Stream.encodeText
    )
    const body = Stream.toReadableStreamWith(stream, context) as ReadableStream<Uint8Array<ArrayBuffer>>
    return new Response(body, { headers: { "content-type": "text/event-stream" } })
  })

const asking = (combination: Combination, answer: (asked: never) => Response) =>
  Support.agent(peer(combination, [answer as never]).layer)

/** An HTTP client that never answers. */
const mute = (combination: Combination) =>
  combination.client({ url: "https://agent.test/a2a", protocol: combination.protocol }).pipe(
    Layer.provide([Layer.succeed(HttpClient.HttpClient, HttpClient.make(() => Effect.never)), Credentials.layerNone])
  )

for (const combination of combinations) {
  describe(`time, ${combination.name}`, () => {
    const minutes = [
      [0, task("working")] as const,
      ...Array.from({ length: 36 }, () => [10, say("x")] as const),
      [0, status("completed")] as const
    ]

    it.effect("CAN-01: a stream lives as long as it is not silent", () =>
      Effect.gen(function*() {
        const layer = asking(combination, yield* slowly(combination, minutes))
        const [{ end, events }, seconds] = yield* timed(
          Support.heard.pipe(Effect.provide(layer), limited({ response: "60 seconds", idle: "60 seconds" }))
        )
        assert.deepStrictEqual([end, events.length], ["success", 38])
        assert.isAtLeast(seconds, 360)
      }))

    it.effect("CAN-01: nothing bounds a stream by default, all of it only where asked for", () =>
      Effect.gen(function*() {
        const layer = asking(
          combination,
          yield* slowly(combination, [[0, task("working")], [36_000, status("completed")]])
        )
        assert.strictEqual((yield* timed(Support.heard.pipe(Effect.provide(layer))))[0].end, "success")
        const [{ end }] = yield* timed(Support.heard.pipe(Effect.provide(layer), limited({ total: "60 seconds" })))
        assert.strictEqual(timeout(end), "total")
        const resumable = Support.resumable(combination, [yield* slowly(combination, minutes)])
        const [again] = yield* timed(
          Support.heard.pipe(Effect.provide(resumable.layer), limited({ total: "60 seconds" }))
        )
        assert.strictEqual(timeout(again.end), "total")
        assert.strictEqual(resumable.asked.length, 1)
      }))

    it.effect("comments count as bytes", () =>
      Effect.gen(function*() {
        const beats = Array.from({ length: 10 }, () => [50, ": ping\n\n"] as const)
        const layer = asking(
          combination,
          yield* slowly(combination, [[0, task("working")], ...beats, [50, status("completed")]])
        )
        const [{ end }] = yield* timed(Support.heard.pipe(Effect.provide(layer), limited({ idle: "60 seconds" })))
        assert.strictEqual(end, "success")
      }))

    it.effect("PRX-05: silence is noticed within its limit, and resumed from", () =>
      Effect.gen(function*() {
        let isClosed = false
        const half = eventStream(combination, [task("working")], { end: "open", onCancel: () => (isClosed = true) })
        const [{ end }, seconds] = yield* timed(
          Support.heard.pipe(Effect.provide(asking(combination, half)), limited({ idle: "60 seconds" }))
        )
        assert.strictEqual(timeout(end), "idle")
        assert.isTrue(isClosed)
        assert.isAtMost(seconds, 61)
        isClosed = false
        const { layer } = Support.resumable(combination, [half, (asked) => {
          assert.isTrue(isClosed, "one connection is closed before the next")
          return eventStream(combination, [task("completed", "Hello")])(asked)
        }])
        const [again] = yield* timed(Support.heard.pipe(Effect.provide(layer), limited({ idle: "60 seconds" })))
        assert.deepStrictEqual([again.end, again.text], ["success", "Hello"])
      }))

    it.effect("a proxy that ends every connection after a while does not use the attempts up", () =>
      Effect.gen(function*() {
        const held = yield* slowly(combination, [[0, task("working")], [15, ": ping\n\n"]])
        const { asked, layer } = Support.resumable(combination, [
          ...Array.from({ length: 8 }, () => held),
          eventStream(combination, [task("completed", "Hello")])
        ], AgentTransport.backoff(2))
        const [{ text }] = yield* timed(Support.heard.pipe(Effect.provide(layer)))
        assert.deepStrictEqual([text, asked.length], ["Hello", 9])
      }))

    it.effect("PRX-05: a machine that slept knows it by the wall clock", () =>
      Effect.gen(function*() {
        let slept = 0
        const clock = yield* Clock.Clock
        const wall: Clock.Clock = {
          ...clock,
          sleep: (duration) => clock.sleep(duration),
          currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe() + slept,
          currentTimeMillis: Effect.map(clock.currentTimeMillis, (now) => now + slept)
        } as Clock.Clock
        const layer = asking(combination, eventStream(combination, [task("working")], { end: "open" }))
        const fiber = yield* Support.heard.pipe(
          Effect.provide(layer),
          limited({ idle: "30 minutes" }),
          Effect.provideService(Clock.Clock, wall),
          Effect.forkChild
        )
        yield* turn
        yield* TestClock.adjust("10 seconds")
        slept = 3_600_000
        yield* TestClock.adjust("10 seconds")
        assert.strictEqual(timeout((yield* Fiber.join(fiber)).end), "idle")
      }))

    it.effect("the time that a reader takes is no silence", () =>
      Effect.gen(function*() {
        const layer = asking(
          combination,
          eventStream(combination, [task("working"), say("a"), say("b"), status("completed")])
        )
        const slow = Agent.stream("hi").pipe(Stream.tap(() => Effect.sleep("10 minutes")), Stream.runCollect)
        const [events] = yield* timed(slow.pipe(Effect.provide(layer), limited({ idle: "1 second" })))
        assert.strictEqual(events.length, 4)
      }))

    it.effect("the head of an answer has a limit of its own, and a message that got none may have arrived", () =>
      Effect.gen(function*() {
        const agent = Support.agent(mute(combination))
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
      }))

    it.effect("CAN-05: a call's limit covers its body, which is closed", () =>
      Effect.gen(function*() {
        for (
          const [timeouts, phase] of [[{ total: "1 second" }, "total"], [{ idle: "1 second" }, "idle"]] as const
        ) {
          let isClosed = false
          const stalled = eventStream(combination, ["{\"id\":"], {
            end: "open",
            type: "application/json",
            onCancel: () => (isClosed = true)
          })
          const [error, seconds] = yield* timed(
            Effect.flip(Agent.getTask(taskId)).pipe(Effect.provide(asking(combination, stalled)), limited(timeouts))
          )
          assert.strictEqual(timeout(error), phase)
          assert.isTrue(isClosed)
          assert.isAtMost(seconds, 4)
        }
      }))

    it.effect("CAN-02: what the platform makes of a lost body is an interruption that keeps its cause, and is resumed from", () =>
      Effect.gen(function*() {
        for (const code of ["UND_ERR_BODY_TIMEOUT", "UND_ERR_SOCKET", "ECONNRESET"]) {
          const cause = Object.assign(new Error(code), { code })
          const lost = (asked: Parameters<ReturnType<typeof eventStream>>[0]) => {
            const parts = [frame(event(combination, asked, task("working")))]
            const body = new ReadableStream<Uint8Array>({
              pull: (controller) => {
                const part = parts.shift()
                if (part === undefined) return controller.error(new TypeError("terminated", { cause }))
                controller.enqueue(new TextEncoder().encode(part))
              }
            }, { highWaterMark: 0 })
            return new Response(body as BodyInit, { headers: { "content-type": "text/event-stream" } })
          }
          const { end } = yield* Support.heard.pipe(Effect.provide(asking(combination, lost)))
          const reason = end !== "success" ? end.reason : assert.fail()
          if (reason._tag !== "StreamInterruptedError") return assert.fail(reason._tag)
          assert.strictEqual(reason.cause, cause)
          assert.strictEqual(reason.taskId, taskId)
          const { layer } = Support.resumable(combination, [
            lost,
            eventStream(combination, [task("completed", "Hello")])
          ])
          assert.strictEqual((yield* Support.hurried(Support.heard.pipe(Effect.provide(layer)))).text, "Hello")
        }
      }))
  })
}

it.live("CAN-11: one long-lived signal serves many calls and is left as it was", () =>
  Effect.gen(function*() {
    const combination = combinations[0]!
    const warnings: Array<Error> = []
    const listener = (warning: Error) => void warnings.push(warning)
    process.on("warning", listener)
    const { signal } = new AbortController()
    const json = taskAnswer(combination, { id: "t-1", contextId: "c-1", status: { state: "TASK_STATE_COMPLETED" } })
    const unary = Agent.getTask(taskId).pipe(Effect.provide(asking(combination, json)))
    const stream = Support.heard.pipe(
      Effect.provide(asking(combination, eventStream(combination, [task("working"), status("completed")])))
    )
    yield* Effect.promise(async () => {
      for (let n = 0; n < 1000; n++) await Effect.runPromise(unary, { signal })
      await Promise.all(Array.from({ length: 5 }, () => Effect.runPromise(stream, { signal })))
      for (let n = 0; n < 95; n++) await Effect.runPromise(stream, { signal })
    })
    assert.strictEqual(getEventListeners(signal, "abort").length, 0)
    process.off("warning", listener)
    assert.deepStrictEqual(warnings, [])
  }))
