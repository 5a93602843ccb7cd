import { Id, Message } from "@effect-a2a/core"
import { Reply } from "@effect-a2a/server"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import { covers } from "../../../test/support/covers.ts"
import { cancel, get, labels, sendTask, serve, start, subscribe, tagOf, taskId } from "./support.ts"

describe("CancelTask", () => {
  it.effect("interrupts the executor, waits for its finalizers, and reports the canceled task to all who follow it", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      yield* Effect.gen(function*() {
        const { id } = yield* start("hi")
        const following = yield* Effect.forkChild(labels(subscribe(id)), { startImmediately: true })
        const canceling = yield* Effect.forkChild(cancel(id), { startImmediately: true })
        yield* TestClock.adjust("1 second")
        assert.strictEqual((yield* get(id)).status.state, "submitted")
        yield* Deferred.succeed(gate, undefined)
        const task = yield* Fiber.join(canceling)
        assert.strictEqual(task.status.state, "canceled")
        assert.deepStrictEqual(yield* get(id), task)
        assert.deepStrictEqual(yield* Fiber.join(following), ["task submitted", "canceled"])
      }).pipe(Effect.provide(serve(() => Stream.never.pipe(Stream.ensuring(Deferred.await(gate))))))
    }))

  it.effect(
    "returns the stored task the second time; other terminal tasks are not cancelable, unknown ones are not found",
    () =>
      Effect.gen(function*() {
        const { id } = yield* start("wait")
        const task = yield* cancel(id)
        yield* TestClock.adjust("1 minute")
        assert.deepStrictEqual(yield* cancel(id), task)
        for (const state of ["completed", "failed", "rejected"]) {
          assert.strictEqual(yield* tagOf(cancel((yield* sendTask(state)).id)), "TaskNotCancelableError")
        }
        assert.strictEqual(yield* tagOf(cancel(taskId("nowhere"))), "TaskNotFoundError")
      }).pipe(Effect.provide(serve((turn) =>
        Message.text(turn.message) === "wait"
          ? Stream.never
          : Stream.make(Reply.status(Message.text(turn.message) as "completed"))
      ))),
    covers("field:CAN-08")
  )

  it.effect("two cancellations at once both return the canceled task", () =>
    Effect.gen(function*() {
      const { id } = yield* start("wait")
      const [one, two] = yield* Effect.all([cancel(id), cancel(id)], { concurrency: 2 })
      assert.deepStrictEqual(one, two)
      assert.strictEqual(one.status.state, "canceled")
    }).pipe(Effect.provide(serve(() => Stream.never))), covers("field:CAN-08", "attack:S2-16"))

  it.effect("cancels a task whose executor has not begun", () =>
    Effect.gen(function*() {
      const { id } = yield* start("hi")
      assert.strictEqual((yield* cancel(id)).status.state, "canceled")
      assert.strictEqual((yield* get(id)).status.state, "canceled")
    }).pipe(Effect.provide(serve(() => Stream.unwrap(Effect.never)))), covers("field:CAN-10"))

  it.effect("cancels a task that waits for input", () =>
    Effect.gen(function*() {
      const { id, history } = yield* sendTask("hi")
      const task = yield* cancel(id)
      assert.deepStrictEqual([task.status.state, task.history], ["canceled", history])
      assert.strictEqual((yield* get(id)).status.state, "canceled")
    }).pipe(Effect.provide(serve(() => Stream.make(Reply.status("input-required", "?"))))))

  it.effect("a waiting send returns the canceled task", () =>
    Effect.gen(function*() {
      const fiber = yield* Effect.forkChild(sendTask("hi"), { startImmediately: true })
      yield* cancel(taskId("task"))
      assert.strictEqual((yield* Fiber.join(fiber)).status.state, "canceled")
    }).pipe(Effect.provide(serve(() => Stream.never)), Effect.provideService(Id.CurrentGenerator, (kind) => kind)))
})
