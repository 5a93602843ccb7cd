import { Agent, type AgentError, Artifact, Id, Part, StreamEvent, type Task } from "@effect-a2a/core"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import { covers } from "../support/covers.ts"
import {
  type Asked,
  type BodyOptions,
  chunks,
  type Combination,
  event,
  frame,
  inEach,
  isRpc,
  rest,
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

/** Sends a message to a peer that is a function, and returns every event and the end of the stream. */
const send = (respond: (asked: Asked) => Response, combination: Combination = rest) =>
  Effect.gen(function*() {
    const events: Array<StreamEvent.StreamEvent> = []
    const end = yield* Agent.stream("hi").pipe(
      Stream.runForEach((event) => Effect.sync(() => events.push(event))),
      Effect.as("success" as const),
      Effect.catch((error) => Effect.succeed(error.reason))
    )
    return { events, end }
  }).pipe(Effect.provide(Agent.layer.pipe(Layer.provide(talkTo(combination, respond).layer))))

const read = (frames: Frames, options?: BodyOptions, combination: Combination = rest) =>
  send(
    (asked) =>
      chunks(frames.map((one) => typeof one === "string" ? one : frame(event(combination, asked, one))), options),
    combination
  )

const interruption = (end: "success" | AgentError.AgentErrorReason) =>
  end !== "success" && end._tag === "StreamInterruptedError" ? end : assert.fail(JSON.stringify(end))

describe("a stream", () => {
  it.effect("that ends before its task is interrupted, and the error names the task", () =>
    Effect.gen(function*() {
      const part = "data: {\"sta"
      const begin = [task("submitted"), status("working")]
      for (
        const [name, frames, options] of [
          ["a regular end", begin, {}],
          ["a reset", begin, { end: "reset" }],
          ["a cut in the middle of an event", [...begin, part], {}],
          ["a reset in the middle of an event", [...begin, part], { end: "reset" }]
        ] as const
      ) {
        const { end, events } = yield* read(frames, options)
        assert.deepStrictEqual(events, begin, name)
        const reason = interruption(end)
        assert.deepInclude(reason, { taskId, isResumable: true, isRetryable: false, delivery: "delivered" }, name)
        assert.isFalse("retryAfter" in reason, name)
      }
    }), covers("field:STR-02"))

  it.effect("without any event is interrupted, and the error names no task", () =>
    Effect.gen(function*() {
      const { end, events } = yield* read([": hello\n\n"])
      assert.deepStrictEqual(events, [])
      assert.isFalse("taskId" in interruption(end))
    }), covers("field:STR-02"))

  it.effect("delivers a last event that is complete but for its blank line", () =>
    Effect.gen(function*() {
      const { end, events } = yield* send((asked) =>
        chunks([frame(event(rest, asked, task("working"))), `data: ${event(rest, asked, status("completed"))}`])
      )
      assert.deepStrictEqual([end, events.length], ["success", 2])
    }))

  it.effect("is not ended by retry, whose number is the delay of a resumption", () =>
    Effect.gen(function*() {
      const { end, events } = yield* read([
        "retry: 2500\n\n",
        task("submitted"),
        "retry: 5s\nretry: -1\n\n",
        status("working")
      ])
      assert.strictEqual(events.length, 2)
      assert.deepStrictEqual(interruption(end).retryAfter, Duration.millis(2500))
    }), covers("field:SSE-11"))

  it.effect("is not ended by auth-required, and may end after it", () =>
    Effect.gen(function*() {
      const waiting = yield* read([task("submitted"), status("auth-required")])
      assert.strictEqual(waiting.end, "success")
      const resumed = yield* read([status("auth-required"), status("working")])
      assert.strictEqual(interruption(resumed.end).taskId, taskId)

      const fiber = yield* read([status("auth-required")], { end: "open" }).pipe(
        Effect.forkChild({ startImmediately: true })
      )
      yield* TestClock.adjust("1 hour")
      assert.isUndefined(fiber.pollUnsafe())
      yield* Fiber.interrupt(fiber)
    }))

  it.effect("of a peer that keeps the connection open after the end is closed after 200 ms", () =>
    Effect.gen(function*() {
      for (const last of [status("completed"), status("input-required"), message]) {
        let canceled = 0
        const fiber = yield* read([last], { end: "open", onCancel: () => canceled++ }).pipe(
          Effect.forkChild({ startImmediately: true })
        )
        yield* TestClock.adjust("199 millis")
        assert.isUndefined(fiber.pollUnsafe())
        assert.strictEqual(canceled, 0)
        yield* TestClock.adjust("1 millis")
        assert.deepStrictEqual(yield* Fiber.join(fiber), { events: [last], end: "success" })
        assert.strictEqual(canceled, 1)
      }
    }))

  it.effect("is not kept open by comments after the end", () =>
    Effect.gen(function*() {
      let push: (text: string) => void = () => {}
      const fiber = yield* send((asked) =>
        new Response(
          new ReadableStream<Uint8Array>({
            start: (controller) => {
              push = (text) => controller.enqueue(new TextEncoder().encode(text))
              push(frame(event(rest, asked, status("completed"))))
            }
          }),
          { headers: { "content-type": "text/event-stream" } }
        )
      ).pipe(Effect.forkChild({ startImmediately: true }))
      yield* TestClock.adjust("150 millis")
      push(": keep-alive\n\n")
      yield* TestClock.adjust("50 millis")
      assert.strictEqual((yield* Fiber.join(fiber)).end, "success")
    }))

  it.effect("delivers a snapshot right after the end", () =>
    Effect.gen(function*() {
      const events = [status("completed"), { ...task("completed"), artifacts: [artifact("42").artifact] }]
      assert.deepStrictEqual(yield* read(events, { end: "reset" }), { events, end: "success" })
    }))

  it.effect("delivers every event of a failed, canceled or rejected task, and then fails", () =>
    Effect.gen(function*() {
      const ends: Array<string> = []
      for (const state of ["failed", "canceled", "rejected"] as const) {
        const { end, events } = yield* read([task("working"), status(state)])
        assert.deepStrictEqual(events, [task("working"), status(state)])
        ends.push(end === "success" ? end : end.code)
      }
      assert.deepStrictEqual(ends, ["TASK_STATE_FAILED", "TASK_STATE_CANCELED", "TASK_STATE_REJECTED"])
    }))

  it.effect("skips events of later versions and unknown types of events", () =>
    inEach((combination) =>
      Effect.gen(function*() {
        assert.deepStrictEqual(
          yield* send((asked) =>
            chunks([
              frame(event(combination, asked, task("working"))),
              frame(result(combination, asked, { progressUpdate: { percent: 3 }, kind: "progress-update" })),
              "event: ping\ndata: not JSON\n\n",
              frame(event(combination, asked, status("completed")))
            ]), combination),
          { events: [task("working"), status("completed")], end: "success" }
        )
      })
    ))

  it.effect("fails at an event that is not JSON, after the events before it", () =>
    Effect.gen(function*() {
      const { end, events } = yield* read([
        task("working"),
        "data: nonsense\n\n",
        status("completed")
      ])
      assert.deepStrictEqual(events, [task("working")])
      assert.strictEqual(end !== "success" && end._tag, "MalformedResponseError")
    }))

  it.effect("may have a content type in any letter case, with parameters", () =>
    Effect.gen(function*() {
      const { end } = yield* read([status("completed")], { type: "Text/Event-Stream; Charset=UTF-8" })
      assert.strictEqual(end, "success")
    }), covers("field:UTF-05"))

  it.effect(
    "may be a response in JSON: a result, an unfinished task or a refusal",
    () =>
      inEach((combination) =>
        Effect.gen(function*() {
          const respond = (body: (asked: Asked) => string) =>
            send(
              (asked) => new Response(body(asked), { headers: { "content-type": "application/json; charset=utf-8" } }),
              combination
            )
          const whole = yield* respond((asked) => event(combination, asked, task("completed")))
          assert.deepStrictEqual(whole, { events: [task("completed")], end: "success" })
          const unfinished = yield* respond((asked) => event(combination, asked, task("working")))
          assert.strictEqual(interruption(unfinished.end).taskId, taskId)
          const error = { code: -32004, message: "task is in a terminal state" }
          const refused = yield* respond((asked) => isRpc(combination) ? rpcError(asked, error) : JSON.stringify(error))
          assert.strictEqual(refused.end !== "success" && refused.end._tag, "UnsupportedOperationError")
        })
      ),
    covers("field:STR-05")
  )

  it.effect(
    "of another content type is malformed, and the error names it",
    () =>
      inEach((combination) =>
        Effect.gen(function*() {
          for (
            const [body, type] of [["[{\"task\":{}}]", "application/json"], [
              "<html>login</html>",
              "text/html"
            ]] as const
          ) {
            const { end } = yield* send(() => new Response(body, { headers: { "content-type": type } }), combination)
            if (end === "success") return assert.fail(end)
            assert.strictEqual(end._tag, "MalformedResponseError")
            assert.include(end.message, "expected an event stream")
            assert.include(end.message, type)
          }
        })
      ),
    covers("field:PRX-04")
  )

  it.effect(
    "reads, ends, fails and is interrupted in the words of each combination",
    () =>
      inEach((combination) =>
        Effect.gen(function*() {
          const events = [task("submitted"), status("working"), artifact("42"), status("completed")]
          assert.deepStrictEqual(yield* read(events, {}, combination), { events, end: "success" })
          assert.deepStrictEqual(yield* read([message], {}, combination), { events: [message], end: "success" })
          const failed = yield* read([task("working"), status("failed")], {}, combination)
          assert.strictEqual(failed.end !== "success" && failed.end.code, "TASK_STATE_FAILED")
          const { end } = yield* read(events.slice(0, 2), { end: "reset" }, combination)
          assert.strictEqual(interruption(end).taskId, taskId)
          const waiting = yield* read([task("submitted"), status("auth-required")], {}, combination)
          assert.strictEqual(waiting.end, "success")
        })
      ),
    covers("field:STR-01", "field:STR-02", "field:STR-04")
  )
})
