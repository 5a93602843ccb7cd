/** A third-party peer. */
import type * as AgentError from "@effect-a2a/core/AgentError"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type { Combination } from "./combinations.ts"

/**
 * A running peer. `finish` completes a waiting task. It accepts requests without credentials, and those with the bearer
 * token `fresh`.
 */
export class Peer extends Context.Service<Peer, {
  readonly origin: string
  readonly finish: (taskId: string) => Effect.Effect<void>
}>()("test/Peer") {}

export type Reason = AgentError.AgentErrorReason["_tag"]

/** Differences of a peer from the specification, as faults or liberties. */
export interface Differences {
  /** The reason for which a subscription to a finished task is refused, or its answer. */
  readonly endedSubscription: string
  readonly endedMessage: Reason
  readonly endedCancel: Reason
  /** The reason for an unknown task, from operations with one response. */
  readonly unknown: Reason
  /** The same, from streams. */
  readonly unknownStream: Reason
  readonly unknownSubscription: Reason
  readonly push: Reason
  readonly extendedCard: Reason
  /** The reason for an illegal event in the middle of a stream. */
  readonly broken: Reason
  /** The reason for an executor that throws before its first event, in a send and in a stream. */
  readonly thrown: Reason
  readonly thrownStream: Reason
  /** The content of a file of five bytes. */
  readonly bytes: string
  /** The least number of messages in the history if the request names no length. */
  readonly history: number
}

export const specified: Differences = {
  endedSubscription: "UnsupportedOperationError",
  endedMessage: "UnsupportedOperationError",
  endedCancel: "TaskNotCancelableError",
  unknown: "TaskNotFoundError",
  unknownStream: "TaskNotFoundError",
  unknownSubscription: "TaskNotFoundError",
  push: "PushNotificationNotSupportedError",
  extendedCard: "UnsupportedOperationError",
  broken: "UnsupportedOperationError",
  thrown: "TaskFailedError",
  thrownStream: "TaskFailedError",
  bytes: "hello",
  history: 1
}

export interface Subject {
  readonly name: string
  readonly cardName: string
  readonly layer: Layer.Layer<Peer>
  readonly combinations: ReadonlyArray<Combination>
  readonly differs?: (combination: Combination) => Partial<Differences>
}
