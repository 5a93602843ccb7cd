/** What an executor decides, and when. */
import { AgentError, Id, Message, Operation, Part, type Task, ToolCall } from "@effect-a2a/core"
import { AgentExecutor, AgentServer, Caller, Reply, TaskHub, TaskStore } from "@effect-a2a/server"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer, Scope, Stream } from "effect"
import { TestClock } from "effect/testing"
import { covers } from "../../../test/support/covers.ts"
import {
  call,
  cancel,
  card,
  get,
  history,
  labels,
  send,
  sendTask,
  serve,
  start,
  stream,
  tagOf,
  text
} from "./support.ts"

const nothingIsStored = Effect.map(call(Operation.ListTasks, {}), ({ totalSize }) => assert.strictEqual(totalSize, 0))

describe("an effect of an answer", () => {
  const refusal = AgentError.reason("RateLimitError", { message: "later", retryAfter: "3 seconds" })
  const agent = serve(({ message }) => {
    const word = Message.text(message)
    return Effect.gen(function*() {
      yield* Effect.sleep("1 second")
      if (word === "refuse") return yield* Effect.fail(refusal)
      if (word === "die") return yield* Effect.die(new Error("secret"))
      return word === "message" ? "Hello" : Stream.make("Hello ", "task")
    })
  })
  const after = <A, E, R>(self: Effect.Effect<A, E, R>) =>
    Effect.gen(function*() {
      const fiber = yield* Effect.forkChild(self, { startImmediately: true })
      yield* TestClock.adjust("1 second")
      return yield* Fiber.join(fiber)
    })

  it.effect("decides between a message and a task when it ends", () =>
    Effect.gen(function*() {
      const message = yield* after(send("message"))
      assert.strictEqual(message._tag === "Message" && Message.text(message), "Hello")
      yield* nothingIsStored
      assert.strictEqual(text(yield* after(sendTask("task"))), "Hello task")
      assert.deepStrictEqual(yield* after(labels(stream("task"))), [
        "task submitted",
        "working",
        "Hello ",
        "task",
        "completed"
      ])
    }).pipe(Effect.provide(agent)))

  it.effect("refuses before a task exists, with its reason, in both ways of sending", () =>
    Effect.gen(function*() {
      for (const one of [send("refuse"), Stream.runDrain(stream("refuse"))]) {
        const { reason } = yield* Effect.flip(after(one))
        assert.deepStrictEqual([reason._tag, reason.message, reason.isRetryable], ["RateLimitError", "later", true])
      }
      assert.strictEqual(yield* after(tagOf(send("die"))), "InternalError")
      yield* nothingIsStored
    }).pipe(Effect.provide(agent)))

  it.effect("is interrupted if the caller leaves before it has decided, and a place is free again", () => {
    const ended: Array<string> = []
    return Effect.gen(function*() {
      for (let n = 0; n < 5; n++) {
        const fiber = yield* Effect.forkChild(send("hi"), { startImmediately: true })
        yield* TestClock.adjust("1 minute")
        yield* Fiber.interrupt(fiber)
      }
      assert.lengthOf(ended, 5)
      yield* nothingIsStored
    }).pipe(Effect.provide(serve(() => Effect.onInterrupt(Effect.never, () => Effect.sync(() => ended.push("x"))), {
      maxRunning: 1
    })))
  })

  it.effect("leaves a task as it was if it refuses a message to it, and takes the next", () =>
    Effect.gen(function*() {
      const before = yield* sendTask("ask")
      assert.strictEqual(yield* tagOf(send("refuse", { taskId: before.id })), "RateLimitError")
      assert.deepStrictEqual(yield* get(before.id), before)
      assert.strictEqual(text(yield* sendTask("go", { taskId: before.id })), "gone")
    }).pipe(Effect.provide(serve(({ message }) => {
      const word = Message.text(message)
      return word === "refuse"
        ? Effect.fail(refusal)
        : Effect.succeed(word === "ask" ? Stream.make(Reply.status("input-required", "?")) : Stream.make("gone"))
    }))))

  it.effect("of two messages to a waiting task, one is decided on and the other is refused", () =>
    Effect.gen(function*() {
      const { id } = yield* sendTask("ask")
      const first = yield* Effect.forkChild(sendTask("go", { taskId: id }), { startImmediately: true })
      assert.strictEqual(yield* tagOf(send("go", { taskId: id })), "UnsupportedOperationError")
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(history(yield* Fiber.join(first)), ["ask", "?", "go"])
    }).pipe(Effect.provide(serve(({ task }) =>
      task === undefined
        ? Stream.make(Reply.status("input-required", "?"))
        : Effect.delay(Effect.succeed(Stream.make("gone")), "1 second")
    ))))

  it.effect("has the scope of the turn, which ends with the replies", () => {
    const log: Array<string> = []
    const note = (word: string) => Effect.sync(() => log.push(word))
    return Effect.gen(function*() {
      yield* sendTask("hi")
      assert.deepStrictEqual(log, ["open", "reply", "close"])
    }).pipe(Effect.provide(
      AgentServer.layerMemory({ card }).pipe(Layer.provide(AgentExecutor.layer(() =>
        Effect.as(
          Effect.acquireRelease(note("open"), () => note("close")),
          Stream.fromEffect(Effect.as(note("reply"), "done"))
        )
      )))
    ))
  })
})

