/**
 * The steps of an agent, in the order in which they arrive: pieces of text, thoughts, tool calls and their results,
 * files, data and states. `AgentStream.steps` emits them, and the answer last.
 *
 * ```ts
 * import { AgentStream, Artifact, Id, Part, StreamEvent } from "@effect-a2a/core"
 * import { Effect, Stream } from "effect"
 *
 * const taskId = Id.TaskId.make("t-1")
 * const events = Stream.make<Array<StreamEvent.StreamEvent>>(
 *   StreamEvent.artifactUpdate({ taskId, artifact: Artifact.make(Id.ArtifactId.make("a"), [Part.text("42")]) }),
 *   StreamEvent.statusUpdate({ taskId, status: { state: "completed" } })
 * )
 * const steps = await Effect.runPromise(Stream.runCollect(AgentStream.steps(events)))
 * steps.map((step) => step._tag) // => ["Text", "State", "Answer"]
 * steps[0] // => { _tag: "Text", source: "artifact a", text: "42" }
 * ```
 *
 * @since 0.1.0
 */
import type * as Message from "./Message.ts"
import type * as Part from "./Part.ts"
import type { TaskState } from "./TaskState.ts"
import type * as ToolCall from "./ToolCall.ts"

/**
 * A piece of text. `source` names the artifact or the message that it belongs to. Text that follows text of another source
 * begins with a blank line, so that the pieces joined are the whole text.
 */
export interface Text {
  readonly _tag: "Text"
  readonly source: string
  readonly text: string
}

/** A piece of a thought. */
export interface Thought {
  readonly _tag: "Thought"
  readonly source: string
  readonly text: string
}

/** A tool call, when it begins. */
export interface Call {
  readonly _tag: "ToolCall"
  readonly call: ToolCall.Call
}

/** The result of a tool call. */
export interface Result {
  readonly _tag: "ToolResult"
  readonly result: ToolCall.Result
}

/** A file: inline bytes or a URL. */
export interface File {
  readonly _tag: "File"
  readonly file: Part.Raw | Part.Url
}

/** Data that is neither a tool call nor a result. */
export interface Data {
  readonly _tag: "Data"
  readonly data: Part.Data
}

/** A new state of the task, with the agent's message about it: a question if the task waits for its caller. */
export interface State {
  readonly _tag: "State"
  readonly state: TaskState
  readonly message?: Message.Message
}

/** A step of an agent. */
export type Step = Text | Thought | Call | Result | File | Data | State
