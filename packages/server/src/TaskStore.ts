/**
 * Storage of tasks: per task an append-only log of events, and the snapshot they result in. Every operation is on behalf of
 * an owner; tasks of other owners do not exist. Who appends says how long the log is that it knows, so that of two writers
 * in any two processes one fails.
 *
 * ```ts
 * import { Id, StreamEvent } from "@effect-a2a/core"
 * import { TaskStore } from "@effect-a2a/server"
 * import { Effect } from "effect"
 *
 * const id = Id.TaskId.make("t-1")
 * const ada = { caller: "ada" }
 * const program = Effect.gen(function*() {
 *   const store = yield* TaskStore.TaskStore
 *   yield* store.append(ada, id, { expected: 0, events: [{ _tag: "Task", id, status: { state: "submitted" } }] })
 *   const done = StreamEvent.statusUpdate({ taskId: id, status: { state: "completed" } })
 *   yield* store.append(ada, id, { expected: 1, events: [done] })
 *   const late = yield* Effect.flip(store.append(ada, id, { expected: 1, events: [done] }))
 *   const [ofAda, ofBob] = [yield* store.get(ada, id), yield* store.get({ caller: "bob" }, id)]
 *   return [ofAda?.task.status.state, ofAda?.length, ofBob, late._tag]
 * })
 * await Effect.runPromise(program.pipe(Effect.provide(TaskStore.layerMemory())))
 * // => ["completed", 2, undefined, "VersionConflict"]
 * ```
 *
 * @since 0.1.0
 */
import { type AgentErrorReason, reason } from "@effect-a2a/core/AgentError"
import type * as Id from "@effect-a2a/core/Id"
import type * as Message from "@effect-a2a/core/Message"
import * as StreamEvent from "@effect-a2a/core/StreamEvent"
import type * as Task from "@effect-a2a/core/Task"
import * as TaskProgress from "@effect-a2a/core/TaskProgress"
import * as TaskState from "@effect-a2a/core/TaskState"
import type * as Arr from "effect/Array"
import type * as ByteSize from "effect/ByteSize"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Ledger from "./internal/ledger.ts"
import * as MemoryLog from "./internal/memoryLog.ts"
import * as MemoryTranscripts from "./internal/memoryTranscripts.ts"
import * as Size from "./internal/size.ts"
import * as Owner from "./Owner.ts"

/** A snapshot, and the number of events in the log that led to it. */
export interface Stored {
  readonly task: Task.Task
  readonly length: number
}

/** Events to append behind a log of `expected` events; `0` creates the log, whose first event is a task. */
export interface Write {
  readonly expected: number
  readonly events: Arr.NonEmptyReadonlyArray<StreamEvent.StreamEvent>
}

/** Events of a log; `from` is the position of the first. A store may drop old events: then `from` is not what was asked. */
export interface Slice {
  readonly from: number
  readonly events: ReadonlyArray<StreamEvent.StreamEvent>
}

/** The log of the task has another length than its writer expected, or the task is not in the store any more. */
export class VersionConflict extends Data.TaggedError("VersionConflict")<{
  /** The length of the log; 0 if the store has no such log. */
  readonly length: number
}> {}

/** A position in a list of tasks, which is sorted by the time of the status, newest first, then by id. */
export interface Cursor {
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly id: Id.TaskId
}

/** A page of an owner's tasks. */
export interface Query {
  readonly owner: Owner.Owner
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
  /** True if tasks outlive the process: a server that shuts down leaves those at work as they are. */
  readonly isDurable: boolean
  /**
   * Writes all events or none, and returns the length of the log. Fails with `VersionConflict` unless the log is as long
   * as expected, and with a reason if there is no room; an event that ends a turn is always written.
   */
  readonly append: (
    owner: Owner.Owner,
    id: Id.TaskId,
    write: Write
  ) => Effect.Effect<number, AgentErrorReason | VersionConflict>
  /** Reads a task. */
  readonly get: (owner: Owner.Owner, id: Id.TaskId) => Effect.Effect<Stored | undefined>
  /** Reads the events at and behind a position, or those of them that the store has kept. */
  readonly read: (owner: Owner.Owner, id: Id.TaskId, from: number) => Effect.Effect<Slice | undefined>
  /** Reads a page of tasks. */
  readonly list: (query: Query) => Effect.Effect<Page>
  /** Adds what was said in a turn to the transcript of a context. */
  readonly addWords: (
    owner: Owner.Owner,
    contextId: Id.ContextId,
    words: ReadonlyArray<Message.Message>
  ) => Effect.Effect<void>
  /** Reads the transcript of a context, oldest message first; empty for an unknown context. A store may drop the oldest. */
  readonly words: (owner: Owner.Owner, contextId: Id.ContextId) => Effect.Effect<ReadonlyArray<Message.Message>>
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
  /** Contexts whose transcripts are kept, up to 256 KiB and 200 messages each. Default: 1,000. */
  readonly maxContexts?: number | undefined
  /** The age of tasks that are not at work, since their last event. Default: 1 day. */
  readonly maxAge?: Duration.Input | undefined
  /** The size of one task with its history, artifacts and log. Default: 32 MiB. */
  readonly maxTaskSize?: ByteSize.Input | undefined
  /** The size of the tasks of one owner. Default: 48 MiB. */
  readonly maxOwnerSize?: ByteSize.Input | undefined
  /** The size of all tasks. Default: 64 MiB. */
  readonly maxSize?: ByteSize.Input | undefined
  /**
   * The size of the latest events of one task, which subscribers read and continue from. Default: 4 MiB. `"all"` keeps
   * all events, as `replay: "events"` of `AgentServer` needs; otherwise the logs of the latest 100 terminal tasks are kept.
   */
  readonly maxLogSize?: ByteSize.Input | "all" | undefined
}

