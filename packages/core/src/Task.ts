/**
 * A unit of work that an agent has taken on, as a snapshot (specification §4.1.1).
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
import * as Schema from "effect/Schema"
import * as Artifact from "./Artifact.ts"
import * as Id from "./Id.ts"
import * as Message from "./Message.ts"
import { Metadata } from "./Metadata.ts"
import { TaskState } from "./TaskState.ts"

/** State, the agent's word on it, and since when. */
export const TaskStatus = Schema.Struct({
  state: TaskState,
  message: Schema.optionalKey(Message.Message),
  timestamp: Schema.optionalKey(Schema.DateTimeUtc),
  /** What the peer wrote where it says more than `state` or `timestamp` can hold; read only. */
  unrecognized: Schema.optionalKey(Schema.Struct({
    state: Schema.optionalKey(Schema.String),
    timestamp: Schema.optionalKey(Schema.String)
  }))
})
export type TaskStatus = typeof TaskStatus.Type

/**
 * `artifacts` and `history` are absent where the peer did not send them, which is not the same as having none:
 * MemoryLake's Get returns the status alone (ML-27).
 */
export const Task = Schema.TaggedStruct("Task", {
  id: Id.TaskId,
  contextId: Schema.optionalKey(Id.ContextId),
  status: TaskStatus,
  artifacts: Schema.optionalKey(Schema.Array(Artifact.Artifact)),
  history: Schema.optionalKey(Schema.Array(Message.Message)),
  metadata: Schema.optionalKey(Metadata)
})
export type Task = typeof Task.Type

/** The text of all artifacts, or `undefined` where the snapshot has none. */
export const text = (self: Task): string | undefined =>
  self.artifacts === undefined || self.artifacts.length === 0
    ? undefined
    : self.artifacts.map(Artifact.text).join("")

/** What the agent says about the state: for a failed task, why it failed. */
export const statusText = (self: Task): string | undefined =>
  self.status.message === undefined ? undefined : Message.text(self.status.message)
