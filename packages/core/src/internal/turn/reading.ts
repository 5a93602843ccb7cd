/**
 * Reads events into steps: text by source, thoughts, tool calls, files and states, each once. Of all that passes only
 * lengths, hashes and ids are kept. Tested in `packages/core/test/turn.test.ts`.
 */
import type { TaskId } from "../../Id.ts"
import * as Message from "../../Message.ts"
import * as Part from "../../Part.ts"
import type * as Step from "../../Step.ts"
import * as StreamEvent from "../../StreamEvent.ts"
import type { Task } from "../../Task.ts"
import * as TaskState from "../../TaskState.ts"
import * as Baseline from "./baseline.ts"
import type * as Content from "./content.ts"
import { isForeign } from "./foreign.ts"
import * as Items from "./items.ts"
import * as Pairing from "./pairing.ts"
import * as Source from "./source.ts"
import * as Sources from "./sources.ts"

/** The events so far, without their content. */
export interface Reading {
  readonly text: Sources.Sources
  readonly thoughts: Sources.Sources
  readonly items: Items.Contents
  readonly calls: Pairing.Pairing
  /** The task whose events are read. */
  taskId: TaskId | undefined
  state: TaskState.TaskState | undefined
  /** Text that ends with half a surrogate pair, until the other half arrives. */
  half: Step.Text | undefined
  /** The number of messages without an id. */
  unidentified: number
  isFirst: boolean
}

export const make = (): Reading => ({
  text: Sources.make(),
  thoughts: Sources.make(),
  items: new Map(),
  calls: Pairing.make(),
  taskId: undefined,
  state: undefined,
  half: undefined,
  unidentified: 0,
  isFirst: true
})

/** Parts that came together, and where they came from. */
interface Piece {
  readonly id: string
  readonly source: string
  readonly kind: Content.Kind
  readonly parts: ReadonlyArray<Part.Part>
  /** False for parts whose text is not for display: a turn of the history, or the reason of a failure. */
  readonly hasText: boolean
}

const isHighSurrogate = (text: string) => /[\uD800-\uDBFF]$/.test(text)

const emitText = (self: Reading, out: Array<Step.Step>, source: string, text: string, isApart: boolean): void => {
  const separated = Sources.emit(self.text, source, text, isApart)
  const { half } = self
  self.half = undefined
  if (half !== undefined && half.source !== source) out.push(half)
  const whole = half?.source === source ? half.text + separated : separated
  const end = isHighSurrogate(whole) ? whole.length - 1 : whole.length
  if (end < whole.length) self.half = { _tag: "Text", source, text: whole.slice(end) }
  if (end > 0) out.push({ _tag: "Text", source, text: whole.slice(0, end) })
}

const emitItem = (self: Reading, out: Array<Step.Step>, part: Part.Part): void => {
  const { mark } = part
  if (mark?._tag === "Call") {
    const call = Pairing.call(self.calls, mark)
    if (call !== undefined) out.push({ _tag: "ToolCall", call })
  } else if (mark?._tag === "Result") {
    const result = Pairing.result(self.calls, mark)
    if (result !== undefined) out.push({ _tag: "ToolResult", result })
  } else if (part._tag === "Data") out.push({ _tag: "Data", data: part })
  else if (part._tag !== "Text") out.push({ _tag: "File", file: part })
}

/** Drops from each text what is known of the whole. */
const makeCut = (known: number) => {
  let rest = known
  return (text: string): string => {
    const cut = text.slice(rest)
    rest = Math.max(0, rest - text.length)
    return cut
  }
}

const thoughtsOf = (parts: ReadonlyArray<Part.Part>): string =>
  parts.reduce((text, part) => part._tag === "Text" && Part.isThought(part) ? text + part.text : text, "")