describe("a push configuration in a message", () => {
  it.effect("is refused before a task exists if the server sends no push notifications", () =>
    Effect.gen(function*() {
      const configuration = { taskPushNotificationConfig: { url: "https://hook.test" } }
      for (const one of [send("hi", { configuration }), Stream.runDrain(stream("hi", { configuration }))]) {
        assert.strictEqual(yield* tagOf(one), "PushNotificationNotSupportedError")
      }
      yield* nothingIsStored
    }).pipe(Effect.provide(serve(() => Stream.make("ok")))))
})

describe("a turn", () => {
  it.effect("knows tenant, caller and the requested extensions", () =>
    Effect.gen(function*() {
      const message = yield* Message.user("hi")
      const answer = yield* call(Operation.SendMessage, { message, tenant: "acme" }).pipe(
        Effect.provideService(Caller.Current, { id: "ada" })
      )
      assert.strictEqual(answer._tag === "Message" && Message.text(answer), "acme ada")
    }).pipe(Effect.provide(serve(({ caller, tenant }) => Effect.succeed(`${tenant} ${caller?.id}`)))))

  it.effect("fails when it takes longer than allowed", () =>
    Effect.gen(function*() {
      const fiber = yield* Effect.forkChild(sendTask("hi"), { startImmediately: true })
      yield* TestClock.adjust("90 seconds")
      const task = yield* Fiber.join(fiber)
      assert.strictEqual(task.status.state, "failed")
      assert.include(Message.text(task.status.message!), "did not finish within")
    }).pipe(Effect.provide(serve(() => Stream.never, { maxTurnDuration: "1 minute" }))))

  it.effect("sets members of the task's metadata", () =>
    Effect.gen(function*() {
      const task = yield* sendTask("hi")
      assert.deepStrictEqual(task.metadata, { a: 1, b: { c: [2] } })
      assert.strictEqual(text(task), "before after")
      const seen = yield* Stream.runCollect(stream("hi"))
      const snapshots = seen.flatMap((event) => event._tag === "Task" ? [event.metadata] : [])
      assert.deepStrictEqual(snapshots, [undefined, { a: 0 }, { a: 1, b: { c: [2] } }])
    }).pipe(Effect.provide(serve(() =>
      Stream.make("before ", Reply.taskMetadata({ a: 0 }), Reply.taskMetadata({ a: 1, b: { c: [2] } }), "after")
    ))))

  it.effect("fails if it sets metadata that no answer can contain", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* tagOf(send("hi")), "InvalidAgentResponseError")
    }).pipe(Effect.provide(serve(() => Stream.make(Reply.taskMetadata({ a: Number.NaN }))))))

  it.effect("emits thoughts, tool calls, their results and files, which clients read", () =>
    Effect.gen(function*() {
      const events = yield* Stream.runCollect(stream("hi"))
      const parts = events.flatMap((event) => event._tag === "StatusUpdate" ? event.status.message?.parts ?? [] : [])
      assert.deepStrictEqual(parts.map((part) => part.mark?._tag), ["Thought", "Call", "Result", "Result"])
      assert.deepStrictEqual(ToolCall.call(parts[1]!), { _tag: "Call", id: "c", name: "add", args: { a: 1 } })
      const files = events.flatMap((event) => event._tag === "ArtifactUpdate" ? event.artifact.parts : [])
      assert.deepStrictEqual(files, [
        Part.raw(new Uint8Array([1]), { mediaType: "image/png" }),
        Part.url("https://agent.test/a.pdf"),
        Part.data({ n: 1 })
      ])
    }).pipe(Effect.provide(serve(() =>
      Stream.make(
        Reply.thought("Add them."),
        Reply.toolCall({ id: "c", name: "add", args: { a: 1 } }),
        Reply.toolResult({ id: "c", name: "add", response: 3 }),
        Reply.toolResult({ name: "add", error: "no", code: 7 }),
        Reply.file(new Uint8Array([1]), { mediaType: "image/png" }),
        Reply.file(new URL("https://agent.test/a.pdf")),
        Reply.data({ n: 1 })
      )
    ))))
})

