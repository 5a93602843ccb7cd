/**
 * The events of a stream: task snapshots, messages, status updates and artifact updates (A2A 1.0 §4.2).
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
import { dual } from "effect/Function"
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

/** A change of a task's state, or a message of the agent while it works. */
export class StatusUpdate extends Schema.Opaque<StatusUpdate>()(
  Schema.TaggedStruct("StatusUpdate", { ...common, status: Task.TaskStatus }).annotate({ identifier: "StatusUpdate" })
) {}

/** An artifact, or with `append` a further chunk of one. `lastChunk` is advice: agents leave it out. */
export class ArtifactUpdate extends Schema.Opaque<ArtifactUpdate>()(
  Schema.TaggedStruct("ArtifactUpdate", {
    ...common,
    artifact: Artifact.Artifact,
    append: Schema.optionalKey(Schema.Boolean),
    lastChunk: Schema.optionalKey(Schema.Boolean)
  }).annotate({ identifier: "ArtifactUpdate" })
) {}

/** An event of a stream. */
export const StreamEvent = Schema.Union([Task.Task, Message.Message, StatusUpdate, ArtifactUpdate]).annotate({
  identifier: "StreamEvent"
})
/** An event of a stream. */
export type StreamEvent = Task.Task | Message.Message | StatusUpdate | ArtifactUpdate

/** Creates a status update. */
export const statusUpdate = (fields: Omit<StatusUpdate, "_tag">): StatusUpdate => ({ _tag: "StatusUpdate", ...fields })

/** Creates an artifact update. */
export const artifactUpdate = (fields: Omit<ArtifactUpdate, "_tag">): ArtifactUpdate => ({
  _tag: "ArtifactUpdate",
  ...fields
})

/** Returns the state that an event reports, if it reports one: tasks and status updates do. */
export const state = (event: StreamEvent): TaskState.TaskState | undefined =>
  event._tag === "Task" || event._tag === "StatusUpdate" ? event.status.state : undefined

/** Returns the id of the task that an event belongs to. */
export const taskId = (event: StreamEvent): Id.TaskId | undefined => event._tag === "Task" ? event.id : event.taskId

/** Returns true if nothing follows the event unless the caller acts: a settled state, or a message. */
export const isSettling = (event: StreamEvent): boolean =>
  event._tag === "Message" || TaskState.isSettled(state(event) ?? "unspecified")

const withArtifact = (artifacts: ReadonlyArray<Artifact.Artifact>, event: ArtifactUpdate) => {
  const index = artifacts.findIndex((artifact) => artifact.artifactId === event.artifact.artifactId)
  const earlier = artifacts[index]
  return earlier === undefined
    ? [...artifacts, event.artifact]
    : artifacts.with(index, event.append === true ? Artifact.append(earlier, event.artifact) : event.artifact)
}

const emptyTask = (event: StatusUpdate | ArtifactUpdate): Task.Task => ({
  _tag: "Task",
  id: event.taskId,
  ...(event.contextId === undefined ? undefined : { contextId: event.contextId }),
  status: { state: "unspecified" }
})

const isOver = (task: Task.Task): boolean => TaskState.isTerminal(task.status.state)

/** The members that a snapshot leaves out stay as they were: absent is not empty. */
const retainedMembers = (task: Task.Task | undefined): Pick<Task.Task, "artifacts" | "history"> => ({
  ...(task?.artifacts === undefined ? undefined : { artifacts: task.artifacts }),
  ...(task?.history === undefined ? undefined : { history: task.history })
})

const applyEvent = (task: Task.Task | undefined, event: StreamEvent): Task.Task | undefined => {
  switch (event._tag) {
    case "Task":
      return task !== undefined && isOver(task) && task.id === event.id && !isOver(event)
        ? { ...retainedMembers(task), ...event, status: task.status }
        : { ...retainedMembers(task), ...event }
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

/**
 * Returns the task after an event: a snapshot replaces it, an update changes it, a message leaves it alone. A stream
 * that begins with an update creates its task from the update's ids. A task in a terminal state stays in it. Status
 * messages are progress, not turns: they do not enter `history`.
 */
export const apply: {
  (event: StreamEvent): (task: Task.Task | undefined) => Task.Task | undefined
  (task: Task.Task | undefined, event: StreamEvent): Task.Task | undefined
} = /*#__PURE__*/ dual(2, applyEvent)
