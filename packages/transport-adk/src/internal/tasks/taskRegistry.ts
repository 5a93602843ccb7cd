/**
 * The tasks that a transport knows. ADK servers store sessions only, and nothing connects their events to a task. Tested in
 * test/adk/transport.test.ts.
 */
import type * as Id from "@effect-a2a/core/Id"
import type * as StreamEvent from "@effect-a2a/core/StreamEvent"
import type * as Task from "@effect-a2a/core/Task"
import * as TaskProgress from "@effect-a2a/core/TaskProgress"
import * as TaskState from "@effect-a2a/core/TaskState"
import type * as Deferred from "effect/Deferred"
import type * as Schema from "effect/Schema"
import type * as PendingCalls from "../mapping/pendingCalls.ts"

/** The user whose tasks these are; `undefined` is a user per context. */
export type User = string | undefined

/** A task and its run, if one is in progress. */
export interface TaskEntry {
  readonly user: User
  readonly taskId: Id.TaskId
  readonly contextId: Id.ContextId
  readonly add: (events: ReadonlyArray<StreamEvent.StreamEvent>) => void
  /** Returns the task, or `undefined` before the first event. */
  readonly task: () => Task.Task | undefined
  pending: PendingCalls.PendingCalls
  /** Stops the run that is in progress. */
  cancel: Deferred.Deferred<void> | undefined
}

/** Creates the entry of a new task. */
export const makeEntry = (user: User, taskId: Id.TaskId, contextId: Id.ContextId): TaskEntry => {
  const progress = TaskProgress.make()
  const metadata: Record<string, Schema.Json> = {}
  return {
    user,
    taskId,
    contextId,
    add: (events) => {
      for (const event of events) {
        TaskProgress.add(progress, event)
        // metadata of an artifact stays with the artifact
        if (event._tag === "StatusUpdate" || event._tag === "Task") Object.assign(metadata, event.metadata)
      }
    },
    task: () => {
      const task = TaskProgress.task(progress)
      return task && { ...task, metadata: { ...metadata } }
    },
    pending: [],
    cancel: undefined
  }
}

const isOver = (entry: TaskEntry) =>
  entry.cancel === undefined && TaskState.isTerminal(entry.task()?.status.state ?? "unspecified")

/** The tasks of a transport. Those of other users do not exist for a user. */
export interface TaskRegistry {
  readonly get: (user: User, id: Id.TaskId) => TaskEntry | undefined
  /** Returns the latest task of a context that waits for an answer. */
  readonly findPending: (user: User, contextId: Id.ContextId) => TaskEntry | undefined
  readonly put: (entry: TaskEntry) => void
}

/** Creates a registry that keeps every unfinished task; finished ones are dropped, oldest first, beyond `limit`. */
export const make = (limit = 1_000): TaskRegistry => {
  const entries = new Map<string, TaskEntry>()
  const keyOf = (user: User, id: Id.TaskId) => JSON.stringify([user ?? null, id])
  return {
    get: (user, id) => entries.get(keyOf(user, id)),
    findPending: (user, contextId) =>
      Array.from(entries.values()).findLast((entry) =>
        entry.user === user && entry.contextId === contextId && entry.pending.length > 0
      ),
    put: (entry) => {
      entries.set(keyOf(entry.user, entry.taskId), entry)
      if (entries.size <= limit) return
      for (const [key, old] of entries) if (isOver(old)) return void entries.delete(key)
    }
  }
}
