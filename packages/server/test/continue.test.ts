import { Message, Operation } from "@effect-a2a/core"
import { Reply } from "@effect-a2a/server"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import { covers } from "../../../test/support/covers.ts"
import {
  call,
  contextId,
  get,
  history,
  labels,
  reasonOf,
  send,
  sendTask,
  serve,
  serveSlowly,
  start,
  stream,
  tagOf,
  taskId,
  text
} from "./support.ts"

/** Asks until it hears `go`. */
const asking = serve((turn) =>
  Message.text(turn.message) === "go"
    ? Stream.make("done")
    : Stream.make(`heard ${Message.text(turn.message)}`, Reply.status("input-required", "More?"))
)

describe("follow-ups", () => {
  it.effect("a task id alone continues the task in its context; the executor sees the task as it was", () =>
    Effect.gen(function*() {
      const seen: Array<ReadonlyArray<string> | undefined> = []
      yield* Effect.gen(function*() {
        const first = yield* sendTask("one")
        const second = yield* sendTask("two", { taskId: first.id })
        assert.deepStrictEqual([second.id, second.contextId], [first.id, first.contextId])
        assert.deepStrictEqual(history(second), ["one", "More?", "two"])
        assert.deepStrictEqual(seen, [undefined, ["one"]])
      }).pipe(Effect.provide(serve((turn) => {
        seen.push(turn.task && history(turn.task))
        return Stream.make(Reply.status("input-required", "More?"))
      })))
    }))

  it.effect("a context id alone makes a new task in that context", () =>
    Effect.gen(function*() {
      const first = yield* sendTask("one")
      const second = yield* sendTask("two", { contextId: first.contextId! })
      assert.notStrictEqual(second.id, first.id)
      assert.strictEqual(second.contextId, first.contextId)
      assert.deepStrictEqual(history(second), ["two"])
    }).pipe(Effect.provide(asking)))

  it.effect("a follow-up's stream begins with the task, which keeps the artifacts of both turns", () =>
    Effect.gen(function*() {
      const { id } = yield* sendTask("one")
      assert.deepStrictEqual(yield* labels(stream("go", { taskId: id })), ["task working", "done", "completed"])
      const task = yield* get(id)
      assert.strictEqual(text(task), "heard one\n\ndone")
      assert.strictEqual(task.artifacts?.length, 2)
    }).pipe(Effect.provide(asking)))

  it.effect("a refused follow-up changes nothing", () =>
    Effect.gen(function*() {
      const before = yield* sendTask("one")
      const { id } = before
      const foreign = yield* reasonOf(send("two", { taskId: id, contextId: contextId("other") }))
      assert.strictEqual(foreign._tag === "InvalidParamsError" && foreign.violations?.[0]?.field, "message.contextId")
      assert.strictEqual(yield* tagOf(send([], { taskId: id })), "InvalidParamsError")
      assert.strictEqual(
        yield* tagOf(send("two", { taskId: id, configuration: { historyLength: -1 } })),
        "InvalidParamsError"
      )
      assert.deepStrictEqual(yield* get(id), before)
    }).pipe(Effect.provide(asking)), covers("field:HIST-04"))

  it.effect(
    "a message to a terminal task is refused, unary and streaming, and its history stays",
    () =>
      Effect.gen(function*() {
        const before = yield* sendTask("go")
        assert.strictEqual(yield* tagOf(send("again", { taskId: before.id })), "UnsupportedOperationError")
        assert.deepStrictEqual(yield* labels(stream("again", { taskId: before.id })), ["! UnsupportedOperationError"])
        assert.deepStrictEqual(yield* get(before.id), before)
      }).pipe(Effect.provide(asking)),
    covers("field:HIST-08")
  )

  it.effect("a message to an unknown task is refused", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* tagOf(send("hi", { taskId: taskId("nowhere") })), "TaskNotFoundError")
      assert.strictEqual((yield* call(Operation.ListTasks, {})).totalSize, 0)
    }).pipe(Effect.provide(asking)))

  for (const [name, serveWith] of [["memory", serve], ["slow", serveSlowly]] as const) {
    it.effect(`of two messages in the same tick one runs and the other is refused (${name} store)`, () => {
      let running = 0
      let peak = 0
      const work = Effect.sync(() => peak = Math.max(peak, ++running)).pipe(
        Effect.andThen(Effect.forEach(Array.from({ length: 100 }), () => Effect.yieldNow, { discard: true })),
        Effect.andThen(Effect.sync(() => running--)),
        Effect.as("ok")
      )
      const agent = serveWith((turn) =>
        turn.task === undefined ? Stream.make(Reply.status("input-required", "?")) : Stream.fromEffect(work)
      )
      return Effect.gen(function*() {
        const { id } = yield* sendTask("one")
        const both = yield* Effect.forEach(
          ["two", "three"],
          (text) => Effect.forkChild(Effect.result(sendTask(text, { taskId: id })), { startImmediately: true })
        )
        const results = yield* Fiber.joinAll(both)
        assert.deepStrictEqual(
          results.map((result) => result._tag === "Success" ? result.success.status.state : result.failure.reason._tag)
            .sort(),
          ["UnsupportedOperationError", "completed"]
        )
        assert.strictEqual(peak, 1)
        assert.strictEqual((yield* get(id)).history?.length, 3)
      }).pipe(Effect.provide(agent))
    }, covers("field:CONC-01"))
  }

  it.effect("a message to a working task is refused", () =>
    Effect.gen(function*() {
      const { id } = yield* start("one")
      assert.strictEqual(yield* tagOf(send("two", { taskId: id })), "UnsupportedOperationError")
      assert.deepStrictEqual(history(yield* get(id)), ["one"])
    }).pipe(Effect.provide(serve(() => Stream.never))), covers("field:CONC-01"))

  it.effect("a reply right after the question waits for the executor's finalizers", () =>
    Effect.gen(function*() {
      const cleaned = yield* Deferred.make<void>()
      yield* Effect.gen(function*() {
        const { id } = yield* sendTask("one")
        const fiber = yield* Effect.forkChild(sendTask("go", { taskId: id }))
        yield* TestClock.adjust("1 second")
        assert.strictEqual(text(yield* Fiber.join(fiber)), "cleared: true")
      }).pipe(Effect.provide(serve((turn) =>
        turn.task !== undefined ?
          Stream.make(`cleared: ${Deferred.isDoneUnsafe(cleaned)}`) :
          Stream.make(Reply.status("input-required", "?")).pipe(
            Stream.ensuring(Effect.andThen(Effect.sleep("1 second"), Deferred.succeed(cleaned, undefined)))
          )
      )))
    }))

  it.effect("an executor may answer a task with a message, which changes nothing but the history", () =>
    Effect.gen(function*() {
      const before = yield* sendTask("one")
      const answer = yield* send("why?", { taskId: before.id })
      assert.deepStrictEqual(
        answer._tag === "Message" && [Message.text(answer), answer.taskId, answer.contextId],
        ["Because", before.id, before.contextId]
      )
      const after = yield* get(before.id)
      assert.deepStrictEqual(history(after), ["one", "why?", "Because"])
      assert.deepStrictEqual({ ...after, history: before.history ?? [] }, before)
    }).pipe(
      Effect.provide(
        serve((turn) =>
          turn.task === undefined ? Stream.make(Reply.status("auth-required", "sign in")) : Effect.succeed("Because")
        )
      )
    ))
})
