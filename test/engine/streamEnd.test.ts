import { Agent, type AgentError, Artifact, Id, Part, StreamEvent, type Task } from "@effect-a2a/core"
import * as HttpBinding from "@effect-a2a/core/HttpBinding"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import {
  type BodyOptions,
  chunks,
  type Combination,
  combinations,
  event,
  frame,
  result,
  rpcError,
  talkTo
} from "../support/peer.ts"

const taskId = Id.TaskId.make("t-1")
const contextId = Id.ContextId.make("c-1")
const at = { taskId, contextId }

const task = (state: Task.Task["status"]["state"]): Task.Task => ({
  _tag: "Task",
  id: taskId,
  contextId,
  status: { state }
})
const status = (state: Task.Task["status"]["state"]) => StreamEvent.statusUpdate({ ...at, status: { state } })
const artifact = (text: string) =>
  StreamEvent.artifactUpdate({ ...at, artifact: Artifact.make(Id.ArtifactId.make("a"), [Part.text(text)]) })
const message = {
  _tag: "Message",
  messageId: Id.MessageId.make("m-2"),
  role: "agent",
  parts: [Part.text("hi")]
} satisfies StreamEvent.StreamEvent

type Frames = ReadonlyArray<StreamEvent.StreamEvent | string>

const peer = (combination: Combination, frames: Frames, options?: BodyOptions) => {
  const { layer } = talkTo(combination, (asked) =>
    chunks(
      frames.map((one) => typeof one === "string" ? one : frame(event(combination, asked, one))),
      options
    ))
  return Agent.layer.pipe(Layer.provide(layer))
}

/** Every event of a stream, and why it ended. */
const heard = Effect.gen(function*() {
  const events: Array<StreamEvent.StreamEvent> = []
  const end = yield* Agent.stream("hi").pipe(
    Stream.runForEach((event) => Effect.sync(() => events.push(event))),
    Effect.as("success" as const),
    Effect.catch((error) => Effect.succeed(error.reason))
  )
  return { events, end }
})

const through = (combination: Combination, frames: Frames, options?: BodyOptions) =>
  heard.pipe(Effect.provide(peer(combination, frames, options)))

const interrupted = (end: "success" | AgentError.AgentErrorReason) =>
  end !== "success" && end._tag === "StreamInterruptedError" ? end : assert.fail(JSON.stringify(end))

