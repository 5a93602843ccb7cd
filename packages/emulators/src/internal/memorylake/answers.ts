/**
 * The runs of the emulated agents, always the same. One is the example of MemoryLake's documentation; for other questions,
 * words and options choose the steps, see docs/memorylake.md. Tested in `packages/emulators/test/memorylake/rules.test.ts`.
 */
import * as Id from "@effect-a2a/core/Id"
import * as Message from "@effect-a2a/core/Message"
import * as Part from "@effect-a2a/core/Part"
import * as Recognizer from "@effect-a2a/core/Recognizer"
import * as MemoryLake from "@effect-a2a/memorylake/MemoryLake"
import * as MemoryLakeOptions from "@effect-a2a/memorylake/MemoryLakeOptions"
import type { Turn } from "@effect-a2a/server/AgentExecutor"
import * as Reply from "@effect-a2a/server/Reply"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"

/** The models that exist. The task fails for others. */
const models: ReadonlyArray<string> = [
  "claude-sonnet-4",
  "deepseek-chat",
  "gemini-2.5-pro",
  "gpt-4o",
  "qwen-max"
]

/** The wait between two steps of a slow run. */
const slowness = Duration.seconds(1)

/** One part of progress, and its number in the run, which is in the id of its message. */
interface Step {
  readonly n: number
  readonly suffix?: "call" | "response"
  readonly part: Part.Part
}

interface Run {
  readonly steps: ReadonlyArray<Step>
  /** The parts of the artifact. Without parts the run has no artifact. */
  readonly result: ReadonlyArray<Part.Part>
}

const mark = (part: Part.Part) => Recognizer.mark([MemoryLake.recognizer], part)

const call = (n: number, id: string, name: string, args: Schema.Json): Step => ({
  n,
  suffix: "call",
  part: mark(Part.data({ id, name, args }, { metadata: { adk_type: "function_call" } }))
})

const response = (n: number, id: string, name: string, response: Schema.Json): Step => ({
  n,
  suffix: "response",
  part: mark(Part.data({ id, name, response }, { metadata: { adk_type: "function_response" } }))
})

const say = (n: number, text: string): Step => ({ n, part: Part.text(text) })

const recommend = (...questions: ReadonlyArray<string>) => Part.data({ kind: "recommended_questions", questions })

/** The documented question. */
export const example = "What is the capital of France?"

const exampleRun: Run = {
  steps: [
    say(3, "Let me look that up."),
    call(8, "call_1", "web_search", { query: "capital of France" }),
    response(
      9,
      "call_1",
      "web_search",
      `{"results": [{"title": "Paris", "url": "https://en.wikipedia.org/wiki/Paris"}]}`
    ),
    say(11, "Paris is"),
    say(12, " the capital of France.")
  ],
  result: [Part.text("Paris is the capital of France."), recommend("What is the population of Paris?")]
}

const number = (steps: ReadonlyArray<(n: number) => Step>): ReadonlyArray<Step> =>
  steps.map((step, index) => step(index + 3))

const search = (question: string): ReadonlyArray<(n: number) => Step> => [
  (n) => say(n, "Let me look that up."),
  (n) => call(n, "call_1", "web_search", { query: question, limit: 2 }),
  (n) =>
    response(
      n,
      "call_1",
      "web_search",
      JSON.stringify({ results: [{ title: question, url: "https://example.com/" }], total: 1 })
    )
]

const toolError: ReadonlyArray<(n: number) => Step> = [
  (n) => call(n, "call_2", "web_fetch", { url: "https://example.com/" }),
  (n) => response(n, "call_2", "web_fetch", { error: "the page did not answer", code: "TIMEOUT" })
]

const file = { url: "https://files.example.com/report.csv", mediaType: "text/csv", filename: "report.csv" }

const attachment = (isSaved: boolean) =>
  Part.data({
    kind: "attachments",
    attachments: [{
      name: file.filename,
      mime_type: file.mediaType,
      description: "The report",
      ...(isSaved ? { presign_url: file.url, committed: true } : { committed: false, error: "the storage is full" })
    }]
  })

/** Splits a text into pieces of a few words, as models emit them. */
const pieces = (text: string): ReadonlyArray<string> =>
  text.match(/\S*(?:\s+\S+)?\s*/g)?.filter((piece) => piece !== "") ?? []

const languages: Readonly<Record<string, string>> = { en: "English", zh: "Chinese", cn: "Chinese" }

const isCalled = (question: string, word: string) => new RegExp(`\\b${word}\\b`, "i").test(question)

const redact = (text: string) => text.replace(/[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g, "[EMAIL_REDACTED]")

const cannedRun = (asked: string, options: MemoryLakeOptions.Options): Run => {
  const capabilities = options.overrides?.capabilitiesOverride ?? {}
  const question = capabilities.pii === undefined ? asked : redact(asked)
  const says = (word: string) => isCalled(asked, word)
  const language = options.runtimeOptions?.language
  const spoken = language === undefined ? "" : `(${languages[language] ?? language}) `
  const text = `${spoken}You asked: ${question}`
  const isUnsaved = says("unsaved")
  return {
    steps: number([
      (n) => ({ n, part: mark(Part.text("What is meant by that?", { metadata: { adk_thought: true } })) }),
      ...(says("search") || capabilities.web_search !== undefined ? search(question) : []),
      ...(says("tool error") ? toolError : []),
      ...(says("file") && !isUnsaved ? [(n: number): Step => ({ n, part: Part.url(file.url, file) })] : []),
      ...(says("silent") ? [] : pieces(text).map((piece) => (n: number) => say(n, piece)))
    ]),
    result: says("silent") ? [] : [
      Part.text(text),
      ...(says("file") ? [attachment(!isUnsaved)] : []),
      ...(says("citations") ? [Part.data({ kind: "citations", items: [1, 2] }), Part.data({ note: "no kind" })] : []),
      recommend("What else is there to know?")
    ]
  }
}

const replies = ({ taskId }: Turn, { result, steps }: Run): ReadonlyArray<Reply.Reply> => [
  ...steps.map(({ n, part, suffix }) => {
    const messageId = Id.MessageId.make(`${taskId}-${n}${suffix === undefined ? "" : `-${suffix}`}`)
    return Reply.progress({ _tag: "Message", messageId, role: "agent", parts: [part] })
  }),
  ...(result.length === 0 ? [] : [
    Reply.artifact({ artifactId: `result-${taskId}`, name: "result", parts: result, metadata: {} }, { lastChunk: true })
  ])
]

/** Returns the replies to a turn. */
export const answer = (turn: Turn): ReadonlyArray<Reply.Reply> => {
  const options = MemoryLakeOptions.decode(turn.metadata.memorylake)
  const model = options.overrides?.model
  const question = Message.text(turn.message)
  if (model !== undefined && !models.includes(model)) {
    return [Reply.status("failed", `LLM model config not found: ${model}`)]
  }
  if (question === example) return replies(turn, exampleRun)
  if (isCalled(question, "fail")) return [Reply.progress("Let me see."), Reply.status("failed", "The agent gave up.")]
  if (isCalled(question, "ask me") && turn.task === undefined) {
    return [Reply.status("input-required", "Which one do you mean?")]
  }
  return replies(turn, cannedRun(question, options))
}

/** Executes a turn, without waits unless the question contains `slow`. */
export const execute = (turn: Turn): Stream.Stream<Reply.Reply> => {
  const steps = Stream.fromIterable(answer(turn))
  return isCalled(Message.text(turn.message), "slow")
    ? Stream.mapEffect(steps, (reply) => Effect.delay(Effect.succeed(reply), slowness))
    : steps
}
