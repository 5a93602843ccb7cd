import type { Task } from "@effect-a2a/core"
import { Message, Operation, StreamEvent, TaskProgress } from "@effect-a2a/core"
import { Reply, TaskHub, TaskStore } from "@effect-a2a/server"
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, DateTime, Effect, Fiber, Result, Schema, Stream } from "effect"
import { TestClock } from "effect/testing"
import { covers } from "../../../test/support/covers.ts"
import {
  call,
  contextId,
  get,
  label,
  sendTask,
  serve,
  start,
  stream,
  subscribe,
  tagOf,
  taskId,
  text
} from "./support.ts"

describe("memory of a server", () => {
  it.effect(
    "keeps nothing for 1,000 clients that disconnect, while their executors go on",
    () =>
      Effect.gen(function*() {
        const hub = yield* TaskHub.TaskHub
        const fibers = yield* Effect.forEach(
          Array.from({ length: 1000 }),
          () => Effect.forkChild(Stream.runDrain(stream("hi")), { startImmediately: true })
        )
        assert.strictEqual(yield* hub.subscribers, 1000)
        yield* Fiber.interruptAll(fibers)
        assert.strictEqual(yield* hub.subscribers, 0)
        assert.strictEqual((yield* call(Operation.ListTasks, { status: "submitted", pageSize: 1 })).totalSize, 1000)
        yield* TestClock.adjust("1 second")
        assert.strictEqual((yield* call(Operation.ListTasks, { status: "completed", pageSize: 1 })).totalSize, 1000)
      }).pipe(Effect.provide(serve(() => Stream.fromEffect(Effect.as(Effect.sleep("1 second"), "ok"))))),
    covers("field:MEM-05", "attack:S2-15", "attack:S2-52")
  )

  it.effect("ends the subscription of a client that reads only the first event", () =>
    Effect.gen(function*() {
      const hub = yield* TaskHub.TaskHub
      const { id } = yield* start("hi")
      yield* subscribe(id).pipe(Stream.take(1), Stream.runDrain)
      yield* sendTask("hi").pipe(Effect.timeoutOption("1 second"), Effect.forkChild({ startImmediately: true }))
      assert.strictEqual(yield* hub.subscribers, 1)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* hub.subscribers, 0)
    }).pipe(Effect.provide(serve(() => Stream.never))), covers("field:MEM-05"))

  it.effect(
    "keeps terminal and waiting tasks up to a limit, newest last, and all that are working",
    () =>
      Effect.gen(function*() {
        const hub = yield* TaskHub.TaskHub
        const working = yield* start("work")
        const waiting = yield* Effect.forEach([1, 2, 3, 4], () => sendTask("ask"))
        const finished = yield* Effect.forEach(Array.from({ length: 100 }), () => sendTask("ok"))
        const total = (status: "completed" | "input-required" | "submitted") =>
          Effect.map(call(Operation.ListTasks, { status }), (page) => page.totalSize)
        assert.deepStrictEqual(
          [yield* total("completed"), yield* total("input-required"), yield* total("submitted")],
          [10, 3, 1]
        )
        assert.strictEqual(yield* tagOf(get(finished[89]!.id)), "TaskNotFoundError")
        assert.strictEqual((yield* get(finished[90]!.id)).id, finished[90]!.id)
        assert.strictEqual(yield* tagOf(get(waiting[0]!.id)), "TaskNotFoundError")
        assert.strictEqual((yield* get(working.id)).id, working.id)
        // one that is answered no longer counts among those that wait
        yield* sendTask("ok", { taskId: waiting[1]!.id })
        yield* sendTask("ask")
        assert.strictEqual((yield* get(waiting[2]!.id)).status.state, "input-required")
        assert.strictEqual(yield* hub.subscribers, 0)
      }).pipe(Effect.provide(serve(
        (turn) =>
          Message.text(turn.message) === "work"
            ? Stream.never
            : Message.text(turn.message) === "ask"
            ? Stream.make(Reply.status("input-required", "?"))
            : Stream.make("ok"),
        { maxFinished: 10, maxWaiting: 3 }
      ))),
    covers("field:MEM-08")
  )

  it.effect("a subscriber that does not read delays nobody", () =>
    Effect.gen(function*() {
      const { id } = yield* start("hi")
      const lazy = yield* subscribe(id).pipe(Stream.mapEffect(() => Effect.never), Stream.runDrain, Effect.forkChild)
      const eager = yield* Effect.forkChild(Stream.runCollect(subscribe(id)), { startImmediately: true })
      yield* TestClock.adjust("1 second")
      assert.strictEqual(label((yield* Fiber.join(eager)).at(-1)!), "completed")
      assert.isUndefined(lazy.pollUnsafe())
      yield* Fiber.interrupt(lazy)
    }).pipe(Effect.provide(serve(() =>
      Stream.unwrap(Effect.as(Effect.sleep("1 second"), Stream.range(1, 9999).pipe(Stream.map(String))))
    ))))
})

