/** What one caller can take of a server: memory, tasks at work, and the tasks of others. */

import { type AgentError, Id, Message, Operation, StreamEvent, type Task } from "@effect-a2a/core"
import { Caller, Reply, TaskStore } from "@effect-a2a/server"
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Fiber, Latch, Layer, Schema, Stream } from "effect"
import { TestClock } from "effect/testing"
import { covers } from "../../../test/support/covers.ts"
import { call, get, label, labels, sendTask, serve, start, stream, subscribe, tagOf, taskId, text } from "./support.ts"

const as = (id: string) => Effect.provideService(Caller.Current, { id })

const task = (id: string, state: Task.Task["status"]["state"] = "submitted", size = 0): Task.Task => ({
  _tag: "Task",
  id: taskId(id),
  status: { state },
  metadata: { x: "x".repeat(size) }
})

const chunk = (id: string, size: number) =>
  StreamEvent.artifactUpdate({
    taskId: taskId(id),
    artifact: { artifactId: Id.ArtifactId.make("a"), parts: [{ _tag: "Text", text: "y".repeat(size) }] },
    append: true
  })

/** Appends one event behind those that are there. */
const append = (caller: string, id: string, event: StreamEvent.StreamEvent) =>
  Effect.gen(function*() {
    const store = yield* TaskStore.TaskStore
    const length = (yield* store.get({ caller }, taskId(id)))?.length ?? 0
    return yield* store.append({ caller }, taskId(id), { expected: length, events: [event] })
  })

const tagged = <A, R>(effect: Effect.Effect<A, AgentError.AgentErrorReason | TaskStore.VersionConflict, R>) =>
  Effect.map(Effect.result(effect), (result) => result._tag === "Failure" ? result.failure._tag : "Success")

describe("the store in memory", covers("attack:S2-04", "attack:S2-06"), () => {
  const limits = { maxTaskSize: 20_000, maxOwnerSize: 50_000, maxSize: 80_000, maxFinished: 5, maxWaiting: 5 }

  const Step = Arbitrary.schema(Schema.Struct({
    owner: Schema.Literals(["ada", "bob", "eve"]),
    id: Schema.Literals(["1", "2", "3", "4", "5", "6", "7", "8"]),
    kind: Schema.Literals(["new", "new", "chunk", "chunk", "done", "asks"]),
    size: Schema.Literals([10, 1000, 9000, 19_000, 30_000])
  }))

  for (const maxLogSize of ["all", 1000] as const) {
    it.effect.prop(
      `stays within its limits whatever is appended, and keeps ${maxLogSize === "all" ? "all" : "the latest"} events`,
      [Arbitrary.array(Step, { minLength: 30, maxLength: 60 })],
      ([steps]) =>
        Effect.gen(function*() {
          const store = yield* TaskStore.TaskStore
          for (const { id, kind, owner, size } of steps) {
            const name = `${owner}-${id}`
            const known = yield* store.get({ caller: owner }, taskId(name))
            const event = kind === "new" && known === undefined
              ? task(name, "submitted", size)
              : kind === "chunk"
              ? chunk(name, size)
              : StreamEvent.statusUpdate({
                taskId: taskId(name),
                status: { state: kind === "done" ? "completed" : "input-required" }
              })
            const tag = yield* tagged(append(owner, name, event))
            const after = yield* store.get({ caller: owner }, taskId(name))
            // nothing is written of what is refused
            if (tag !== "Success") assert.deepStrictEqual(after, known)
            const pages = yield* Effect.forEach(["ada", "bob", "eve"], (owner) =>
              store.list({ owner: { caller: owner }, limit: 99 }))
            const sizes = pages.map((page) =>
              JSON.stringify(page.tasks).length
            )
            for (const one of sizes) assert.isAtMost(one, 50_000 * 1.2)
            assert.isAtMost(sizes.reduce((sum, one) => sum + one), 80_000 * 1.2)
            const settled = pages.flatMap((page) => page.tasks.map(({ status }) => status.state))
            assert.isAtMost(settled.filter((state) => state === "completed").length, 5)
            assert.isAtMost(settled.filter((state) => state === "input-required").length, 5)
          }
        }).pipe(Effect.provide(TaskStore.layerMemory({ ...limits, maxLogSize })))
    )
  }

  it.effect("one caller's flood never pushes out the tasks of another that has less", () =>
    Effect.gen(function*() {
      const store = yield* TaskStore.TaskStore
      yield* append("ada", "asks", task("asks", "input-required", 100))
      yield* append("ada", "done", task("done", "completed", 100))
      for (let n = 0; n < 200; n++) {
        const state = n % 2 === 0 ? "completed" : "input-required"
        yield* Effect.ignore(append("bob", `b-${n}`, task(`b-${n}`, state, n % 7 * 1000)))
      }
      assert.strictEqual((yield* store.get({ caller: "ada" }, taskId("asks")))?.task.status.state, "input-required")
      assert.strictEqual((yield* store.get({ caller: "ada" }, taskId("done")))?.task.status.state, "completed")
      assert.isAbove((yield* store.list({ owner: { caller: "bob" }, limit: 9 })).total, 0)
    }).pipe(Effect.provide(TaskStore.layerMemory(limits))))

  it.effect("tasks at work are never forgotten: new ones are refused when they fill it", () =>
    Effect.gen(function*() {
      const store = yield* TaskStore.TaskStore
      const add = (owner: string, n: number) =>
        tagged(append(owner, `${owner}-${n}`, task(`${owner}-${n}`, "working", 7500)))
      assert.deepStrictEqual(yield* Effect.forEach([1, 2, 3, 4], (n) => add("bob", n)), [
        "Success",
        "Success",
        "Success",
        "RateLimitError"
      ])
      assert.deepStrictEqual(yield* Effect.forEach([1, 2, 3], (n) => add("eve", n)), [
        "Success",
        "Success",
        "ServiceUnavailableError"
      ])
      for (const id of ["bob-1", "bob-2", "bob-3"]) assert.isDefined(yield* store.get({ caller: "bob" }, taskId(id)))
    }).pipe(Effect.provide(TaskStore.layerMemory(limits))))

  it.effect("a refusal says when to try again", () =>
    Effect.gen(function*() {
      const big = (n: number) => append("a", `t-${n}`, task(`t-${n}`, "working", 9500))
      yield* big(1)
      yield* big(2)
      const refusal = yield* Effect.flip(big(3))
      if (refusal._tag === "VersionConflict") return assert.fail("expected a refusal")
      assert.isTrue(refusal.isRetryable)
      assert.isDefined(refusal.retryAfter)
    }).pipe(Effect.provide(TaskStore.layerMemory(limits))))
})

