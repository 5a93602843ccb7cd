/** The number of turns that run, of each owner and in all. Tested in `packages/server/test/limits.test.ts`. */
import { type AgentErrorReason, reason } from "@effect-a2a/core/AgentError"
import * as Effect from "effect/Effect"
import type { Owner } from "../TaskStore.ts"

export interface Limits {
  readonly maxRunning: number
  readonly maxRunningPerOwner: number
}

export interface Running {
  /** Fails if another turn of the owner would be one too many. */
  readonly check: (owner: Owner) => Effect.Effect<void, AgentErrorReason>
  /** Counts a turn for as long as it runs. */
  readonly count: (owner: Owner) => <A, E, R>(turn: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

const retryAfter = "1 second"

export const make = ({ maxRunning, maxRunningPerOwner }: Limits): Running => {
  const turns = new Map<Owner, number>()
  let all = 0

  const add = (owner: Owner, change: 1 | -1) => {
    const count = (turns.get(owner) ?? 0) + change
    all += change
    if (count === 0) turns.delete(owner)
    else turns.set(owner, count)
  }

  return {
    check: (owner) =>
      Effect.suspend((): Effect.Effect<void, AgentErrorReason> =>
        // anonymous callers are one owner, and there is nobody to be fair to
        owner !== undefined && (turns.get(owner) ?? 0) >= maxRunningPerOwner
          ? Effect.fail(reason("RateLimitError", {
            message: `this caller has ${maxRunningPerOwner} tasks at work, the most that are allowed`,
            retryAfter
          }))
          : all >= maxRunning
          ? Effect.fail(reason("ServiceUnavailableError", {
            message: `this server has ${maxRunning} tasks at work, the most that are allowed`,
            retryAfter
          }))
          : Effect.void
      ),
    count: (owner) => (turn) =>
      Effect.acquireUseRelease(
        Effect.sync(() => add(owner, 1)),
        () => turn,
        () => Effect.sync(() => add(owner, -1))
      )
  }
}