const readPiece = (self: Reading, out: Array<Step.Step>, { hasText, id, kind, parts, source }: Piece): void => {
  const text = hasText ? Part.joinText(parts) : ""
  const known = hasText ? Sources.record(self.text, { id, source, kind, text }) : undefined
  const thought = thoughtsOf(parts)
  const cutText = makeCut(known?.length ?? 0)
  const cutThought = makeCut(Sources.record(self.thoughts, { id, source: id, kind, text: thought }).length)
  const isKnownItem = Items.record(self.items, id, kind, parts)
  let isApart = known?.isApart === true
  for (const part of parts) {
    if (Items.isItem(part)) {
      if (isKnownItem()) continue
      if (part.mark !== undefined) Sources.breakOff(self.text)
      emitItem(self, out, part)
    } else if (part._tag === "Text" && Part.isThought(part)) {
      const rest = cutThought(part.text)
      if (rest !== "") out.push({ _tag: "Thought", source, text: rest })
    } else if (part._tag === "Text" && hasText) {
      const rest = cutText(part.text)
      if (rest === "") continue
      emitText(self, out, source, rest, isApart)
      isApart = false
    }
  }
}

const readMessage = (
  self: Reading,
  out: Array<Step.Step>,
  { messageId, parts, role }: Message.Message,
  kind: Content.Kind,
  hasText: boolean,
  mayContinue = false
): void => {
  if (role === "user") return
  const isUnidentified = messageId === Message.missingMessageId
  const id = Source.ofMessage(isUnidentified ? `without id ${++self.unidentified}` : messageId)
  const isDelta = mayContinue && parts.some(({ mark }) => mark?._tag === "Delta")
  readPiece(self, out, { id, source: isDelta ? Source.status : id, kind, parts, hasText })
}

const readStatus = (
  self: Reading,
  out: Array<Step.Step>,
  { message, state }: Task["status"],
  isSnapshot: boolean
): void => {
  if (message === undefined) return
  const isSettled = TaskState.isSettled(state)
  readMessage(
    self,
    out,
    message,
    isSnapshot ? "snapshot" : isSettled ? "repeat" : "piece",
    !TaskState.isUnsuccessful(state),
    !isSettled
  )
}

const readArtifact = (
  self: Reading,
  out: Array<Step.Step>,
  { artifactId, parts }: StreamEvent.ArtifactUpdate["artifact"],
  kind: Content.Kind
): void => {
  const id = Source.ofArtifact(artifactId)
  readPiece(self, out, { id, source: id, kind, parts, hasText: true })
}

const readState = (self: Reading, out: Array<Step.Step>, { message, state }: Task["status"]): void => {
  if (state === self.state || TaskState.isTerminal(self.state ?? "unspecified")) return
  self.state = state
  out.push({ _tag: "State", state, ...(message === undefined ? undefined : { message }) })
}

const readEvent = (self: Reading, out: Array<Step.Step>, event: StreamEvent.StreamEvent): void => {
  switch (event._tag) {
    case "Message":
      return readMessage(self, out, event, "piece", true)
    case "ArtifactUpdate":
      return readArtifact(self, out, event.artifact, event.append === true ? "append" : "replace")
    case "StatusUpdate":
      readState(self, out, event.status)
      return readStatus(self, out, event.status, false)
    case "Task":
      readState(self, out, event.status)
      for (const message of event.history ?? []) readMessage(self, out, message, "snapshot", false)
      for (const artifact of event.artifacts ?? []) readArtifact(self, out, artifact, "replace")
      return readStatus(self, out, event.status, true)
  }
}

/** Reads what was known before a turn. */
const readPast = (self: Reading, task: Task): void => {
  readEvent(self, [], task)
  self.half = undefined
  Object.assign(self.text, { last: undefined, hasText: false })
  Sources.breakOff(self.text)
  self.state = undefined
}

/** Returns the steps of an event; none for an event of another task. */
export const read = (self: Reading, event: StreamEvent.StreamEvent): ReadonlyArray<Step.Step> => {
  if (isForeign(self, event)) return []
  self.taskId ??= StreamEvent.taskId(event)
  const out: Array<Step.Step> = []
  const past = self.isFirst ? Baseline.pastOf(event) : undefined
  if (past !== undefined) readPast(self, past)
  self.isFirst = false
  if (event === past) readState(self, out, past.status)
  else readEvent(self, out, event)
  return out
}

/** Returns the last step of a stream: text that waited for its other half. */
export const end = ({ half }: Reading): ReadonlyArray<Step.Step> => half === undefined ? [] : [half]
