/**
 * Typed answers of MemoryLake agents: their text, attachments and recommended questions, and the parts of other kinds.
 * Steps of MemoryLake agents, such as tool calls and thoughts, are those of `AgentStream.steps`.
 *
 * ```ts
 * import { Artifact, Id, Part } from "@effect-a2a/core"
 * import { MemoryLakeAnswer } from "@effect-a2a/memorylake"
 *
 * const artifact = Artifact.make(Id.ArtifactId.make("result-run-1"), [
 *   Part.text("Paris is the capital of France."),
 *   Part.data({ kind: "recommended_questions", questions: ["What is the population of Paris?"] })
 * ])
 * const answer = MemoryLakeAnswer.fromArtifact(artifact)
 * answer.text // => "Paris is the capital of France."
 * answer.recommendedQuestions // => ["What is the population of Paris?"]
 * ```
 *
 * @since 0.1.0
 */
import type { Answer as CoreAnswer } from "@effect-a2a/core/Answer"
import * as Artifact from "@effect-a2a/core/Artifact"
import { isObject } from "@effect-a2a/core/Metadata"
import * as Part from "@effect-a2a/core/Part"
import * as Task from "@effect-a2a/core/Task"
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

const make = (text: string, parts: ReadonlyArray<Part.Part>): Answer => ({
  text,
  attachments: ofKind(parts, "attachments", "attachments").flatMap(attachment),
  recommendedQuestions: ofKind(parts, "recommended_questions", "questions").filter(Predicate.isString),
  other: parts.filter((part) => !isKnown(part))
})

const partsOf = (artifacts: ReadonlyArray<Artifact.Artifact>): ReadonlyArray<Part.Part> =>
  artifacts.flatMap(({ parts }) => parts)

/** Returns the answer in an artifact. */
export const fromArtifact = (artifact: Artifact.Artifact): Answer => make(Artifact.text(artifact), artifact.parts)

/**
 * Returns the answer of a task, or `undefined` if the snapshot has none: it is not finished, has failed, or was read by
 * Get, which never contains the answer. Texts of several artifacts are separated by blank lines.
 */
export const fromTask = (task: Task.Task): Answer | undefined => {
  const text = Task.text(task)
  return text === undefined ? undefined : make(text, partsOf(task.artifacts ?? []))
}

/**
 * Returns what is MemoryLake's in the answer to a message, such as the one of `Agent.ask` or `AgentStream.answer`: in a
 * task that was continued, only what is new.
 *
 * ```ts
 * import { Agent } from "@effect-a2a/core"
 * import { MemoryLakeEmulator } from "@effect-a2a/emulators"
 * import { MemoryLakeAnswer } from "@effect-a2a/memorylake"
 * import { Effect } from "effect"
 *
 * const asked = Agent.ask("make a file").pipe(Effect.map(MemoryLakeAnswer.fromAnswer))
 * const answer = await Effect.runPromise(asked.pipe(Effect.provide(MemoryLakeEmulator.layer())))
 * answer.attachments.map(({ committed, name }) => [name, committed]) // => [["report.csv", true]]
 * ```
 */
export const fromAnswer = ({ artifacts, message, text }: CoreAnswer): Answer =>
  make(text, message?.parts ?? partsOf(artifacts))
