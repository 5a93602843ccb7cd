/** Tasks on the server: cancellation, subscriptions, crashes, duplicates. */
import { AgentError, Message, Operation, StreamEvent, Task, TaskProgress } from "@effect-a2a/core"
import { Reply, TaskStore } from "@effect-a2a/server"
import { Wire } from "@effect-a2a/testing"
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Latch, Stream } from "effect"
import { covers } from "../support/covers.ts"
import * as Field from "./support.ts"
import { call, cancel, get, labels, send, sendTask, start, stream, subscribe, tagOf, taskId, text } from "./support.ts"

/** One turn of the event loop. */
const turn = Effect.promise(() => new Promise((done) => setImmediate(done)))

Field.inEach("tasks", (combination) => {
  it.effect("cancel returns the canceled task again, and refuses a finished one", () =>
    Effect.gen(function*() {
      const { id } = yield* start("wait")
      const canceled = yield* cancel(id)
      assert.strictEqual(canceled.status.state, "canceled")
      assert.deepStrictEqual(yield* cancel(id), canceled)
      const done = yield* sendTask("go")
      assert.strictEqual(yield* tagOf(cancel(done.id)), "TaskNotCancelableError")
      assert.strictEqual(yield* tagOf(cancel(taskId("nowhere"))), "TaskNotFoundError")
    }).pipe(Effect.provide(Field.behind(combination, ({ message }) =>
      Message.text(message) === "wait" ? Stream.never : Stream.make("done")))), covers("field:CAN-08"))

  it.effect(
    "after a restart a subscription begins with the task, and a finished or unknown task is refused",
    () =>
      Effect.gen(function*() {
        const store = yield* TaskStore.TaskStore
        for (const state of ["input-required", "completed"] as const) {
          const left: Task.Task = {
            _tag: "Task",
            id: taskId(state),
            contextId: Field.contextId("c"),
            status: { state }
          }
          yield* store.append({}, taskId(state), { expected: 0, events: [left] })
        }
        assert.deepStrictEqual(yield* labels(Stream.take(subscribe(taskId("input-required")), 1)), [
          "task input-required"
        ])
        assert.deepStrictEqual(yield* labels(subscribe(taskId("completed"))), ["! UnsupportedOperationError"])
        assert.deepStrictEqual(yield* labels(subscribe(taskId("nowhere"))), ["! TaskNotFoundError"])
      }).pipe(Effect.provide(Field.behind(combination, () => Stream.make("ok")))),
    covers("field:RES-07")
  )

  it.effect(
    "a crash fails the task, streamed and stored, without the exception's message",
    () =>
      Effect.gen(function*() {
        const streamed = yield* labels(stream("hi"))
        assert.strictEqual(streamed[0], "task submitted")
        assert.match(streamed.at(-1)!, /^failed: /)
        assert.notInclude(streamed.join(), "s3cr3t")
        const failed = yield* sendTask("hi")
        assert.deepStrictEqual(yield* get(failed.id), failed)
        assert.strictEqual(failed.status.state, "failed")
      }).pipe(Effect.provide(Field.behind(combination, () => Stream.die(new Error("s3cr3t"))))),
    covers("field:STR-08")
  )

  it.effect(
    "a refusal during a stream keeps its code, and one before it is a plain refusal",
    () =>
      Effect.gen(function*() {
        const events = yield* labels(stream("hi"))
        assert.strictEqual(events.at(-1), "! UnsupportedOperationError")
        assert.isAbove(events.length, 2)
        assert.strictEqual(yield* tagOf(send("hi", { taskId: taskId("nowhere") })), "TaskNotFoundError")
      }).pipe(Effect.provide(Field.behind(combination, () =>
        Stream.concat(
          Stream.make("a", "b").pipe(Stream.rechunk(1)),
          Stream.fail(new AgentError.UnsupportedOperationError({ message: "no" }))
        )))),
    covers("field:ERR-07", "field:ERR-08")
  )

  it.effect("text in fifty pieces is one artifact, and only its last chunk is marked", () =>
    Effect.gen(function*() {
      for (const word of ["all", "stop"]) {
        const chunks = yield* stream(word).pipe(
          Stream.filter((event) => event._tag === "ArtifactUpdate"),
          Stream.runCollect
        )
        assert.strictEqual(new Set(chunks.map(({ artifact }) => artifact.artifactId)).size, 1)
        assert.deepStrictEqual(chunks.map(({ append }) => append === true), chunks.map((_, i) => i > 0))
        assert.deepStrictEqual(
          chunks.map(({ lastChunk }) => lastChunk === true),
          chunks.map((_, i) => i === chunks.length - 1)
        )
      }
    }).pipe(Effect.provide(Field.behind(combination, ({ message }) => {
      const pieces = Stream.range(1, 50).pipe(Stream.map(String), Stream.rechunk(7))
      return Message.text(message) === "all"
        ? pieces
        : Stream.concat(Stream.take(pieces, 20), Stream.make(Reply.status("failed", "enough")))
    }))), covers("field:ART-08"))
})

