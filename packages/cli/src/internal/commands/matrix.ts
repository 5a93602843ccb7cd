import type * as Agent from "@effect-a2a/core/Agent"
import { type AgentError, isAgentError } from "@effect-a2a/core/AgentError"
import * as AgentStream from "@effect-a2a/core/AgentStream"
import * as Answer from "@effect-a2a/core/Answer"
import type * as Part from "@effect-a2a/core/Part"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { type Combination, connect } from "../connect.ts"
import { codeOf, Exit, UsageError } from "../exit.ts"
import * as Flags from "../flags.ts"
import { handler } from "../handler.ts"
import * as Message from "../message.ts"
import * as Outcome from "../outcome.ts"
import { oneLine, Output } from "../output.ts"

interface Case extends Combination {
  readonly method: "send" | "stream"
}

const cases: ReadonlyArray<Case> = (["1.0", "0.3"] as const).flatMap((protocol) =>
  (["rest", "jsonrpc"] as const).flatMap((binding) =>
    (["send", "stream"] as const).map((method) => ({ protocol, binding, method }))
  )
)

interface Row extends Case {
  readonly result: Result.Result<Answer.Answer, AgentError>
  readonly events: number
  /** Milliseconds until the first event; absent if no event arrived. */
  readonly firstEventMs: number | undefined
  readonly totalMs: number
}

const measure = Effect.fnUntraced(function*(
  combination: Case,
  api: Agent.Service,
  parts: ReadonlyArray<Part.Part>,
  options: Agent.Options
): Effect.fn.Return<Row> {
  const start = yield* Clock.currentTimeMillis
  let events = 0
  let first: number | undefined
  const count = Effect.map(Clock.currentTimeMillis, (now) => {
    events++
    first ??= now - start
  })
  const asked = combination.method === "stream"
    ? AgentStream.answer(Stream.tap(api.stream(parts, options), () => count))
    : Effect.map(Effect.tap(api.send(parts, options), () => count), Answer.from)
  const result = yield* Effect.result(asked)
  return { ...combination, result, events, firstEventMs: first, totalMs: (yield* Clock.currentTimeMillis) - start }
})

const textOf = ({ result }: Row): string =>
  Result.isSuccess(result)
    ? Outcome.textOf(result.success)
    : `${result.failure.reason.message} (${result.failure.code})`

const toJson = ({ result, ...row }: Row): Schema.Json => ({
  protocol: row.protocol,
  binding: row.binding,
  method: row.method,
  events: row.events,
  ...(row.firstEventMs !== undefined && { firstEventMs: row.firstEventMs }),
  totalMs: row.totalMs,
  ...(Result.isSuccess(result)
    ? { state: result.success.state, answer: Outcome.textOf(result.success) }
    : {
      error: { reason: result.failure.reason._tag, code: result.failure.code, message: result.failure.reason.message }
    })
})

const shorten = (text: string) => text.length > 60 ? `${text.slice(0, 59)}…` : text

const columns = [
  { title: "version", of: (row: Row) => row.protocol, isNumber: false },
  { title: "binding", of: (row: Row) => row.binding, isNumber: false },
  { title: "method", of: (row: Row) => row.method, isNumber: false },
  { title: "events", of: (row: Row) => String(row.events), isNumber: true },
  { title: "first", of: (row: Row) => row.firstEventMs === undefined ? "-" : `${row.firstEventMs} ms`, isNumber: true },
  { title: "total", of: (row: Row) => `${row.totalMs} ms`, isNumber: true },
  { title: "answer", of: (row: Row) => shorten(oneLine(textOf(row))), isNumber: false }
] as const

const table = (rows: ReadonlyArray<Row>): string => {
  const texts = columns.map(({ isNumber, of, title }) => {
    const lines = [title, ...rows.map(of)]
    const width = Math.max(...lines.map((text) => text.length))
    return lines.map((text) => isNumber ? text.padStart(width) : text.padEnd(width))
  })
  return [-1, ...rows.keys()].map((row) => texts.map((column) => column[row + 1]).join("  ").trimEnd()).join("\n")
}

/** Asks the same question in every combination. */
export const matrix = Command.make(
  "matrix",
  {
    text: Argument.String("TEXT").pipe(Argument.withDescription("The question; - reads stdin")),
    file: Flags.content.file,
    data: Flags.content.data,
    maxSize: Flags.content.maxSize,
    ...Flags.request
  },
  handler(Effect.fnUntraced(function*(input) {
    const output = yield* Output
    const parts = yield* Message.parts(input)
    const { agent, provide, target } = yield* connect
    if (target.place._tag === "Adk") {
      return yield* new UsageError({
        message: "matrix compares protocol versions and bindings, which ADK servers do not have: use ask"
      })
    }
    const rows = yield* Effect.forEach(
      cases,
      Effect.fnUntraced(function*(combination) {
        const row = yield* agent(combination).pipe(
          Effect.flatMap(({ api }) => provide(measure(combination, api, parts, Message.requestOptions(input)))),
          Effect.catchTag("AgentError", (error) =>
            Effect.succeed<Row>({
              ...combination,
              result: Result.fail(error),
              events: 0,
              firstEventMs: undefined,
              totalMs: 0
            }))
        )
        if (output.json) yield* output.document(toJson(row))
        return row
      })
    )
    if (!output.json) yield* output.print(`${table(rows)}\n`)
    const failure = rows.map(({ result }) => Result.getFailure(result)).find((failed) => failed._tag === "Some")?.value
    if (isAgentError(failure)) return yield* new Exit({ code: codeOf(failure) })
  }))
).pipe(
  Command.withDescription(
    "Ask the same in all eight combinations of version, binding and method; --protocol and --binding are ignored. " +
      "The exit code is that of the first failure."
  ),
  Command.withShortDescription("Ask the same in all eight combinations"),
  Command.withExamples([{
    command: "a2a matrix \"What is the capital of France?\"",
    description: "Compare all combinations"
  }])
)
