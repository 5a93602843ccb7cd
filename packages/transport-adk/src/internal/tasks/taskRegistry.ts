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

/** A task and its run, if one is in progress. */
export interface TaskEntry {
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
export const makeEntry = (taskId: Id.TaskId, contextId: Id.ContextId): TaskEntry => {
  const progress = TaskProgress.make()
  const metadata: Record<string, Schema.Json> = {}
  return {
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

/** The tasks of a transport. */
export interface TaskRegistry {
  readonly get: (id: Id.TaskId) => TaskEntry | undefined
  /** Returns the latest task of a context that waits for an answer. */
  readonly findPending: (contextId: Id.ContextId) => TaskEntry | undefined
  readonly put: (entry: TaskEntry) => void
}

/** Creates a registry that keeps every unfinished task; finished ones are dropped, oldest first, beyond `limit`. */
export const make = (limit = 1_000): TaskRegistry => {
  const entries = new Map<Id.TaskId, TaskEntry>()
  return {
    get: (id) => entries.get(id),
    findPending: (contextId) =>
      Array.from(entries.values()).findLast((entry) => entry.contextId === contextId && entry.pending.length > 0),
    put: (entry) => {
      entries.set(entry.taskId, entry)
      if (entries.size <= limit) return
      for (const old of entries.values()) if (isOver(old)) return void entries.delete(old.taskId)
    }
  }
}
