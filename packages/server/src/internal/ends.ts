/** The ends of streams: of a message's, and of a subscription's. Tested in `packages/server/test/subscribe.test.ts`. */
import * as StreamEvent from "@effect-a2a/core/StreamEvent"
import * as TaskState from "@effect-a2a/core/TaskState"

const stateOf = (event: StreamEvent.StreamEvent): TaskState.TaskState => StreamEvent.state(event) ?? "unspecified"

/** True for the event that ends a turn: a terminal state, or a question. */
export const endsTurn = (event: StreamEvent.StreamEvent): boolean => TaskState.endsStream(stateOf(event))

/** True for the event that ends a task. */
export const endsTask = (event: StreamEvent.StreamEvent): boolean => TaskState.isTerminal(stateOf(event))
