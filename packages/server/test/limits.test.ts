/** What one caller can take of a server: memory, tasks at work, and the tasks of others. */

import { type AgentError, Id, Message, Operation, StreamEvent, type Task } from "@effect-a2a/core"
import { Caller, Reply, TaskHub, TaskStore } from "@effect-a2a/server"
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Exit, Fiber, Latch, Layer, Queue, Schema, Stream } from "effect"
import { covers } from "../../../test/support/covers.ts"
import { call, get, label, sendTask, serve, start, stream, subscribe, tagOf, taskId, text } from "./support.ts"

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

const tagged = <A>(effect: Effect.Effect<A, AgentError.AgentErrorReason>) =>
  Effect.map(Effect.result(effect), (result) => result._tag === "Failure" ? result.failure._tag : "Success")

describe("the store in memory", covers("attack:S2-04", "attack:S2-06"), () => {
  const limits = { maxTaskSize: 20_000, maxOwnerSize: 50_000, maxSize: 80_000, maxFinished: 5, maxWaiting: 5 }

  const Step = Arbitrary.schema(Schema.Struct({
    owner: Schema.Literals(["ada", "bob", "eve"]),
    id: Schema.Literals(["1", "2", "3", "4", "5", "6", "7", "8"]),
    kind: Schema.Literals(["new", "new", "chunk", "chunk", "done", "asks"]),
    size: Schema.Literals([10, 1000, 9000, 19_000, 30_000])
  }))

  for (const keepsEvents of [true, false]) {
    it.effect.prop(
      `stays within its limits whatever is appended, ${keepsEvents ? "with" : "without"} events`,
      [Arbitrary.array(Step, { minLength: 30, maxLength: 60 })],
      ([steps]) =>
        Effect.gen(function*() {
          const store = yield* TaskStore.TaskStore
          for (const { id, kind, owner, size } of steps) {
            const name = `${owner}-${id}`
            const known = yield* store.get(owner, taskId(name))
            const event = kind === "new" && known === undefined
              ? task(name, "submitted", size)
              : kind === "chunk"
              ? chunk(name, size)
              : StreamEvent.statusUpdate({
                taskId: taskId(name),
                status: { state: kind === "done" ? "completed" : "input-required" }
              })
            const tag = yield* tagged(store.append(owner, taskId(name), [event]))
            const after = yield* store.get(owner, taskId(name))
            // nothing is written of what is refused
            if (tag !== "Success") assert.deepStrictEqual(after, known)
            const pages = yield* Effect.forEach(["ada", "bob", "eve"], (owner) => store.list({ owner, limit: 99 }))
            const sizes = pages.map((page) => JSON.stringify(page.tasks).length)
            for (const one of sizes) assert.isAtMost(one, 50_000 * 1.2)
            assert.isAtMost(sizes.reduce((sum, one) => sum + one), 80_000 * 1.2)
            const settled = pages.flatMap((page) => page.tasks.map(({ status }) => status.state))
            assert.isAtMost(settled.filter((state) => state === "completed").length, 5)
            assert.isAtMost(settled.filter((state) => state === "input-required").length, 5)
          }
        }).pipe(Effect.provide(TaskStore.layerMemory({ ...limits, keepsEvents })))
    )
  }

  it.effect("one caller's flood never pushes out the tasks of another that has less", () =>
    Effect.gen(function*() {
      const store = yield* TaskStore.TaskStore
      yield* store.append("ada", taskId("asks"), [task("asks", "input-required", 100)])
      yield* store.append("ada", taskId("done"), [task("done", "completed", 100)])
      for (let n = 0; n < 200; n++) {
        const state = n % 2 === 0 ? "completed" : "input-required"
        yield* Effect.ignore(store.append("bob", taskId(`b-${n}`), [task(`b-${n}`, state, n % 7 * 1000)]))
      }
      assert.strictEqual((yield* store.get("ada", taskId("asks")))?.task.status.state, "input-required")
      assert.strictEqual((yield* store.get("ada", taskId("done")))?.task.status.state, "completed")
      assert.isAbove((yield* store.list({ owner: "bob", limit: 9 })).total, 0)
    }).pipe(Effect.provide(TaskStore.layerMemory(limits))))

  it.effect("tasks at work are never forgotten: new ones are refused when they fill it", () =>
    Effect.gen(function*() {
      const store = yield* TaskStore.TaskStore
      const add = (owner: string, n: number) =>
        tagged(store.append(owner, taskId(`${owner}-${n}`), [task(`${owner}-${n}`, "working", 15_000)]))
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
      for (const id of ["bob-1", "bob-2", "bob-3"]) assert.isDefined(yield* store.get("bob", taskId(id)))
    }).pipe(Effect.provide(TaskStore.layerMemory(limits))))

  it.effect("a refusal says when to try again", () =>
    Effect.gen(function*() {
      const store = yield* TaskStore.TaskStore
      const big = (n: number) => store.append("a", taskId(`t-${n}`), [task(`t-${n}`, "working", 19_000)])
      yield* big(1)
      yield* big(2)
      const refusal = yield* Effect.flip(big(3))
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
  it.effect("is let go beyond a size, and what it had not read is dropped", () =>
    Effect.gen(function*() {
      const hub = yield* TaskHub.TaskHub
      const id = taskId("t")
      const slow = yield* Stream.toPull(yield* hub.subscribe(id))
      const read = yield* Queue.unbounded<number>()
      const fast = yield* hub.subscribe(id).pipe(
        Effect.flatMap(Stream.runForEach(({ from }) => Queue.offer(read, from))),
        Effect.forkScoped({ startImmediately: true })
      )
      for (let from = 0; from < 10; from++) {
        yield* hub.publish(id, { from, events: [chunk("t", 20_000)] })
        assert.strictEqual(yield* Queue.take(read), from)
      }
      assert.strictEqual(yield* hub.subscribers, 1)
      const exit = yield* Effect.exit(slow)
      assert.isTrue(Exit.isFailure(exit))
      assert.include(String(Exit.isFailure(exit) && JSON.stringify(exit.cause)), "read too slowly")
      yield* hub.end(id)
      yield* Fiber.join(fast)
    }).pipe(Effect.scoped, Effect.provide(TaskHub.layerWith({ maxBehindSize: 100_000 }))))

  it.effect("gets a batch that is larger than the limit by itself", () =>
    Effect.gen(function*() {
      const hub = yield* TaskHub.TaskHub
      const subscription = yield* hub.subscribe(taskId("t"))
      yield* hub.publish(taskId("t"), { from: 0, events: [chunk("t", 20_000)] })
      assert.lengthOf(yield* Stream.runCollect(Stream.take(subscription, 1)), 1)
    }).pipe(Effect.scoped, Effect.provide(TaskHub.layerWith({ maxBehindSize: 1000 }))))
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
