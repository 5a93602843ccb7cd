// A question and its answer: a value that is folded over events. Independent of the page.
import * as Artifact from "@effect-a2a/core/Artifact"
import * as Id from "@effect-a2a/core/Id"
import type * as Message from "@effect-a2a/core/Message"
import * as Part from "@effect-a2a/core/Part"
import * as StreamEvent from "@effect-a2a/core/StreamEvent"
import type * as Task from "@effect-a2a/core/Task"
import * as TaskProgress from "@effect-a2a/core/TaskProgress"
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

/** A step of the agent. */
export type Step =
  | { readonly _tag: "Thought"; readonly text: string }
  | { readonly _tag: "Said"; readonly text: string }
  | { readonly _tag: "Tool"; readonly call: ToolCall.ToolCall }
  | { readonly _tag: "File"; readonly file: File }

export interface Turn {
  readonly question: string
  readonly isRunning: boolean
  readonly contextId?: Id.ContextId | undefined
  readonly taskId?: Id.TaskId | undefined
  readonly state?: TaskState | undefined
  /** Messages that were received, so that a replay repeats nothing. */
  readonly messageIds: ReadonlyArray<string>
  readonly steps: ReadonlyArray<Step>
  /** The parts that report tool calls. */
  readonly toolParts: ReadonlyArray<Part.Part>
  /** The text of the answer, which grows while it arrives. */
  readonly text: string
  readonly files: ReadonlyArray<File>
  readonly questions: ReadonlyArray<string>
  readonly problem?: Problem | undefined
  /** The task so far: chunks of artifacts are joined in it. */
  readonly task?: Task.Task | undefined
}

/** Creates the turn of a question. `last` is the previous turn: a task that continues repeats its messages. */
export const make = (question: string, last: Turn | undefined): Turn => ({
  question,
  isRunning: true,
  messageIds: last?.state === "input-required" ? last.messageIds : [],
  steps: [],
  toolParts: [],
  text: "",
  files: [],
  questions: []
})

const file = (part: Part.Raw | Part.Url): File => ({
  name: part.filename ?? (part._tag === "Url" ? part.url.split(/[?#]/)[0]!.split("/").at(-1) : undefined) ?? "file",
  mediaType: part.mediaType,
  url: part._tag === "Url"
    ? part.url
    : `data:${part.mediaType ?? "application/octet-stream"};base64,${Base64.encode(part.raw)}`
})

/** Turns the text so far into a step, since the agent continues with another one. */
const aside = (turn: Turn): Turn =>
  turn.text.trim() === "" ? turn : { ...turn, steps: [...turn.steps, { _tag: "Said", text: turn.text }], text: "" }

const addTool = (turn: Turn, part: Part.Part): Turn => {
  const calls = turn.steps.flatMap((step) => step._tag === "Tool" ? [step.call] : [])
  const toolParts = [...turn.toolParts, part]
  const next = ToolCall.collect(toolParts)
  const fresh = next.filter((call) => !calls.some(({ id }) => id === call.id))
  const steps = turn.steps.map((step): Step => {
    const call = step._tag === "Tool" ? next.find(({ id }) => id === step.call.id) : undefined
    return call === undefined || (step._tag === "Tool" && step.call === call) ? step : { _tag: "Tool", call }
  })
  return { ...turn, toolParts, steps: [...steps, ...fresh.map((call): Step => ({ _tag: "Tool", call }))] }
}

const addThought = (turn: Turn, text: string): Turn => {
  const last = turn.steps.at(-1)
  return last?._tag === "Thought"
    ? { ...turn, steps: turn.steps.with(-1, { _tag: "Thought", text: last.text + text }) }
    : { ...turn, steps: [...turn.steps, { _tag: "Thought", text }] }
}

const isTool = (part: Part.Part) => ToolCall.call(part) !== undefined || ToolCall.result(part) !== undefined

const addPart = (turn: Turn, part: Part.Part): Turn => {
  if (isTool(part)) return addTool(aside(turn), part)
  if (Part.isThought(part)) return addThought(aside(turn), part._tag === "Text" ? part.text : "")
  if (part._tag === "Text") return { ...turn, text: turn.text + part.text }
  if (!Part.isFile(part)) return turn
  return { ...aside(turn), steps: [...aside(turn).steps, { _tag: "File", file: file(part) }] }
}

const addMessage = (turn: Turn, message: Message.Message | undefined): Turn =>
  message === undefined || message.role === "user" || turn.messageIds.includes(message.messageId)
    ? turn
    : message.parts.reduce(addPart, { ...turn, messageIds: [...turn.messageIds, message.messageId] })

const conclude = (turn: Turn, answer: MemoryLakeAnswer.Answer | undefined): Turn =>
  answer === undefined ? turn : {
    ...turn,
    text: answer.text || turn.text,
    files: [
      ...answer.other.filter(Part.isFile).map(file),
      ...answer.attachments.map(({ committed, description, error, mimeType, name, url }): File => ({
        name: name ?? "attachment",
        mediaType: mimeType,
        url: committed ? url : undefined,
        note: committed ? description : `not saved: ${error ?? "no reason given"}`
      }))
    ],
    questions: answer.recommendedQuestions
  }

/** Adds tool calls in artifacts, where some agents put them. */
const addArtifacts = (turn: Turn, artifacts: ReadonlyArray<Artifact.Artifact>): Turn =>
  artifacts.flatMap(({ parts }) => parts).filter(isTool).reduce(addTool, turn)

const ofMessage = (message: Message.Message) =>
  MemoryLakeAnswer.fromArtifact(Artifact.make(Id.ArtifactId.make(message.messageId), message.parts))

export const receive = (before: Turn, event: StreamEvent.StreamEvent): Turn => {
  const task = TaskProgress.apply(before.task, event)
  const turn: Turn = {
    ...before,
    task,
    taskId: StreamEvent.taskId(event) ?? before.taskId,
    contextId: event.contextId ?? before.contextId,
    state: StreamEvent.state(event) ?? before.state
  }
  switch (event._tag) {
    case "Message":
      return conclude(turn, ofMessage(event))
    case "StatusUpdate":
      return event.status.state === "failed" ? turn : addMessage(turn, event.status.message)
    case "ArtifactUpdate":
      return conclude(addArtifacts(turn, [event.artifact]), task && MemoryLakeAnswer.fromTask(task))
    case "Task": {
      const withHistory = (event.history ?? []).reduce(addMessage, turn)
      const withStatus = event.status.state === "failed" ? withHistory : addMessage(withHistory, event.status.message)
      return conclude(addArtifacts(withStatus, event.artifacts ?? []), MemoryLakeAnswer.fromTask(event))
    }
  }
}

export const end = (turn: Turn, problem?: Problem): Turn => ({ ...turn, isRunning: false, problem })

/** Returns true if no event was received. */
export const isSilent = ({ state, steps, text }: Turn): boolean =>
  state === undefined && steps.length === 0 && text === ""
