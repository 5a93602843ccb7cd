import type { Task } from "@effect-a2a/core"
import { Id, Message, TaskProgress } from "@effect-a2a/core"
import { type AgentExecutor, Reply, TaskStore } from "@effect-a2a/server"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import { covers } from "../../../test/support/covers.ts"
import {
  cancel,
  get,
  labels,
  send,
  sendTask,
  serve,
  serveSlowly,
  start,
  subscribe,
  tagOf,
  taskId,
  text
} from "./support.ts"

const wordOf = (turn: AgentExecutor.Turn) => Message.text(turn.message)

describe("SubscribeToTask", () => {
  it.effect("begins with the task and emits only new events; terminal tasks are refused, unknown ones are not found", () =>
    Effect.gen(function*() {
      const { id } = yield* start("slow")
      yield* TestClock.adjust("1500 millis")
      const fiber = yield* Effect.forkChild(Stream.runCollect(subscribe(id)), { startImmediately: true })
      yield* TestClock.adjust("1 minute")
      const [snapshot, ...rest] = yield* Fiber.join(fiber)
      assert.strictEqual(snapshot?._tag === "Task" && text(snapshot), "a")
      assert.deepStrictEqual(yield* labels(Stream.fromIterable(rest)), ["b", "completed"])
      for (const state of ["completed", "failed", "canceled", "rejected"]) {
        assert.deepStrictEqual(yield* labels(subscribe((yield* sendTask(state)).id)), ["! UnsupportedOperationError"])
      }
      assert.deepStrictEqual(yield* labels(subscribe(taskId("nowhere"))), ["! TaskNotFoundError"])
    }).pipe(Effect.provide(serve((turn) =>
      wordOf(turn) === "slow"
        ? Stream.fromIterable(["a", "b"]).pipe(Stream.rechunk(1), Stream.tap(() => Effect.sleep("1 second")))
        : Stream.make(Reply.status(wordOf(turn) as "completed"))
    ))))

  it.effect(
    "without a running executor a subscription stays open until the task ends",
    () =>
      Effect.gen(function*() {
        const store = yield* TaskStore.TaskStore
        // what a server that went down left behind
        const left = (id: string, state: "working" | "input-required"): Task.Task => ({
          _tag: "Task",
          id: taskId(id),
          contextId: Id.ContextId.make("c"),
          status: { state },
          history: []
        })
        const add = (id: string, state: "working" | "input-required") =>
          store.append({}, taskId(id), { expected: 0, events: [left(id, state)] })
        yield* Effect.all([add("asks", "input-required"), add("works", "working")])
        const fibers = yield* Effect.forEach(
          ["asks", "works"],
          (id) => Effect.forkChild(labels(subscribe(taskId(id))), { startImmediately: true })
        )
        yield* TestClock.adjust("1 hour")
        assert.deepStrictEqual(fibers.map((fiber) => fiber.pollUnsafe()), [undefined, undefined])
        assert.strictEqual(text(yield* sendTask("go on", { taskId: taskId("asks") })), "ok")
        // another process may be at work on it
        assert.strictEqual(yield* tagOf(send("go on", { taskId: taskId("works") })), "UnsupportedOperationError")
        assert.strictEqual((yield* cancel(taskId("works"))).status.state, "canceled")
        assert.deepStrictEqual(yield* Effect.forEach(fibers, Fiber.join), [
          ["task input-required", "task working", "ok", "completed"],
          ["task working", "canceled"]
        ])
      }).pipe(Effect.provide(serve(() => Stream.make("ok")))),
    covers("field:RES-07")
  )

  it.effect(
    "the snapshot and the following events are complete from 200 positions, with a slow store too",
    () =>
      Effect.gen(function*() {
        const agent = serveSlowly(() =>
          Stream.range(1, 1000).pipe(Stream.map((n) => `${n} `), Stream.rechunk(3), Stream.tap(() => Effect.yieldNow))
        )
        yield* Effect.gen(function*() {
          const { id } = yield* start("hi")
          const whole = Array.from({ length: 1000 }, (_, n) => `${n + 1} `).join("")
          const fibers: Array<Fiber.Fiber<Task.Task | undefined, unknown>> = []
          const starts = new Set<number>()
          for (let n = 0; n < 200; n++) {
            const known = yield* get(id)
            starts.add(known.artifacts?.[0]?.parts.length ?? 0)
            assert.notStrictEqual(known.status.state, "completed")
            fibers.push(
              yield* Effect.forkChild(
                subscribe(id).pipe(Stream.runFold((): Task.Task | undefined => undefined, TaskProgress.apply))
              )
            )
            yield* Effect.yieldNow
          }
          assert.isAbove(starts.size, 50)
          for (const task of yield* Fiber.joinAll(fibers)) {
            assert.strictEqual(task && text(task), whole)
            assert.strictEqual(task?.status.state, "completed")
          }
        }).pipe(Effect.provide(agent))
      }),
    covers("field:RES-08")
  )
})

describe("SubscribeToTask with replay: events", () => {
  const replay = (execute: (turn: AgentExecutor.Turn) => AgentExecutor.Execution) =>
    serve(execute, { replay: "events" })

  it.effect("emits all past events without the task, then new ones to the end", () =>
    Effect.gen(function*() {
      const { id } = yield* start("hi")
      yield* TestClock.adjust("1500 millis")
      const fiber = yield* Effect.forkChild(labels(subscribe(id)), { startImmediately: true })
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* Fiber.join(fiber), ["working", "a", "b", "completed"])
      // in production a completed task replays
      assert.deepStrictEqual(yield* labels(subscribe(id)), ["working", "a", "b", "completed"])
    }).pipe(Effect.provide(replay(() =>
      Stream.fromIterable(["a", "b"]).pipe(Stream.rechunk(1), Stream.tap(() => Effect.sleep("1 second")))
    ))), covers("ML-28"))

  it.effect("refuses a failed or canceled task", () =>
    Effect.gen(function*() {
      for (const state of ["failed", "canceled"]) {
        const { id } = yield* sendTask(state)
        assert.strictEqual(yield* tagOf(Stream.runDrain(subscribe(id))), "UnsupportedOperationError")
      }
    }).pipe(Effect.provide(replay((turn) => Stream.make(Reply.status(wordOf(turn) as "failed"))))), covers("ML-29"))

  it.effect("a replay of several turns continues after the questions in between", () =>
    Effect.gen(function*() {
      const { id } = yield* sendTask("one")
      assert.deepStrictEqual(yield* labels(subscribe(id)), ["input-required: ?"])
      yield* sendTask("two", { taskId: id })
      assert.deepStrictEqual(yield* labels(subscribe(id)), ["input-required: ?", "ok", "completed"])
    }).pipe(Effect.provide(replay((turn) =>
      turn.task === undefined ? Stream.make(Reply.status("input-required", "?")) : Stream.make("ok")
    ))), covers("ML-28"))
})
