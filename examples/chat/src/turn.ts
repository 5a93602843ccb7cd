// A question and its answer: a value that is folded over the steps of the agent. Independent of the page.
import type { Final } from "@effect-a2a/core/AgentStream"
import type * as Answer from "@effect-a2a/core/Answer"
import * as Artifact from "@effect-a2a/core/Artifact"
import type * as Id from "@effect-a2a/core/Id"
import * as Part from "@effect-a2a/core/Part"
import type * as Received from "@effect-a2a/core/Step"
import type { TaskState } from "@effect-a2a/core/TaskState"
import * as ToolCall from "@effect-a2a/core/ToolCall"
import * as MemoryLakeAnswer from "@effect-a2a/memorylake/MemoryLakeAnswer"
import * as Base64 from "effect/encoding/Base64"
import type { Problem } from "./problem.ts"

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
  /** The number of steps of the task so far. */
  readonly count: number
  /** What belongs to earlier turns of the task. */
  readonly earlier: { readonly count: number; readonly text: string; readonly files: ReadonlyArray<string> }
  /** True if the steps and the answer include those of earlier turns. */
  readonly isWhole?: boolean | undefined
}

const join = (texts: ReadonlyArray<{ readonly text: string }>): string => texts.map(({ text }) => text).join("")

/** The text of the answer, which grows while it arrives. */
export const answerText = ({ texts }: Turn): string => join(texts).trim()

/** Returns true if the agent waits for its caller: the next question continues the task. */
export const isWaiting = ({ state }: Turn): boolean => state === "input-required" || state === "auth-required"

const fileKey = ({ name, url }: File) => `${name} ${url}`

const begin = (question: string, earlier: Turn["earlier"], count: number): Turn => ({
  question,
  isRunning: true,
  steps: [],
  texts: [],
  files: [],
  suggestions: [],
  count,
  earlier
})

/** Creates the turn of a question. `last` is the previous turn, whose task is continued if it waits. */
export const make = (question: string, last: Turn | undefined): Turn => {
  if (last === undefined || !isWaiting(last)) return begin(question, { count: 0, text: "", files: [] }, 0)
  const { count, earlier, files } = last
  const text = [earlier.text, answerText(last)].filter((one) => one !== "").join("\n\n")
  return begin(question, { count, text, files: [...earlier.files, ...files.map(fileKey)] }, count)
}

/** Creates the same turn anew, to receive all steps of its task again. */
export const restart = ({ contextId, earlier, question }: Turn): Turn => ({
  ...begin(question, earlier, 0),
  contextId,
  isWhole: true
})

const file = (part: Part.Raw | Part.Url): File => ({
  name: part.filename ?? (part._tag === "Url" ? part.url.split(/[?#]/)[0]!.split("/").at(-1) : undefined) ?? "file",
  mediaType: part.mediaType,
  url: part._tag === "Url"
    ? part.url
    : `data:${part.mediaType ?? "application/octet-stream"};base64,${Base64.encode(part.raw)}`
})

const isOfArtifact = ({ source }: { readonly source: string }): boolean => source.startsWith("artifact ")

/** Turns the text of messages into steps, since the agent continues with another one. */
const aside = (turn: Turn): Turn => {
  const said = turn.texts.filter((one) => !isOfArtifact(one) && one.text.trim() !== "")
  return said.length === 0
    ? turn
    : { ...turn, steps: [...turn.steps, ...said], texts: turn.texts.filter(isOfArtifact) }
}

const addStep = (before: Turn, step: Step): Turn => {
  const turn = aside(before)
  return { ...turn, steps: [...turn.steps, step] }
}

const addTool = (turn: Turn, one: ToolCall.Call | ToolCall.Result): Turn => {
  const known = turn.steps.findLast((step) => step._tag === "Tool" && step.call.id === one.id)
  const [call] = ToolCall.add(known?._tag === "Tool" ? [known.call] : [], one)
  const step: Step = { _tag: "Tool", call: call! }
  if (known === undefined) return addStep(turn, step)
  const { steps, ...rest } = aside(turn)
  return { ...rest, steps: steps.map((other) => other === known ? step : other) }
}

const addThought = (before: Turn, { source, text }: Received.Thought): Turn => {
  const turn = aside(before)
  const last = turn.steps.at(-1)
  return last?._tag === "Thought" && last.source === source
    ? { ...turn, steps: turn.steps.with(-1, { ...last, text: last.text + text }) }
    : { ...turn, steps: [...turn.steps, { _tag: "Thought", source, text }] }
}

const addText = (turn: Turn, { source, text }: Received.Text): Turn => {
  const last = turn.texts.at(-1)
  return {
    ...turn,
    texts: last?.source === source
      ? turn.texts.with(-1, { ...last, text: last.text + text })
      : [...turn.texts, { _tag: "Said", source, text }]
  }
}

const withoutEarlier = ({ earlier, isWhole }: Turn, text: string): string =>
  isWhole === true && text.startsWith(earlier.text) ? text.slice(earlier.text.length).trim() : text

/** Sets the text of the answer: that of its artifacts, or what was shown if they have none. */
const conclude = (turn: Turn, { artifacts, question, text }: Answer.Answer): Turn => {
  const texts = turn.texts.filter((one) => one.text.trim() !== question?.trim())
  if (artifacts.every((artifact) => Artifact.text(artifact) === "")) return { ...turn, texts }
  const answer = withoutEarlier(turn, text)
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

const addAnswer = (turn: Turn, answer: Answer.Answer): Turn => {
  const { attachments, other, recommendedQuestions } = MemoryLakeAnswer.fromAnswer(answer)
  const files = [...other.filter(Part.isFile).map(file), ...attachments.map(attachment)]
  const { contextId = turn.contextId, question } = answer
  return {
    ...conclude(turn, answer),
    contextId,
    asks: question,
    files: turn.isWhole === true ? files.filter((one) => !turn.earlier.files.includes(fileKey(one))) : files,
    suggestions: recommendedQuestions
  }
}

const addNew = (turn: Turn, step: Received.Step): Turn => {
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
      return addStep(turn, { _tag: "File", file: file(step.file) })
    case "Data":
      return turn
    case "State":
      return { ...turn, state: step.state }
  }
}

/** Adds a step, or the answer, which comes last. */
export const receive = (turn: Turn, step: Received.Step | Final): Turn => {
  if (step._tag === "Answer") return addAnswer(turn, step.answer)
  const isEarlier = turn.count < turn.earlier.count
  return { ...isEarlier ? turn : addNew(turn, step), count: turn.count + 1 }
}

/** Returns the turn to show: `shown` until another that starts anew is as far. */
export const furthest = (shown: Turn, turn: Turn): Turn => turn.count >= shown.count ? turn : shown

export const end = (turn: Turn, problem?: Problem): Turn => ({ ...turn, isRunning: false, problem })

/** Returns true if nothing was received. */
export const isSilent = ({ count, earlier }: Turn): boolean => count <= earlier.count