describe("TaskStore.layerMemory", () => {
  const task = (id: string, at = 0): Task.Task => ({
    _tag: "Task",
    id: taskId(id),
    contextId: contextId("c"),
    status: { state: "working", timestamp: DateTime.makeUnsafe(at) }
  })
  const chunk = (text: string, append = true) =>
    StreamEvent.artifactUpdate({
      taskId: taskId("t"),
      artifact: { artifactId: "a" as never, parts: [{ _tag: "Text", text }] },
      append
    })

  const ada = { caller: "ada" }
  const bob = { caller: "bob" }

  it.effect("returns the length of the log, and a snapshot of all events at any time", () =>
    Effect.gen(function*() {
      const store = yield* TaskStore.TaskStore
      const append = (expected: number, ...events: TaskStore.Write["events"]) =>
        store.append(ada, taskId("t"), { expected, events })
      assert.strictEqual(yield* append(0, task("t")), 1)
      assert.strictEqual(yield* append(1, chunk("a", false), chunk("b")), 3)
      const before = yield* store.get(ada, taskId("t"))
      assert.strictEqual(yield* append(3, chunk("c")), 4)
      const after = yield* store.get(ada, taskId("t"))
      assert.deepStrictEqual([before && text(before.task), before?.length], ["ab", 3])
      assert.deepStrictEqual([after && text(after.task), after?.length], ["abc", 4])
      assert.lengthOf((yield* store.read(ada, taskId("t"), 0))?.events ?? [], 4)
      assert.deepStrictEqual(yield* store.read(ada, taskId("t"), 3), { from: 3, events: [chunk("c")] })
      assert.deepStrictEqual(yield* store.read(ada, taskId("t"), 4), { from: 4, events: [] })
    }).pipe(Effect.provide(TaskStore.layerMemory())))

  it.effect("of two writers who know the same log one fails, and nothing of its events is written", () =>
    Effect.gen(function*() {
      const store = yield* TaskStore.TaskStore
      const write = (expected: number, text: string) =>
        Effect.result(store.append(ada, taskId("t"), { expected, events: [chunk(text)] }))
      yield* store.append(ada, taskId("t"), { expected: 0, events: [task("t")] })
      const results = [yield* write(1, "a"), yield* write(1, "b"), yield* write(7, "c"), yield* write(2, "d")]
      assert.deepStrictEqual(
        results.map((result) => Result.isSuccess(result) ? result.success : [result.failure._tag, result.failure]),
        [2, ["VersionConflict", new TaskStore.VersionConflict({ length: 2 })], [
          "VersionConflict",
          new TaskStore.VersionConflict({ length: 2 })
        ], 3]
      )
      assert.strictEqual(text((yield* store.get(ada, taskId("t")))!.task), "ad")
    }).pipe(Effect.provide(TaskStore.layerMemory())))

  it.effect("keeps the latest events of a log within a size, and says where they begin", () =>
    Effect.gen(function*() {
      const store = yield* TaskStore.TaskStore
      yield* store.append(ada, taskId("t"), { expected: 0, events: [task("t")] })
      for (let n = 1; n < 500; n++) yield* store.append(ada, taskId("t"), { expected: n, events: [chunk(`${n} `)] })
      const slice = yield* store.read(ada, taskId("t"), 0)
      assert.isAbove(slice!.from, 300)
      assert.strictEqual(slice!.from + slice!.events.length, 500)
      for (const from of [slice!.from, slice!.from + 1, 450, 499]) {
        const rest = yield* store.read(ada, taskId("t"), from)
        assert.deepStrictEqual([rest!.from, rest!.events], [from, slice!.events.slice(from - slice!.from)])
      }
      assert.lengthOf((yield* store.get(ada, taskId("t")))!.task.artifacts![0]!.parts, 499)
    }).pipe(Effect.provide(TaskStore.layerMemory({ maxLogSize: 20_000 }))))

  it.effect("keeps the logs of the latest hundred terminal tasks, and of all at work", () =>
    Effect.gen(function*() {
      const store = yield* TaskStore.TaskStore
      const logOf = (id: string) => Effect.map(store.read({}, taskId(id), 0), (slice) => slice?.events.length)
      yield* store.append({}, taskId("works"), { expected: 0, events: [task("works")] })
      for (let n = 0; n < 150; n++) {
        const id = `t-${n}`
        yield* store.append({}, taskId(id), { expected: 0, events: [task(id)] })
        const done = StreamEvent.statusUpdate({ taskId: taskId(id), status: { state: "completed" } })
        yield* store.append({}, taskId(id), { expected: 1, events: [done] })
      }
      assert.deepStrictEqual(yield* Effect.forEach(["works", "t-0", "t-49", "t-50", "t-149"], logOf), [1, 0, 0, 2, 2])
      assert.strictEqual((yield* store.get({}, taskId("t-0")))?.task.status.state, "completed")
    }).pipe(Effect.provide(TaskStore.layerMemory())))

  it.effect("tasks of another owner can be neither read nor written", () =>
    Effect.gen(function*() {
      const store = yield* TaskStore.TaskStore
      const others = [bob, {}, { tenant: "acme", caller: "ada" }, { tenant: "ada" }]
      yield* store.append(ada, taskId("t"), { expected: 0, events: [task("t")] })
      yield* store.addWords(ada, contextId("c"), [yield* Message.user("secret")])
      for (const other of others) {
        for (const expected of [0, 1]) {
          const refusal = yield* Effect.flip(store.append(other, taskId("t"), { expected, events: [task("t")] }))
          assert.strictEqual(refusal._tag, "VersionConflict")
        }
        assert.isUndefined(yield* store.get(other, taskId("t")))
        assert.isUndefined(yield* store.read(other, taskId("t"), 0))
        assert.strictEqual((yield* store.list({ owner: other, limit: 9 })).total, 0)
        assert.deepStrictEqual(yield* store.words(other, contextId("c")), [])
      }
      assert.strictEqual((yield* store.get(ada, taskId("t")))?.length, 1)
    }).pipe(Effect.provide(TaskStore.layerMemory())), covers("field:AUTH-07"))

  it.effect("a page continues after the last task of the previous one was evicted", () =>
    Effect.gen(function*() {
      const store = yield* TaskStore.TaskStore
      for (const id of ["a", "b", "c", "d"]) {
        yield* store.append({}, taskId(id), { expected: 0, events: [task(id)] })
      }
      const after = { at: 0, id: taskId("bb") }
      assert.deepStrictEqual((yield* store.list({ owner: {}, limit: 9, after })).tasks.map((task) => task.id), [
        taskId("b"),
        taskId("a")
      ])
    }).pipe(Effect.provide(TaskStore.layerMemory())), covers("field:LST-04"))

  it.effect("forgets tasks and transcripts of a day ago, but none at work", () =>
    Effect.gen(function*() {
      const store = yield* TaskStore.TaskStore
      const add = (id: string, state: Task.Task["status"]["state"]) =>
        store.append({}, taskId(id), { expected: 0, events: [{ ...task(id), status: { state } }] })
      yield* Effect.all([add("works", "working"), add("asks", "input-required"), add("done", "completed")])
      yield* store.addWords({}, contextId("c"), [yield* Message.user("hi")])
      yield* TestClock.adjust("23 hours")
      yield* add("young", "completed")
      yield* TestClock.adjust("61 minutes")
      yield* add("new", "completed")
      const { tasks } = yield* store.list({ owner: {}, limit: 9 })
      assert.sameMembers(tasks.map(({ id }) => String(id)), ["works", "young", "new"])
      assert.deepStrictEqual(yield* store.words({}, contextId("c")), [])
    }).pipe(Effect.provide(TaskStore.layerMemory())))

  const Event = Arbitrary.schema(Schema.Struct({
    kind: Schema.Literals(["status", "chunk", "chunk", "chunk", "task"]),
    state: Schema.Literals(["working", "input-required", "completed"]),
    artifact: Schema.Literals(["a", "b"]),
    append: Schema.Boolean,
    name: Schema.optionalKey(Schema.Literals(["x", "y"])),
    text: Schema.Literals(["1", "2", "3"])
  }))

  it.prop("many events folded at once equal the events one by one", [Arbitrary.array(Event)], ([kinds]) => {
    const events = kinds.map(({ append, artifact, kind, name, state, text }): StreamEvent.StreamEvent => {
      const known = name === undefined ? {} : { name, metadata: { [name]: text } }
      switch (kind) {
        case "task":
          return task("t")
        case "status":
          return StreamEvent.statusUpdate({ taskId: taskId("t"), status: { state } })
        case "chunk":
          return StreamEvent.artifactUpdate({
            taskId: taskId("t"),
            append,
            artifact: { artifactId: artifact as never, parts: [{ _tag: "Text", text }], ...known }
          })
      }
    })
    const frozen = JSON.stringify(events)
    assert.deepStrictEqual(
      TaskProgress.applyAll(task("t"), events),
      events.reduce(TaskProgress.apply, task("t") as Task.Task | undefined)
    )
    assert.strictEqual(JSON.stringify(events), frozen)
  })

  it.effect("appends 100,000 chunks in linear time", () =>
    Effect.gen(function*() {
      const store = yield* TaskStore.TaskStore
      yield* store.append({}, taskId("t"), { expected: 0, events: [task("t")] })
      for (let n = 1; n <= 100_000; n++) yield* store.append({}, taskId("t"), { expected: n, events: [chunk("x")] })
      assert.strictEqual((yield* store.get({}, taskId("t")))?.task.artifacts?.[0]?.parts.length, 100_000)
    }).pipe(Effect.provide(TaskStore.layerMemory())))
})
