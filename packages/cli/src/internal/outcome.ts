/** How a turn ended, for programs, for people, and for the exit code. */
import type * as Answer from "@effect-a2a/core/Answer"
import * as Artifact from "@effect-a2a/core/Artifact"
import * as Id from "@effect-a2a/core/Id"
import * as TaskState from "@effect-a2a/core/TaskState"
import type * as ToolCall from "@effect-a2a/core/ToolCall"
import * as MemoryLakeAnswer from "@effect-a2a/memorylake/MemoryLakeAnswer"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { Exit } from "./exit.ts"
import { Output } from "./output.ts"

const none: Pick<MemoryLakeAnswer.Answer, "attachments" | "recommendedQuestions"> = {
  attachments: [],
  recommendedQuestions: []
}

/** MemoryLake's parts of an answer, whoever sends them. */
const extras = ({ message, task }: Answer.Answer) =>
  (message === undefined
    ? task && MemoryLakeAnswer.fromTask(task)
    : MemoryLakeAnswer.fromArtifact(Artifact.make(Id.ArtifactId.make("message"), message.parts))) ?? none

const toolCall = ({ args, id, name, outcome }: ToolCall.ToolCall): Schema.Json => ({
  id,
  name,
  args,
  ...(outcome?._tag === "Success" && { response: outcome.response }),
  ...(outcome?._tag === "Failure" && { error: outcome.error }),
  ...(outcome?._tag === "Failure" && outcome.code !== undefined && { code: outcome.code })
})

const toJson = (answer: Answer.Answer): Schema.Json => {
  const { attachments, recommendedQuestions } = extras(answer)
  return {
    outcome: {
      state: answer.state,
      ...(answer.taskId !== undefined && { taskId: answer.taskId }),
      ...(answer.contextId !== undefined && { contextId: answer.contextId }),
      text: answer.text,
      attachments: attachments.map((attachment) => ({ ...attachment })),
      recommendedQuestions,
      toolCalls: answer.toolCalls.map(toolCall)
    }
  }
}

const attachmentLine = ({ committed, error, name, url }: MemoryLakeAnswer.Attachment) =>
  `attachment ${name ?? "without a name"}: ${
    committed ? url ?? "saved" : `not saved${error === undefined ? "" : `, ${error}`}`
  }`

const footer = (answer: Answer.Answer): ReadonlyArray<string> => {
  const { attachments, recommendedQuestions } = extras(answer)
  return [
    ...attachments.map(attachmentLine),
    [
      answer.state,
      ...(answer.taskId === undefined ? [] : [`task ${answer.taskId}`]),
      ...(answer.contextId === undefined ? [] : [`context ${answer.contextId}`])
    ].join(" · "),
    ...recommendedQuestions.map((question) => `? ${question}`)
  ]
}

/** Says how it ended. */
export const tell = Effect.fnUntraced(function*(answer: Answer.Answer) {
  const output = yield* Output
  yield* output.json ? output.document(toJson(answer)) : output.step(footer(answer).join("\n"))
})

/** The exit code of an answer: 6 where the task waits for its caller. */
export const codeOf = ({ state }: Answer.Answer): number =>
  state !== "message" && TaskState.isInterrupted(state) ? 6 : 0

/** Ends the command with the code of its answer. */
export const end = (answer: Answer.Answer): Effect.Effect<void, Exit> => {
  const code = codeOf(answer)
  return code === 0 ? Effect.void : new Exit({ code })
}
