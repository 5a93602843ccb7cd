/**
 * Folds events into their task: the only place that does. A snapshot replaces the task, an update changes it, and events of
 * other tasks and messages leave it as it is. Chunks are appended in place, so that a run takes time in proportion to its
 * events. Tested in `packages/core/test/taskProgress.test.ts`.
 */
import * as Struct from "effect/Struct"
import * as Artifact from "../../Artifact.ts"
import type * as Part from "../../Part.ts"
import type * as StreamEvent from "../../StreamEvent.ts"
import type { Task } from "../../Task.ts"
import * as TaskState from "../../TaskState.ts"
import { isForeign } from "./foreign.ts"

/** An artifact of which more chunks may come. */
interface OpenArtifact {
  artifact: Artifact.Artifact
  readonly parts: Array<Part.Part>
}

/** A task that events are added to. */
export interface TaskFold {
  /** The task without its artifacts. */
  task: Task | undefined
  /** Absent if nothing is known of artifacts, which is not the same as none. */
  artifacts: Map<string, OpenArtifact> | undefined
}

export const make = (): TaskFold => ({ task: undefined, artifacts: undefined })

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

const putArtifact = (artifacts: Map<string, OpenArtifact>, artifact: Artifact.Artifact, append: boolean): void => {
  const earlier = append ? artifacts.get(artifact.artifactId) : undefined
  if (earlier === undefined) {
    artifacts.set(artifact.artifactId, { artifact, parts: [...artifact.parts] })
    return
  }
  earlier.artifact = Artifact.append({ ...earlier.artifact, parts: [] }, { ...artifact, parts: [] })
  for (const part of artifact.parts) earlier.parts.push(part)
}

/** Adds one event, and returns the same fold. Members that a snapshot leaves out stay as they were. */
export const add = (self: TaskFold, event: StreamEvent.StreamEvent): TaskFold => {
  if (event._tag === "Message" || isForeign({ taskId: self.task?.id }, event)) return self
  const history = event._tag === "Task" && event.history !== undefined ? event.history : self.task?.history
  const task = applyStatus(self.task, event)!
  self.task = history === undefined || task.history === history ? task : { ...task, history }
  if (event._tag === "ArtifactUpdate") putArtifact(self.artifacts ??= new Map(), event.artifact, event.append === true)
  if (event._tag === "Task" && event.artifacts !== undefined) {
    self.artifacts = new Map()
    for (const artifact of event.artifacts) putArtifact(self.artifacts, artifact, false)
  }
  return self
}

/** Returns the task so far, or `undefined` if no event had one. Later events do not change it. */
export const toTask = ({ artifacts, task }: TaskFold): Task | undefined =>
  task === undefined || artifacts === undefined ? task : {
    ...task,
    artifacts: Array.from(artifacts.values(), ({ artifact, parts }) => ({ ...artifact, parts: [...parts] }))
  }