describe("a turn that grows without end", covers("attack:S2-04"), () => {
  for (const reply of ["text", "parts", "one reply"] as const) {
    it.effect(`fails the task when it reaches the limit (${reply}), and the caller gets the reason`, () =>
      Effect.gen(function*() {
        const fiber = yield* Effect.forkChild(Effect.result(Stream.runCollect(stream("hi"))), {
          startImmediately: true
        })
        const result = yield* Fiber.join(fiber)
        assert.strictEqual(result._tag === "Failure" && result.failure.reason._tag, "InvalidAgentResponseError")
        const [stored] = (yield* call(Operation.ListTasks, { includeArtifacts: true })).tasks
        assert.strictEqual(stored?.status.state, "failed")
        assert.include(JSON.stringify(stored?.status.message), "takes more than")
        assert.isBelow(JSON.stringify(stored).length, 150_000)
      }).pipe(Effect.provide(serve(() =>
        reply === "one reply"
          ? Stream.make("z".repeat(500_000))
          : Stream.forever(Stream.make(
            reply === "text" ? "z".repeat(1000) : Reply.artifact({ parts: [{ _tag: "Data", data: { z: [1, 2, 3] } }] })
          )), { maxTaskSize: 100_000 }))))
  }

  it.effect(
    "replies that no answer can contain fail the task, and the list stays readable",
    () =>
      Effect.gen(function*() {
        for (const kind of ["NaN", "Infinity", "undefined", "date", "bigint", "deep", "metadata", "status"]) {
          assert.strictEqual((yield* Effect.flip(sendTask(kind))).reason._tag, "InvalidAgentResponseError", kind)
        }
        const { tasks } = yield* call(Operation.ListTasks, { includeArtifacts: true })
        assert.lengthOf(tasks, 8)
        for (const one of tasks) {
          assert.strictEqual(one.status.state, "failed")
          assert.doesNotThrow(() => JSON.stringify(one))
          assert.notInclude(JSON.stringify(one), "null")
        }
      }).pipe(Effect.provide(serve(({ message }) => {
        const deep = (levels: number): unknown => levels === 0 ? 1 : [deep(levels - 1)]
        const values: Record<string, unknown> = {
          NaN: Number.NaN,
          Infinity: { a: [-Infinity] },
          undefined: { a: undefined },
          date: new Date(0),
          bigint: 1n,
          deep: deep(400)
        }
        const kind = Message.text(message)
        return kind === "metadata"
          ? Stream.make({ _tag: "Text", text: "x", metadata: { n: Number.NaN } } as const)
          : kind === "status"
          ? Stream.make(Reply.status("working", [{ _tag: "Data", data: Number.NaN }]))
          : Stream.make("before", { _tag: "Data", data: values[kind] as never } as const, "after")
      }))),
    covers("attack:S2-03")
  )
})

