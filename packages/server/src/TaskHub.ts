/**
 * Live fan-out: everyone who follows a task gets the same events in the same order, each at their own pace.
 *
 * A subscriber has a queue of batches of its own and never slows down the work or another subscriber; one that falls too
 * far behind is let go, and may subscribe again. Nothing is kept for a task that nobody follows, or that has ended.
 *
 * ```ts
 * import { TaskHub } from "@effect-a2a/server"
 * import { Effect } from "effect"
 *
 * const followers = Effect.flatMap(TaskHub.TaskHub, (hub) => hub.subscribers)
 * await Effect.runPromise(followers.pipe(Effect.provide(TaskHub.layer))) // => 0
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

/** Events as they were written to the store; `from` is the position of the first in the task's log. */
export interface Batch {
  readonly from: number
  readonly events: Arr.NonEmptyReadonlyArray<StreamEvent>
}

/** What a subscriber reads; it ends with the task, or fails with the reason the work was refused. */
export type Subscription = Queue.Dequeue<Batch, AgentErrorReason | Cause.Done>

/** `end` lets all subscribers of a task go, with a reason or without. `subscribers` counts those of all tasks. */
export class TaskHub extends Context.Service<TaskHub, {
  readonly publish: (id: Id.TaskId, batch: Batch) => Effect.Effect<void>
  readonly subscribe: (id: Id.TaskId) => Effect.Effect<Subscription, never, Scope.Scope>
  readonly end: (id: Id.TaskId, reason?: AgentErrorReason) => Effect.Effect<void>
  readonly subscribers: Effect.Effect<number>
}>()("@effect-a2a/server/TaskHub") {}

type Queued = Queue.Queue<Batch, AgentErrorReason | Cause.Done>

/**
 * A hub in this process. When its scope closes, those who still follow a task are told that their stream broke off, and
 * so are those who have not read the latest `maxBehind` batches (default 10,000).
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

      const tell = (id: Id.TaskId, batch: Batch) => {
        for (const queue of topics.get(id) ?? []) {
          if (Queue.offerUnsafe(queue, batch)) continue
          leave(id, queue)
          Queue.failCauseUnsafe(
            queue,
            Cause.fail(reason("StreamInterruptedError", { message: "This stream is read too slowly", taskId: id }))
          )
        }
      }

      const leave = (id: Id.TaskId, queue: Queued) => {
        const queues = topics.get(id)
        if (queues?.delete(queue) && queues.size === 0) topics.delete(id)
      }

      yield* Effect.addFinalizer(() =>
        Effect.forEach(
          [...topics.keys()],
          (taskId) => end(taskId, reason("StreamInterruptedError", { message: "The server is shutting down", taskId }))
        )
      )
      return {
        end,
        publish: (id, batch) => Effect.sync(() => tell(id, batch)),
        subscribe: (id) =>
          Effect.acquireRelease(
            Effect.tap(
              Queue.dropping<Batch, AgentErrorReason | Cause.Done>(maxBehind),
              (queue) => Effect.sync(() => topics.set(id, (topics.get(id) ?? new Set()).add(queue)))
            ),
            (queue) => Effect.andThen(Effect.sync(() => leave(id, queue)), Queue.shutdown(queue))
          ),
        subscribers: Effect.sync(() => [...topics.values()].reduce((sum, queues) => sum + queues.size, 0))
      }
    })
  )

/** The same, with defaults. */
export const layer: Layer.Layer<TaskHub> = layerWith()