describe("messages to a task at work", () => {
  const collect = AgentServer.layer({ card }).pipe(
    Layer.provide(AgentExecutor.layer(
      (turn) =>
        turn.updates.pipe(
          Stream.map(Message.text),
          Stream.takeUntil((text) => text === "end"),
          Stream.map((text) => `${text};`)
        ),
      { takesUpdates: true }
    )),
    Layer.provideMerge([TaskStore.layerMemory(), TaskHub.layer])
  )

  it.effect("reach the executor that takes them, in order, and enter the history", () =>
    Effect.gen(function*() {
      const { contextId, id } = yield* start("begin")
      const first = yield* Effect.forkChild(labels(stream("one", { taskId: id })), { startImmediately: true })
      yield* start("two", { taskId: id })
      const task = yield* sendTask("end", { taskId: id })
      assert.strictEqual(text(task), "one;two;end;")
      assert.deepStrictEqual(history(task), ["begin", "one", "two", "end"])
      // who sent an update follows the task from there
      const seen = yield* Fiber.join(first)
      assert.deepStrictEqual([seen[0], seen.at(-1)], ["task submitted", "completed"])
      const store = yield* TaskStore.TaskStore
      assert.deepStrictEqual((yield* store.words({}, contextId!)).map(Message.text), [
        "begin",
        "one",
        "two",
        "end",
        "one;two;end;"
      ])
      assert.strictEqual(yield* tagOf(send("late", { taskId: id })), "UnsupportedOperationError")
    }).pipe(Effect.provide(collect)))

  it.effect("are limited", () =>
    Effect.gen(function*() {
      const { id } = yield* start("begin")
      for (let n = 0; n < 1000; n++) yield* start("x", { taskId: id, configuration: { historyLength: 0 } })
      assert.strictEqual(yield* tagOf(start("x", { taskId: id })), "RateLimitError")
    }).pipe(Effect.provide(collect)))
})

describe("canceling", () => {
  const withOnCancel = (
    onCancel: NonNullable<AgentExecutor.Options["onCancel"]>,
    options?: Partial<AgentServer.Options>
  ) =>
    AgentServer.layer({ card, ...options }).pipe(
      Layer.provide(AgentExecutor.layer(() => Stream.never, { onCancel })),
      Layer.provideMerge([TaskStore.layerMemory(), TaskHub.layer])
    )
  const word = (task: Task.Task) => task.status.message && Message.text(task.status.message)

  it.effect("lets the executor say a last word, once, whoever cancels", () => {
    let calls = 0
    return Effect.gen(function*() {
      const { id } = yield* start("hi")
      const all = yield* Effect.forEach([1, 2, 3], () => Effect.forkChild(cancel(id), { startImmediately: true }))
      yield* TestClock.adjust("1 second")
      for (const fiber of all) {
        const task = yield* Fiber.join(fiber)
        assert.deepStrictEqual([task.status.state, word(task)], ["canceled", "Refunded."])
      }
      assert.strictEqual(calls, 1)
    }).pipe(
      Effect.provide(withOnCancel(() => Effect.delay(Effect.sync(() => (calls += 1, "Refunded.")), "500 millis")))
    )
  })

  it.effect("can be refused, and is asked for again", () => {
    let calls = 0
    const refusal = AgentError.reason("TaskNotCancelableError", { message: "already paid" })
    return Effect.gen(function*() {
      const { id } = yield* start("hi")
      assert.strictEqual(yield* tagOf(cancel(id)), "TaskNotCancelableError")
      assert.strictEqual((yield* get(id)).status.state, "submitted")
      assert.strictEqual((yield* cancel(id)).status.state, "canceled")
    }).pipe(Effect.provide(withOnCancel(() => (calls += 1) === 1 ? Effect.fail(refusal) : Effect.undefined)))
  })

  it.effect("waits for an executor with patience, and drops what it still replies", () =>
    Effect.gen(function*() {
      const { id } = yield* start("hi")
      const fiber = yield* Effect.forkChild(cancel(id), { startImmediately: true })
      yield* TestClock.adjust("9 seconds")
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(fiber)).status.state, "canceled")
      const after = yield* get(id)
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(yield* get(id), after)
    }).pipe(
      Effect.provide(
        serve(() => Stream.fromEffect(Effect.uninterruptible(Effect.as(Effect.sleep("1 minute"), "late"))))
      )
    ))

  it.effect("ends the decision about a message to the task", () =>
    Effect.gen(function*() {
      const { id } = yield* sendTask("ask")
      const deciding = yield* Effect.forkChild(tagOf(send("go", { taskId: id })), { startImmediately: true })
      assert.strictEqual((yield* cancel(id)).status.state, "canceled")
      assert.strictEqual(yield* Fiber.join(deciding), "UnsupportedOperationError")
    }).pipe(Effect.provide(serve(({ task }) =>
      task === undefined ? Stream.make(Reply.status("input-required", "?")) : Effect.never
    ))))
})

