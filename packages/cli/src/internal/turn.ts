/** One turn: writes the events as they arrive, then the outcome. */
import type { AgentError } from "@effect-a2a/core/AgentError"
import * as AgentStream from "@effect-a2a/core/AgentStream"
import * as Answer from "@effect-a2a/core/Answer"
import type * as Message from "@effect-a2a/core/Message"
import type * as Step from "@effect-a2a/core/Step"
import * as StreamEvent from "@effect-a2a/core/StreamEvent"
import type * as Task from "@effect-a2a/core/Task"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Exit } from "./exit.ts"
import type { Leave } from "./leave.ts"
import * as Outcome from "./outcome.ts"
import { oneLine, Output } from "./output.ts"
import type { Reader } from "./reader.ts"
import * as Report from "./report.ts"
import * as Wire from "./wire.ts"

const shortJson = (value: unknown) => {
  const text = typeof value === "string" ? value : JSON.stringify(value)
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}

/** Returns the line of a step; text of the answer and states have none. */
const stepLine = (step: Step.Step): string | undefined => {
  switch (step._tag) {
    case "Thought":
      return step.text
    case "ToolCall":
      return `${step.call.name} ${shortJson(step.call.args)}`
    case "ToolResult": {
      const { name, outcome } = step.result
      return outcome._tag === "Success"
        ? `${name} → ${shortJson(outcome.response)}`
        : `${name} failed: ${outcome.error}`
    }
    case "File":
      return `file ${step.file.filename ?? step.file.mediaType ?? ""}${
        step.file._tag === "Url" ? ` ${step.file.url}` : ""
      }`
    default:
      return undefined
  }
}

/** Prints the answer's text and question, if they were not printed while they arrived. */
const printAnswer = Effect.fnUntraced(function*(answer: Answer.Answer) {
  const output = yield* Output
  const text = Outcome.textOf(answer)
  if (!output.json && text !== "") yield* output.print(`${text}\n`)
})

interface Turn {
  /** The operation, for errors. */
  readonly operation: string
  readonly reader: Reader
  /** Runs if the user interrupts the turn, or a time limit does. */
  readonly leave: Leave
}

/** A streamed turn. */
export interface Streamed extends Turn {
  readonly events: Stream.Stream<StreamEvent.StreamEvent, AgentError>
  /** Runs on every event. */
  readonly onEvent?: ((event: StreamEvent.StreamEvent) => Effect.Effect<void>) | undefined
}

/** Decides what becomes of the task of a turn that the user or a time limit ends, and reports that end. */
const withLeave =
  (operation: string, { onInterrupt, onTimeout }: Leave, taskId: () => string | undefined) =>
  <A, R>(self: Effect.Effect<A, AgentError, R>): Effect.Effect<A, AgentError | Exit, R | Output> =>
    self.pipe(
      Effect.onInterrupt(() => Effect.andThen(onInterrupt(taskId()), Report.reportInterruption(operation, taskId()))),
      Effect.catchTag("AgentError", (error): Effect.Effect<never, AgentError | Exit, Output> =>
        error.reason._tag === "TimeoutError"
          ? Effect.andThen(onTimeout(taskId(), error.reason.phase), Report.reportFailure(error, taskId()))
          : Effect.fail(error))
    )

/** Follows a stream to its end and writes the outcome. */
export const follow = Effect.fnUntraced(function*(
  { events, leave, onEvent = () => Effect.void, operation, reader }: Streamed
): Effect.fn.Return<Answer.Answer, Exit | AgentError, Output> {
  const output = yield* Output
  const isLive = output.isLive && !output.json
  let answer = Answer.empty
  let taskId: string | undefined
  const write = (step: Step.Step | AgentStream.Final) => {
    if (step._tag === "Text") return isLive ? output.print(step.text) : Effect.void
    if (step._tag === "Answer") {
      answer = step.answer
      return Effect.void
    }
    const line = stepLine(step)
    return line === undefined ? Effect.void : output.step(oneLine(line))
  }
  yield* events.pipe(
    Stream.tap((event) => {
      // events of other tasks may follow
      taskId ??= StreamEvent.taskId(event)
      const written = output.json ? Effect.flatMap(Wire.event(event), output.document) : Effect.void
      return Effect.andThen(written, onEvent(event))
    }),
    AgentStream.steps,
    Stream.runForEach(write),
    Effect.ensuring(output.endLine),
    withLeave(operation, leave, () => taskId),
    Effect.catchTag("AgentError", (error) => Report.reportFailure(error, taskId))
  )
  if (!isLive) yield* printAnswer(answer)
  yield* Outcome.write(reader, answer)
  return answer
})

/** A turn whose result arrives at once. */
export interface Sent extends Turn {
  readonly result: Effect.Effect<Task.Task | Message.Message, AgentError>
  /** Returns the task, if it is known before the result. */
  readonly taskId?: (() => string | undefined) | undefined
  /** The task before its message was sent: what it had already is left out of the answer. */
  readonly before?: Task.Task | undefined
}

/** Waits for the result and writes it and the outcome. */
export const once = Effect.fnUntraced(function*(
  { before, leave, operation, reader, result, taskId = () => undefined }: Sent
): Effect.fn.Return<Answer.Answer, Exit | AgentError, Output> {
  const output = yield* Output
  const write = (value: Task.Task | Message.Message) =>
    output.json ? Effect.flatMap(Wire.event(value), output.document) : Effect.void
  const received = yield* result.pipe(
    // a task that did not succeed is written too
    Effect.tapError(({ reason }) => "task" in reason ? write(reason.task) : Effect.void),
    withLeave(operation, leave, taskId)
  )
  const answer = Answer.from(received, before)
  yield* write(received)
  yield* printAnswer(answer)
  yield* Outcome.write(reader, answer)
  return answer
})
