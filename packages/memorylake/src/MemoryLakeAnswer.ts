/**
 * Typed answers and steps of MemoryLake agents, from the parts of artifacts, tasks and events.
 *
 * ```ts
 * import { Artifact, Id, Part, StreamEvent } from "@effect-a2a/core"
 * import { MemoryLakeAnswer } from "@effect-a2a/memorylake"
 *
 * const artifact = Artifact.make(Id.ArtifactId.make("result-run-1"), [
 *   Part.text("Paris is the capital of France."),
 *   Part.data({ kind: "recommended_questions", questions: ["What is the population of Paris?"] })
 * ])
 * const answer = MemoryLakeAnswer.fromArtifact(artifact)
 * answer.text // => "Paris is the capital of France."
 * answer.recommendedQuestions // => ["What is the population of Paris?"]
 *
 * const event = StreamEvent.artifactUpdate({ taskId: Id.TaskId.make("run-1"), artifact })
 * MemoryLakeAnswer.steps(event).map((step) => step._tag) // => ["Answer"]
 * ```
 *
 * @since 0.1.0
 */
import type * as Artifact from "@effect-a2a/core/Artifact"
import type * as Message from "@effect-a2a/core/Message"
import { isObject } from "@effect-a2a/core/Metadata"
import * as Part from "@effect-a2a/core/Part"
import type * as StreamEvent from "@effect-a2a/core/StreamEvent"
import * as Task from "@effect-a2a/core/Task"
import type { TaskState } from "@effect-a2a/core/TaskState"
import * as ToolCall from "@effect-a2a/core/ToolCall"
import * as Predicate from "effect/Predicate"
import type * as Schema from "effect/Schema"

/** A file of the agent. `url` loads it. If it could not be saved, `committed` is false and `error` has the reason. */
export interface Attachment {
  readonly name?: string
  readonly mimeType?: string
  readonly url?: string
  readonly description?: string
  readonly committed: boolean
  readonly error?: string
}

/** The answer of a task. `other` has the parts of other kinds, unchanged. */
export interface Answer {
  readonly text: string
  readonly attachments: ReadonlyArray<Attachment>
  readonly recommendedQuestions: ReadonlyArray<string>
  readonly other: ReadonlyArray<Part.Part>
}

/**
 * A step of a run, from a stream or from the history of a finished task. Text deltas are for display while the run goes on;
 * the result is the `Answer`.
 */
export type Step =
  | { readonly _tag: "TextDelta"; readonly text: string }
  | { readonly _tag: "Thought"; readonly text: string }
  | { readonly _tag: "ToolCall"; readonly call: ToolCall.Call }
  | { readonly _tag: "ToolResult"; readonly result: ToolCall.Result }
  | { readonly _tag: "File"; readonly file: Part.Url | Part.Raw }
  | { readonly _tag: "Answer"; readonly answer: Answer }
  | { readonly _tag: "State"; readonly state: TaskState; readonly message?: string }
  /** A part of an unknown kind, to be ignored. */
  | { readonly _tag: "Other"; readonly part: Part.Part }

const string = (json: Schema.Json | undefined): string | undefined => Predicate.isString(json) ? json : undefined

const list = (json: Schema.Json | undefined): ReadonlyArray<Schema.Json> => Array.isArray(json) ? json : []

const attachment = (json: Schema.Json): ReadonlyArray<Attachment> => {
  if (!isObject(json)) return []
  const [name, mimeType, url] = [string(json.name), string(json.mime_type), string(json.presign_url)]
  const [description, error] = [string(json.description), string(json.error)]
  return [{
    ...(name !== undefined && { name }),
    ...(mimeType !== undefined && { mimeType }),
    ...(url !== undefined && { url }),
    ...(description !== undefined && { description }),
    committed: json.committed !== false,
    ...(error !== undefined && { error })
  }]
}

/** Returns the `kind` of a data part. */
const kind = (part: Part.Part) => part._tag === "Data" && isObject(part.data) ? part.data.kind : undefined

const ofKind = (parts: ReadonlyArray<Part.Part>, wanted: string, member: string): ReadonlyArray<Schema.Json> =>
  parts.flatMap((part) =>
    kind(part) === wanted && part._tag === "Data" && isObject(part.data) ? list(part.data[member]) : []
  )

const isKnown = (part: Part.Part) =>
  (part._tag === "Text" && !Part.isThought(part)) || kind(part) === "attachments" ||
  kind(part) === "recommended_questions"

const fromParts = (parts: ReadonlyArray<Part.Part>): Answer => ({
  text: Part.joinText(parts),
  attachments: ofKind(parts, "attachments", "attachments").flatMap(attachment),
  recommendedQuestions: ofKind(parts, "recommended_questions", "questions").filter(Predicate.isString),
  other: parts.filter((part) => !isKnown(part))
})

/** Returns the answer in an artifact. */
export const fromArtifact = (artifact: Artifact.Artifact): Answer => fromParts(artifact.parts)

/**
 * Returns the answer of a task, or `undefined` if the snapshot has none: it is not finished, has failed, or was read by
 * Get, which never contains the answer.
 */
export const fromTask = (task: Task.Task): Answer | undefined =>
  task.artifacts === undefined || task.artifacts.length === 0
    ? undefined
    : fromParts(task.artifacts.flatMap(({ parts }) => parts))

const step = (part: Part.Part): Step => {
  if (Part.isThought(part)) return { _tag: "Thought", text: part._tag === "Text" ? part.text : "" }
  if (part._tag === "Text") return { _tag: "TextDelta", text: part.text }
  if (Part.isFile(part)) return { _tag: "File", file: part }
  const call = ToolCall.call(part)
  if (call !== undefined) return { _tag: "ToolCall", call }
  const result = ToolCall.result(part)
  return result === undefined ? { _tag: "Other", part } : { _tag: "ToolResult", result }
}

const ofMessage = (message: Message.Message | undefined): ReadonlyArray<Step> => message?.parts.map(step) ?? []

const ofTask = (task: Task.Task): ReadonlyArray<Step> => {
  const answer = fromTask(task)
  const message = Task.statusText(task)
  return [
    ...fromHistory(task),
    ...(answer === undefined ? [] : [{ _tag: "Answer", answer } as const]),
    { _tag: "State", state: task.status.state, ...(message !== undefined && { message }) }
  ]
}

/** Returns the steps in the history of a finished task; none if the snapshot has no history. */
export const fromHistory = (task: Task.Task): ReadonlyArray<Step> =>
  task.history?.flatMap((message) => message.role === "agent" ? ofMessage(message) : []) ?? []

/**
 * Returns the steps of an event. The message of a status is progress while the task is working, and else the reason of the
 * state.
 */
export const steps = (event: StreamEvent.StreamEvent): ReadonlyArray<Step> => {
  switch (event._tag) {
    case "Task":
      return ofTask(event)
    case "Message":
      return ofMessage(event)
    case "ArtifactUpdate":
      return [{ _tag: "Answer", answer: fromArtifact(event.artifact) }]
    case "StatusUpdate": {
      const { message, state } = event.status
      if (message === undefined) return [{ _tag: "State", state }]
      return state === "working"
        ? ofMessage(message)
        : [{ _tag: "State", state, message: Part.joinText(message.parts) }]
    }
  }
}
