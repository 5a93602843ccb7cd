/**
 * Distributes the events of running tasks: every subscriber receives the same events in the same order.
 *
 * Each subscriber has a queue, so that it delays neither the task nor other subscribers. A subscriber that falls too far
 * behind is disconnected and may subscribe again. A task without subscribers, or one that has ended, takes no memory.
 *
 * ```ts
 * import { Id } from "@effect-a2a/core"
 * import { TaskHub } from "@effect-a2a/server"
 * import { Effect, Stream } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const hub = yield* TaskHub.TaskHub
 *   const id = Id.TaskId.make("t-1")
 *   const subscription = yield* hub.subscribe(id)
 *   yield* hub.publish(id, { from: 0, events: [{ _tag: "Task", id, status: { state: "working" } }] })
 *   const batches = yield* Stream.runCollect(Stream.take(subscription, 1))
 *   return [batches.map((batch) => [batch.from, batch.events[0]._tag]), yield* hub.subscribers]
 * })
 * await Effect.runPromise(program.pipe(Effect.scoped, Effect.provide(TaskHub.layer))) // => [[[0, "Task"]], 1]
 * ```
 *
 * @since 0.1.0
 */
import { type AgentErrorReason, reason } from "@effect-a2a/core/AgentError"
import type * as Id from "@effect-a2a/core/Id"
import type { StreamEvent } from "@effect-a2a/core/StreamEvent"
import type * as Arr from "effect/Array"
import type * as ByteSize from "effect/ByteSize"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Size from "./internal/size.ts"

/** Events that were written to the store together; `from` is the position of the first in the task's log. */
export interface Batch {
  readonly from: number
  readonly events: Arr.NonEmptyReadonlyArray<StreamEvent>
}

/** The batches of a task, once. It ends with the turn, or fails with the reason that the executor gave. */
export type Subscription = Stream.Stream<Batch, AgentErrorReason>

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

/** Limits of a hub. */
export interface Options {
  /** Batches that a subscriber has not read. Default: 10,000. */
  readonly maxBehind?: number | undefined
  /** Bytes of these batches without the largest, about. Default: 4 MiB. */
  readonly maxBehindSize?: ByteSize.Input | undefined
}

interface Unread {
  readonly batch: Batch
  readonly size: number
}

interface Subscriber {
  readonly queue: Queue.Queue<Unread, AgentErrorReason | Cause.Done>
  /** Bytes of the batches in the queue, and of the largest since it was empty, which may be larger than the limit. */
  behind: number
  largest: number
}

const tooSlow = (taskId: Id.TaskId) =>
  reason("StreamInterruptedError", { message: "the stream was read too slowly; subscribe again", taskId })

/**
 * Creates a hub in this process. A subscription fails with `StreamInterruptedError` when the hub's scope closes, and when
 * more is unread than the limits allow; what was unread is dropped then.
 */
export const layerWith = ({ maxBehind = 10_000, maxBehindSize }: Options = {}): Layer.Layer<TaskHub> =>
  Layer.effect(
    TaskHub,
    Effect.gen(function*() {
      const maxSize = Size.toBytes(maxBehindSize, 4)
      const topics = new Map<Id.TaskId, Set<Subscriber>>()

      const remove = (id: Id.TaskId, one: Subscriber) => {
        const all = topics.get(id)
        if (all?.delete(one) && all.size === 0) topics.delete(id)
      }

      const end = (id: Id.TaskId, reason?: AgentErrorReason) =>
        Effect.suspend(() => {
          const all = topics.get(id) ?? []
          topics.delete(id)
          return Effect.forEach(
            all,
            ({ queue }): Effect.Effect<unknown> => reason === undefined ? Queue.end(queue) : Queue.fail(queue, reason),
            { discard: true }
          )
        })

      const publish = Effect.fnUntraced(function*(id: Id.TaskId, batch: Batch) {
        const all = topics.get(id)
        if (all === undefined) return
        const size = Size.sizeOfBatch(batch)
        for (const one of all) {
          one.behind += size
          one.largest = Math.max(one.largest, size)
          const isOver = one.behind - one.largest > maxSize
          if (!isOver && Queue.offerUnsafe(one.queue, { batch, size })) continue
          remove(id, one)
          yield* Effect.ignore(Queue.clear(one.queue))
          Queue.failCauseUnsafe(one.queue, Cause.fail(tooSlow(id)))
        }
      })

      const read = (one: Subscriber): Subscription =>
        Stream.fromQueue(one.queue).pipe(
          Stream.map(({ batch, size }) => {
            one.behind -= size
            if (one.behind === 0) one.largest = 0
            return batch
          })
        )

      yield* Effect.addFinalizer(() =>
        Effect.forEach(
          [...topics.keys()],
          (taskId) => end(taskId, reason("StreamInterruptedError", { message: "the server is shutting down", taskId }))
        )
      )
      return {
        end,
        publish,
        subscribe: (id) =>
          Effect.map(
            Effect.acquireRelease(
              Effect.map(Queue.dropping<Unread, AgentErrorReason | Cause.Done>(maxBehind), (queue) => {
                const one: Subscriber = { queue, behind: 0, largest: 0 }
                topics.set(id, (topics.get(id) ?? new Set()).add(one))
                return one
              }),
              (one) => Effect.andThen(Effect.sync(() => remove(id, one)), Queue.shutdown(one.queue))
            ),
            read
          ),
        subscribers: Effect.sync(() => [...topics.values()].reduce((sum, all) => sum + all.size, 0))
      }
    })
  )

/** A hub in this process with the default limits, see {@link layerWith}. */
export const layer: Layer.Layer<TaskHub> = layerWith()
