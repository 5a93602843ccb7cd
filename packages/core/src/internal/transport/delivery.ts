/**
 * Delivers the events of a stream over several connections, none lost and none twice. On one connection every event is
 * delivered as it arrives. After a drop the new connection is one of four kinds, known by how it begins: a
 * *continuation* behind the last event id, a *snapshot* of the task, a *replay* from the first event, or a *tail* of new
 * events. Tested in `packages/core/test/delivery.test.ts`.
 */
import * as Struct from "effect/Struct"
import type { TaskId } from "../../Id.ts"
import * as StreamEvent from "../../StreamEvent.ts"
import type { Task } from "../../Task.ts"
import * as TaskState from "../../TaskState.ts"
import type { Transport } from "../../Transport.ts"
import * as Hash from "../turn/eventHash.ts"
import { isForeign } from "../turn/foreign.ts"
import type { Cursor } from "./lastEventId.ts"
import * as Sources from "./sources.ts"

type Event = StreamEvent.StreamEvent
type Update = Exclude<Event, Task>

// events whose order is remembered one by one; all later ones are one running hash
const maxPositions = 65_536

/** What was delivered so far. */
export interface Delivered {
  taskId: TaskId | undefined
  /** The number of events delivered, without tasks and events of other tasks. */
  count: number
  readonly positions: Array<number>
  /** The hash of all events behind the last position. */
  tail: number
  /** The hash of the first task that was delivered. */
  firstTask: number | undefined
  /** The hash of the status of that task if it waits: the message that is answered by the stream. */
  question: number | undefined
  readonly states: Set<TaskState.TaskState>
  readonly sources: Sources.Sources
  /** Artifacts with at least one chunk, and whether their last chunk was marked as such. */
  readonly artifacts: Map<string, boolean>
}

export const make = (taskId: TaskId | undefined): Delivered => ({
  taskId,
  count: 0,
  positions: [],
  tail: Hash.seed,
  firstTask: undefined,
  question: undefined,
  states: new Set(),
  sources: new Map(),
  artifacts: new Map()
})

/** True if a task has an answer, or anything else beside its state. */
export const hasContent = ({ artifacts, history, status }: Task): boolean =>
  artifacts !== undefined || history !== undefined || status.message !== undefined

/** True for a completed task whose answer is not known, since the agent's `GetTask` leaves it out. */
export const lacksAnswer = ({ traits }: Pick<Transport, "traits">, task: Task): boolean =>
  traits?.getReturnsAnswer === false && task.status.state === "completed" && !hasContent(task)

/** True if a completed task leaves out an answer of which nothing, or only a part, was delivered. */
export const isIncomplete = ({ artifacts }: Delivered, transport: Pick<Transport, "traits">, task: Task): boolean =>
  artifacts.size === 0
    ? lacksAnswer(transport, task)
    : task.status.state === "completed" && !hasContent(task) && ![...artifacts.values()].every((isClosed) => isClosed)

/** The hash of the update that reported the status of a task. */
const hashStatus = ({ id, status }: Task): number => Hash.hashEvent(StreamEvent.statusUpdate({ taskId: id, status }))

const recordTask = (self: Delivered, task: Task): void => {
  if (isForeign(self, task)) return
  self.taskId ??= task.id
  if (self.firstTask === undefined) {
    self.firstTask = Hash.hashEvent(task)
    const isLeading = self.count === 0 && TaskState.isInterrupted(task.status.state)
    if (isLeading) self.question = hashStatus(task)
  }
  self.states.add(task.status.state)
  for (const piece of Sources.piecesOf(task)) Sources.addSnapshot(self.sources, piece)
}

const record = (self: Delivered, event: Update, hash: number): void => {
  self.taskId ??= StreamEvent.taskId(event)
  self.count += 1
  if (self.positions.length < maxPositions) self.positions.push(hash)
  else self.tail = Hash.mixNumber(self.tail, hash)
  const state = StreamEvent.state(event)
  if (state !== undefined) self.states.add(state)
  const piece = Sources.pieceOf(event)
  if (piece !== undefined) Sources.add(self.sources, piece)
  if (event._tag === "ArtifactUpdate") self.artifacts.set(event.artifact.artifactId, event.lastChunk === true)
}

const withParts = (event: Update, parts: Sources.Piece["parts"]): Update => {
  switch (event._tag) {
    case "ArtifactUpdate":
      return { ...event, append: true, artifact: { ...event.artifact, parts } }
    case "StatusUpdate":
      return event.status.message === undefined || parts.length === 0
        ? { ...event, status: Struct.omit(event.status, ["message"]) }
        : { ...event, status: { ...event.status, message: { ...event.status.message, parts } } }
    case "Message":
      return { ...event, parts }
  }
}

/** Delivers a connection: returns the events that are new, in order. */
export type Connection = (events: ReadonlyArray<Event>) => ReadonlyArray<Event>

/** The connection of the first request, of which every event is new. */
export const makeFirst = (self: Delivered): Connection => (events) => {
  for (const event of events) deliver(self, event)
  return events
}

