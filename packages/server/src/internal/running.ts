/** The number of turns that run, of each owner and in all. Tested in `packages/server/test/limits.test.ts`. */
import { type AgentErrorReason, reason } from "@effect-a2a/core/AgentError"
import * as Owner from "../Owner.ts"

export interface Limits {
  readonly maxRunning: number
  readonly maxRunningPerOwner: number
}

export interface Running {
  /** Counts another turn of the owner, or returns why it would be one too many. */
  readonly enter: (owner: Owner.Owner) => AgentErrorReason | undefined
  /** Counts a turn no longer. */
  readonly leave: (owner: Owner.Owner) => void
}

const retryAfter = "1 second"

export const make = ({ maxRunning, maxRunningPerOwner }: Limits): Running => {
  const turns = new Map<string, number>()
  let all = 0

  const add = (owner: Owner.Owner, change: 1 | -1) => {
    const key = Owner.toKey(owner)
    const count = (turns.get(key) ?? 0) + change
    all += change
    if (count === 0) turns.delete(key)
    else turns.set(key, count)
  }

  return {
    enter: (owner) => {
      // anonymous callers are one owner, and there is nobody to be fair to
      if (owner.caller !== undefined && (turns.get(Owner.toKey(owner)) ?? 0) >= maxRunningPerOwner) {
        return reason("RateLimitError", {
          message: `this caller has ${maxRunningPerOwner} tasks at work, the most that are allowed`,
          retryAfter
        })
      }
      if (all >= maxRunning) {
        return reason("ServiceUnavailableError", {
          message: `this server has ${maxRunning} tasks at work, the most that are allowed`,
          retryAfter
        })
      }
      add(owner, 1)
      return undefined
    },
    leave: (owner) => add(owner, -1)
  }
}
