/**
 * What was known of a task before a message was sent to it: the past, which no view of the turn reports. Every event of
 * the turn has it as a hidden member, so that it passes through the caller's own operators. Tested in
 * `packages/core/test/turn.test.ts`.
 */
import type * as StreamEvent from "../../StreamEvent.ts"
import type { Task } from "../../Task.ts"
import * as TaskState from "../../TaskState.ts"

const key = "~@effect-a2a/core/baseline"

/** `task` is absent if nothing is known: then the first snapshot is the past, unless the task is over with it. */
export interface Baseline {
  readonly task?: Task | undefined
}

/** Returns a copy of an event that has a baseline. */
export const set = <A extends StreamEvent.StreamEvent>(event: A, baseline: Baseline): A =>
  Object.defineProperty({ ...event }, key, { value: baseline })

const has = (event: object): event is { readonly [key]: Baseline } => key in event

/** Returns the past of a turn by its first event: what was known before, or the event itself if that is a snapshot. */
export const pastOf = (event: StreamEvent.StreamEvent): Task | undefined => {
  if (!has(event)) return undefined
  const { task } = event[key]
  return task ?? (event._tag === "Task" && !TaskState.isTerminal(event.status.state) ? event : undefined)
}