describe("two servers over one store", covers("field:CONC-01"), () => {
  const servers = (execute: Parameters<typeof serve>[0]) =>
    Effect.gen(function*() {
      const shared = yield* Layer.build(Layer.merge(TaskStore.layerMemory(), TaskHub.layer))
      const scope = yield* Scope.Scope
      const build = Layer.buildWithScope(
        Layer.fresh(AgentServer.layer({ card })).pipe(
          Layer.provide(AgentExecutor.layer(execute)),
          Layer.provide(Layer.succeedContext(shared))
        ),
        scope
      )
      return [yield* build, yield* build] as const
    })

  it.effect("refuse a message to a task that the other is at work on, and follow it", () =>
    Effect.gen(function*() {
      const [a, b] = yield* servers(() => Stream.fromEffect(Effect.delay(Effect.succeed("done"), "1 second")))
      const { id } = yield* Effect.provideContext(start("hi"), a)
      assert.strictEqual(
        yield* Effect.provideContext(tagOf(send("hi", { taskId: id })), b),
        "UnsupportedOperationError"
      )
      yield* TestClock.adjust("1 second")
      assert.strictEqual(text(yield* Effect.provideContext(get(id), b)), "done")
    }).pipe(Effect.scoped))

  it.effect("never write behind a cancellation of the other", () =>
    Effect.gen(function*() {
      const interrupted = yield* Deferred.make<void>()
      const [a, b] = yield* servers(() =>
        Stream.tick("1 second").pipe(
          Stream.map(() => "tick "),
          Stream.ensuring(Deferred.succeed(interrupted, undefined))
        )
      )
      const { id } = yield* Effect.provideContext(start("hi"), a)
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual((yield* Effect.provideContext(cancel(id), b)).status.state, "canceled")
      const after = yield* Effect.provideContext(get(id), b)
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(yield* Effect.provideContext(get(id), a), after)
      assert.isTrue(yield* Deferred.isDone(interrupted))
    }).pipe(Effect.scoped))
})

describe("a server that shuts down", () => {
  it.effect("leaves the tasks at work to a store that keeps them, and ends them in one that does not", () =>
    Effect.gen(function*() {
      for (const isDurable of [true, false]) {
        const shared = yield* Layer.build(TaskStore.layerMemory())
        const store = yield* Effect.provideContext(TaskStore.TaskStore, shared)
        const scope = yield* Scope.make()
        const agent = yield* Layer.buildWithScope(
          AgentServer.layer({ card }).pipe(
            Layer.provide([
              AgentExecutor.layer(() => Stream.concat(Stream.make("some"), Stream.never)),
              Layer.succeed(TaskStore.TaskStore, { ...store, isDurable }),
              TaskHub.layer
            ])
          ),
          scope
        )
        const { id } = yield* Effect.provideContext(start("hi"), agent)
        yield* Effect.yieldNow
        yield* Scope.close(scope, Exit.void)
        const stored = yield* store.get({}, Id.TaskId.make(id))
        assert.strictEqual(stored?.task.status.state, isDurable ? "working" : "canceled")
      }
    }).pipe(Effect.scoped))
})
