/** The outcome of a turn, for programs, for people, and as an exit code. */
import type * as Answer from "@effect-a2a/core/Answer"
import * as TaskState from "@effect-a2a/core/TaskState"
import type * as ToolCall from "@effect-a2a/core/ToolCall"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { Exit } from "./exit.ts"
import { oneLine, Output } from "./output.ts"
import type { Extras, Reader } from "./reader.ts"

/** Returns the text of an answer and its question, as a terminal shows them. */
export const textOf = ({ question = "", text }: Answer.Answer): string =>
  [text, question].filter((part) => part !== "").join("\n\n")

const toolCallJson = ({ args, id, name, outcome }: ToolCall.ToolCall): Schema.Json => ({
  id,
  name,
  args,
  ...(outcome?._tag === "Success" && { response: outcome.response }),
  ...(outcome?._tag === "Failure" && { error: outcome.error }),
  ...(outcome?._tag === "Failure" && outcome.code !== undefined && { code: outcome.code })
})

const toJson = (answer: Answer.Answer, { attachments, recommendedQuestions }: Extras): Schema.Json => ({
  outcome: {
    state: answer.state,
    ...(answer.taskId !== undefined && { taskId: answer.taskId }),
    ...(answer.contextId !== undefined && { contextId: answer.contextId }),
    text: answer.text,
    attachments: attachments.map((attachment) => ({ ...attachment })),
    recommendedQuestions,
    toolCalls: answer.toolCalls.map(toolCallJson),
    ...(answer.question !== undefined && { question: answer.question })
  }
})

const attachmentLine = ({ committed, error, name, url }: Extras["attachments"][number]) =>
  `attachment ${name ?? "without a name"}: ${
    committed ? url ?? "saved" : `not saved${error === undefined ? "" : `, ${error}`}`
  }`

const toLines = (answer: Answer.Answer, { attachments, recommendedQuestions }: Extras): ReadonlyArray<string> => [
  ...attachments.map(attachmentLine),
  [
    answer.state,
    ...(answer.taskId === undefined ? [] : [`task ${answer.taskId}`]),
    ...(answer.contextId === undefined ? [] : [`context ${answer.contextId}`])
  ].join(" · "),
  ...recommendedQuestions.map((question) => `? ${question}`)
]

/** Writes the outcome: a document for programs, lines for people. */
export const write = Effect.fnUntraced(function*(reader: Reader, answer: Answer.Answer) {
  const output = yield* Output
  const extras = reader.extras(answer)
  yield* output.json
    ? output.document(toJson(answer, extras))
    : output.step(toLines(answer, extras).map(oneLine).join("\n"))
})

/** Returns the exit code of an answer: 6 if the task waits for its caller. */
export const codeOf = ({ state }: Answer.Answer): number =>
  state !== "message" && TaskState.isInterrupted(state) ? 6 : 0

/** Ends the command with the code of its answer. */
export const end = (answer: Answer.Answer): Effect.Effect<void, Exit> => {
  const code = codeOf(answer)
  return code === 0 ? Effect.void : new Exit({ code })
}