for (const combination of combinations) {
  describe(`the end of a stream, ${combination.name}`, () => {
    it.effect("STR-01: the first snapshot is not the answer", () =>
      Effect.gen(function*() {
        const events = [task("submitted"), status("working"), artifact("42"), status("completed")]
        assert.deepStrictEqual(yield* through(combination, events), { events, end: "success" })
      }))

    it.effect("STR-04: a lone message is a whole answer without a task", () =>
      Effect.gen(function*() {
        assert.deepStrictEqual(yield* through(combination, [message]), { events: [message], end: "success" })
      }))

    for (
      const [name, frames, options] of [
        ["a clean end", [task("submitted"), status("working")], {}],
        ["a reset", [task("submitted"), status("working")], { end: "reset" }],
        ["a cut in the middle of an event", [task("submitted"), status("working"), "data: {\"sta"], {}],
        ["a reset in the middle of an event", [task("submitted"), status("working"), "data: {\"sta"], { end: "reset" }]
      ] as const
    ) {
      it.effect(`STR-02: ${name} before the task has ended is an interruption that knows its task`, () =>
        Effect.gen(function*() {
          const { end, events } = yield* through(combination, frames, options)
          assert.deepStrictEqual(events, [task("submitted"), status("working")])
          const reason = interrupted(end)
          assert.strictEqual(reason.taskId, taskId)
          assert.isTrue(reason.isRetryable)
          assert.isFalse("retryAfter" in reason)
        }))
    }

    it.effect("STR-02: nothing at all is an interruption too", () =>
      Effect.gen(function*() {
        const { end, events } = yield* through(combination, [": hello\n\n"])
        assert.deepStrictEqual(events, [])
        assert.isFalse("taskId" in interrupted(end))
      }))

    it.effect("a last event without its blank line is taken where it is whole", () =>
      Effect.gen(function*() {
        const { layer } = talkTo(combination, (asked) =>
          chunks([
            frame(event(combination, asked, task("working"))),
            `data: ${event(combination, asked, status("completed"))}`
          ]))
        const { end, events } = yield* heard.pipe(Effect.provide(Agent.layer.pipe(Layer.provide(layer))))
        assert.deepStrictEqual([end, events.length], ["success", 2])
      }))

    it.effect("SSE-11: retry does not end a stream and tells how long to wait; what is no number is passed over", () =>
      Effect.gen(function*() {
        const { end, events } = yield* through(combination, [
          "retry: 2500\n\n",
          task("submitted"),
          "retry: 5s\nretry: -1\n\n",
          status("working")
        ])
        assert.strictEqual(events.length, 2)
        assert.deepStrictEqual(interrupted(end).retryAfter, Duration.millis(2500))
      }))

    it.effect("auth-required does not end a stream, and an end after it is none too early", () =>
      Effect.gen(function*() {
        const waiting = yield* through(combination, [task("submitted"), status("auth-required")])
        assert.strictEqual(waiting.end, "success")
        const resumed = yield* through(combination, [status("auth-required"), status("working")])
        assert.strictEqual(interrupted(resumed.end).taskId, taskId)

        const fiber = yield* through(combination, [status("auth-required")], { end: "open" }).pipe(
          Effect.forkChild({ startImmediately: true })
        )
        yield* TestClock.adjust("1 hour")
        assert.isUndefined(fiber.pollUnsafe())
        yield* Fiber.interrupt(fiber)
      }))

    for (const last of [status("completed"), status("input-required"), message]) {
      const name = last._tag === "Message" ? "a message" : last.status.state
      it.effect(`a peer that keeps the connection open after ${name} is left after the grace`, () =>
        Effect.gen(function*() {
          let canceled = 0
          const fiber = yield* through(combination, [last], { end: "open", onCancel: () => canceled++ }).pipe(
            Effect.forkChild({ startImmediately: true })
          )
          yield* TestClock.adjust("199 millis")
          assert.isUndefined(fiber.pollUnsafe())
          assert.strictEqual(canceled, 0)
          yield* TestClock.adjust("1 millis")
          assert.deepStrictEqual(yield* Fiber.join(fiber), { events: [last], end: "success" })
          assert.strictEqual(canceled, 1)
        }))
    }

    it.effect("comments do not stretch the grace", () =>
      Effect.gen(function*() {
        let push: (text: string) => void = () => {}
        const { layer } = talkTo(combination, (asked) =>
          new Response(
            new ReadableStream<Uint8Array>({
              start: (controller) => {
                push = (text) => controller.enqueue(new TextEncoder().encode(text))
                push(frame(event(combination, asked, status("completed"))))
              }
            }),
            { headers: { "content-type": "text/event-stream" } }
          ))
        const fiber = yield* heard.pipe(
          Effect.provide(Agent.layer.pipe(Layer.provide(layer))),
          Effect.forkChild({ startImmediately: true })
        )
        yield* TestClock.adjust("150 millis")
        push(": keep-alive\n\n")
        yield* TestClock.adjust("50 millis")
        assert.strictEqual((yield* Fiber.join(fiber)).end, "success")
      }))

    it.effect("a late snapshot within the grace is delivered", () =>
      Effect.gen(function*() {
        const events = [status("completed"), { ...task("completed"), artifacts: [artifact("42").artifact] }]
        assert.deepStrictEqual(yield* through(combination, events, { end: "reset" }), { events, end: "success" })
      }))

    it.effect("failed, canceled and rejected: every event, and then the failure", () =>
      Effect.gen(function*() {
        const ends: Array<string> = []
        for (const state of ["failed", "canceled", "rejected"] as const) {
          const { end, events } = yield* through(combination, [task("working"), status(state)])
          assert.deepStrictEqual(events, [task("working"), status(state)])
          ends.push(end === "success" ? end : end.code)
        }
        assert.deepStrictEqual(ends, ["TASK_STATE_FAILED", "TASK_STATE_CANCELED", "TASK_STATE_REJECTED"])
      }))

    it.effect("C18: events of a later version are skipped, unknown event types too", () =>
      Effect.gen(function*() {
        const { layer } = talkTo(combination, (asked) =>
          chunks([
            frame(event(combination, asked, task("working"))),
            frame(result(combination, asked, { progressUpdate: { percent: 3 }, kind: "progress-update" })),
            "event: ping\ndata: not JSON\n\n",
            frame(event(combination, asked, status("completed")))
          ]))
        assert.deepStrictEqual(yield* heard.pipe(Effect.provide(Agent.layer.pipe(Layer.provide(layer)))), {
          events: [task("working"), status("completed")],
          end: "success"
        })
      }))

    it.effect("an event that is no JSON ends the stream, what came before it is kept", () =>
      Effect.gen(function*() {
        const { end, events } = yield* through(combination, [
          task("working"),
          "data: nonsense\n\n",
          status("completed")
        ])
        assert.deepStrictEqual(events, [task("working")])
        assert.strictEqual(end !== "success" && end._tag, "MalformedResponseError")
      }))

    it.effect("UTF-05: the content type's letter case and parameters do not matter", () =>
      Effect.gen(function*() {
        const { end } = yield* through(combination, [status("completed")], { type: "Text/Event-Stream; Charset=UTF-8" })
        assert.strictEqual(end, "success")
      }))

    it.effect("STR-05: JSON instead of a stream: an answer, an unfinished task, a refusal", () =>
      Effect.gen(function*() {
        const answered = (body: (asked: Parameters<typeof result>[1]) => string, status = 200) => {
          const { layer } = talkTo(
            combination,
            (asked) =>
              new Response(body(asked), { status, headers: { "content-type": "application/json; charset=utf-8" } })
          )
          return heard.pipe(Effect.provide(Agent.layer.pipe(Layer.provide(layer))))
        }
        const whole = yield* answered((asked) => event(combination, asked, task("completed")))
        assert.deepStrictEqual(whole, { events: [task("completed")], end: "success" })
        const unfinished = yield* answered((asked) => event(combination, asked, task("working")))
        assert.strictEqual(interrupted(unfinished.end).taskId, taskId)
        const refused = yield* answered((asked) =>
          combination.binding === "JSONRPC"
            ? rpcError(asked, { code: -32004, message: "task is in a terminal state" })
            : JSON.stringify({ code: -32004, message: "task is in a terminal state" })
        )
        assert.strictEqual(refused.end !== "success" && refused.end._tag, "UnsupportedOperationError")
      }))

    it.effect("PRX-04: what is not an event stream is called so", () =>
      Effect.gen(function*() {
        for (
          const [body, type] of [["[{\"task\":{}}]", "application/json"], ["<html>login</html>", "text/html"]] as const
        ) {
          const { layer } = talkTo(combination, () => new Response(body, { headers: { "content-type": type } }))
          const { end } = yield* heard.pipe(Effect.provide(Agent.layer.pipe(Layer.provide(layer))))
          if (end === "success") assert.fail(end)
          assert.strictEqual(end._tag, "MalformedResponseError")
          assert.include(end.message, "expected an event stream")
          assert.include(end.message, type)
        }
      }))

    it.effect("MEM-01: a line that never ends is given up at the limit, and the connection with it", () =>
      Effect.gen(function*() {
        let canceled = 0
        let sent = 0
        const endless = new ReadableStream<Uint8Array>({
          pull: (controller) => {
            sent += 1
            controller.enqueue(new TextEncoder().encode(sent === 1 ? "data: " : "x".repeat(1000)))
          },
          cancel: () => {
            canceled += 1
          }
        })
        const { layer } = talkTo(
          combination,
          () => new Response(endless, { headers: { "content-type": "text/event-stream" } })
        )
        const limits = Layer.succeed(HttpBinding.CurrentLimits, {
          maxEventSize: 10_000,
          maxResponseSize: 10_000,
          trailingSnapshotTimeout: Duration.millis(200)
        })
        const { end } = yield* heard.pipe(Effect.provide(Agent.layer.pipe(Layer.provide(layer), Layer.provide(limits))))
        if (end === "success" || end._tag !== "ResponseTooLargeError") return assert.fail(JSON.stringify(end))
        assert.strictEqual(end.maxLength, 10_000)
        assert.strictEqual(canceled, 1)
        assert.isBelow(sent, 20)
      }))

    it.effect("MEM-01: an answer that is too large is given up as well", () =>
      Effect.gen(function*() {
        const { layer } = talkTo(combination, () =>
          new Response("x".repeat(10_001), { headers: { "content-type": "application/json" } }))
        const limits = Layer.succeed(HttpBinding.CurrentLimits, {
          maxEventSize: 10_000,
          maxResponseSize: 10_000,
          trailingSnapshotTimeout: Duration.millis(200)
        })
        const error = yield* Effect.flip(Agent.getTask(taskId)).pipe(
          Effect.provide(Agent.layer.pipe(Layer.provide(layer), Layer.provide(limits)))
        )
        assert.strictEqual(error.reason._tag, "ResponseTooLargeError")
      }))
  })
}

