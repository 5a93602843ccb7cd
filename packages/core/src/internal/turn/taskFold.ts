/**
 * Folds events into their task: the only place that does. A snapshot replaces the task, an update changes it, and events of
 * other tasks and messages leave it as it is. Chunks are appended in place, and the tasks made on the way share them, so that
 * a run takes time and memory in proportion to its events. Tested in `packages/core/test/taskProgress.test.ts`.
 */
import * as Struct from "effect/Struct"
import * as Artifact from "../../Artifact.ts"
import type * as Part from "../../Part.ts"
import type * as StreamEvent from "../../StreamEvent.ts"
import type { Task } from "../../Task.ts"
import * as TaskState from "../../TaskState.ts"
import { isForeign } from "./foreign.ts"

/** An artifact as it was after an event: the first parts of a list that only grows. */
interface Version {
  readonly event: number
  readonly artifact: Artifact.Artifact
  readonly parts: Array<Part.Part>
  readonly length: number
}

/** The versions of an artifact that tasks were made with, and the latest. */
type Versions = Array<Version>

/** A task that events are added to. */
export interface TaskFold {
  /** The task without its artifacts. */
  task: Task | undefined
  /** By id, in order. Absent if nothing is known of artifacts, which is not the same as none. */
  artifacts: Map<string, Versions> | undefined
  /** The number of the last event with artifacts, and of the last that a task was made after. */
  event: number
  made: number
}

export const make = (): TaskFold => ({ task: undefined, artifacts: undefined, event: 0, made: 0 })

const emptyTask = (event: StreamEvent.StatusUpdate | StreamEvent.ArtifactUpdate): Task => ({
  _tag: "Task",
  id: event.taskId,
  ...(event.contextId === undefined ? undefined : { contextId: event.contextId }),
  status: { state: "unspecified" }
})

const isOver = (task: Task | undefined): task is Task => task !== undefined && TaskState.isTerminal(task.status.state)

/** Returns the task after an event, without artifacts and history: only that much is needed to know how it ends. */
export const applyStatus = (task: Task | undefined, event: StreamEvent.StreamEvent): Task | undefined => {
  if (event._tag === "Message" || isForeign({ taskId: task?.id }, event)) return task
  if (event._tag === "ArtifactUpdate") return task ?? emptyTask(event)
  if (event._tag === "StatusUpdate") return isOver(task) ? task : { ...task ?? emptyTask(event), status: event.status }
  const read = Struct.omit(event, ["artifacts", "history"])
  return isOver(task) && !isOver(event) ? { ...read, status: task.status } : read
}

const putArtifact = (self: TaskFold, artifact: Artifact.Artifact, append: boolean): void => {
  const all = self.artifacts ??= new Map()
  const versions = all.get(artifact.artifactId) ?? []
  const last = versions.at(-1)
  const earlier = append ? last : undefined
  const parts = earlier?.parts ?? []
  for (const part of artifact.parts) parts.push(part)
  const next = {
    event: self.event,
    artifact: earlier === undefined
      ? artifact
      : Artifact.append({ ...earlier.artifact, parts: [] }, { ...artifact, parts: [] }),
    parts,
    length: parts.length
  }
  if (last === undefined || last.event <= self.made) versions.push(next)
  else versions[versions.length - 1] = next
  all.set(artifact.artifactId, versions)
}

/** Adds one event, and returns the same fold. Members that a snapshot leaves out stay as they were. */
export const add = (self: TaskFold, event: StreamEvent.StreamEvent): TaskFold => {
  if (event._tag === "Message" || isForeign({ taskId: self.task?.id }, event)) return self
  const history = event._tag === "Task" && event.history !== undefined ? event.history : self.task?.history
  const task = applyStatus(self.task, event)!
  self.task = history === undefined || task.history === history ? task : { ...task, history }
  self.event++
  if (event._tag === "ArtifactUpdate") putArtifact(self, event.artifact, event.append === true)
  if (event._tag === "Task" && event.artifacts !== undefined) {
    self.artifacts = new Map()
    for (const artifact of event.artifacts) putArtifact(self, artifact, false)
  }
  return self
}

// longer lists are copied when somebody asks for them
const maxCopied = 256

const toArtifact = ({ artifact, length, parts }: Version): Artifact.Artifact => {
  if (length <= maxCopied) return { ...artifact, parts: parts.slice(0, length) }
  let copy: ReadonlyArray<Part.Part> | undefined
  return {
    ...artifact,
    get parts() {
      return copy ??= parts.slice(0, length)
    }
  }
}

/** Returns an artifact as it was after an event. */
const versionAt = (versions: Versions, event: number): Artifact.Artifact => {
  let low = 0
  for (let high = versions.length - 1; low < high;) {
    const middle = (low + high + 1) >> 1
    if (versions[middle]!.event <= event) low = middle
    else high = middle - 1
  }
  return toArtifact(versions[low]!)
}

/** Returns an artifact so far, and the number of its parts. Later events do not change it. */
export const toLatest = (self: TaskFold, id: string): Pick<Version, "artifact" | "length"> | undefined => {
  const latest = self.artifacts?.get(id)?.at(-1)
  self.made = self.event
  return latest === undefined ? undefined : { artifact: toArtifact(latest), length: latest.length }
}

/** Returns the task so far, or `undefined` if no event had one. Later events do not change it. */
export const toTask = (self: TaskFold): Task | undefined => {
  const { artifacts, event, task } = self
  self.made = event
  if (task === undefined || artifacts === undefined) return task
  // artifacts are only added to it
  const count = artifacts.size
  const read = () => Array.from(artifacts.values()).slice(0, count).map((versions) => versionAt(versions, event))
  if (count <= maxCopied) return { ...task, artifacts: read() }
  let made: ReadonlyArray<Artifact.Artifact> | undefined
  return {
    ...task,
    get artifacts() {
      return made ??= read()
    }
  }
}
