import { Message, Operation } from "@effect-a2a/core"
import { AgentExecutor, AgentServer, Reply, TaskHub, TaskStore } from "@effect-a2a/server"
import { Wire } from "@effect-a2a/testing"
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Latch, Layer, Result, Stream } from "effect"
import { TestClock } from "effect/testing"
import { covers } from "../support/covers.ts"
import * as Field from "./support.ts"
import { cancel, contextId, from, get, labels, send, sendTask, stream, subscribe, tagOf, text } from "./support.ts"

Field.inOne("concurrency and bounds", (combination) => {
  it.effect("of two messages to one task one runs, and the other is refused", () => {
    let running = 0
    let peak = 0
    const work = Stream.fromEffect(Effect.gen(function*() {
      peak = Math.max(peak, ++running)
      yield* Effect.promise(() => new Promise((done) => setTimeout(done, 20)))
      running--
      return "ok"
    }))
    return Effect.gen(function*() {
      const { id } = yield* sendTask("one")
      const both = yield* Effect.forEach(["two", "three"], (text) => Effect.result(sendTask(text, { taskId: id })), {
        concurrency: "unbounded"
      })
      assert.strictEqual(peak, 1)
      assert.strictEqual(both.filter(Result.isSuccess).length, 1)
      assert.deepStrictEqual(
        both.filter(Result.isFailure).map(({ failure }) => failure.reason._tag),
        ["UnsupportedOperationError"]
      )
      assert.strictEqual(text(yield* get(id)), "ok")
    }).pipe(
      Effect.provide(
        Field.behind(
          combination,
          ({ task }) => task === undefined ? Stream.make(Reply.status("input-required", "?")) : work
        )
      )
    )
  }, covers("field:CONC-01"))

  it.effect("clients that drop their streams leave no subscriber behind, and the work continues", () => {
    let finished = 0
    return Effect.gen(function*() {
      const hub = yield* TaskHub.TaskHub
      yield* Effect.forEach(Array.from({ length: 100 }), () => Stream.runDrain(Stream.take(stream("hi"), 1)), {
        concurrency: 10
      })
      yield* Wire.settled
      assert.deepStrictEqual([yield* hub.subscribers, finished], [0, 0])
      yield* TestClock.adjust("10 minutes")
      yield* Wire.settled
      assert.strictEqual(finished, 100)
    }).pipe(
      Effect.provide(
        Field.behind(
          combination,
          () =>
            Stream.fromEffect(Effect.sleep("10 minutes").pipe(Effect.andThen(Effect.sync(() => (finished += 1, "ok")))))
        )
      )
    )
  }, covers("field:MEM-05"))

  it.effect("a client that reads too slowly loses its stream, and the work and other clients continue", () => {
    const turn = Effect.promise(() => new Promise((done) => setImmediate(done)))
    const pieces = Stream.range(1, 2000).pipe(Stream.map((n) => `${n} `), Stream.rechunk(1))
    const server = AgentServer.layer({ card: Field.card }).pipe(
      Layer.provide([
        AgentExecutor.layer(() => Stream.tap(pieces, () => turn)),
        TaskStore.layerMemory({ maxLogSize: 20_000 }),
        TaskHub.layer
      ])
    )
    return Effect.gen(function*() {
      const gate = Latch.makeUnsafe(false)
      const fast = yield* Effect.forkChild(labels(stream("hi")), { startImmediately: true })
      const slow = yield* Effect.forkChild(
        labels(stream("hi").pipe(Stream.tap(() => gate.await))),
        { startImmediately: true }
      )
      assert.strictEqual((yield* Fiber.join(fast)).at(-1), "completed")
      yield* gate.open
      const heard = yield* Fiber.join(slow)
      assert.strictEqual(heard.at(-1), "! StreamInterruptedError")
      assert.isBelow(heard.length, 2000)
    }).pipe(Effect.provide(Wire.through(combination)(server)))
  }, covers("field:MEM-05"))

  it.effect("the numbers of finished and of waiting tasks are bounded", () =>
    Effect.gen(function*() {
      const waiting = yield* Effect.forEach([1, 2, 3, 4], () => sendTask("ask"))
      const finished = yield* Effect.forEach(Array.from({ length: 30 }), () => sendTask("ok"))
      const known = (tasks: typeof finished) =>
        Effect.forEach(tasks, ({ id }) => Effect.result(get(id))).pipe(
          Effect.map((all) => all.filter(Result.isSuccess).length)
        )
      assert.deepStrictEqual([yield* known(waiting), yield* known(finished)], [3, 10])
      assert.strictEqual(yield* (yield* TaskHub.TaskHub).subscribers, 0)
    }).pipe(Effect.provide(Field.behind(
      combination,
      ({ message }) =>
        Message.text(message) === "ask" ? Stream.make(Reply.status("input-required", "?")) : Stream.make("ok"),
      { maxFinished: 10, maxWaiting: 3 }
    ))), covers("field:MEM-08"))
})

Field.inEach("callers", (combination) => {
  it.effect(
    "another caller's task does not exist for any operation",
    () =>
      Effect.gen(function*() {
        const { id } = yield* sendTask("hi").pipe(from("ada"))
        const before = yield* get(id).pipe(from("ada"))
        assert.deepStrictEqual(
          yield* Effect.all([
            tagOf(get(id)),
            tagOf(cancel(id)),
            tagOf(send("hi", { taskId: id })),
            Effect.map(labels(stream("hi", { taskId: id })), ([end]) => end),
            Effect.map(labels(subscribe(id)), ([end]) => end)
          ]).pipe(from("bob")),
          ["TaskNotFoundError", "TaskNotFoundError", "TaskNotFoundError", "! TaskNotFoundError", "! TaskNotFoundError"]
        )
        if (combination.protocol.version === "1.0") {
          assert.strictEqual((yield* Field.call(Operation.ListTasks, {}).pipe(from("bob"))).totalSize, 0)
          assert.strictEqual((yield* Field.call(Operation.ListTasks, {}).pipe(from("ada"))).totalSize, 1)
        }
        assert.deepStrictEqual(yield* get(id).pipe(from("ada")), before)
      }).pipe(Effect.provide(Field.behind(combination, () => Stream.make(Reply.status("input-required", "?"))))),
    covers("field:AUTH-07")
  )

  it.effect(
    "one context id of two callers is two conversations",
    () =>
      Effect.gen(function*() {
        const shared = { contextId: contextId("shared") }
        const ada = yield* sendTask("hi", shared).pipe(from("ada"))
        const bob = yield* sendTask("hi", shared).pipe(from("bob"))
        assert.deepStrictEqual([text(ada), text(bob)], ["ada", "bob"])
        assert.strictEqual(yield* tagOf(get(ada.id).pipe(from("bob"))), "TaskNotFoundError")
      }).pipe(Effect.provide(Field.behind(combination, ({ caller }) => Stream.make(caller?.id ?? "nobody")))),
    covers("field:AUTH-08")
  )
})
