/**
 * A unit of work that an agent has taken on, as a snapshot (A2A 1.0 §4.1.1).
 *
 * ```ts
 * import { Artifact, Id, Part, Task } from "@effect-a2a/core"
 *
 * const artifacts = [Artifact.make(Id.ArtifactId.make("a"), [Part.text("Paris")])]
 * Task.text({ _tag: "Task", id: Id.TaskId.make("t-1"), status: { state: "completed" }, artifacts }) // => "Paris"
 * Task.text({ _tag: "Task", id: Id.TaskId.make("t-1"), status: { state: "completed" } }) // => undefined
 * ```
 *
 * @since 0.1.0
 */
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as Artifact from "./Artifact.ts"
import * as Id from "./Id.ts"
import * as Message from "./Message.ts"
import { Metadata } from "./Metadata.ts"
import { TaskState } from "./TaskState.ts"

/** The state of a task, the agent's message about it, and the time of the change. */
export class TaskStatus extends Schema.Opaque<TaskStatus>()(
  Schema.Struct({
    state: TaskState,
    message: Schema.optionalKey(Message.Message),
    timestamp: Schema.optionalKey(Schema.DateTimeUtc),
    /** The peer's own words, if they say more than `state` or `timestamp` can hold; read only. */
    unrecognized: Schema.optionalKey(Schema.Struct({
      state: Schema.optionalKey(Schema.String),
      timestamp: Schema.optionalKey(Schema.String)
    }))
  }).annotate({ identifier: "TaskStatus" })
) {}

/**
 * A task and its artifacts. `artifacts` and `history` are absent if the peer did not send them, which does not mean
 * that the task has none: some peers answer with the status alone.
 */
export class Task extends Schema.Opaque<Task>()(
  Schema.TaggedStruct("Task", {
    id: Id.TaskId,
    contextId: Schema.optionalKey(Id.ContextId),
    status: TaskStatus,
    artifacts: Schema.optionalKey(Schema.Array(Artifact.Artifact)),
    history: Schema.optionalKey(Schema.Array(Message.Message)),
    metadata: Schema.optionalKey(Metadata)
  }).annotate({ identifier: "Task" })
) {}

/** Returns true if the value is tagged as a task. */
export const isTask = (input: unknown): input is Task => Predicate.isTagged(input, "Task")

/** Returns the texts of all artifacts, separated by blank lines, or `undefined` if the snapshot has no artifacts. */
export const text = (self: Task): string | undefined =>
  self.artifacts === undefined || self.artifacts.length === 0
    ? undefined
    : self.artifacts.map(Artifact.text).filter((text) => text !== "").join("\n\n")

/** Returns the text of the status message: for a failed task, the reason. `undefined` if there is no message. */
export const statusText = (self: Task): string | undefined =>
  self.status.message === undefined ? undefined : Message.text(self.status.message)
