/**
 * Where a task stands (specification §4.1.3).
 *
 * ```ts
 * import { TaskState } from "@effect-a2a/core"
 *
 * TaskState.isTerminal("completed") // => true
 * TaskState.isInterrupted("input-required") // => true
 * TaskState.isSettled("working") // => false
 * ```
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/** `unspecified` is a state of a later protocol version: active, never terminal. */
export const TaskState = Schema.Literals([
  "unspecified",
  "submitted",
  "working",
  "completed",
  "failed",
  "canceled",
  "input-required",
  "rejected",
  "auth-required"
])
export type TaskState = typeof TaskState.Type

/** A state that a task never leaves. */
export type Terminal = "completed" | "failed" | "canceled" | "rejected"

/** A state in which a task waits for its caller. */
export type Interrupted = "input-required" | "auth-required"

export const isTerminal = (state: TaskState): state is Terminal =>
  state === "completed" || state === "failed" || state === "canceled" || state === "rejected"

export const isInterrupted = (state: TaskState): state is Interrupted =>
  state === "input-required" || state === "auth-required"

/** Terminal or interrupted: the agent does nothing further by itself. */
export const isSettled = (state: TaskState): state is Terminal | Interrupted =>
  isTerminal(state) || isInterrupted(state)
