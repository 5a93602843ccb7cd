/**
 * The states of a task (A2A 1.0 §4.1.3).
 *
 * ```ts
 * import { TaskState } from "@effect-a2a/core"
 *
 * TaskState.isTerminal("completed") // => true
 * TaskState.isSettled("input-required") // => true
 * TaskState.isSettled("working") // => false
 * ```
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/** A state of a task. `unspecified` stands for a state of a later protocol version: active, not settled. */
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
]).annotate({ identifier: "TaskState" })
/** A state of a task. */
export type TaskState = typeof TaskState.Type

/** A state that a task never leaves. */
export type Terminal = "completed" | "failed" | "canceled" | "rejected"

/** A state in which a task waits for its caller. */
export type Interrupted = "input-required" | "auth-required"

/** Returns true if a task never leaves the state. */
export const isTerminal = (state: TaskState): state is Terminal =>
  state === "completed" || state === "failed" || state === "canceled" || state === "rejected"

/** Returns true if a task ended without its result: failed, canceled or rejected. */
export const isUnsuccessful = (state: TaskState): state is Exclude<Terminal, "completed"> =>
  isTerminal(state) && state !== "completed"

/** Returns true if the task waits for its caller: for input, or for authentication. */
export const isInterrupted = (state: TaskState): state is Interrupted =>
  state === "input-required" || state === "auth-required"

/** Returns true if the agent is at work on the task, or about to begin. */
export const isAtWork = (state: TaskState): state is "submitted" | "working" =>
  state === "submitted" || state === "working"

/** Returns true if the state is terminal or interrupted: the agent does nothing further unless the caller acts. */
export const isSettled = (state: TaskState): state is Terminal | Interrupted =>
  isTerminal(state) || isInterrupted(state)

/**
 * Returns true if a stream ends after the state: the terminal states and input-required. A task that waits for
 * authentication goes on without a new message, and its stream with it.
 */
export const endsStream = (state: TaskState): state is Terminal | "input-required" =>
  isTerminal(state) || state === "input-required"