interface Entry extends Ledger.Item {
  readonly _tag: "Task"
  readonly id: Id.TaskId
  readonly log: MemoryLog.MemoryLog
  /** The events that are not in `task` yet. */
  pending: Array<StreamEvent.StreamEvent>
  task: Task.Task | undefined
  length: number
  /** Bytes of `task` and `pending`. */
  taskSize: number
}

/** Terminal tasks whose logs are kept. */
const maxEnded = 100

/** Between two looks for old tasks. */
const sweepInterval = 60_000

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
  const owner = Owner.toKey(query.owner)
  const all = Array.from(entries).filter((entry) => entry.owner === owner).map(snapshot)
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

/** Returns the bytes that events add to a task; a snapshot replaces what the task had. */
const growthOf = ({ taskSize }: Entry, events: ReadonlyArray<StreamEvent.StreamEvent>): number =>
  events.reduce((sum, event) => Size.sizeOfEvent(event) + (event._tag === "Task" ? -taskSize : sum), 0)

/** True for the state that ends a turn, which is written although there is no room: it frees some. */
const isEnd = ([event, ...others]: ReadonlyArray<StreamEvent.StreamEvent>): boolean =>
  others.length === 0 && event?._tag === "StatusUpdate" && TaskState.endsStream(event.status.state)

/** A store in memory. */
interface Memory {
  readonly entries: Map<Id.TaskId, Entry>
  readonly transcripts: MemoryTranscripts.Transcripts
  readonly ledger: Ledger.Ledger<Entry | MemoryTranscripts.Transcript>
  /** Terminal tasks whose logs are kept, for followers that still read them. */
  readonly ended: Set<Entry>
  /** Bytes of one task, and of its log. */
  readonly maxTask: number
  readonly maxLog: number
}

const toMemory = (options: MemoryOptions): Memory => {
  const { maxContexts = 1000, maxFinished = 1000, maxLogSize, maxWaiting = 1000 } = options
  const entries: Memory["entries"] = new Map()
  const transcripts = MemoryTranscripts.make()
  const ended: Memory["ended"] = new Set()
  const ledger = Ledger.make<Entry | MemoryTranscripts.Transcript>({
    counts: { transcript: maxContexts, finished: maxFinished, waiting: maxWaiting },
    owner: Size.toBytes(options.maxOwnerSize, 48),
    all: Size.toBytes(options.maxSize, 64)
  }, {
    onForget: (item) => {
      if (item._tag === "Transcript") return transcripts.delete(item.key)
      ended.delete(item)
      return entries.delete(item.id)
    },
    shrink: (item) => item._tag === "Task" ? MemoryLog.clear(item.log) : 0
  })
  return {
    entries,
    transcripts,
    ledger,
    ended,
    maxTask: Size.toBytes(options.maxTaskSize, 32),
    maxLog: maxLogSize === "all" ? Infinity : Size.toBytes(maxLogSize, 4)
  }
}

const find = ({ entries }: Memory, owner: Owner.Owner, id: Id.TaskId): Entry | undefined => {
  const entry = entries.get(id)
  return entry?.owner === Owner.toKey(owner) ? entry : undefined
}

/** Returns why events are refused that add bytes to the task. */
const refuse = (
  { ledger, maxTask }: Memory,
  entry: Entry,
  events: ReadonlyArray<StreamEvent.StreamEvent>,
  bytes: number
): AgentErrorReason | undefined =>
  isEnd(events)
    ? undefined
    : entry.taskSize + bytes <= maxTask
    ? ledger.makeRoom(entry, bytes + Size.sizeOfAll(events))
    : reason(entry.length === 0 ? "InvalidParamsError" : "InvalidAgentResponseError", {
      message: `the task takes more than ${maxTask} bytes`
    })

