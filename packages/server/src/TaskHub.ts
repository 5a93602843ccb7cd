/**
 * Distributes the events of running tasks: every subscriber receives the same events in the same order.
 *
 * Each subscriber has a queue, so that it delays neither the task nor other subscribers. A subscriber that falls too far
 * behind is disconnected and may subscribe again. A task without subscribers, or one that has ended, takes no memory.
 *
 * ```ts
 * import { Id } from "@effect-a2a/core"
 * import { TaskHub } from "@effect-a2a/server"
 * import { Effect, Queue } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const hub = yield* TaskHub.TaskHub
 *   const id = Id.TaskId.make("t-1")
 *   const subscription = yield* hub.subscribe(id)
 *   yield* hub.publish(id, { from: 0, events: [{ _tag: "Task", id, status: { state: "working" } }] })
 *   const batch = yield* Queue.take(subscription)
 *   return [batch.from, batch.events[0]._tag, yield* hub.subscribers]
 * })
 * await Effect.runPromise(program.pipe(Effect.scoped, Effect.provide(TaskHub.layer))) // => [0, "Task", 1]
 * ```
 *
 * @since 0.1.0
 */
import { type AgentErrorReason, reason } from "@effect-a2a/core/AgentError"
import type * as Id from "@effect-a2a/core/Id"
import type { StreamEvent } from "@effect-a2a/core/StreamEvent"
import type * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"

/** Events that were written to the store together; `from` is the position of the first in the task's log. */
export interface Batch {
  readonly from: number
  readonly events: Arr.NonEmptyReadonlyArray<StreamEvent>
}

/** A queue of batches. It ends with the turn, or fails with the reason that the executor gave. */
export type Subscription = Queue.Dequeue<Batch, AgentErrorReason | Cause.Done>

/** The subscriptions to running tasks. */
export class TaskHub extends Context.Service<TaskHub, {
  /** Sends a batch to the subscribers of a task. */
  readonly publish: (id: Id.TaskId, batch: Batch) => Effect.Effect<void>
  /** Subscribes until the scope closes. */
  readonly subscribe: (id: Id.TaskId) => Effect.Effect<Subscription, never, Scope.Scope>
  /** Ends the subscriptions to a task; with a reason they fail. */
  readonly end: (id: Id.TaskId, reason?: AgentErrorReason) => Effect.Effect<void>
  /** The number of subscriptions to all tasks. */
  readonly subscribers: Effect.Effect<number>
}>()("@effect-a2a/server/TaskHub") {}

type Queued = Queue.Queue<Batch, AgentErrorReason | Cause.Done>

/**
 * Creates a hub in this process. A subscription fails with `StreamInterruptedError` when the hub's scope closes, and when
 * it has more than `maxBehind` unread batches (default 10,000).
 */
export const layerWith = ({ maxBehind = 10_000 }: { readonly maxBehind?: number } = {}): Layer.Layer<TaskHub> =>
  Layer.effect(
    TaskHub,
    Effect.gen(function*() {
      const topics = new Map<Id.TaskId, Set<Queued>>()

      const end = (id: Id.TaskId, reason?: AgentErrorReason) =>
        Effect.suspend(() => {
          const queues = topics.get(id) ?? []
          topics.delete(id)
          return Effect.forEach(
            queues,
            (queue): Effect.Effect<unknown> => reason === undefined ? Queue.end(queue) : Queue.fail(queue, reason),
            { discard: true }
          )
        })

      const publish = (id: Id.TaskId, batch: Batch) => {
        for (const queue of topics.get(id) ?? []) {
          if (Queue.offerUnsafe(queue, batch)) continue
          remove(id, queue)
          Queue.failCauseUnsafe(
            queue,
            Cause.fail(
              reason("StreamInterruptedError", {
                message: "the stream was read too slowly; subscribe again",
                taskId: id
              })
            )
          )
        }
      }

      const remove = (id: Id.TaskId, queue: Queued) => {
        const queues = topics.get(id)
        if (queues?.delete(queue) && queues.size === 0) topics.delete(id)
      }

      yield* Effect.addFinalizer(() =>
        Effect.forEach(
          [...topics.keys()],
          (taskId) => end(taskId, reason("StreamInterruptedError", { message: "the server is shutting down", taskId }))
        )
      )
      return {
        end,
        publish: (id, batch) => Effect.sync(() => publish(id, batch)),
        subscribe: (id) =>
          Effect.acquireRelease(
            Effect.tap(
              Queue.dropping<Batch, AgentErrorReason | Cause.Done>(maxBehind),
              (queue) => Effect.sync(() => topics.set(id, (topics.get(id) ?? new Set()).add(queue)))
            ),
            (queue) => Effect.andThen(Effect.sync(() => remove(id, queue)), Queue.shutdown(queue))
          ),
        subscribers: Effect.sync(() => [...topics.values()].reduce((sum, queues) => sum + queues.size, 0))
      }
    })
  )

/** A hub in this process with the default `maxBehind`, see {@link layerWith}. */
export const layer: Layer.Layer<TaskHub> = layerWith()
