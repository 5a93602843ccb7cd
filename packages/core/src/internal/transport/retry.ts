/** Retries of what can be repeated. Tested in `test/resilience/retry.test.ts`. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { AgentError } from "../../AgentError.ts"
import type * as Operation from "../../Operation.ts"
import * as Timeouts from "../../Timeouts.ts"
import type { Transport } from "../../Transport.ts"
import { rows } from "../errors/errorTable.ts"
import { publicUrl } from "../errors/publicUrl.ts"
import { withDelivery } from "../errors/sendDelivery.ts"

export type Policy = Schedule.Schedule<unknown, AgentError>

export const backoff = (times: number): Policy =>
  Schedule.min([Schedule.exponential("250 millis"), Schedule.spaced("10 seconds")]).pipe(
    Schedule.jittered,
    Schedule.upTo({ times })
  )

// a peer that asks for a longer wait is not waited for: the caller gets the error
const maxWait = Duration.minutes(5)

/** Waits at least as long as the peer asked for, now or earlier (`hint`). */
export const withRetryAfter = (policy: Policy, hint: () => Duration.Duration | undefined = () => undefined): Policy => {
  const waitOf = (error: AgentError) => error.retryAfter ?? hint() ?? Duration.zero
  return policy.pipe(
    Schedule.modifyDelay(({ duration, input }) => Effect.succeed(Duration.max(duration, waitOf(input)))),
    Schedule.while(({ input }) => Duration.isLessThanOrEqualTo(waitOf(input), maxWait))
  )
}

export const respectRetryAfter = (policy: Policy): Policy =>
  Schedule.while(withRetryAfter(policy), ({ input }) => input.isRetryable)

/** True for a send that may succeed if it is repeated, whether its message arrived or not. */
const mayBeRepeated = ({ reason }: AgentError): boolean =>
  reason.isRetryable ||
  (reason.delivery === "unknown" && rows[reason._tag].isRetryable &&
    (reason._tag !== "StreamInterruptedError" || reason.isResumable))

/** Applies the total timeout to all attempts together, since they are one call. */
const withinTotal = <A>(
  self: Effect.Effect<A, AgentError>,
  operation: Operation.Any,
  request: object,
  target: string
): Effect.Effect<A, AgentError> =>
  Effect.mapError(Timeouts.withTotal(self), (error) =>
    error._tag === "TimeoutError"
      ? new AgentError({ operation: operation._tag, target, reason: withDelivery(operation, request, error, false) })
      : error)

/** Retries reads. */
export const retryReads = (policy: Policy) => retry(respectRetryAfter(policy), ({ idempotent }) => idempotent)

/** Retries sends, those of unknown delivery too. */
export const retrySends = (policy: Policy) =>
  retry(
    Schedule.while(withRetryAfter(policy), ({ input }) => mayBeRepeated(input)),
    ({ kind }) => kind === "send"
  )

/** Retries the operations that `canRepeat`; a stream only if it failed before its first event. */
const retry = (schedule: Policy, canRepeat: (operation: Operation.Any) => boolean) => (self: Transport): Transport => ({
  ...self,
  call: (operation, request) => {
    const once = self.call(operation, request)
    return canRepeat(operation)
      ? withinTotal(Effect.retry(once, schedule), operation, request, publicUrl(self.target.url))
      : once
  },
  stream: (operation, request) => {
    if (!canRepeat(operation)) return self.stream(operation, request)
    return Stream.suspend(() => {
      let hasEvents = false
      return self.stream(operation, request).pipe(
        Stream.onFirst(() => Effect.sync(() => void (hasEvents = true))),
        Stream.retry(Schedule.while(schedule, () => !hasEvents))
      )
    })
  }
})
