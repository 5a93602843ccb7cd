/**
 * Where tasks are kept: per task a log of its events, which only grows, and the snapshot that they add up to. Everything
 * is asked for on behalf of an owner; what belongs to another owner is not there.
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
 *   const [hers, his] = [yield* store.get("ada", id), yield* store.get("bob", id)]
 *   return [hers?.task.status.state, hers?.length, his]
 * })
 * await Effect.runPromise(program.pipe(Effect.provide(TaskStore.layerMemory()))) // => ["completed", 2, undefined]
 * ```
 *
 * @since 0.1.0
 */
import type * as Id from "@effect-a2a/core/Id"
import * as StreamEvent from "@effect-a2a/core/StreamEvent"
import type * as Task from "@effect-a2a/core/Task"
import * as TaskState from "@effect-a2a/core/TaskState"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { fold } from "./internal/fold.ts"

/** The caller a task belongs to; `undefined` where callers are not told apart. */
export type Owner = string | undefined

/** A snapshot, and how many events of the log are in it. */
export interface Stored {
  readonly task: Task.Task
  readonly length: number
}

/** A place in the order of {@link TaskStore} lists: newest status first, equal times by id. */
export interface Cursor {
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly id: Id.TaskId
}

/** Which tasks; `since` is inclusive, `after` is the last task of the page before. */
export interface Query {
  readonly owner: Owner
  readonly limit: number
  readonly contextId?: Id.ContextId
  readonly status?: TaskState.TaskState
  readonly since?: DateTime.Utc
  readonly after?: Cursor
}

/** `total` counts what matches before paging; `next` is there when more follow. */
export interface Page {
  readonly tasks: ReadonlyArray<Task.Task>
  readonly total: number
  readonly next?: Cursor
}

/**
 * `append` writes all events or none and tells the position of the first; a log begins with a task. A store that cannot
 * do its work dies: the server answers with an internal error.
 */
export class TaskStore extends Context.Service<TaskStore, {
  readonly append: (
    owner: Owner,
    id: Id.TaskId,
    events: ReadonlyArray<StreamEvent.StreamEvent>
  ) => Effect.Effect<number>
  readonly get: (owner: Owner, id: Id.TaskId) => Effect.Effect<Stored | undefined>
  readonly events: (owner: Owner, id: Id.TaskId) => Effect.Effect<ReadonlyArray<StreamEvent.StreamEvent> | undefined>
  readonly list: (query: Query) => Effect.Effect<Page>
}>()("@effect-a2a/server/TaskStore") {}

interface Entry {
  readonly owner: Owner
  readonly log: Array<StreamEvent.StreamEvent>
  task: Task.Task | undefined
  /** How much of the log is in `task`: it is brought up to date when somebody asks. */
  folded: number
}

const snapshot = (entry: Entry): Task.Task => {
  if (entry.folded < entry.log.length) {
    entry.task = fold(entry.task, entry.log.slice(entry.folded))
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
 * Tasks in this process. Of the finished ones the latest `maxFinished` are kept (default 1,000), of those that wait for
 * their caller's input the latest `maxWaiting` (default 1,000); the oldest go first. Tasks at work always stay.
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
        // the rest of a task that is no longer kept
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
        else if (state === "input-required") retain(waiting, id, options?.maxWaiting ?? 1000)
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