describe("a subscriber that does not read", covers("attack:S2-05"), () => {
  it.effect("is let go when the log has dropped what it had not read", () =>
    Effect.gen(function*() {
      const gate = yield* Latch.make(false)
      const slow = yield* Effect.forkChild(
        labels(stream("hi").pipe(Stream.tap((event) => event._tag === "Task" ? gate.await : Effect.void))),
        { startImmediately: true }
      )
      yield* TestClock.adjust("1 minute")
      yield* gate.open
      const read = yield* Fiber.join(slow)
      assert.strictEqual(read.at(-1), "! StreamInterruptedError")
      assert.isBelow(read.length, 100)
      const [task] = (yield* call(Operation.ListTasks, {})).tasks
      // it may subscribe again
      const [first] = yield* Stream.runCollect(Stream.take(subscribe(task!.id), 1))
      assert.strictEqual(first?._tag, "Task")
    }).pipe(Effect.provide(serve(() =>
      Stream.range(1, 100).pipe(
        Stream.map((n) => `${n} `),
        Stream.rechunk(1),
        Stream.tap(() => Effect.sleep("100 millis")),
        Stream.concat(Stream.never)
      ), { maxLogSize: 2000 }))))

  it.effect("gets an event that is larger than the log by itself", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* labels(stream("hi")))[2]?.length, 20_000)
    }).pipe(Effect.provide(serve(() => Stream.make("z".repeat(20_000)), { maxLogSize: 1000 }))))
})

describe("tasks at work", covers("attack:S2-11"), () => {
  const limited = serve(() => Stream.never, { maxRunning: 5, maxRunningPerOwner: 3 })

  it.effect("are limited per caller and in all, before the executor is called; a place is free when one ends", () =>
    Effect.gen(function*() {
      const tags = (owner: string, count: number) =>
        Effect.forEach(Array.from({ length: count }), () => as(owner)(tagOf(start("hi"))))
      const ids = yield* Effect.forEach([1, 2, 3], () => as("bob")(Effect.map(start("hi"), ({ id }) => id)))
      assert.deepStrictEqual(yield* tags("bob", 2), ["RateLimitError", "RateLimitError"])
      yield* Effect.forEach([1, 2], () => as("ada")(start("hi")))
      assert.deepStrictEqual(yield* tags("ada", 1), ["ServiceUnavailableError"])
      assert.strictEqual((yield* as("bob")(call(Operation.ListTasks, {}))).totalSize, 3)
      yield* as("bob")(call(Operation.CancelTask, { id: ids[0]! }))
      yield* as("ada")(start("hi"))
      assert.deepStrictEqual(yield* tags("bob", 1), ["ServiceUnavailableError"])
    }).pipe(Effect.provide(limited)))
})

describe("somebody else's task", covers("attack:S2-26"), () => {
  it.effect("is unknown at once, also while its owner's cancellation waits for the executor", () => {
    const begun = Latch.makeUnsafe(false)
    const gate = Latch.makeUnsafe(false)
    return Effect.gen(function*() {
      const { id } = yield* as("ada")(start("hi"))
      yield* begun.await
      const canceling = yield* Effect.forkChild(as("ada")(call(Operation.CancelTask, { id })), {
        startImmediately: true
      })
      const message = yield* Message.user("mine?", { taskId: id })
      const others = yield* Effect.all([
        as("bob")(tagOf(call(Operation.CancelTask, { id }))),
        as("bob")(tagOf(call(Operation.SendMessage, { message }))),
        as("bob")(tagOf(get(id))),
        as("bob")(tagOf(Stream.runDrain(subscribe(id))))
      ])
      assert.deepStrictEqual(new Set(others), new Set(["TaskNotFoundError"]))
      assert.isUndefined(canceling.pollUnsafe())
      yield* gate.open
      assert.strictEqual((yield* Fiber.join(canceling)).status.state, "canceled")
    }).pipe(
      Effect.provide(
        serve(() => Stream.fromEffectDrain(begun.open).pipe(Stream.concat(Stream.never), Stream.ensuring(gate.await)))
      )
    )
  })
})

describe("a page of a list", () => {
  it.effect("ends early when its tasks are large, and the next page goes on behind it", () =>
    Effect.gen(function*() {
      const ids = yield* Effect.forEach(Array.from({ length: 12 }), () => Effect.map(sendTask("hi"), ({ id }) => id))
      const found: Array<string> = []
      let pages = 0
      let pageToken = ""
      do {
        const page = yield* call(Operation.ListTasks, { includeArtifacts: true, pageSize: 10, pageToken })
        assert.isBelow(JSON.stringify(page).length, 5_000_000)
        assert.strictEqual(page.totalSize, 12)
        for (const one of page.tasks) {
          found.push(one.id)
          assert.strictEqual(text(one)?.length, 1_500_000)
        }
        pageToken = page.nextPageToken
        pages++
      } while (pageToken !== "")
      assert.deepStrictEqual(found.toSorted(), ids.toSorted())
      assert.isAbove(pages, 5)
      assert.strictEqual(label((yield* call(Operation.ListTasks, { pageSize: 10 })).tasks[0]!), "task completed")
    }).pipe(Effect.provide(Layer.fresh(serve(() => Stream.make("x".repeat(1_500_000)))))))
})
