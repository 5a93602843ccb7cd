/** Reads the events of a turn: the only file of conversations that knows how. Tested in `test/conversation.test.ts`. */
import * as Equal from "effect/Equal"
import * as StreamEvent from "../../StreamEvent.ts"
import type { Task } from "../../Task.ts"
import * as TaskProgress from "../../TaskProgress.ts"
import * as TaskState from "../../TaskState.ts"
import * as Transition from "./transition.ts"

/** The events of a turn so far. `known` is the task that the message continues, as it was before. */
export interface Reading {
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
export const make = (known: Task | undefined): Reading => ({
  known,
  progress: TaskProgress.make(),
  isEmpty: true,
  isPast: false,
  size: 0,
  unread: 0
})

const isChunk = (event: StreamEvent.StreamEvent): boolean => event._tag === "ArtifactUpdate" && event.append === true

/** Adds an event. */
export const add = (self: Reading, event: StreamEvent.StreamEvent): void => {
  if (self.isEmpty && self.known !== undefined && StreamEvent.taskId(event) === self.known.id) {
    TaskProgress.add(self.progress, self.known)
  }
  self.isPast = self.isEmpty && self.known?.id === StreamEvent.taskId(event) && event._tag === "Task" &&
    TaskState.isInterrupted(event.status.state)
  self.isEmpty = false
  self.unread += isChunk(event) ? 1 : Infinity
  TaskProgress.add(self.progress, event)
}

/** Returns the whole task so far, which later events do not change. */
export const task = ({ progress }: Reading): Task | undefined => {
  const task = TaskProgress.task(progress)
  return task?.artifacts === undefined
    ? task
    : { ...task, artifacts: task.artifacts.map((artifact) => ({ ...artifact, parts: [...artifact.parts] })) }
}

/** Returns a task without the artifacts that were known before. */
const since = (known: Task | undefined, task: Task): Task => {
  if (known?.artifacts === undefined || known.id !== task.id || task.artifacts === undefined) return task
  const before = new Map(known.artifacts.map(({ artifactId, parts }) => [artifactId, parts]))
  const artifacts = task.artifacts.flatMap((artifact) => {
    const earlier = before.get(artifact.artifactId) ?? []
    const isSame = Equal.equals(artifact.parts.slice(0, earlier.length), earlier)
    const parts = isSame ? artifact.parts.slice(earlier.length) : artifact.parts
    return parts.length === 0 ? [] : [{ ...artifact, parts }]
  })
  return { ...task, artifacts }
}

/** Returns the task so far, and what is new of it, or nothing if no event had a task. */
export const result = (self: Reading): Transition.Progress | undefined => {
  const all = task(self)
  return all && { task: all, news: since(self.known, all) }
}

/** Returns the same for the state of the conversation while the turn goes on. */
export const read = (self: Reading): Transition.Progress | undefined => {
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
export const isDue = ({ size, unread }: Reading): boolean => unread * 16 > size

/** Marks an event of a turn, so that views of the turn leave out what was known of the task before. */
export const mark = <A extends StreamEvent.StreamEvent>(event: A, _known: Task | undefined): A => event
