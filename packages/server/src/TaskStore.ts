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
import { type AgentErrorReason, reason } from "@effect-a2a/core/AgentError"
import type * as Id from "@effect-a2a/core/Id"
import * as StreamEvent from "@effect-a2a/core/StreamEvent"
import type * as Task from "@effect-a2a/core/Task"
import * as TaskProgress from "@effect-a2a/core/TaskProgress"
import * as TaskState from "@effect-a2a/core/TaskState"
import type * as ByteSize from "effect/ByteSize"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Ledger from "./internal/ledger.ts"
import * as Size from "./internal/size.ts"

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
  /**
   * Writes all events or none, and returns the position of the first. A log begins with a task. Fails if there is no room
   * for them; an event that ends a turn is always written.
   */
  readonly append: (
    owner: Owner,
    id: Id.TaskId,
    events: ReadonlyArray<StreamEvent.StreamEvent>
  ) => Effect.Effect<number, AgentErrorReason>
  /** Reads a task. */
  readonly get: (owner: Owner, id: Id.TaskId) => Effect.Effect<Stored | undefined>
  /** Reads the log of a task; empty if the store keeps none. */
  readonly events: (owner: Owner, id: Id.TaskId) => Effect.Effect<ReadonlyArray<StreamEvent.StreamEvent> | undefined>
  /** Reads a page of tasks. */
  readonly list: (query: Query) => Effect.Effect<Page>
}>()("@effect-a2a/server/TaskStore") {}

/** Returns the position of a task in a list. */
export const cursor = (task: Task.Task): Cursor => ({
  at: task.status.timestamp === undefined ? 0 : DateTime.toEpochMillis(task.status.timestamp),
  id: task.id
})

/** Limits of a store in memory. Sizes count texts, bytes and some 50 bytes for each object. */
export interface MemoryOptions {
  /** Terminal tasks. Default: 1,000. */
  readonly maxFinished?: number | undefined
  /** Tasks that wait for input. Default: 1,000. */
  readonly maxWaiting?: number | undefined
  /** The size of one task with its history, artifacts and log. Default: 32 MiB. */
  readonly maxTaskSize?: ByteSize.Input | undefined
  /** The size of the tasks of one owner. Default: 48 MiB. */
  readonly maxOwnerSize?: ByteSize.Input | undefined
  /** The size of all tasks. Default: 64 MiB. */
  readonly maxSize?: ByteSize.Input | undefined
  /** Keeps the events of tasks, which only `replay: "events"` of `AgentServer` reads. Default: true. */
  readonly keepsEvents?: boolean | undefined
}

interface Entry extends Ledger.Item {
  readonly owner: Owner
  readonly id: Id.TaskId
  /** The events, if they are kept. */
  readonly log: Array<StreamEvent.StreamEvent>
  /** The events that are not in `task` yet. */
  pending: Array<StreamEvent.StreamEvent>
  task: Task.Task | undefined
  length: number
}

const snapshot = (entry: Entry): Task.Task => {
  if (entry.pending.length > 0) {
    entry.task = TaskProgress.applyAll(entry.task, entry.pending)
    entry.pending = []
  }
  return entry.task as Task.Task
}

const order = (a: Cursor, b: Cursor): number => b.at - a.at || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0)

const matches = (query: Query) => (task: Task.Task): boolean =>
  (query.contextId === undefined || task.contextId === query.contextId) &&
  (query.status === undefined || task.status.state === query.status) &&
  (query.since === undefined || cursor(task).at >= DateTime.toEpochMillis(query.since))

