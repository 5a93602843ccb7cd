import type { StreamEvent } from "@effect-a2a/core"
import { AgentError, Artifact, Message, Operation, Part, Task } from "@effect-a2a/core"
import { Reply, TaskHub } from "@effect-a2a/server"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer, Scope, Stream } from "effect"
import { TestClock } from "effect/testing"
import { covers } from "../../../test/support/covers.ts"
import { call, card, get, label, labels, sendTask, serve, stream, subscribe, tagOf, text } from "./support.ts"

const later = <A>(value: A) => Stream.fromEffect(Effect.as(Effect.sleep("1 second"), value))

const chunksOf = (events: ReadonlyArray<StreamEvent.StreamEvent>) =>
  events.filter((event) => event._tag === "ArtifactUpdate")

describe("SendStreamingMessage", () => {
  it.effect("emits the task, then everything in order, then ends", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* labels(stream("hi")), [
        "task submitted",
        "working",
        "working: looking",
        "report",
        "Hello ",
        "world",
        "completed"
      ])
    }).pipe(Effect.provide(serve(() =>
      Stream.make(
        Reply.progress("looking"),
        Reply.artifact({ name: "report", parts: "report" }),
        "Hello ",
        "world"
      )
    ))))

  it.effect("every message of an agent has a different id, over all turns of a task", () =>
    Effect.gen(function*() {
      const { id } = yield* sendTask("hi")
      yield* sendTask("again", { taskId: id })
      const ids = (yield* Stream.runCollect(subscribe(id))).flatMap((event) =>
        event._tag === "StatusUpdate" && event.status.message !== undefined ? [event.status.message.messageId] : []
      )
      assert.strictEqual(ids.length, 6)
      assert.strictEqual(new Set(ids).size, 6)
    }).pipe(Effect.provide(serve(
      () => Stream.make(Reply.progress("a"), Reply.progress("b"), Reply.status("input-required", "?")),
      { replay: "events" }
    ))))

  it.effect("emits one artifact, appending from the second piece on, and marks the last", () =>
    Effect.gen(function*() {
      const chunks = chunksOf(yield* Stream.runCollect(stream("hi")))
      assert.strictEqual(chunks.length, 50)
      assert.strictEqual(new Set(chunks.map((chunk) => chunk.artifact.artifactId)).size, 1)
      assert.deepStrictEqual(chunks.map((chunk) => chunk.append), [false, ...Array(49).fill(true)])
      assert.deepStrictEqual(chunks.map((chunk) => chunk.lastChunk), [...Array(49).fill(false), true])
    }).pipe(Effect.provide(serve(() => Stream.range(1, 50).pipe(Stream.map((n) => `${n} `))))), covers("field:ART-08"))

  it.effect(
    "marks the last chunk however the turn ends: failure, defect, refusal, question, cancel",
    () =>
      Effect.gen(function*() {
        for (const end of ["fail", "die", "refuse", "ask"]) {
          const seen: Array<StreamEvent.StreamEvent> = []
          yield* stream(end).pipe(Stream.runForEach((event) => Effect.sync(() => seen.push(event))), Effect.exit)
          const chunks = chunksOf(seen)
          assert.deepStrictEqual(chunks.map((chunk) => chunk.lastChunk), [false, true], end)
          assert.strictEqual(chunks.map((chunk) => Artifact.text(chunk.artifact)).join(""), "ab", end)
        }
        const fiber = yield* Effect.forkChild(Stream.runCollect(stream("wait")))
        yield* TestClock.adjust("1 second")
        const [task] = (yield* call(Operation.ListTasks, { status: "working" })).tasks
        assert.isDefined(task)
        yield* call(Operation.CancelTask, { id: task!.id })
        const events = yield* Fiber.join(fiber)
        assert.deepStrictEqual(chunksOf(events).map((chunk) => [label(chunk), chunk.lastChunk]), [
          ["a", false],
          ["b", false],
          ["", true]
        ])
        assert.strictEqual(label(events.at(-1)!), "canceled")
      }).pipe(Effect.provide(serve((turn) => {
        const said = Stream.make("a", "b")
        const after = {
          fail: Stream.succeed(Reply.status("failed", "no")),
          ask: Stream.succeed(Reply.status("input-required", "what?")),
          die: Stream.die("boom"),
          refuse: Stream.fail(AgentError.reason("QuotaExceededError", { message: "no credit" })),
          wait: Stream.never
        }
        return Stream.concat(said, after[Message.text(turn.message) as keyof typeof after])
      }))),
    covers("field:ART-08")
  )

  it.effect("emits a piece of the result while the executor is silent", () =>
    Effect.gen(function*() {
      const seen: Array<string> = []
      const fiber = yield* stream("hi").pipe(
        Stream.runForEach((event) => Effect.sync(() => seen.push(label(event)))),
        Effect.forkChild
      )
      yield* TestClock.adjust("500 millis")
      assert.deepStrictEqual(seen, ["task submitted", "working", "Hello "])
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(seen.slice(3), ["world", "completed"])
    }).pipe(Effect.provide(serve(() => Stream.concat(Stream.make("Hello "), later("world"))))))

  it.effect("ends at input-required and interrupts an executor that would go on", () =>
    Effect.gen(function*() {
      const interrupted = yield* Deferred.make<void>()
      const agent = serve(() =>
        Stream.concat(Stream.make(Reply.status("input-required", "Which?")), Stream.never).pipe(
          Stream.ensuring(Deferred.succeed(interrupted, undefined))
        )
      )
      yield* Effect.gen(function*() {
        assert.deepStrictEqual(yield* labels(stream("hi")), ["task submitted", "input-required: Which?"])
        yield* Deferred.await(interrupted)
      }).pipe(Effect.provide(agent))
    }))

  it.effect("stays open at auth-required until the executor goes on", () =>
    Effect.gen(function*() {
      const fiber = yield* Effect.forkChild(labels(stream("hi")))
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* Fiber.join(fiber), [
        "task submitted",
        "auth-required: sign in",
        "working",
        "secret report",
        "completed"
      ])
    }).pipe(Effect.provide(serve(() =>
      Stream.concat(Stream.make(Reply.status("auth-required", "sign in")), later("secret report"))
    ))))

  it.effect("leaves the task at auth-required if the executor ends there", () =>
    Effect.gen(function*() {
      const task = yield* sendTask("hi")
      assert.strictEqual((yield* get(task.id)).status.state, "auth-required")
      const fiber = yield* Effect.forkChild(labels(subscribe(task.id)))
      yield* TestClock.adjust("1 hour")
      assert.isUndefined(fiber.pollUnsafe())
      assert.strictEqual(text(yield* sendTask("done", { taskId: task.id })), "ok")
      assert.deepStrictEqual(yield* Fiber.join(fiber), ["task auth-required", "task working", "ok", "completed"])
    }).pipe(Effect.provide(serve((turn) =>
      turn.task === undefined ? Stream.make(Reply.status("auth-required", "sign in")) : Stream.make("ok")
    ))))

  it.effect("a defect before the first reply emits the task and failed, then ends", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* labels(stream("hi")), [
        "task submitted",
        "failed: The agent failed unexpectedly"
      ])
    }).pipe(Effect.provide(serve(() => {
      throw new Error("no model")
    }))), covers("field:STR-08"))

  it.effect("an error before the first reply emits the task, then fails", () =>
    Effect.gen(function*() {
      const events: Array<StreamEvent.StreamEvent> = []
      yield* stream("hi").pipe(Stream.runForEach((event) => Effect.sync(() => events.push(event))), Effect.exit)
      const [task] = events
      assert.isTrue(task?._tag === "Task")
      const found = yield* get((task as Task.Task).id)
      assert.strictEqual(found.status.state, "failed")
      assert.strictEqual(Task.statusText(found), "no such argument")
    }).pipe(
      Effect.provide(
        serve(() => Stream.fail(AgentError.reason("InvalidArgumentError", { message: "no such argument" })))
      )
    ), covers("field:STR-08"))

  it.effect(
    "an error after two events is the failure of the call that sent the message, and others see that the task failed",
    () =>
      Effect.gen(function*() {
        const fiber = yield* Effect.forkChild(labels(stream("hi")), { startImmediately: true })
        yield* TestClock.adjust("500 millis")
        const [task] = (yield* call(Operation.ListTasks, {})).tasks
        const other = yield* Effect.forkChild(labels(subscribe(task!.id)), { startImmediately: true })
        yield* TestClock.adjust("500 millis")
        assert.deepStrictEqual(yield* Fiber.join(fiber), [
          "task submitted",
          "working",
          "a",
          "",
          "! UnsupportedOperationError"
        ])
        assert.deepStrictEqual(yield* Fiber.join(other), ["task working", "", "failed: not here"])
      }).pipe(Effect.provide(serve(() =>
        Stream.concat(
          Stream.make("a"),
          Stream.fromEffect(Effect.andThen(
            Effect.sleep("1 second"),
            Effect.fail(AgentError.reason("UnsupportedOperationError", { message: "not here" }))
          ))
        )
      ))),
    covers("field:ERR-07", "field:ERR-08")
  )

  it.effect("an error before the first event is the call's error", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* tagOf(Stream.runDrain(subscribe("nowhere" as never))), "TaskNotFoundError")
      assert.strictEqual(yield* tagOf(Stream.runDrain(stream([]))), "InvalidParamsError")
    }).pipe(Effect.provide(serve(() => Stream.make("ok")))), covers("field:ERR-07"))

  it.effect(
    "a client that disconnects changes nothing",
    () =>
      Effect.gen(function*() {
        const [first] = yield* stream("hi").pipe(Stream.take(1), Stream.runCollect)
        yield* TestClock.adjust("3 seconds")
        const task = yield* get((first as Task.Task).id)
        assert.strictEqual(task.status.state, "completed")
        assert.strictEqual(text(task), "123")
      }).pipe(Effect.provide(serve(() => later("1").pipe(Stream.concat(later("2")), Stream.concat(later("3")))))),
    covers("field:CAN-07")
  )

  it.effect("a waiting caller that is interrupted changes nothing", () =>
    Effect.gen(function*() {
      const fiber = yield* Effect.forkChild(sendTask("hi"), { startImmediately: true })
      yield* Fiber.interrupt(fiber)
      yield* TestClock.adjust("1 second")
      const [task] = (yield* call(Operation.ListTasks, { includeArtifacts: true })).tasks
      assert.strictEqual(task && text(task), "1")
    }).pipe(Effect.provide(serve(() => later("1")))), covers("field:CAN-07"))

  it.effect("emits the same events in the same order to every stream of a task, even if one ends early", () =>
    Effect.gen(function*() {
      const started = yield* Effect.forkChild(labels(stream("hi")), { startImmediately: true })
      const [task] = (yield* call(Operation.ListTasks, {})).tasks
      const others = yield* Effect.forEach(
        [1, 2, 3],
        () => Effect.forkChild(labels(subscribe(task!.id)), { startImmediately: true })
      )
      yield* Fiber.interrupt(others[0]!)
      yield* TestClock.adjust("1 second")
      const all = (yield* Fiber.join(started)).slice(1)
      assert.deepStrictEqual(all, ["working", "a", "b", "completed"])
      for (const other of others.slice(1)) assert.deepStrictEqual((yield* Fiber.join(other)).slice(1), all)
    }).pipe(Effect.provide(serve(() => Stream.unwrap(Effect.as(Effect.sleep("1 second"), Stream.make("a", "b")))))))

  it.effect("emits replies that are ready together as one chunk", () =>
    Effect.gen(function*() {
      const sizes: Array<number> = []
      yield* stream("hi").pipe(Stream.runForEachArray((chunk) => Effect.sync(() => sizes.push(chunk.length))))
      assert.strictEqual(sizes.reduce((sum, size) => sum + size), 10_003)
      assert.isBelow(sizes.length, 10)
    }).pipe(Effect.provide(serve(() => Stream.map(Stream.range(1, 10_000), String)))))

  it.effect("cutting the subscriptions of a task leaves its turn running", () =>
    Effect.gen(function*() {
      const hub = yield* TaskHub.TaskHub
      const fiber = yield* Effect.forkChild(labels(stream("hi")), { startImmediately: true })
      const [task] = (yield* call(Operation.ListTasks, {})).tasks
      assert.isDefined(task)
      yield* TestClock.adjust("1 second")
      yield* hub.fail(
        task!.id,
        AgentError.reason("StreamInterruptedError", { message: "the connection was cut", taskId: task!.id })
      )
      assert.deepStrictEqual(yield* Fiber.join(fiber), ["task submitted", "working", "a", "! StreamInterruptedError"])
      yield* TestClock.adjust("1 second")
      assert.strictEqual(text(yield* get(task!.id)), "ab")
    }).pipe(Effect.provide(serve(() =>
      Stream.make("a").pipe(
        Stream.concat(Stream.fromEffectDrain(Effect.sleep("2 seconds"))),
        Stream.concat(Stream.make("b"))
      )
    ))))

  it.effect("refuses both streams if the card declares no streaming", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* tagOf(Stream.runDrain(stream("hi"))), "UnsupportedOperationError")
      const task = yield* sendTask("hi")
      assert.strictEqual(yield* tagOf(Stream.runDrain(subscribe(task.id))), "UnsupportedOperationError")
    }).pipe(Effect.provide(serve(() => Stream.make(Part.text("ok")), {
      card: { ...card, capabilities: { streaming: false } }
    }))))

  it.effect("cancels turns and ends streams when the server is released", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const agent = yield* Layer.buildWithScope(serve(() => Stream.never), scope)
      const fiber = yield* Effect.forkChild(Effect.provideContext(labels(stream("hi")), agent), {
        startImmediately: true
      })
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(yield* Fiber.join(fiber), ["task submitted", "canceled: the server was shut down"])
    }))
})
