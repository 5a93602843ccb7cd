/** A peer that nobody here wrote, as the suites see it. */
import type * as AgentError from "@effect-a2a/core/AgentError"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type { Combination } from "./combinations.ts"

/**
 * Where it listens; `finish` lets a task that waits complete. It accepts requests without credentials, and those with
 * the bearer token `fresh`.
 */
export class Peer extends Context.Service<Peer, {
  readonly origin: string
  readonly finish: (taskId: string) => Effect.Effect<void>
}>()("test/Peer") {}

export type Reason = AgentError.AgentErrorReason["_tag"]

/** How a peer differs from what the specification says; each is a fault or a freedom of that peer. */
export interface Differences {
  /** Why a subscription to a task that has ended is refused, or the answer that it gives. */
  readonly endedSubscription: string
  readonly endedMessage: Reason
  readonly endedCancel: Reason
  /** A task that is not there, by the operations that are one request and one answer. */
  readonly unknown: Reason
  /** The same where the answer is a stream. */
  readonly unknownStream: Reason
  readonly unknownSubscription: Reason
  readonly push: Reason
  readonly extendedCard: Reason
  /** What an illegal event in the middle of a stream is told as. */
  readonly broken: Reason
  /** What an executor that throws before its first event comes to, in a send and in a stream. */
  readonly thrown: Reason
  readonly thrownStream: Reason
  /** What the five bytes of a file are read as. */
  readonly bytes: string
  /** The least of a task's history that is told to who does not say how much. */
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
