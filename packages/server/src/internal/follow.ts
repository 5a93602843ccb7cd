/** Reads the log of a task as it grows. Tested in `packages/server/test/subscribe.test.ts`. */
import { type AgentErrorReason, reason } from "@effect-a2a/core/AgentError"
import * as EventPosition from "@effect-a2a/core/EventPosition"
import type * as Id from "@effect-a2a/core/Id"
import type * as StreamEvent from "@effect-a2a/core/StreamEvent"
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Pull from "effect/Pull"
import * as Stream from "effect/Stream"
import type { Owner } from "../Owner.ts"
import type { Subscription } from "../TaskHub.ts"
import type { TaskStore } from "../TaskStore.ts"

export interface Options {
  readonly owner: Owner
  readonly id: Id.TaskId
  /** Made before `until` was read, so that nothing is missed. */
  readonly subscription: Subscription
  /** The position of the first event. */
  readonly from: number
  /** The length of the log that is known. */
  readonly until: number
  /** Returns true for the last event. */
  readonly isLast: (event: StreamEvent.StreamEvent) => boolean
  /** Returns true if no event follows that has the position or a later one. */
  readonly isOver?: (position: number) => boolean
  /** Returns the failure of the stream in place of its last event. */
  readonly refusal?: () => AgentErrorReason | undefined
}

type Events = Arr.NonEmptyReadonlyArray<StreamEvent.StreamEvent>

const tooSlow = (taskId: Id.TaskId) =>
  reason("StreamInterruptedError", { message: "the stream was read too slowly; subscribe again", taskId })

const toEnd = (failure: AgentErrorReason | undefined): Pull.Pull<never, AgentErrorReason> =>
  failure === undefined ? Cause.done() : Effect.fail(failure)

/**
 * Streams the events of a log from a position on, as far as the hub has announced them, each with its position. Ends behind
 * the last event, or if the store forgets the task; fails if the store has dropped events that were not read.
 */
export const follow = (
  store: TaskStore["Service"],
  { from, id, isLast, isOver = () => false, owner, refusal = () => undefined, subscription, until }: Options
): Stream.Stream<StreamEvent.StreamEvent, AgentErrorReason> =>
  Stream.transformPull(subscription, (pull) => {
    let position = from
    let known = until
    let end: Pull.Pull<never, AgentErrorReason> | undefined

    const emit = (events: Events): Pull.Pull<Events, AgentErrorReason> => {
      events.forEach((event, index) => EventPosition.set(event, position + index))
      position += events.length
      if (known === Infinity) known = position
      const last = events.findIndex(isLast)
      if (last < 0) return Effect.succeed(events)
      const failure = refusal()
      end = toEnd(failure)
      const rest = events.slice(0, failure === undefined ? last + 1 : last)
      return Arr.isReadonlyArrayNonEmpty(rest) ? Effect.succeed(rest) : end
    }

    const read: Pull.Pull<Events, AgentErrorReason> = Effect.suspend(() =>
      Effect.flatMap(store.read(owner, id, position), (slice): typeof read => {
        if (slice === undefined) return Cause.done()
        if (slice.from > position) return Effect.fail(tooSlow(id))
        const events = slice.events.slice(0, known - position)
        if (Arr.isReadonlyArrayNonEmpty(events)) return emit(events)
        known = position
        return next
      })
    )

    // the announced lengths; 0 means that the log may have grown
    const wait: Pull.Pull<Events, AgentErrorReason> = Effect.flatMap(pull, (lengths) => {
      const length = Arr.lastNonEmpty(lengths)
      known = length === 0 ? Infinity : Math.max(known, length)
      return read
    })

    const next: Pull.Pull<Events, AgentErrorReason> = Effect.suspend(() =>
      end ?? (position < known ? read : isOver(position) ? toEnd(refusal()) : wait)
    )
    return Effect.succeed(next)
  })