/** Drops the log of the task that ended before the latest hundred did. */
const dropLog = ({ ended, ledger, maxLog }: Memory, entry: Entry): void => {
  if (maxLog === Infinity) return
  ended.add(entry)
  const [oldest] = ended.size > maxEnded ? ended : []
  if (oldest === undefined) return
  ended.delete(oldest)
  ledger.grow(oldest, -MemoryLog.clear(oldest.log))
}

const write = (
  memory: Memory,
  entry: Entry,
  events: ReadonlyArray<StreamEvent.StreamEvent>,
  bytes: number
): void => {
  const { ledger, maxLog } = memory
  const before = entry.taskSize + entry.log.size
  MemoryLog.addAll(entry.log, events, maxLog)
  for (const event of events) entry.pending.push(event)
  entry.length += events.length
  entry.taskSize += bytes
  // folding takes time in proportion to the task
  if (entry.pending.length > 64 + entry.length / 4) entry.taskSize = Size.sizeOf(snapshot(entry))
  ledger.grow(entry, entry.taskSize + entry.log.size - before)
  const state = events.map(StreamEvent.state).findLast((state) => state !== undefined)
  if (state === undefined) return
  ledger.leave("waiting", entry)
  if (TaskState.isTerminal(state)) {
    dropLog(memory, entry)
    ledger.enter("finished", entry)
  } else if (TaskState.isInterrupted(state)) ledger.enter("waiting", entry)
}

const append = (
  memory: Memory,
  owner: Owner.Owner,
  id: Id.TaskId,
  { events, expected }: Write,
  at: number
): Effect.Effect<number, AgentErrorReason | VersionConflict> => {
  const known = find(memory, owner, id)
  const length = known?.length ?? 0
  if (length !== expected || (known === undefined && (memory.entries.has(id) || events[0]._tag !== "Task"))) {
    return Effect.fail(new VersionConflict({ length }))
  }
  const entry = known ?? {
    _tag: "Task",
    owner: Owner.toKey(owner),
    id,
    log: MemoryLog.make(),
    pending: [],
    task: undefined,
    length,
    taskSize: 0,
    size: 0,
    at
  }
  const bytes = growthOf(entry, events)
  const refusal = refuse(memory, entry, events, bytes)
  if (refusal !== undefined) return Effect.fail(refusal)
  memory.entries.set(id, entry)
  entry.at = at
  write(memory, entry, events, bytes)
  return Effect.succeed(entry.length)
}

const makeMemory = Effect.fnUntraced(function*(
  options: MemoryOptions
): Effect.fn.Return<TaskStore["Service"]> {
  const clock = yield* Clock.Clock
  const memory = toMemory(options)
  const maxAge = Duration.toMillis(options.maxAge ?? "1 day")
  let swept = clock.currentTimeMillisUnsafe()

  /** Returns the time, and forgets what is too old now and then. */
  const tick = (): number => {
    const now = clock.currentTimeMillisUnsafe()
    if (now - swept >= sweepInterval) {
      swept = now
      memory.ledger.forgetBefore(now - maxAge)
    }
    return now
  }

  return {
    isDurable: false,
    append: (owner, id, write) => Effect.suspend(() => append(memory, owner, id, write, tick())),
    get: (owner, id) =>
      Effect.sync(() => {
        const entry = find(memory, owner, id)
        return entry === undefined ? undefined : { task: snapshot(entry), length: entry.length }
      }),
    read: (owner, id, from) =>
      Effect.sync(() => {
        const entry = find(memory, owner, id)
        return entry === undefined ? undefined : MemoryLog.read(entry.log, from)
      }),
    list: (query) => Effect.sync(() => pageOf(memory.entries.values(), query)),
    addWords: (owner, contextId, words) =>
      Effect.sync(() => MemoryTranscripts.add(memory.transcripts, memory.ledger, owner, contextId, words, tick())),
    words: (owner, contextId) => Effect.sync(() => MemoryTranscripts.read(memory.transcripts, owner, contextId))
  }
})

/**
 * Keeps tasks in memory. Beyond a limit the oldest task is forgotten that is not at work: of the owner whose size is
 * beyond its limit, otherwise of the owner that has the most; the logs of such tasks are dropped first, that of
 * the task itself last. If that does not make room, a new task or a message to one is refused with `RateLimitError` (an owner's limit) or
 * `ServiceUnavailableError`, and a turn fails whose task grows.
 */
export const layerMemory = (options: MemoryOptions = {}): Layer.Layer<TaskStore> =>
  Layer.effect(TaskStore, makeMemory(options))
