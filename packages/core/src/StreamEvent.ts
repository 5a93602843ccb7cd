/**
 * The events of a stream: task snapshots, messages, status updates and artifact updates (A2A 1.0 §4.2).
 *
 * ```ts
 * import { Id, StreamEvent } from "@effect-a2a/core"
 *
 * const taskId = Id.TaskId.make("t-1")
 * const working = StreamEvent.statusUpdate({ taskId, status: { state: "working" } })
 * StreamEvent.state(working) // => "working"
 * StreamEvent.isSettling(working) // => false
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

/** Returns true if a waiting send returns at the event although its stream goes on: the task waits for authentication. */
export const endsCall = (event: StreamEvent): boolean => state(event) === "auth-required"

/** Returns true if nothing follows the event unless the caller acts: a settled state, or a message. */
export const isSettling = (event: StreamEvent): boolean =>
  event._tag === "Message" || TaskState.isSettled(state(event) ?? "unspecified")
