// A question and its answer: a value that is folded over the steps of the agent. Independent of the page.
import type { Final } from "@effect-a2a/core/AgentStream"
import type * as Answer from "@effect-a2a/core/Answer"
import * as Artifact from "@effect-a2a/core/Artifact"
import type * as Id from "@effect-a2a/core/Id"
import * as Part from "@effect-a2a/core/Part"
import type * as Received from "@effect-a2a/core/Step"
import type { StreamEvent } from "@effect-a2a/core/StreamEvent"
import type { TaskState } from "@effect-a2a/core/TaskState"
import * as ToolCall from "@effect-a2a/core/ToolCall"
import * as MemoryLakeAnswer from "@effect-a2a/memorylake/MemoryLakeAnswer"
import * as Base64 from "effect/encoding/Base64"
import type { Problem } from "./problem.ts"
import * as Resumption from "./resumption.ts"

export interface File {
  readonly name: string
  readonly mediaType?: string | undefined
  readonly url?: string | undefined
  readonly note?: string | undefined
}

/** Text or a thought, of one message or artifact. */
interface Said<Tag extends string> {
  readonly _tag: Tag
  readonly source: string
  readonly text: string
}

/** A step of the agent. */
export type Step =
  | Said<"Thought">
  | Said<"Said">
  | { readonly _tag: "Tool"; readonly call: ToolCall.ToolCall }
  | { readonly _tag: "File"; readonly file: File }

export interface Turn {
  readonly question: string
  readonly isRunning: boolean
  readonly contextId?: Id.ContextId | undefined
  readonly state?: TaskState | undefined
  readonly steps: ReadonlyArray<Step>
  /** The answer so far: the text of artifacts, and of messages since the last step. */
  readonly texts: ReadonlyArray<Said<"Said">>
  /** The agent's question, if it waits for its caller. */
  readonly asks?: string | undefined
  readonly files: ReadonlyArray<File>
  readonly suggestions: ReadonlyArray<string>
  readonly problem?: Problem | undefined
  /** All that the task said and did, in earlier turns too, which a subscription may repeat. */
  readonly shown: Resumption.Shown
  /** The part of it, and the answer, that belong to earlier turns of the task. */
  readonly earlier: Resumption.Shown
  readonly earlierText: string
  readonly beginning: Resumption.Beginning
  readonly resumption?: Resumption.Resumption | undefined
}

const join = (texts: ReadonlyArray<{ readonly text: string }>): string => texts.map(({ text }) => text).join("")

/** The text of the answer, which grows while it arrives. */
export const text = ({ texts }: Turn): string => join(texts).trim()

/** Returns true if the agent waits for its caller: the next question continues the task. */
export const isWaiting = ({ state }: Turn): boolean => state === "input-required" || state === "auth-required"

/** Creates the turn of a question. `last` is the previous turn, whose task may be continued. */
export const make = (question: string, last: Turn | undefined): Turn => {
  const before = last !== undefined && isWaiting(last) ? last : undefined
  const shown = before?.shown ?? Resumption.nothing
  return {
    question,
    isRunning: true,
    steps: [],
    texts: [],
    files: [],
    suggestions: [],
    shown,
    earlier: shown,
    earlierText: before === undefined ? "" : `${before.earlierText}\n\n${text(before)}`.trim(),
    beginning: before?.beginning ?? {}
  }
}

/** Prepares a turn for a subscription to its task. */
export const resume = (turn: Turn): Turn => ({
  ...turn,
  isRunning: true,
  problem: undefined,
  resumption: Resumption.make(turn.shown, join(turn.texts))
})

/** Notes how the events begin. */
export const note = (turn: Turn, event: StreamEvent): Turn => {
  const resumption = turn.resumption && Resumption.decide(turn.resumption, turn.beginning, event)
  const beginning = Resumption.begin(turn.beginning, event)
  return resumption === turn.resumption && beginning === turn.beginning ? turn : { ...turn, resumption, beginning }
}