describe("sizes", () => {
  const [rest] = combinations
  const text = "x".repeat(3 * 1024 * 1024)

  it.effect("MEM-02: large but honest: an event of 3 MiB, an answer of 20 MiB", () =>
    Effect.gen(function*() {
      const { end, events } = yield* through(rest!, [artifact(text), status("completed")])
      assert.strictEqual(end, "success")
      const [first] = events
      assert.strictEqual(first?._tag === "ArtifactUpdate" && Artifact.text(first.artifact).length, text.length)

      const { layer } = talkTo(rest!, () =>
        new Response(
          JSON.stringify({ id: "t-1", status: { state: "TASK_STATE_WORKING" }, metadata: { x: "x".repeat(20 << 20) } }),
          { headers: { "content-type": "application/json" } }
        ))
      const answer = yield* Agent.getTask(taskId).pipe(Effect.provide(Agent.layer.pipe(Layer.provide(layer))))
      assert.strictEqual(String(answer.metadata?.x).length, 20 << 20)
    }))

  it.effect("MEM-04: parsing takes time in proportion to the size", () =>
    Effect.gen(function*() {
      const parse = Effect.fnUntraced(function*(size: number) {
        const bytes = new TextEncoder().encode(
          frame(JSON.stringify({
            artifactUpdate: { taskId: "t-1", artifact: { artifactId: "a", parts: [{ text: "x".repeat(size) }] } }
          })) + frame(JSON.stringify({ statusUpdate: { taskId: "t-1", status: { state: "TASK_STATE_COMPLETED" } } }))
        )
        const parts = Array.from(
          { length: Math.ceil(bytes.length / 512) },
          (_, i) => bytes.subarray(i * 512, (i + 1) * 512)
        )
        const { layer } = talkTo(rest!, () => chunks(parts))
        const start = performance.now()
        const { end } = yield* heard.pipe(Effect.provide(Agent.layer.pipe(Layer.provide(layer))))
        assert.strictEqual(end, "success")
        return performance.now() - start
      })
      yield* parse(1 << 19)
      const small = yield* parse(1 << 19)
      const large = yield* parse(1 << 22)
      // eight times the size; quadratic work would take sixty-four times as long
      assert.isBelow(large / small, 30)
    }))
})
