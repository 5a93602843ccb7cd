/** One turn: what the agent says and does as it comes, then how it ended. */
import type { AgentError } from "@effect-a2a/core/AgentError"
import * as AgentStream from "@effect-a2a/core/AgentStream"
import * as Answer from "@effect-a2a/core/Answer"
import type * as Message from "@effect-a2a/core/Message"
import * as StreamEvent from "@effect-a2a/core/StreamEvent"
import type * as Task from "@effect-a2a/core/Task"
import * as TaskProgress from "@effect-a2a/core/TaskProgress"
import * as MemoryLakeAnswer from "@effect-a2a/memorylake/MemoryLakeAnswer"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Exit } from "./exit.ts"
import * as Outcome from "./outcome.ts"
import { oneLine, Output } from "./output.ts"
import * as Report from "./report.ts"
import * as Wire from "./wire.ts"

const json = (value: unknown) => {
  const text = typeof value === "string" ? value : JSON.stringify(value)
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}

/** What is told of a step besides text. */
const told = (step: MemoryLakeAnswer.Step): string | undefined => {
  switch (step._tag) {
    case "Thought":
      return oneLine(step.text)
    case "ToolCall":
      return `${step.call.name} ${json(step.call.args)}`
    case "ToolResult": {
      const { name, outcome } = step.result
      return outcome._tag === "Success" ? `${name} → ${json(outcome.response)}` : `${name} failed: ${outcome.error}`
    }
    case "File":
      return `file ${step.file.filename ?? step.file.mediaType ?? ""}${
        step.file._tag === "Url" ? ` ${step.file.url}` : ""
      }`
    default:
      return undefined
  }
}

/** Steps for people, in lines. */
const steps = (event: StreamEvent.StreamEvent): ReadonlyArray<string> =>
  MemoryLakeAnswer.steps(event).flatMap((step) => told(step) ?? [])

/** The answer's text where it has not been shown while it came. */
const printAnswer = Effect.fnUntraced(function*(answer: Answer.Answer) {
  const output = yield* Output
  if (!output.json && answer.text !== "") yield* output.print(`${answer.text}\n`)
})

/** What a turn's caller hears of it while it goes on. */
export type OnEvent = (event: StreamEvent.StreamEvent) => Effect.Effect<void>

/** Follows events to their end and tells the outcome. */
export const follow = Effect.fnUntraced(function*(
  operation: string,
  events: Stream.Stream<StreamEvent.StreamEvent, AgentError>,
  onEvent: OnEvent = () => Effect.void
): Effect.fn.Return<Answer.Answer, Exit | AgentError, Output> {
  const output = yield* Output
  const isLive = output.isLive && !output.json
  const progress = TaskProgress.make()
  let taskId: string | undefined
  const tell = (event: StreamEvent.StreamEvent) => {
    if (output.json) return Effect.flatMap(Wire.event(event), output.document)
    const lines = steps(event)
    return lines.length === 0 ? Effect.void : output.step(lines.join("\n"))
  }
  yield* events.pipe(
    Stream.tap((event) => {
      TaskProgress.add(progress, event)
      taskId = StreamEvent.taskId(event) ?? taskId
      return Effect.andThen(tell(event), onEvent(event))
    }),
    AgentStream.text,
    Stream.runForEach((text) => isLive ? output.print(text) : Effect.void),
    Effect.ensuring(output.endLine),
    Effect.onInterrupt(() => Report.interrupted(operation, taskId)),
    Effect.catchTag("AgentError", (error) => Report.failure(error, taskId))
  )
  const answer = Answer.fromProgress(progress)
  if (!isLive) yield* printAnswer(answer)
  yield* Outcome.tell(answer)
  return answer
})

/** Waits for one answer and tells the outcome. `taskId`: of the task that is known to be waited for. */
export const once = Effect.fnUntraced(function*(
  operation: string,
  sent: Effect.Effect<Task.Task | Message.Message, AgentError>,
  taskId?: string
): Effect.fn.Return<Answer.Answer, Exit | AgentError, Output> {
  const output = yield* Output
  const show = (told: Task.Task | Message.Message) =>
    output.json ? Effect.flatMap(Wire.event(told), output.document) : Effect.void
  const answered = yield* sent.pipe(
    // a task that did not succeed is an answer too
    Effect.tapError(({ reason }) => "task" in reason ? show(reason.task) : Effect.void),
    Effect.onInterrupt(() => Report.interrupted(operation, taskId))
  )
  const answer = Answer.from(answered)
  yield* show(answered)
  yield* printAnswer(answer)
  yield* Outcome.tell(answer)
  return answer
})
