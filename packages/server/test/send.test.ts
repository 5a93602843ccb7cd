import { AgentError, Id, Message, Operation, Part } from "@effect-a2a/core"
import { Reply } from "@effect-a2a/server"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Deferred, Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import { covers } from "../../../test/support/covers.ts"
import {
  call,
  contextId,
  get,
  history,
  label,
  numbered,
  reasonOf,
  send,
  sendTask,
  serve,
  start,
  stream,
  subscribe,
  tagOf,
  taskId,
  text
} from "./support.ts"

describe("SendMessage", () => {
  it.effect("waits until the task is terminal, and returns it with its artifacts", () =>
    Effect.gen(function*() {
      const fiber = yield* Effect.forkChild(sendTask("hi"))
      yield* TestClock.adjust("9 seconds")
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust("1 second")
      const task = yield* Fiber.join(fiber)
      assert.strictEqual(task.status.state, "completed")
      assert.strictEqual(text(task), "Hello world")
      assert.deepStrictEqual(task.artifacts?.map((artifact) => artifact.name), ["result"])
      assert.deepStrictEqual(history(task), ["hi"])
      assert.deepStrictEqual(task.status.timestamp, DateTime.makeUnsafe(10_000))
    }).pipe(Effect.provide(serve(() =>
      Stream.make("Hello ").pipe(Stream.concat(Stream.fromEffect(Effect.as(Effect.sleep("10 seconds"), "world"))))
    ))))

  it.effect("returns the submitted task with returnImmediately, while the turn goes on", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<string>()
      yield* Effect.gen(function*() {
        const task = yield* start("hi")
        assert.strictEqual(task.status.state, "submitted")
        assert.isUndefined(task.artifacts)
        const fiber = yield* Effect.forkChild(Stream.runDrain(subscribe(task.id)), { startImmediately: true })
        yield* Deferred.succeed(gate, "done")
        yield* Fiber.join(fiber)
        assert.strictEqual(text(yield* get(task.id)), "done")
      }).pipe(Effect.provide(serve(() => Stream.fromEffect(Deferred.await(gate)))))
    }))

  it.effect("waits until input-required and auth-required, too", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* sendTask("input-required")).status.state, "input-required")
      assert.strictEqual((yield* sendTask("auth-required")).status.state, "auth-required")
    }).pipe(Effect.provide(serve((turn) =>
      Stream.make(Reply.status(Message.text(turn.message) as "input-required", "please")).pipe(
        Stream.concat(Stream.never)
      )
    ))))

  it.effect("generates ids, and keeps the context of the caller", () =>
    Effect.gen(function*() {
      const first = yield* sendTask("one")
      const second = yield* sendTask("two", { contextId: contextId("mine") })
      assert.deepStrictEqual([first.id, first.contextId], [taskId("task-1"), contextId("context-1")])
      assert.deepStrictEqual([second.id, second.contextId], [taskId("task-2"), contextId("mine")])
      assert.deepStrictEqual(first.artifacts?.[0]?.artifactId, Id.ArtifactId.make("artifact-1"))
      assert.deepStrictEqual(first.history?.[0]?.taskId, first.id)
    }).pipe(Effect.provideService(Id.CurrentGenerator, numbered()), Effect.provide(serve(() => Stream.make("ok")))))

  it.effect("gives the executor message, ids, configuration and the request's metadata", () =>
    Effect.gen(function*() {
      const task = yield* sendTask("hi", {
        configuration: { acceptedOutputModes: ["text/plain"] },
        request: { memorylake: { skipMemory: true } }
      })
      assert.strictEqual(text(task), `${task.id} ${task.contextId} hi text/plain {"memorylake":{"skipMemory":true}}`)
    }).pipe(Effect.provide(serve((turn) =>
      Stream.make([
        turn.taskId,
        turn.contextId,
        Message.text(turn.message),
        turn.configuration.acceptedOutputModes?.join(),
        JSON.stringify(turn.metadata)
      ].join(" "))
    ))))

  it.effect("an executor's effect is a message without a task", () =>
    Effect.gen(function*() {
      const answer = yield* send("hi", { contextId: contextId("c") })
      if (answer._tag !== "Message") return assert.fail("expected a message")
      assert.deepStrictEqual([answer.role, Message.text(answer), answer.contextId], ["agent", "Hello", contextId("c")])
      assert.isUndefined(answer.taskId)
      assert.deepStrictEqual((yield* Stream.runCollect(stream("hi"))).map(label), ["message Hello"])
      assert.strictEqual((yield* call(Operation.ListTasks, {})).totalSize, 0)
    }).pipe(Effect.provide(serve(() => Effect.succeed("Hello")))))

  it.effect("an effect's error is the call's error; a defect's text is not sent", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* tagOf(send("refuse")), "QuotaExceededError")
      const reason = yield* reasonOf(send("die"))
      assert.strictEqual(reason._tag, "InternalError")
      assert.notInclude(JSON.stringify(reason), "secret")
    }).pipe(Effect.provide(serve((turn) =>
      Message.text(turn.message) === "die"
        ? Effect.die(new Error("secret"))
        : Effect.fail(AgentError.reason("QuotaExceededError", { message: "no credit" }))
    ))))

  it.effect("a defect before the first reply fails the task, without sending its text", () =>
    Effect.gen(function*() {
      for (const way of ["throw", "die"]) {
        const task = yield* sendTask(way)
        assert.strictEqual(task.status.state, "failed")
        assert.strictEqual(task.status.message?.role, "agent")
        const found = yield* get(task.id)
        assert.deepStrictEqual(found, task)
        assert.notInclude(JSON.stringify(found), "secret")
      }
    }).pipe(Effect.provide(serve((turn) => {
      if (Message.text(turn.message) === "throw") throw new Error("secret")
      return Stream.die(new Error("secret"))
    }))), covers("field:STR-08", "attack:S2-23"))

  it.effect(
    "an executor's error is the call's error, and the task is failed with its message",
    () =>
      Effect.gen(function*() {
        const reason = yield* reasonOf(send("hi"))
        assert.deepStrictEqual([reason._tag, reason.message], ["UnsupportedOperationError", "not here"])
        const [task] = (yield* call(Operation.ListTasks, {})).tasks
        assert.strictEqual(task?.status.state, "failed")
        assert.deepStrictEqual(task?.status.message?.parts, [Part.text("not here")])
      }).pipe(
        Effect.provide(
          serve(() => Stream.fail(AgentError.reason("UnsupportedOperationError", { message: "not here" })))
        )
      ),
    covers("field:ERR-08")
  )

  it.effect("a rejected task is a value", () =>
    Effect.gen(function*() {
      const task = yield* sendTask("hi")
      assert.strictEqual(task.status.state, "rejected")
      assert.deepStrictEqual(task.status.message?.parts, [Part.text("not my business")])
      assert.isUndefined(task.artifacts)
    }).pipe(Effect.provide(serve(() => Stream.make(Reply.status("rejected", "not my business"), "unheard")))))

  it.effect("refuses empty parts and a negative history length by name, and writes nothing", () =>
    Effect.gen(function*() {
      const parts = yield* reasonOf(send([]))
      assert.deepStrictEqual(parts._tag === "InvalidParamsError" && parts.violations?.[0]?.field, "message.parts")
      const length = yield* reasonOf(send("hi", { configuration: { historyLength: -1 } }))
      assert.deepStrictEqual(
        length._tag === "InvalidParamsError" && length.violations?.[0]?.field,
        "configuration.historyLength"
      )
      assert.strictEqual((yield* call(Operation.ListTasks, {})).totalSize, 0)
    }).pipe(Effect.provide(serve(() => Stream.make("ok")))))

  it.effect("a history length means the same in get, list, send, stream and subscribe", () =>
    Effect.gen(function*() {
      const task = yield* sendTask("1")
      yield* sendTask("2", { taskId: task.id })
      const full = ["1", "ask", "2"] // the agent's question is a turn too
      const expected = new Map([[undefined, full], [0, undefined], [2, full.slice(-2)], [9, full]])
      for (const [historyLength, wanted] of expected) {
        const option = historyLength === undefined ? {} : { historyLength }
        assert.deepStrictEqual(history(yield* get(task.id, historyLength)), wanted, `Get ${historyLength}`)
        const [listed] = (yield* call(Operation.ListTasks, option)).tasks
        assert.deepStrictEqual(listed && history(listed), wanted, `List ${historyLength}`)
        assert.strictEqual(listed !== undefined && "history" in listed, wanted !== undefined)
      }
      const sent = yield* sendTask("3", { taskId: task.id, configuration: { historyLength: 2 } })
      assert.deepStrictEqual(history(sent), ["ask", "3"])
      const none = yield* sendTask("4", { taskId: task.id, configuration: { historyLength: 0 } })
      assert.notProperty(none, "history")
      const [first] = yield* Stream.runCollect(stream("5", { taskId: task.id, configuration: { historyLength: 1 } }))
      assert.deepStrictEqual(first?._tag === "Task" && history(first), ["5"])
      const [last] = yield* Stream.runCollect(stream("6", { taskId: task.id, configuration: { historyLength: 0 } }))
      assert.isTrue(last?._tag === "Task" && !("history" in last))
      const [snapshot] = yield* Stream.runCollect(Stream.take(subscribe(task.id), 1))
      assert.strictEqual(snapshot?._tag === "Task" && snapshot.history?.length, 11)
      for (const negative of [reasonOf(get(task.id, -1)), reasonOf(call(Operation.ListTasks, { historyLength: -5 }))]) {
        const reason = yield* negative
        assert.strictEqual(reason._tag === "InvalidParamsError" && reason.violations?.[0]?.field, "historyLength")
      }
    }).pipe(Effect.provide(serve(() => Stream.make(Reply.status("input-required", "ask"))))), covers("field:HIST-02"))
})
