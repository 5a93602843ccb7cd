/** What a caller has been told of a stream, so that nothing is told twice when the stream is taken up again. */
import type { TaskId } from "../../Id.ts"
import * as Message from "../../Message.ts"
import type * as Part from "../../Part.ts"
import * as StreamEvent from "../../StreamEvent.ts"
import type { Task } from "../../Task.ts"
import * as TaskState from "../../TaskState.ts"

type Event = StreamEvent.StreamEvent

export interface Told {
  taskId: TaskId | undefined
  /** A number for each event that is no task, in order: a replay goes the same way. */
  readonly marks: Array<number>
  /** Artifacts that were begun, and whether they were said to be whole. */
  readonly artifacts: Map<string, boolean>
}

export const make = (taskId: TaskId | undefined): Told => ({ taskId, marks: [], artifacts: new Map() })

const mix = (hash: number, text: string): number => {
  let mixed = Math.imul(hash ^ text.length, 16777619)
  for (let at = 0; at < text.length; at++) mixed = Math.imul(mixed ^ text.charCodeAt(at), 16777619)
  return mixed
}

const contentOf = (part: Part.Part): string => {
  switch (part._tag) {
    case "Text":
      return part.text
    case "Url":
      return part.url
    case "Raw":
      return String(part.raw.length)
    case "Data":
      return typeof part.data === "object" && part.data !== null ? Object.keys(part.data).join() : String(part.data)
  }
}

const mixParts = (hash: number, parts: ReadonlyArray<Part.Part>): number =>
  parts.reduce((mixed, part) => mix(mixed, contentOf(part)), hash)

/** Enough to know an event again. */
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
  return message !== undefined && message.messageId !== Message.unidentified
}

/** A completed task read where only states are told (ML-27): not the same as an empty answer. */
export const isUntold = ({ artifacts, history, status }: Task): boolean =>
  status.state === "completed" && artifacts === undefined && history === undefined && status.message === undefined

/** Whether all that the caller has of the answer was said to be whole. */
export const isWhole = ({ artifacts }: Told): boolean =>
  artifacts.size > 0 && [...artifacts.values()].every((isClosed) => isClosed)

const tell = (told: Told, event: Exclude<Event, Task>, mark: number): void => {
  told.taskId ??= StreamEvent.taskId(event)
  told.marks.push(mark)
  if (event._tag === "ArtifactUpdate") told.artifacts.set(event.artifact.artifactId, event.lastChunk === true)
}

/**
 * Reads one connection: leaves out what was told already, and notes the rest. A connection that begins with a task tells
 * only what is new behind it; one that begins as the first did is a replay, up to where it leaves off or departs. The
 * same message twice in a row is one.
 */
export const reader = (told: Told) => {
  const known = told.marks.length
  let at = 0
  let isFirst = true
  let last: number | undefined

  const isRepeated = (event: Event, hash: number): boolean => {
    const previous = last
    last = hash
    if (isNamed(event) && hash === previous) return true
    if (at >= known) return isNamed(event) && hash === told.marks.at(-1)
    const found = told.marks.indexOf(hash, at)
    const isReplay = found === at || (found > at && (at > 0 || isNamed(event)))
    at = isReplay ? found + 1 : known
    return isReplay
  }

  const isFresh = (event: Event): boolean => {
    const wasFirst = isFirst
    isFirst = false
    if (event._tag === "Task") {
      // within a replay, a task as it once was
      if (!wasFirst && at < known && !TaskState.isSettled(event.status.state)) return false
      at = known
      told.taskId ??= event.id
      return true
    }
    const hash = mark(event)
    if (isRepeated(event, hash)) return false
    tell(told, event, hash)
    return true
  }

  return (events: ReadonlyArray<Event>): ReadonlyArray<Event> => events.filter(isFresh)
}
