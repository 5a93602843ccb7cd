/** The services and values that the operations of one server share. */
import { type AgentErrorReason, reason } from "@effect-a2a/core/AgentError"
import type * as Id from "@effect-a2a/core/Id"
import type * as KeyedLock from "@effect-a2a/core/KeyedLock"
import type { StreamEvent } from "@effect-a2a/core/StreamEvent"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import type * as FiberMap from "effect/FiberMap"
import * as Stream from "effect/Stream"
import type { AgentExecutor } from "../AgentExecutor.ts"
import * as Caller from "../Caller.ts"
import type * as TaskHub from "../TaskHub.ts"
import type * as TaskStore from "../TaskStore.ts"
import type * as Running from "./running.ts"

export interface State {
  readonly executor: AgentExecutor["Service"]
  readonly store: TaskStore.TaskStore["Service"]
  readonly hub: TaskHub.TaskHub["Service"]
  /** The turns that are running. */
  readonly turns: FiberMap.FiberMap<Id.TaskId>
  /** Counts them, and limits their number. */
  readonly running: Running.Running
  /** Orders the messages and cancellations of one task. */
  readonly lock: KeyedLock.KeyedLock<Id.TaskId>
}

/** Returns whose tasks the current request sees. */
export const owner: Effect.Effect<TaskStore.Owner> = Effect.map(Caller.Current, (caller) => caller?.id)

/** Creates the reason for an operation that the agent does not support. */
export const unsupportedReason = (message: string): AgentErrorReason => reason("UnsupportedOperationError", { message })

/** Reads a task of the current caller; fails with `TaskNotFoundError` if the caller has no such task. */
export const findTask = Effect.fnUntraced(function*(
  { store }: State,
  id: Id.TaskId
): Effect.fn.Return<TaskStore.Stored, AgentErrorReason> {
  const stored = yield* store.get(yield* owner, id)
  if (stored === undefined) return yield* Effect.fail(reason("TaskNotFoundError", { message: `unknown task ${id}` }))
  return stored
})

/** Emits the events of batches. */
export const toEvents: <E>(
  self: Stream.Stream<TaskHub.Batch, E>
) => Stream.Stream<StreamEvent, E> = Stream.mapArray((batches: Arr.NonEmptyReadonlyArray<TaskHub.Batch>) =>
  Arr.flatMap(batches, (batch) => batch.events)
)
