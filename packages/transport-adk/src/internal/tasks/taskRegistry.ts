/** What a transport knows of its tasks. An ADK server has none: it has sessions, and nothing ties an event to a task. */
import * as Answer from "@effect-a2a/core/Answer"
import type * as Id from "@effect-a2a/core/Id"
import type * as StreamEvent from "@effect-a2a/core/StreamEvent"
import type * as Task from "@effect-a2a/core/Task"
import * as TaskState from "@effect-a2a/core/TaskState"
import type * as Deferred from "effect/Deferred"
import type * as Schema from "effect/Schema"
import type * as Pending from "../mapping/pendingCalls.ts"

export interface Entry {
  readonly taskId: Id.TaskId
  readonly contextId: Id.ContextId
  readonly add: (events: ReadonlyArray<StreamEvent.StreamEvent>) => void
  /** As it stands; `undefined` before the first event. */
  readonly task: () => Task.Task | undefined
  pending: Pending.Calls
  /** Stops the run that is under way. */
  cancel: Deferred.Deferred<void> | undefined
}

export const entry = (taskId: Id.TaskId, contextId: Id.ContextId): Entry => {
  const collected = Answer.collector()
  const metadata: Record<string, Schema.Json> = {}
  return {
    taskId,
    contextId,
    add: (events) => {
      for (const event of events) {
        collected.add(event)
        // what is told of artifacts is kept with them
        if (event._tag === "StatusUpdate" || event._tag === "Task") Object.assign(metadata, event.metadata)
      }
    },
    task: () => {
      const task = collected.task()
      return task && { ...task, metadata: { ...metadata } }
    },
    pending: [],
    cancel: undefined
  }
}

const isOver = (one: Entry) =>
  one.cancel === undefined && TaskState.isTerminal(one.task()?.status.state ?? "unspecified")

/** Remembers all that goes on, and the latest `limit` of those that are over. */
export const make = (limit = 1_000) => {
  const entries = new Map<Id.TaskId, Entry>()
  return {
    get: (id: Id.TaskId): Entry | undefined => entries.get(id),
    /** The one of a context that waits for an answer. */
    waiting: (contextId: Id.ContextId): Entry | undefined =>
      Array.from(entries.values()).findLast((one) => one.contextId === contextId && one.pending.length > 0),
    put: (one: Entry): void => {
      entries.set(one.taskId, one)
      if (entries.size <= limit) return
      for (const old of entries.values()) if (isOver(old)) return void entries.delete(old.taskId)
    }
  }
}
