/** Readers of events and answers: a generic one, and one for MemoryLake's agents. */
import type * as Answer from "@effect-a2a/core/Answer"
import * as Artifact from "@effect-a2a/core/Artifact"
import * as Id from "@effect-a2a/core/Id"
import * as Part from "@effect-a2a/core/Part"
import type * as StreamEvent from "@effect-a2a/core/StreamEvent"
import * as ToolCall from "@effect-a2a/core/ToolCall"
import * as MemoryLakeAnswer from "@effect-a2a/memorylake/MemoryLakeAnswer"

/** A step of the agent, other than text of its answer. */
export type Step =
  | { readonly _tag: "Thought"; readonly text: string }
  | { readonly _tag: "ToolCall"; readonly call: ToolCall.Call }
  | { readonly _tag: "ToolResult"; readonly result: ToolCall.Result }
  | { readonly _tag: "File"; readonly file: Part.Url | Part.Raw }

/** Members of an answer that only some vendors send. */
export interface Extras {
  readonly attachments: ReadonlyArray<MemoryLakeAnswer.Attachment>
  readonly recommendedQuestions: ReadonlyArray<string>
}

/** Reads the events and answers of an agent. */
export interface Reader {
  readonly steps: (event: StreamEvent.StreamEvent) => ReadonlyArray<Step>
  readonly extras: (answer: Answer.Answer) => Extras
}

const toStep = (part: Part.Part): ReadonlyArray<Step> => {
  if (part._tag === "Text") return Part.isThought(part) ? [{ _tag: "Thought", text: part.text }] : []
  if (Part.isFile(part)) return [{ _tag: "File", file: part }]
  const call = ToolCall.call(part)
  if (call !== undefined) return [{ _tag: "ToolCall", call }]
  const result = ToolCall.result(part)
  return result === undefined ? [] : [{ _tag: "ToolResult", result }]
}

/** A snapshot repeats what its updates contained; only the history in it is new. */
const partsOf = (event: StreamEvent.StreamEvent): ReadonlyArray<Part.Part> => {
  switch (event._tag) {
    case "Message":
      return event.parts
    case "ArtifactUpdate":
      return event.artifact.parts
    case "StatusUpdate":
      return event.status.message?.parts ?? []
    case "Task":
      return (event.history ?? []).flatMap(({ parts, role }) => role === "agent" ? parts : [])
  }
}

const none: Extras = { attachments: [], recommendedQuestions: [] }

/** Reads any agent. */
export const generic: Reader = {
  steps: (event) => partsOf(event).flatMap(toStep),
  extras: () => none
}

const isStep = (step: MemoryLakeAnswer.Step): step is Extract<MemoryLakeAnswer.Step, Step> =>
  step._tag === "Thought" || step._tag === "ToolCall" || step._tag === "ToolResult" || step._tag === "File"

/** Reads MemoryLake's agents: answers have attachments and recommended questions. */
export const memoryLake: Reader = {
  steps: (event) => MemoryLakeAnswer.steps(event).filter(isStep),
  extras: ({ message, task }) =>
    (message === undefined
      ? task && MemoryLakeAnswer.fromTask(task)
      : MemoryLakeAnswer.fromArtifact(Artifact.make(Id.ArtifactId.make("message"), message.parts))) ?? none
}
