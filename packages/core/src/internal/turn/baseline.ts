/**
 * What was known of a task before a message was sent to it: the past, which no view of the turn reports. Every event of
 * the turn has it as a hidden member, so that it passes through the caller's own operators. Tested in
 * `packages/core/test/turn.test.ts`.
 */
import type * as StreamEvent from "../../StreamEvent.ts"
import type { Task } from "../../Task.ts"

const key = "~@effect-a2a/core/baseline"

/** `task` is absent if nothing is known: then the first snapshot is the past, unless the task is over with it. */
export interface Baseline {
  readonly task?: Task | undefined
}

/** Returns a copy of an event that has a baseline. */
export const set = <A extends StreamEvent.StreamEvent>(event: A, baseline: Baseline): A =>
  Object.defineProperty({ ...event }, key, { value: baseline })

const has = (event: object): event is { readonly [key]: Baseline } => key in event

/** Returns the baseline of an event. */
export const of = (event: object): Baseline | undefined => has(event) ? event[key] : undefined
