/**
 * Decides when the stream of a task ends: the only place that does. Events of other tasks change nothing. Tested in
 * `test/engine/streamEnd.test.ts`.
 */
import type { TaskId } from "../../Id.ts"
import * as StreamEvent from "../../StreamEvent.ts"
import * as TaskState from "../../TaskState.ts"
import { isForeign } from "../turn/foreign.ts"

/**
 * `send`: a message without a task. `followUp`: a message to a task, whose leading snapshot is the past. `subscribe`: a
 * subscription, which continues while the task waits for input.
 */
export type Mode = "send" | "followUp" | "subscribe"

/**
 * - `running`: the end of the body is a drop.
 * - `mayEnd`: the end of the body is the end of the stream; more events may come.
 * - `ended`: only trailing events may come.
 * - `extended`: the task is terminal, and the peer has announced more events.
 * - `closed`: the peer has announced that no event follows, and the task has not settled.
 */
export type Phase = "running" | "mayEnd" | "ended" | "extended" | "closed"

export interface StreamEnd {
  readonly mode: Mode
  taskId: TaskId | undefined
  phase: Phase
  isFirst: boolean
}

export const make = (mode: Mode, taskId: TaskId | undefined): StreamEnd => ({
  mode,
  taskId,
  phase: "running",
  isFirst: true
})

/** Creates the end of the stream of a message, to a task or to none. */
export const ofMessage = ({ taskId }: { readonly taskId?: TaskId | undefined }): StreamEnd =>
  make(taskId === undefined ? "send" : "followUp", taskId)

/** True for the leading snapshot of a message to a task: its state is that before the message. */
export const isPast = ({ isFirst, mode }: StreamEnd, event: StreamEvent.StreamEvent): boolean =>
  mode === "followUp" && isFirst && event._tag === "Task"

const afterState = (
  self: StreamEnd,
  event: StreamEvent.StreamEvent,
  state: TaskState.TaskState,
  isFinal: boolean | undefined
): Phase => {
  if (TaskState.isTerminal(state)) return isFinal === false ? "extended" : "ended"
  if (state === "auth-required") return "mayEnd"
  if (state !== "input-required") return isFinal === true ? "closed" : "running"
  return self.mode === "subscribe" || isPast(self, event) ? "mayEnd" : "ended"
}

/** Adds an event. `isFinal` is the end mark of protocol version 0.3, if the event has one. */
export const add = (self: StreamEnd, event: StreamEvent.StreamEvent, isFinal: boolean | undefined): void => {
  if (isForeign(self, event)) return
  self.taskId ??= StreamEvent.taskId(event)
  if (self.phase === "extended" && isFinal === true) self.phase = "ended"
  else if (self.phase !== "ended" && self.phase !== "extended") {
    const state = StreamEvent.state(event)
    if (state !== undefined) self.phase = afterState(self, event, state, isFinal)
    // a message before any task is a whole answer; in a subscription it is progress
    else if (event._tag === "Message" && self.isFirst && self.mode !== "subscribe") self.phase = "ended"
  }
  self.isFirst = false
}

/** Adds an event, and returns true if a unary call would return at it and the stream goes on: at auth-required. */
export const endsCall = (self: StreamEnd, event: StreamEvent.StreamEvent): boolean => {
  const isNow = !isForeign(self, event) && !isPast(self, event)
  add(self, event, undefined)
  return isNow && StreamEvent.endsCall(event)
}

/** True for an event of the task that asks for input: a subscription continues, the stream of a message does not. */
export const asksForInput = (taskId: TaskId, event: StreamEvent.StreamEvent): boolean =>
  StreamEvent.taskId(event) === taskId && StreamEvent.state(event) === "input-required"
