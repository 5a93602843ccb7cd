import { Operation } from "@effect-a2a/core"
import { AgentExecutor, AgentServer, Caller, Reply, TaskHub, TaskStore } from "@effect-a2a/server"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { covers } from "../../../test/support/covers.ts"
import {
  as,
  call,
  cancel,
  card,
  contextId,
  get,
  labels,
  send,
  sendTask,
  serve,
  stream,
  subscribe,
  tagOf,
  text
} from "./support.ts"

describe("callers", () => {
  it.effect(
    "another caller's task does not exist, for any operation",
    () =>
      Effect.gen(function*() {
        const { id } = yield* sendTask("hi").pipe(as("ada"))
        const before = yield* get(id).pipe(as("ada"))
        for (const stranger of [as("bob"), <A, E, R>(self: Effect.Effect<A, E, R>) => self]) {
          assert.strictEqual(yield* tagOf(stranger(get(id))), "TaskNotFoundError")
          assert.strictEqual(yield* tagOf(stranger(cancel(id))), "TaskNotFoundError")
          assert.strictEqual(yield* tagOf(stranger(send("hi", { taskId: id }))), "TaskNotFoundError")
          assert.deepStrictEqual(yield* stranger(labels(stream("hi", { taskId: id }))), ["! TaskNotFoundError"])
          assert.deepStrictEqual(yield* stranger(labels(subscribe(id))), ["! TaskNotFoundError"])
          assert.strictEqual((yield* stranger(call(Operation.ListTasks, {}))).totalSize, 0)
        }
        assert.deepStrictEqual((yield* call(Operation.ListTasks, {}).pipe(as("ada"))).tasks.map((task) => task.id), [
          id
        ])
        assert.deepStrictEqual(yield* get(id).pipe(as("ada")), before)
      }).pipe(Effect.provide(serve(() => Stream.make(Reply.status("input-required", "?"))))),
    covers("field:AUTH-07", "attack:S2-25")
  )

  it.effect(
    "two callers with one context id have two conversations, and the executor knows the caller",
    () =>
      Effect.gen(function*() {
        const shared = contextId("shared")
        const ada = yield* sendTask("hi", { contextId: shared }).pipe(as("ada"))
        const bob = yield* sendTask("hi", { contextId: shared }).pipe(as("bob"))
        assert.deepStrictEqual([text(ada), text(bob)], ["ada", "bob"])
        const hers = yield* call(Operation.ListTasks, { contextId: shared }).pipe(as("ada"))
        assert.deepStrictEqual(hers.tasks.map((task) => task.id), [ada.id])
      }).pipe(Effect.provide(serve((turn) => Stream.make(turn.caller?.id ?? "nobody")))),
    covers("field:AUTH-08")
  )

  it.effect("services of the call take precedence over those of the executor's layer", () =>
    Effect.gen(function*() {
      const executor = AgentExecutor.layer(() =>
        Stream.fromEffect(Effect.map(Caller.Current, (c) => c?.id ?? "nobody"))
      )
        .pipe(Layer.provide(Layer.succeed(Caller.Current, { id: "builder" })))
      yield* Effect.gen(function*() {
        const { execute } = yield* AgentExecutor.AgentExecutor
        const answer = execute({} as AgentExecutor.Turn)
        if (!Stream.isStream(answer)) return assert.fail("expected a stream")
        assert.deepStrictEqual(yield* Stream.runCollect(answer).pipe(as("ada")), ["ada"])
        assert.deepStrictEqual(yield* Stream.runCollect(answer), ["builder"])
      }).pipe(Effect.provide(executor))
    }))
})

describe("the other operations", () => {
  it.effect("refuses push configurations, and the card declares none", () =>
    Effect.gen(function*() {
      const { id } = yield* sendTask("hi")
      const config = { taskId: id, id: "p" }
      assert.deepStrictEqual(
        [
          yield* tagOf(call(Operation.CreateTaskPushNotificationConfig, { taskId: id, url: "https://hook.test/" })),
          yield* tagOf(call(Operation.GetTaskPushNotificationConfig, config)),
          yield* tagOf(call(Operation.ListTaskPushNotificationConfigs, { taskId: id })),
          yield* tagOf(call(Operation.DeleteTaskPushNotificationConfig, config))
        ],
        Array(4).fill("PushNotificationNotSupportedError")
      )
      assert.deepStrictEqual((yield* call(Operation.GetAgentCard, {})).capabilities, {
        streaming: true,
        pushNotifications: false,
        extendedAgentCard: false
      })
    }).pipe(Effect.provide(serve(() => Stream.make("ok"), {
      card: { ...card, capabilities: { pushNotifications: true, extendedAgentCard: true } }
    }))))

  it.effect("refuses the extended card unless one is given", () =>
    Effect.gen(function*() {
      const ask = call(Operation.GetExtendedAgentCard, {})
      const without = serve(() => Stream.make("ok"))
      assert.strictEqual(yield* tagOf(ask).pipe(Effect.provide(without)), "UnsupportedOperationError")
      const extended = serve(() => Stream.make("ok"), { extendedCard: Effect.succeed({ ...card, name: "More" }) })
      assert.strictEqual((yield* ask.pipe(Effect.provide(extended))).name, "More")
    }))

  it.effect("reports a store that dies as an internal error", () =>
    Effect.gen(function*() {
      for (const length of [0, 1]) {
        const broken = Layer.effect(
          TaskStore.TaskStore,
          Effect.map(TaskStore.TaskStore, (store) => ({
            ...store,
            append: (...[owner, id, events]: Parameters<typeof store.append>) =>
              Effect.flatMap(store.get(owner, id), (stored) =>
                (stored?.length ?? 0) < length ? store.append(owner, id, events) : Effect.die("disk full"))
          }))
        ).pipe(Layer.provide(TaskStore.layerMemory()))
        const agent = AgentServer.layer({ card }).pipe(
          Layer.provide([
            broken,
            TaskHub.layer,
            AgentExecutor.layer(() =>
              Stream.make("ok")
            )
          ])
        )
        assert.strictEqual(yield* tagOf(send("hi")).pipe(Effect.provide(agent)), "InternalError")
      }
    }))
})