Field.inOne("tasks above the dialects", (combination) => {
  it.effect("a client that leaves after the first event does not stop the work", () => {
    const gate = Latch.makeUnsafe(false)
    return Effect.gen(function*() {
      const [first] = yield* Stream.runCollect(Stream.take(stream("hi"), 1))
      const id = StreamEvent.taskId(first!)!
      yield* gate.open
      yield* Wire.settled
      const task = yield* get(id)
      assert.deepStrictEqual([task.status.state, text(task)], ["completed", "abc"])
    }).pipe(
      Effect.provide(Field.behind(combination, () =>
        Stream.concat(
          Stream.fromEffectDrain(gate.await),
          Stream.make("a", "b", "c").pipe(Stream.rechunk(1))
        )))
    )
  }, covers("field:CAN-07"))

  it.effect("a cancel while the executor is still loading cancels the task", () =>
    Effect.gen(function*() {
      const { id } = yield* start("hi")
      assert.strictEqual((yield* cancel(id)).status.state, "canceled")
      assert.strictEqual((yield* get(id)).status.state, "canceled")
    }).pipe(Effect.provide(Field.behind(combination, () => Stream.unwrap(Effect.never)))), covers("field:CAN-10"))

  it.effect(
    "the snapshot and later events are the whole artifact, wherever a subscription begins",
    () =>
      Effect.gen(function*() {
        const { id } = yield* start("hi")
        const fibers: Array<Fiber.Fiber<Task.Task | undefined, unknown>> = []
        const starts = new Set<number>()
        for (let n = 0; n < 25; n++) {
          starts.add((yield* get(id)).artifacts?.[0]?.parts.length ?? 0)
          fibers.push(
            yield* Effect.forkChild(
              subscribe(id).pipe(Stream.runFold((): Task.Task | undefined => undefined, TaskProgress.apply))
            )
          )
          yield* turn
        }
        assert.isAbove(starts.size, 5)
        const whole = Array.from({ length: 1000 }, (_, n) => `${n + 1} `).join("")
        for (const task of yield* Fiber.joinAll(fibers)) assert.strictEqual(task && Task.text(task), whole)
      }).pipe(Effect.provide(Field.behind(combination, () =>
        Stream.range(1, 1000).pipe(
          Stream.map((n) => `${n} `),
          Stream.rechunk(5),
          Stream.tap((piece) => Number(piece) % 5 === 0 ? turn : Effect.void)
        )))),
    covers("field:RES-08")
  )

  it.effect("the same message twice is two tasks: the server does not recognise duplicates", () => {
    let runs = 0
    return Effect.gen(function*() {
      const message = yield* Message.user("hi")
      const ask = call(Operation.SendMessage, { message })
      const [one, two] = [yield* ask, yield* ask]
      assert.deepStrictEqual([one._tag, two._tag, runs], ["Task", "Task", 2])
      assert.notStrictEqual((one as Task.Task).id, (two as Task.Task).id)
    }).pipe(Effect.provide(Field.behind(combination, () => (runs += 1, Stream.make("ok")))))
  }, covers("field:RETRY-08"))
})