const pageOf = (entries: Iterable<Entry>, query: Query): Page => {
  const all = Array.from(entries).filter((entry) => entry.owner === query.owner).map(snapshot)
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

/** Returns the bytes that events add to an entry; a snapshot replaces what the task had. */
const growth = ({ size }: Entry, events: ReadonlyArray<StreamEvent.StreamEvent>): number =>
  events.reduce((sum, event) => Size.sizeOfEvent(event) + (event._tag === "Task" ? -size : sum), 0)

/** True for the state that ends a turn, which is written although there is no room: it frees some. */
const isEnd = ([event, ...others]: ReadonlyArray<StreamEvent.StreamEvent>): boolean =>
  others.length === 0 && event?._tag === "StatusUpdate" && TaskState.endsStream(event.status.state)

const makeMemory = (options: MemoryOptions): TaskStore["Service"] => {
  const { keepsEvents = true, maxFinished = 1000, maxWaiting = 1000 } = options
  const maxTask = Size.toBytes(options.maxTaskSize, 32)
  const entries = new Map<Id.TaskId, Entry>()
  const ledger = Ledger.make<Entry>({
    counts: { finished: maxFinished, waiting: maxWaiting },
    owner: Size.toBytes(options.maxOwnerSize, 48),
    all: Size.toBytes(options.maxSize, 64)
  }, ({ id }) => entries.delete(id))

  const own = (owner: Owner, id: Id.TaskId): Entry | undefined => {
    const entry = entries.get(id)
    return entry?.owner === owner ? entry : undefined
  }

  const refuse = (entry: Entry, bytes: number): AgentErrorReason | undefined =>
    entry.size + bytes <= maxTask
      ? ledger.makeRoom(entry, bytes)
      : reason(entry.length === 0 ? "InvalidParamsError" : "InvalidAgentResponseError", {
        message: `the task takes more than ${maxTask} bytes`
      })

  const write = (entry: Entry, events: ReadonlyArray<StreamEvent.StreamEvent>) => {
    for (const event of events) {
      if (keepsEvents) entry.log.push(event)
      entry.pending.push(event)
    }
    entry.length += events.length
    // folding takes time in proportion to the task
    if (keepsEvents || entry.pending.length <= 64 + entry.length / 4) return
    ledger.grow(entry, Size.sizeOf(snapshot(entry)) - entry.size)
  }

  const append = (owner: Owner, id: Id.TaskId, events: ReadonlyArray<StreamEvent.StreamEvent>) => {
    const known = own(owner, id)
    // the task was forgotten, or is another owner's
    if (known === undefined && events[0]?._tag !== "Task") return Effect.succeed(0)
    const entry = known ?? { owner, id, log: [], pending: [], task: undefined, length: 0, size: 0 }
    const bytes = growth(entry, events)
    const refusal = isEnd(events) ? undefined : refuse(entry, bytes)
    if (refusal !== undefined) return Effect.fail(refusal)
    const from = entry.length
    entries.set(id, entry)
    ledger.grow(entry, bytes)
    write(entry, events)
    const state = events.map(StreamEvent.state).findLast((state) => state !== undefined)
    if (state !== undefined) {
      ledger.leave("waiting", entry)
      if (TaskState.isTerminal(state)) ledger.enter("finished", entry)
      else if (TaskState.endsStream(state)) ledger.enter("waiting", entry)
    }
    return Effect.succeed(from)
  }

  return {
    append: (owner, id, events) =>
      Effect.suspend((): Effect.Effect<number, AgentErrorReason> => append(owner, id, events)),
    get: (owner, id) =>
      Effect.sync(() => {
        const entry = own(owner, id)
        return entry === undefined ? undefined : { task: snapshot(entry), length: entry.length }
      }),
    events: (owner, id) => Effect.sync(() => own(owner, id)?.log.slice()),
    list: (query) => Effect.sync(() => pageOf(entries.values(), query))
  }
}

/**
 * Keeps tasks in memory. Beyond a limit the oldest task is forgotten that is not at work: of the owner whose size is
 * beyond its limit, otherwise of the owner that has the most. If that does not make room, a new task or a message to one
 * is refused with `RateLimitError` (an owner's limit) or `ServiceUnavailableError`, and a turn fails whose task grows.
 */
export const layerMemory = (options: MemoryOptions = {}): Layer.Layer<TaskStore> =>
  Layer.sync(TaskStore, () => makeMemory(options))
