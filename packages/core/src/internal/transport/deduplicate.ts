/** Remembers what was delivered of a stream, so that a resumed one emits no event twice. Tested in `test/resilience`. */
import type * as Schema from "effect/Schema"
import type { TaskId } from "../../Id.ts"
import * as Message from "../../Message.ts"
import type * as Part from "../../Part.ts"
import * as StreamEvent from "../../StreamEvent.ts"
import type { Task } from "../../Task.ts"
import * as TaskState from "../../TaskState.ts"

type Event = StreamEvent.StreamEvent

/** What was delivered so far. */
export interface Delivered {
  taskId: TaskId | undefined
  /** A hash of each event except tasks, in order. A replay has the same order. */
  readonly marks: Array<number>
  /** Artifacts with at least one chunk, and whether their last chunk was marked as such. */
  readonly artifacts: Map<string, boolean>
}

export const make = (taskId: TaskId | undefined): Delivered => ({ taskId, marks: [], artifacts: new Map() })

const mix = (hash: number, text: string): number => {
  let mixed = Math.imul(hash ^ text.length, 16777619)
  for (let at = 0; at < text.length; at++) mixed = Math.imul(mixed ^ text.charCodeAt(at), 16777619)
  return mixed
}

/** Mixes a JSON value, whatever the order of its members. */
const mixJson = (hash: number, json: Schema.Json): number => {
  if (Array.isArray(json)) return json.reduce<number>(mixJson, mix(hash, "["))
  if (typeof json !== "object" || json === null) return mix(hash, JSON.stringify(json))
  const members = Object.entries(json).sort(([a], [b]) => a < b ? -1 : 1)
  return members.reduce((mixed, [key, value]) => mixJson(mix(mixed, key), value), mix(hash, "{"))
}

const mixPart = (hash: number, part: Part.Part): number => {
  switch (part._tag) {
    case "Text":
      return mix(hash, part.text)
    case "Url":
      return mix(hash, part.url)
    case "Raw":
      return part.raw.reduce((mixed, byte) => Math.imul(mixed ^ byte, 16777619), mix(hash, String(part.raw.length)))
    case "Data":
      return mixJson(hash, part.data)
  }
}

const mixParts = (hash: number, parts: ReadonlyArray<Part.Part>): number => parts.reduce(mixPart, hash)

/** Returns a hash that identifies an event. */
const mark = (event: Exclude<Event, Task>): number => {
  switch (event._tag) {
    case "Message":
      return mixParts(mix(1, event.messageId), event.parts)
    case "ArtifactUpdate":
      return mixParts(mix(event.append === true ? 2 : 3, event.artifact.artifactId), event.artifact.parts)
    case "StatusUpdate": {
      const { message, state } = event.status
      return message === undefined ? mix(4, state) : mixParts(mix(mix(5, state), message.messageId), message.parts)
    }
  }
}

const isNamed = (event: Event): boolean => {
  const message = event._tag === "Message" ? event : event._tag === "StatusUpdate" ? event.status.message : undefined
  return message !== undefined && message.messageId !== Message.missingMessageId
}

/** True for a completed task without any content: some agents return the status alone, which is not an empty answer. */
export const isStatusOnly = ({ artifacts, history, status }: Task): boolean =>
  status.state === "completed" && artifacts === undefined && history === undefined && status.message === undefined

/** True if every artifact delivered had its last chunk. */
export const hasAllChunks = ({ artifacts }: Delivered): boolean =>
  artifacts.size > 0 && [...artifacts.values()].every((isClosed) => isClosed)

const record = (delivered: Delivered, event: Exclude<Event, Task>, mark: number): void => {
  delivered.taskId ??= StreamEvent.taskId(event)
  delivered.marks.push(mark)
  if (event._tag === "ArtifactUpdate") delivered.artifacts.set(event.artifact.artifactId, event.lastChunk === true)
}

/**
 * Makes the filter of one connection, which drops delivered events and records the others. After a task snapshot every
 * event is new. If the first events equal those delivered already, the peer is replaying: matching events are skipped
 * until they differ. Consecutive duplicates of a message are dropped.
 */
export const deduplicate = (delivered: Delivered) => {
  const known = delivered.marks.length
  let at = 0
  let isFirst = true
  let last: number | undefined

  const isRepeated = (event: Event, hash: number): boolean => {
    const previous = last
    last = hash
    if (isNamed(event) && hash === previous) return true
    if (at >= known) return isNamed(event) && hash === delivered.marks.at(-1)
    const found = delivered.marks.indexOf(hash, at)
    const isReplay = found === at || (found > at && (at > 0 || isNamed(event)))
    at = isReplay ? found + 1 : known
    return isReplay
  }

  const isFresh = (event: Event): boolean => {
    const wasFirst = isFirst
    isFirst = false
    if (event._tag === "Task") {
      // an earlier snapshot inside a replay
      if (!wasFirst && at < known && !TaskState.isSettled(event.status.state)) return false
      at = known
      delivered.taskId ??= event.id
      return true
    }
    const hash = mark(event)
    if (isRepeated(event, hash)) return false
    record(delivered, event, hash)
    return true
  }

  return (events: ReadonlyArray<Event>): ReadonlyArray<Event> => events.filter(isFresh)
}
