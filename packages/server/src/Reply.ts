/**
 * The items that an executor emits. A string or a part is a piece of the result; everything else is made with the
 * functions here. The server adds ids, timestamps, the first snapshot and the last state.
 *
 * ```ts
 * import { Reply } from "@effect-a2a/server"
 *
 * Reply.status("input-required", "Which city?") // => { _tag: "Status", state: "input-required", message: "Which city?" }
 * Reply.progress("Looking it up").state // => "working"
 * Reply.toolCall({ name: "add", args: { a: 1, b: 2 } }).state // => "working"
 * ```
 *
 * @since 0.1.0
 */
import type * as CoreArtifact from "@effect-a2a/core/Artifact"
import type * as Message from "@effect-a2a/core/Message"
import type { Metadata } from "@effect-a2a/core/Metadata"
import * as Part from "@effect-a2a/core/Part"
import * as Recognizer from "@effect-a2a/core/Recognizer"
import type { TaskState } from "@effect-a2a/core/TaskState"
import type * as Schema from "effect/Schema"
import * as Marks from "./internal/metadataMarks.ts"

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

/** Metadata of the task itself, merged with what it has. */
export interface TaskMetadata {
  readonly _tag: "TaskMetadata"
  readonly metadata: Metadata
}

/**
 * One item of a turn. A string or a part is appended to the result: one artifact named `result`, whose last chunk is
 * marked in the end.
 */
export type Reply = string | Part.Part | Status | Artifact | TaskMetadata

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

/** Sets members of the task's metadata. Followers receive the task as a snapshot. */
export const taskMetadata = (metadata: Metadata): TaskMetadata => ({ _tag: "TaskMetadata", metadata })

/** Creates a piece of the result: text, as a string is. */
export const text = Part.text

/** Creates a piece of the result: JSON. */
export const data = Part.data

/** Creates a piece of the result: a file, inline or by its URL. */
export const file = (content: Uint8Array | URL, options?: Part.Options): Part.Raw | Part.Url =>
  content instanceof URL ? Part.url(content.href, options) : Part.raw(content, options)

/** Recognizes the parts of {@link thought}, {@link toolCall} and {@link toolResult}, as most agents write them. */
export const recognizer: Recognizer.Recognizer = Marks.recognizer

const mark = (part: Part.Part): Status => progress(Recognizer.mark([recognizer], part))

/** Creates a thought, which belongs to no text of the answer. */
export const thought = (text: string): Status => mark(Part.text(text, { metadata: { [Marks.thought]: true } }))

/** Creates a tool call. A result belongs to it by `id`, without one by the tool's name and their order. */
export const toolCall = (
  { args = {}, ...call }: { readonly id?: string; readonly name: string; readonly args?: Metadata }
): Status => mark(Part.data({ ...call, args }, { metadata: { [Marks.type]: Marks.call } }))

/** Creates the result of a tool call: a response, or an error with its code. */
export const toolResult = (
  result:
    & { readonly id?: string; readonly name: string }
    & ({ readonly response: Schema.Json } | { readonly error: string; readonly code?: string | number })
): Status => {
  const { id, name } = result
  const response = "response" in result
    ? result.response
    : { error: result.error, ...(result.code === undefined ? undefined : { code: result.code }) }
  return mark(
    Part.data({ ...(id === undefined ? undefined : { id }), name, response }, {
      metadata: { [Marks.type]: Marks.result }
    })
  )
}
