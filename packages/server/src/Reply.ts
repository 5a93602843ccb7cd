/**
 * The items that an executor emits. A string or a part is a piece of the result; everything else is made with the
 * functions here. The server adds ids, timestamps, the first snapshot and the last state.
 *
 * ```ts
 * import { Reply } from "@effect-a2a/server"
 *
 * Reply.status("input-required", "Which city?") // => { _tag: "Status", state: "input-required", message: "Which city?" }
 * Reply.progress("Looking it up").state // => "working"
 * ```
 *
 * @since 0.1.0
 */
import type * as CoreArtifact from "@effect-a2a/core/Artifact"
import type * as Message from "@effect-a2a/core/Message"
import type { Metadata } from "@effect-a2a/core/Metadata"
import type * as Part from "@effect-a2a/core/Part"
import type { TaskState } from "@effect-a2a/core/TaskState"

/** A new state of the task, with the agent's message. `metadata` is the event's. */
export interface Status {
  readonly _tag: "Status"
  readonly state: TaskState
  readonly message?: Message.Input
  readonly metadata?: Metadata
}

/** The content of an artifact. Without `artifactId` the server generates one. */
export type Content = Omit<CoreArtifact.Artifact, "artifactId" | "parts"> & {
  readonly artifactId?: string
  readonly parts: Exclude<Message.Input, Message.Message>
}

/** The place of a chunk in its artifact, and the metadata of the event. */
export interface ChunkOptions {
  readonly append?: boolean
  readonly lastChunk?: boolean
  readonly metadata?: Metadata
}

/** An artifact beside the result, or a chunk of one. */
export interface Artifact extends ChunkOptions {
  readonly _tag: "Artifact"
  readonly artifact: Content
}

/**
 * One item of a turn. A string or a part is appended to the result: one artifact named `result`, whose last chunk is
 * marked in the end.
 */
export type Reply = string | Part.Part | Status | Artifact

/** Creates a state. A terminal one and `input-required` end the turn: replies after it are ignored. */
export const status = (
  state: TaskState,
  message?: Message.Input,
  options?: { readonly metadata?: Metadata }
): Status => ({ _tag: "Status", state, ...(message === undefined ? undefined : { message }), ...options })

/** Creates a message of a working agent: a thought, a tool call, a note. `metadata` is the event's. */
export const progress = (message: Message.Input, options?: { readonly metadata?: Metadata }): Status =>
  status("working", message, options)

/** Creates an artifact beside the result, or a chunk of one. */
export const artifact = (artifact: Content, options?: ChunkOptions): Artifact => ({
  _tag: "Artifact",
  artifact,
  ...options
})
