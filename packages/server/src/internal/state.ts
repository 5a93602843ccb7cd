/** The services and values that the operations of one server share. */
import type { AgentExtension } from "@effect-a2a/core/AgentCard"
import { type AgentErrorReason, reason } from "@effect-a2a/core/AgentError"
import type * as Id from "@effect-a2a/core/Id"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as FiberMap from "effect/FiberMap"
import type { AgentExecutor } from "../AgentExecutor.ts"
import type { Owner } from "../Owner.ts"
import type * as TaskStore from "../TaskStore.ts"
import type * as Running from "./running.ts"
import type * as Work from "./work.ts"

export interface State extends Work.Sinks {
  readonly executor: AgentExecutor["Service"]
  /** The turns that are running, and their fibers. */
  readonly works: Map<Id.TaskId, Work.Work>
  readonly fibers: FiberMap.FiberMap<Id.TaskId>
  /** Counts them, and limits their number. */
  readonly running: Running.Running
  /** The longest duration of a turn, and the longest wait for a canceled executor. */
  readonly maxTurnDuration: Duration.Duration
  readonly cancelPatience: Duration.Duration
  /** The extensions of the card. */
  readonly extensions: ReadonlyArray<AgentExtension>
}

/** Creates the reason for an operation that the agent does not support. */
export const unsupportedReason = (message: string): AgentErrorReason => reason("UnsupportedOperationError", { message })

/** Creates the reason for a message to a task at work that takes none. */
export const busyReason = (id: string): AgentErrorReason =>
  unsupportedReason(`Task ${id} is being worked on; wait until it asks for input`)

/** The reason for push configurations, which are refused. */
export const noPush: AgentErrorReason = reason("PushNotificationNotSupportedError", {
  message: "This agent sends no push notifications"
})

/** Reads a task of an owner; fails with `TaskNotFoundError` if the owner has no such task. */
export const findTask = (
  { store }: State,
  owner: Owner,
  id: Id.TaskId
): Effect.Effect<TaskStore.Stored, AgentErrorReason> =>
  Effect.flatMap(
    store.get(owner, id),
    (stored): Effect.Effect<TaskStore.Stored, AgentErrorReason> =>
      stored === undefined
        ? Effect.fail(reason("TaskNotFoundError", { message: `unknown task ${id}` }))
        : Effect.succeed(stored)
  )
