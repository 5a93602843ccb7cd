/**
 * The position of an event in the log of its task. A server sets it, bindings send it as the id of the event's frame, and a
 * client that lost its connection names the last one it received, to continue behind it (`Last-Event-ID`). It is a hidden
 * member of the event: a copy of the event has none.
 *
 * ```ts
 * import { EventPosition, Id, StreamEvent } from "@effect-a2a/core"
 *
 * const event = StreamEvent.statusUpdate({ taskId: Id.TaskId.make("t-1"), status: { state: "working" } })
 * EventPosition.get(event) // => undefined
 * EventPosition.get(EventPosition.set(event, 7)) // => 7
 * EventPosition.get({ ...event }) // => undefined
 * ```
 *
 * @since 0.1.0
 */
import type * as StreamEvent from "./StreamEvent.ts"

const key = "~@effect-a2a/core/position"

interface Positioned {
  readonly [key]?: number
}

/** Sets the position of an event, and returns the same event. A position that is set stays. */
export const set = <A extends StreamEvent.StreamEvent>(event: A, position: number): A =>
  key in event ? event : Object.defineProperty(event, key, { value: position })

/** Returns the position of an event, counted from 0; `undefined` if it is not known. */
export const get = (event: object): number | undefined => (event as Positioned)[key]