const deliver = (self: Delivered, event: Event): Event => {
  if (event._tag === "Task") recordTask(self, event)
  else if (!isForeign(self, event)) record(self, event, Hash.hashEvent(event))
  return event
}

/** The position of a replay: how many events it has repeated, and their content by source. */
interface Replay {
  at: number
  tail: number
  /** The hash of all events behind the last position, as they were delivered. */
  readonly expected: number
  /** The replay differs from what was delivered. */
  hasDeparted: boolean
  readonly count: number
  readonly sources: Sources.Sources
}

const makeReplay = ({ count, tail }: Delivered): Replay => ({
  at: 0,
  tail: Hash.seed,
  expected: tail,
  hasDeparted: false,
  count,
  sources: new Map()
})

/** Returns what an event reports beyond everything that was delivered; the replay has other pieces. */
const catchUp = (self: Delivered, replay: Replay, event: Update): Update | undefined => {
  const piece = Sources.pieceOf(event)
  const parts = piece && Sources.beyond(self.sources, replay.sources, piece)
  const state = StreamEvent.state(event)
  const hasParts = parts !== undefined && parts.length > 0
  if (!hasParts && (state === undefined || self.states.has(state))) return undefined
  return parts === undefined || parts.every((part, index) => part === piece?.parts[index])
    ? event
    : withParts(event, parts)
}

/** True if a snapshot has more of an artifact than was delivered. */
const isNews = ({ sources }: Delivered, replay: Replay, task: Task): boolean =>
  Sources.piecesOf(task).reduce((isNews, piece) => Sources.isBeyond(sources, replay.sources, piece) || isNews, false)

/** Takes the next position of a replay; returns false if it differs from what was delivered there. */
const isRepeated = ({ positions }: Delivered, replay: Replay, hash: number): boolean => {
  const { at, count, expected } = replay
  // events behind the last position are known by the hash of them all, when the last of them has come
  if (at >= maxPositions) replay.tail = Hash.mixNumber(replay.tail, hash)
  const isSame = at < maxPositions ? positions[at] === hash : at + 1 < count || replay.tail === expected
  if (isSame) replay.at += 1
  return isSame
}

/** Returns an event of a replay, or what is new of it. */
const acceptReplayed = (self: Delivered, replay: Replay, event: Update): Update | undefined => {
  const hash = Hash.hashEvent(event)
  if (!replay.hasDeparted && replay.at < replay.count) {
    if (isRepeated(self, replay, hash)) {
      const piece = Sources.pieceOf(event)
      if (piece !== undefined) Sources.add(replay.sources, piece)
      return undefined
    }
    replay.hasDeparted = true
  }
  if (!replay.hasDeparted) return event
  return catchUp(self, replay, event)
}

/**
 * The connection of a subscription after a drop. A replay of the whole task begins before a stream that continued the task:
 * it is skipped up to the question that the stream began with. `isWhole`: the agent always replays the whole task.
 */
export const makeResumed = (self: Delivered, cursor: Cursor, isWhole = false): Connection => {
  let replay: Replay | undefined
  let isFirst = true
  let isPast = false

  /** Decides what the connection is; returns false if its first event is not to be delivered. */
  const begin = (event: Event): boolean => {
    if (cursor.isContinued) return true
    if (event._tag === "Task") {
      if (self.count === 0 || Hash.hashEvent(event) !== self.firstTask) return true
    } else {
      const hash = Hash.hashEvent(event)
      isPast = self.question !== undefined && (isWhole || self.question === hash)
      if (isPast) return skipPast(event)
      if (self.count === 0 || self.positions[0] !== hash) return true
    }
    replay = makeReplay(self)
    if (event._tag !== "Task") return true
    for (const piece of Sources.piecesOf(event)) Sources.addSnapshot(replay.sources, piece)
    return false
  }

  /** Skips an event of the past; returns true for one that is not: a snapshot, or the end of the task. */
  const skipPast = (event: Event): boolean => {
    isPast = event._tag !== "Task" && !TaskState.isTerminal(StreamEvent.state(event) ?? "unspecified")
    if (!isPast || self.question !== Hash.hashEvent(event)) return !isPast
    isPast = false
    replay = makeReplay(self)
    return false
  }

  const accept = (event: Event): Event | undefined => {
    if (isForeign(self, event)) {
      return replay !== undefined && !replay.hasDeparted && replay.at < replay.count ? undefined : event
    }
    if (isFirst) {
      isFirst = false
      if (!begin(event)) return undefined
    } else if (isPast && !skipPast(event)) return undefined
    if (replay === undefined) return deliver(self, event)
    if (event._tag === "Task") {
      // an earlier snapshot inside a replay, unless it has more than was delivered
      const isCurrent = isNews(self, replay, event)
      if (replay.at < replay.count && !TaskState.endsStream(event.status.state) && !isCurrent) return undefined
      replay = undefined
      return deliver(self, event)
    }
    const rest = acceptReplayed(self, replay, event)
    return rest && deliver(self, rest)
  }

  return (events) => {
    const accepted: Array<Event> = []
    for (const event of events) {
      const one = accept(event)
      if (one !== undefined) accepted.push(one)
    }
    return accepted
  }
}