const file = (part: Part.Raw | Part.Url): File => ({
  name: part.filename ?? (part._tag === "Url" ? part.url.split(/[?#]/)[0]!.split("/").at(-1) : undefined) ?? "file",
  mediaType: part.mediaType,
  url: part._tag === "Url"
    ? part.url
    : `data:${part.mediaType ?? "application/octet-stream"};base64,${Base64.encode(part.raw)}`
})

const fileKey = ({ name, url }: File) => `file ${name} ${url}`
const toolKey = ({ id }: { readonly id: string }) => `tool ${id}`

const isOfArtifact = ({ source }: { readonly source: string }): boolean => source.startsWith("artifact ")

/** Turns the text of messages into steps, since the agent continues with another one. */
const aside = (turn: Turn): Turn => {
  const said = turn.texts.filter((one) => !isOfArtifact(one) && one.text.trim() !== "")
  return said.length === 0
    ? turn
    : { ...turn, steps: [...turn.steps, ...said], texts: turn.texts.filter(isOfArtifact) }
}

const addItem = (turn: Turn, key: string, step: Step): Turn => {
  const { resumption, shown, steps } = turn
  if (resumption?.repeats === true && shown.items.includes(key)) return turn
  return { ...turn, steps: [...steps, step], shown: { ...shown, items: [...shown.items, key] } }
}

const addTool = (turn: Turn, one: ToolCall.Call | ToolCall.Result): Turn => {
  const known = turn.steps.findLast((step) => step._tag === "Tool" && step.call.id === one.id)
  const [call] = ToolCall.add(known?._tag === "Tool" ? [known.call] : [], one)
  const step: Step = { _tag: "Tool", call: call! }
  if (known === undefined) return addItem(aside(turn), toolKey(one), step)
  const next = turn.resumption?.repeats === true ? turn : aside(turn)
  return { ...next, steps: next.steps.map((other) => other === known ? step : other) }
}

/** Adds what is new of a text or a thought to what was shown. */
const show = (turn: Turn, key: string, received: string): readonly [text: string, Turn] => {
  const [text, resumption] = turn.resumption === undefined
    ? [received, undefined]
    : Resumption.news(turn.resumption, key, received)
  const texts = { ...turn.shown.texts, [key]: (turn.shown.texts[key] ?? "") + text }
  return [text, { ...turn, resumption, shown: { ...turn.shown, texts } }]
}

const addThought = (before: Turn, { source, text: received }: Received.Thought): Turn => {
  const [text, turn] = show(before, `thought ${source}`, received)
  if (text === "") return turn
  const { steps, ...rest } = aside(turn)
  const last = steps.at(-1)
  return last?._tag === "Thought" && last.source === source
    ? { ...rest, steps: steps.with(-1, { ...last, text: last.text + text }) }
    : { ...rest, steps: [...steps, { _tag: "Thought", source, text }] }
}

const addText = (before: Turn, { source, text: received }: Received.Text): Turn => {
  const [text, turn] = show(before, `text ${source}`, received)
  if (text === "") return turn
  const { texts } = turn
  const last = texts.at(-1)
  if (last?.source === source) return { ...turn, texts: texts.with(-1, { ...last, text: last.text + text }) }
  // the first text after a reload is not separated from the text before it
  const isApart = before.resumption?.hasText === false && last !== undefined && text === received
  return { ...turn, texts: [...texts, { _tag: "Said", source, text: isApart ? `\n\n${text}` : text }] }
}

const withoutEarlier = ({ earlierText, resumption }: Turn, text: string): string =>
  resumption?.repeats === true && text.startsWith(earlierText) ? text.slice(earlierText.length).trim() : text

/** Returns the whole text of the answer: of its artifacts, or as it was shown if it has none. */
const whole = (turn: Turn, { artifacts, question, text }: Answer.Answer): Turn => {
  const texts = turn.texts.filter((one) => one.text.trim() !== question?.trim())
  if (artifacts.every((artifact) => Artifact.text(artifact) === "")) return { ...turn, texts }
  const shown = join(texts.filter(isOfArtifact)).trim()
  // a subscription without what was shown before knows only the rest
  const isRest = turn.resumption?.repeats === false && shown.endsWith(text)
  const answer = isRest ? shown : withoutEarlier(turn, text)
  const said = join(texts.filter((one) => !isOfArtifact(one))).trim()
  const { steps } = answer.startsWith(said) ? turn : aside({ ...turn, texts })
  return { ...turn, steps, texts: [{ _tag: "Said", source: "answer", text: answer }] }
}

const attachment = (one: MemoryLakeAnswer.Attachment): File => ({
  name: one.name ?? "attachment",
  mediaType: one.mimeType,
  url: one.committed ? one.url : undefined,
  note: one.committed ? one.description : `not saved: ${one.error ?? "no reason given"}`
})

const conclude = (turn: Turn, answer: Answer.Answer): Turn => {
  const { attachments, other, recommendedQuestions } = MemoryLakeAnswer.fromAnswer(answer)
  const files = [...other.filter(Part.isFile).map(file), ...attachments.map(attachment)]
  return {
    ...whole(turn, answer),
    contextId: answer.contextId ?? turn.contextId,
    asks: answer.question,
    files: files.filter((one) => !turn.earlier.items.includes(fileKey(one))),
    suggestions: recommendedQuestions
  }
}

/** Adds a step, or the answer, which comes last. */
export const receive = (turn: Turn, step: Received.Step | Final): Turn => {
  switch (step._tag) {
    case "Text":
      return addText(turn, step)
    case "Thought":
      return addThought(turn, step)
    case "ToolCall":
      return addTool(turn, step.call)
    case "ToolResult":
      return addTool(turn, step.result)
    case "File":
      return addItem(aside(turn), fileKey(file(step.file)), { _tag: "File", file: file(step.file) })
    case "Data":
      return turn
    case "State":
      return { ...turn, state: step.state }
    case "Answer":
      return conclude(turn, step.answer)
  }
}

export const end = (turn: Turn, problem?: Problem): Turn => ({
  ...turn,
  isRunning: false,
  problem,
  resumption: undefined
})

/** Returns true if nothing was received. */
export const isSilent = ({ state, steps, texts }: Turn): boolean =>
  state === undefined && steps.length === 0 && texts.length === 0
