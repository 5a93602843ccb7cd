/**
 * Announces how long the logs of tasks are, so that whoever follows a task reads on. The events themselves are in the
 * store: a subscriber keeps a position and nothing else, however slow it is, and a task without subscribers takes no
 * memory. An announcement may be lost: subscribers look again every 30 seconds.
 *
 * ```ts
 * import { Id } from "@effect-a2a/core"
 * import { TaskHub } from "@effect-a2a/server"
 * import { Effect, Stream } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const hub = yield* TaskHub.TaskHub
 *   const id = Id.TaskId.make("t-1")
 *   const lengths = yield* hub.subscribe(id)
 *   yield* hub.publish(id, 1)
 *   yield* hub.publish(id, 2)
 *   return [yield* Stream.runCollect(Stream.take(lengths, 1)), yield* hub.subscribers]
 * })
 * await Effect.runPromise(program.pipe(Effect.scoped, Effect.provide(TaskHub.layer))) // => [[2], 1]
 * ```
 *
 * @since 0.1.0
 */
import { type AgentErrorReason, reason } from "@effect-a2a/core/AgentError"
import type * as Id from "@effect-a2a/core/Id"
import type * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"

/** The latest length of a task's log, whenever the subscriber reads; 0 means that it may have changed. */
export type Subscription = Stream.Stream<number, AgentErrorReason>

/** The subscriptions to tasks. */
export class TaskHub extends Context.Service<TaskHub, {
  /** Announces the length of a task's log. */
  readonly publish: (id: Id.TaskId, length: number) => Effect.Effect<void>
  /** Subscribes until the scope closes. */
  readonly subscribe: (id: Id.TaskId) => Effect.Effect<Subscription, never, Scope.Scope>
  /** Fails the subscriptions to a task with a reason. */
  readonly fail: (id: Id.TaskId, reason: AgentErrorReason) => Effect.Effect<void>
  /** The number of subscriptions to all tasks. */
  readonly subscribers: Effect.Effect<number>
}>()("@effect-a2a/server/TaskHub") {}

/** The interval at which subscribers look again. */
const interval = Duration.seconds(30)

type Signals = Queue.Queue<number, AgentErrorReason | Cause.Done>

/** A hub in this process. Subscriptions fail with `StreamInterruptedError` when its scope closes. */
export const layer: Layer.Layer<TaskHub> = Layer.effect(
  TaskHub,
  Effect.gen(function*() {
    const topics = new Map<Id.TaskId, Set<Signals>>()

    const publish = (id: Id.TaskId, length: number) => {
      for (const signals of topics.get(id) ?? []) Queue.offerUnsafe(signals, length)
    }

    const fail = (id: Id.TaskId, reason: AgentErrorReason) =>
      Effect.suspend(() => {
        const all = topics.get(id) ?? []
        topics.delete(id)
        return Effect.forEach(all, (signals) => Queue.fail(signals, reason), { discard: true })
      })

    const remove = (id: Id.TaskId, signals: Signals) => {
      const all = topics.get(id)
      if (all?.delete(signals) && all.size === 0) topics.delete(id)
      return Queue.shutdown(signals)
    }

    const add = (id: Id.TaskId, signals: Signals) => {
      topics.set(id, (topics.get(id) ?? new Set()).add(signals))
    }

    yield* Effect.sync(() => [...topics.keys()].forEach((id) => publish(id, 0))).pipe(
      Effect.delay(interval),
      Effect.forever,
      Effect.forkScoped
    )
    yield* Effect.addFinalizer(() =>
      Effect.forEach(
        [...topics.keys()],
        (taskId) => fail(taskId, reason("StreamInterruptedError", { message: "the server is shutting down", taskId }))
      )
    )
    return {
      publish: (id, length) => Effect.sync(() => publish(id, length)),
      fail,
      subscribe: (id) =>
        Effect.map(
          Effect.acquireRelease(
            Effect.tap(Queue.sliding<number, AgentErrorReason | Cause.Done>(1), (signals) =>
              Effect.sync(() => add(id, signals))),
            (signals) =>
              Effect.suspend(() => remove(id, signals))
          ),
          Stream.fromQueue
        ),
      subscribers: Effect.sync(() => [...topics.values()].reduce((sum, all) => sum + all.size, 0))
    }
  })
)
