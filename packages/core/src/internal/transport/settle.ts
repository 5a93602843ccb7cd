/** Waits for the task of a send that an agent returned early. Tested in `test/early.test.ts`. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { AgentError } from "../../AgentError.ts"
import * as Operation from "../../Operation.ts"
import type { Task } from "../../Task.ts"
import * as Timeouts from "../../Timeouts.ts"
import type { Transport } from "../../Transport.ts"
import { publicUrl } from "../errors/publicUrl.ts"
import { withDelivery } from "../errors/sendDelivery.ts"
import { CurrentOnEarlyTask } from "./earlyTask.ts"
import { follow } from "./followTask.ts"

/** The longest wait for a task (milliseconds), unless the total timeout is shorter. */
const maxWait = 3_600_000

/** The longest pause that a peer may ask for (milliseconds). */
const maxPause = 300_000

/**
 * Tries again after the pause (milliseconds), doubled each time up to 10 s, as long as the errors are retryable. No
 * `Schedule`, which would cost every page 1 kB.
 */
const repeat = (attempt: Effect.Effect<Task, AgentError>, pause = 500): Effect.Effect<Task, AgentError> =>
  attempt.pipe(Effect.catch((error) => {
    const longer = Math.max(pause, error.retryAfter === undefined ? 0 : Duration.toMillis(error.retryAfter))
    return error.isRetryable && longer <= maxPause
      ? Effect.delay(repeat(attempt, Math.min(2 * pause, 10_000)), longer)
      : Effect.fail(error)
  }))

/**
 * Returns the task of a send once it has settled in any state, if the agent returned it early although it was to wait for
 * it (A2A 1.0 §3.2.2). The time limit of the whole call counts from `began` (milliseconds). Errors are those of a send
 * whose message was delivered, so that nobody repeats it.
 */
export const settle = (
  transport: Transport,
  request: Operation.SendMessageRequest,
  task: Task,
  began: number
): Effect.Effect<Task, AgentError> =>
  Effect.gen(function*() {
    const { total } = yield* Timeouts.CurrentTimeouts
    yield* (yield* CurrentOnEarlyTask)(task)
    const target = publicUrl(transport.target.url)
    const limit = total === undefined ? maxWait : Duration.toMillis(Duration.fromInputUnsafe(total))
    const left = began + limit - (yield* Clock.currentTimeMillis)
    const attempt = yield* follow(transport, target, task)
    return yield* Effect.mapError(
      Timeouts.timeout("total", Math.max(left, 0))(repeat(attempt)),
      (error) => {
        const reason = error._tag === "AgentError" ? error.reason : error
        return new AgentError({
          operation: Operation.SendMessage._tag,
          target,
          reason: withDelivery(Operation.SendMessage, request, reason, true)
        })
      }
    )
  })
