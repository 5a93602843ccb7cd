/**
 * What a stream carries: a task snapshot, a message, a status update or an artifact update (specification §4.2).
 *
 * ```ts
 * import { Id, StreamEvent } from "@effect-a2a/core"
 *
 * const taskId = Id.TaskId.make("t-1")
 * const working = StreamEvent.statusUpdate({ taskId, status: { state: "working" } })
 * const task = StreamEvent.apply(undefined, working)
 * task?.status.state // => "working"
 * ```
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import * as Artifact from "./Artifact.ts"
import * as Id from "./Id.ts"
import * as Message from "./Message.ts"
import { Metadata } from "./Metadata.ts"
import * as Task from "./Task.ts"
import * as TaskState from "./TaskState.ts"

const common = {
  taskId: Id.TaskId,
  contextId: Schema.optionalKey(Id.ContextId),
  metadata: Schema.optionalKey(Metadata)
}

/** The task's state changed, or the agent says something while it works. */
export const StatusUpdate = Schema.TaggedStruct("StatusUpdate", { ...common, status: Task.TaskStatus })
export type StatusUpdate = typeof StatusUpdate.Type

/** An artifact, or with `append` a further chunk of one. `lastChunk` is advice, never relied on. */
export const ArtifactUpdate = Schema.TaggedStruct("ArtifactUpdate", {
  ...common,
  artifact: Artifact.Artifact,
  append: Schema.optionalKey(Schema.Boolean),
  lastChunk: Schema.optionalKey(Schema.Boolean)
})
export type ArtifactUpdate = typeof ArtifactUpdate.Type

export const StreamEvent = Schema.Union([Task.Task, Message.Message, StatusUpdate, ArtifactUpdate])
export type StreamEvent = typeof StreamEvent.Type

export const statusUpdate = (fields: Omit<StatusUpdate, "_tag">): StatusUpdate => ({ _tag: "StatusUpdate", ...fields })

export const artifactUpdate = (fields: Omit<ArtifactUpdate, "_tag">): ArtifactUpdate => ({
  _tag: "ArtifactUpdate",
  ...fields
})

/** The state that an event tells, if it tells one. */
export const state = (event: StreamEvent): TaskState.TaskState | undefined =>
  event._tag === "Task" || event._tag === "StatusUpdate" ? event.status.state : undefined

/** The task an event belongs to. */
export const taskId = (event: StreamEvent): Id.TaskId | undefined => event._tag === "Task" ? event.id : event.taskId

/** Whether nothing more is to come after this event unless the caller acts: a settled state, or a message. */
export const isSettling = (event: StreamEvent): boolean =>
  event._tag === "Message" || TaskState.isSettled(state(event) ?? "unspecified")

const withArtifact = (artifacts: ReadonlyArray<Artifact.Artifact>, event: ArtifactUpdate) => {
  const index = artifacts.findIndex((artifact) => artifact.artifactId === event.artifact.artifactId)
  const known = artifacts[index]
  return known === undefined
    ? [...artifacts, event.artifact]
    : artifacts.with(index, event.append === true ? Artifact.append(known, event.artifact) : event.artifact)
}

const emptyTask = (event: StatusUpdate | ArtifactUpdate): Task.Task => ({
  _tag: "Task",
  id: event.taskId,
  ...(event.contextId === undefined ? undefined : { contextId: event.contextId }),
  status: { state: "unspecified" }
})

const isOver = (task: Task.Task): boolean => TaskState.isTerminal(task.status.state)

/** What a snapshot that leaves a member out does not take away: absent is not empty. */
const kept = (task: Task.Task | undefined): Pick<Task.Task, "artifacts" | "history"> => ({
  ...(task?.artifacts === undefined ? undefined : { artifacts: task.artifacts }),
  ...(task?.history === undefined ? undefined : { history: task.history })
})

/**
 * The task after an event: a snapshot replaces it, an update changes it, a message leaves it alone. A stream that
 * starts with an update makes its task from the update's ids. A task in a terminal state is never revived. Status
 * messages are progress, not turns: they do not enter `history`.
 */
export const apply = (task: Task.Task | undefined, event: StreamEvent): Task.Task | undefined => {
  switch (event._tag) {
    case "Task":
      return task !== undefined && isOver(task) && task.id === event.id && !isOver(event)
        ? { ...kept(task), ...event, status: task.status }
        : { ...kept(task), ...event }
    case "Message":
      return task
    case "StatusUpdate": {
      const current = task ?? emptyTask(event)
      return isOver(current) ? current : { ...current, status: event.status }
    }
    case "ArtifactUpdate": {
      const current = task ?? emptyTask(event)
      return { ...current, artifacts: withArtifact(current.artifacts ?? [], event) }
    }
  }
}
