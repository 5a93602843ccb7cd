/**
 * What an executor says, as little as possible of it: a string or a part is a piece of the answer; everything else is
 * made with the functions here. Ids, timestamps, the first snapshot and the last state are the server's.
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

/** The task's state becomes `state`, and what the agent says about it. */
export interface Status {
  readonly _tag: "Status"
  readonly state: TaskState
  readonly message?: Message.Input
  readonly metadata?: Metadata
}

/** What an artifact is made from; without `artifactId` it gets a new one. */
export type Content = Omit<CoreArtifact.Artifact, "artifactId" | "parts"> & {
  readonly artifactId?: string
  readonly parts: Exclude<Message.Input, Message.Message>
}

/** How a chunk relates to the artifact, and metadata of the event. */
export interface ChunkOptions {
  readonly append?: boolean
  readonly lastChunk?: boolean
  readonly metadata?: Metadata
}

/** An artifact of its own besides the answer, or a chunk of one. */
export interface Artifact extends ChunkOptions {
  readonly _tag: "Artifact"
  readonly artifact: Content
}

/** Every connection that follows the task is cut; the work goes on. For tests of what clients do then. */
export interface Cut {
  readonly _tag: "Cut"
}

/**
 * A string or a part is appended to the answer: one artifact named `result` with one id, whose last chunk is marked,
 * however the turn ends.
 */
export type Reply = string | Part.Part | Status | Artifact | Cut

/** A new state. A terminal one or `input-required` ends the turn: what the executor would say after it is not heard. */
export const status = (
  state: TaskState,
  message?: Message.Input,
  options?: { readonly metadata?: Metadata }
): Status => ({ _tag: "Status", state, ...(message === undefined ? undefined : { message }), ...options })

/** What the agent says while it works: thoughts, tool calls, notes. `metadata` is the event's. */
export const progress = (message: Message.Input, options?: { readonly metadata?: Metadata }): Status =>
  status("working", message, options)

/** An artifact besides the answer. */
export const artifact = (artifact: Content, options?: ChunkOptions): Artifact => ({
  _tag: "Artifact",
  artifact,
  ...options
})

/** See {@link Cut}. */
export const cut: Cut = { _tag: "Cut" }
