/**
 * Storage of tasks: per task an append-only log of events and the snapshot they result in. Every operation is on behalf
 * of an owner; tasks of other owners do not exist.
 *
 * ```ts
 * import { Id, StreamEvent } from "@effect-a2a/core"
 * import { TaskStore } from "@effect-a2a/server"
 * import { Effect } from "effect"
 *
 * const id = Id.TaskId.make("t-1")
 * const program = Effect.gen(function*() {
 *   const store = yield* TaskStore.TaskStore
 *   yield* store.append("ada", id, [{ _tag: "Task", id, status: { state: "submitted" } }])
 *   yield* store.append("ada", id, [StreamEvent.statusUpdate({ taskId: id, status: { state: "completed" } })])
 *   const [ofAda, ofBob] = [yield* store.get("ada", id), yield* store.get("bob", id)]
 *   return [ofAda?.task.status.state, ofAda?.length, ofBob]
 * })
 * await Effect.runPromise(program.pipe(Effect.provide(TaskStore.layerMemory()))) // => ["completed", 2, undefined]
 * ```
 *
 * @since 0.1.0
 */
import type * as Id from "@effect-a2a/core/Id"
import * as StreamEvent from "@effect-a2a/core/StreamEvent"
import type * as Task from "@effect-a2a/core/Task"
import * as TaskProgress from "@effect-a2a/core/TaskProgress"
import * as TaskState from "@effect-a2a/core/TaskState"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** The id of the caller that a task belongs to; `undefined` for anonymous callers. */
export type Owner = string | undefined

/** A snapshot, and the number of events in the log that led to it. */
export interface Stored {
  readonly task: Task.Task
  readonly length: number
}

/** A position in a list of tasks, which is sorted by the time of the status, newest first, then by id. */
export interface Cursor {
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly id: Id.TaskId
}

/** A page of an owner's tasks. */
export interface Query {
  readonly owner: Owner
  /** The most tasks of a page. */
  readonly limit: number
  readonly contextId?: Id.ContextId
  readonly status?: TaskState.TaskState
  /** Earliest time of the status, inclusive. */
  readonly since?: DateTime.Utc
  /** The last task of the previous page. */
  readonly after?: Cursor
}

/** `total` counts the tasks of all pages; `next` is present if another page follows. */
export interface Page {
  readonly tasks: ReadonlyArray<Task.Task>
  readonly total: number
  readonly next?: Cursor
}

/** The store. An operation that cannot be carried out dies; the server then reports an internal error. */
export class TaskStore extends Context.Service<TaskStore, {
  /** Writes all events or none, and returns the position of the first. A log begins with a task. */
  readonly append: (
    owner: Owner,
    id: Id.TaskId,
    events: ReadonlyArray<StreamEvent.StreamEvent>
  ) => Effect.Effect<number>
  /** Reads a task. */
  readonly get: (owner: Owner, id: Id.TaskId) => Effect.Effect<Stored | undefined>
  /** Reads the log of a task. */
  readonly events: (owner: Owner, id: Id.TaskId) => Effect.Effect<ReadonlyArray<StreamEvent.StreamEvent> | undefined>
  /** Reads a page of tasks. */
  readonly list: (query: Query) => Effect.Effect<Page>
}>()("@effect-a2a/server/TaskStore") {}

interface Entry {
  readonly owner: Owner
  readonly log: Array<StreamEvent.StreamEvent>
  task: Task.Task | undefined
  /** The number of events in `task`, which is updated when it is read. */
  folded: number
}

const snapshot = (entry: Entry): Task.Task => {
  if (entry.folded < entry.log.length) {
    entry.task = TaskProgress.applyAll(entry.task, entry.log.slice(entry.folded))
    entry.folded = entry.log.length
  }
  return entry.task as Task.Task
}

const cursor = (task: Task.Task): Cursor => ({
  at: task.status.timestamp === undefined ? 0 : DateTime.toEpochMillis(task.status.timestamp),
  id: task.id
})

const order = (a: Cursor, b: Cursor): number => b.at - a.at || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0)

/**
 * Keeps tasks in memory: the latest `maxFinished` terminal tasks (default 1,000), the latest `maxWaiting` that wait for
 * input (default 1,000), and all that are working.
 */
export const layerMemory = (
  options?: { readonly maxFinished?: number; readonly maxWaiting?: number }
): Layer.Layer<TaskStore> =>
  Layer.sync(TaskStore, () => {
    const entries = new Map<Id.TaskId, Entry>()
    const finished = new Set<Id.TaskId>()
    const waiting = new Set<Id.TaskId>()

    const retain = (group: Set<Id.TaskId>, id: Id.TaskId, max: number) => {
      group.add(id)
      for (const oldest of group) {
        if (group.size <= max) return
        group.delete(oldest)
        entries.delete(oldest)
      }
    }

    const own = (owner: Owner, id: Id.TaskId): Entry | undefined => {
      const entry = entries.get(id)
      return entry?.owner === owner ? entry : undefined
    }

    const add = (owner: Owner, id: Id.TaskId, events: ReadonlyArray<StreamEvent.StreamEvent>): number => {
      let entry = own(owner, id)
      if (entry === undefined) {
        // the task was evicted
        if (events[0]?._tag !== "Task") return 0
        entry = { owner, log: [], task: undefined, folded: 0 }
        entries.set(id, entry)
      }
      const from = entry.log.length
      for (const event of events) entry.log.push(event)
      const state = events.map(StreamEvent.state).findLast((state) => state !== undefined)
      if (state !== undefined) {
        waiting.delete(id)
        if (TaskState.isTerminal(state)) retain(finished, id, options?.maxFinished ?? 1000)
        else if (TaskState.endsStream(state)) retain(waiting, id, options?.maxWaiting ?? 1000)
      }
      return from
    }

    const matches = (query: Query) => (task: Task.Task): boolean =>
      (query.contextId === undefined || task.contextId === query.contextId) &&
      (query.status === undefined || task.status.state === query.status) &&
      (query.since === undefined || cursor(task).at >= DateTime.toEpochMillis(query.since))

    const page = (query: Query): Page => {
      const all = [...entries.values()].filter((entry) => entry.owner === query.owner).map(snapshot)
        .filter(matches(query)).sort((a, b) => order(cursor(a), cursor(b)))
      const { after } = query
      const rest = after === undefined ? all : all.filter((task) => order(cursor(task), after) > 0)
      const tasks = rest.slice(0, query.limit)
      const last = tasks.at(-1)
      return {
        tasks,
        total: all.length,
        ...(last !== undefined && tasks.length < rest.length ? { next: cursor(last) } : undefined)
      }
    }

    return {
      append: (owner, id, events) => Effect.sync(() => add(owner, id, events)),
      get: (owner, id) =>
        Effect.sync(() => {
          const entry = own(owner, id)
          return entry === undefined ? undefined : { task: snapshot(entry), length: entry.log.length }
        }),
      events: (owner, id) => Effect.sync(() => own(owner, id)?.log.slice()),
      list: (query) => Effect.sync(() => page(query))
    }
  })
