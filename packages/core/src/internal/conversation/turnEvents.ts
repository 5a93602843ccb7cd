/** Reads the events of a turn for the state of its conversation. Tested in `test/conversation-turns.test.ts`. */
import * as Equal from "effect/Equal"
import type * as Artifact from "../../Artifact.ts"
import * as Part from "../../Part.ts"
import * as StreamEvent from "../../StreamEvent.ts"
import type { Task } from "../../Task.ts"
import * as TaskProgress from "../../TaskProgress.ts"
import * as TaskState from "../../TaskState.ts"
import * as Baseline from "../turn/baseline.ts"
import * as Transition from "./transition.ts"

/** The events of a turn so far. `known` is the task that the message continues, as it was before. */
export interface TurnEvents {
  readonly known: Task | undefined
  readonly progress: TaskProgress.TaskProgress
  isEmpty: boolean
  /** True if only a snapshot came that shows the task as it waited for the message. */
  isPast: boolean
  /** The events that the state of the conversation has, and those that it does not have yet. */
  size: number
  unread: number
}

/** Begins a turn. */
export const make = (known: Task | undefined): TurnEvents => ({
  known,
  progress: TaskProgress.make(),
  isEmpty: true,
  isPast: false,
  size: 0,
  unread: 0
})

const isChunk = (event: StreamEvent.StreamEvent): boolean => event._tag === "ArtifactUpdate" && event.append === true

/** Adds an event. */
export const add = (self: TurnEvents, event: StreamEvent.StreamEvent): void => {
  const { isEmpty, known } = self
  const continues = known !== undefined && StreamEvent.taskId(event) === known.id
  self.isPast = isEmpty && continues && event._tag === "Task" && TaskState.isInterrupted(event.status.state)
  self.isEmpty = false
  self.unread += isChunk(event) ? 1 : Infinity
  TaskProgress.add(self.progress, isEmpty && continues ? Baseline.set(event, { task: known }) : event)
}

/** Returns the whole task so far. */
export const task = ({ progress }: TurnEvents): Task | undefined => TaskProgress.task(progress)

type Parts = Artifact.Artifact["parts"]

const isText = (part: Part.Part): boolean => part._tag === "Text" && part.mark === undefined

/** Returns what was added to parts; agents join texts that they sent in pieces. */
const addition = (parts: Parts, before: Parts): Parts => {
  if (Equal.equals(parts.slice(0, before.length), before)) return parts.slice(before.length)
  const [text, known] = [Part.joinText(parts), Part.joinText(before)]
  if (!parts.every(isText) || !before.every(isText) || !text.startsWith(known)) return parts
  return text === known ? [] : [Part.text(text.slice(known.length))]
}

/** The artifacts of the turn. Of one that had parts before the turn, the parts that were added. */
const newArtifacts = ({ progress }: TurnEvents): ReadonlyArray<Artifact.Artifact> =>
  TaskProgress.artifacts(progress).flatMap((artifact) => {
    const parts = addition(artifact.parts, progress.past.get(artifact.artifactId)?.parts ?? [])
    return parts.length === 0 ? [] : [{ ...artifact, parts }]
  })

/** Returns the task so far, and what is new of it, or nothing if no event had a task. */
export const result = (self: TurnEvents): Transition.Progress | undefined => {
  const whole = task(self)
  if (whole === undefined) return undefined
  return { task: whole, news: whole.artifacts === undefined ? whole : { ...whole, artifacts: newArtifacts(self) } }
}

/** Returns the same for the state of the conversation while the turn goes on. */
export const read = (self: TurnEvents): Transition.Progress | undefined => {
  self.size = Number.isFinite(self.unread) ? self.size + self.unread : self.size
  self.unread = 0
  const progress = result(self)
  if (progress === undefined || !self.isPast) return progress
  const past = Transition.unknownState(progress.task.id, progress.task)
  return { task: past, news: past }
}

/**
 * True if the state of the conversation is to follow: at once, except for further chunks of artifacts. A long artifact is
 * copied again when it has grown by a sixteenth, so that the work is in proportion to its length.
 */
export const isDue = ({ size, unread }: TurnEvents): boolean => unread * 16 > size
