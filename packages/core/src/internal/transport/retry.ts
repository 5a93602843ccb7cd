/** Repeating what may be repeated. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { AgentError } from "../../AgentError.ts"
import type * as Operation from "../../Operation.ts"
import type { Transport } from "../../Transport.ts"
import { publicUrl } from "../errors/publicUrl.ts"
import * as Time from "./timeouts.ts"

/** How long to wait, and how often. */
export type Policy = Schedule.Schedule<unknown, AgentError>

/** 250 ms, doubled each time up to 10 s, jittered. */
export const backoff = (times: number): Policy =>
  Schedule.min([Schedule.exponential("250 millis"), Schedule.spaced("10 seconds")]).pipe(
    Schedule.jittered,
    Schedule.upTo({ times })
  )

/** A peer that asks for more is not waited for: the caller is told instead. */
const patience = Duration.minutes(5)

/** What the peer asks for is the least that is waited; `hint` is what it asked for earlier. */
export const atLeastAsAsked = (policy: Policy, hint: () => Duration.Duration | undefined = () => undefined): Policy => {
  const asked = (error: AgentError) => error.retryAfter ?? hint() ?? Duration.zero
  return policy.pipe(
    Schedule.modifyDelay(({ duration, input }) => Effect.succeed(Duration.max(duration, asked(input)))),
    Schedule.while(({ input }) => Duration.isLessThanOrEqualTo(asked(input), patience))
  )
}

/** As {@link atLeastAsAsked}, as long as another attempt may do better. */
export const polite = (policy: Policy): Policy =>
  Schedule.while(atLeastAsAsked(policy), ({ input }) => input.isRetryable)

/** What is repeated is one call to the caller. */
const whole =
  (operation: string, target: string) => <A>(self: Effect.Effect<A, AgentError>): Effect.Effect<A, AgentError> =>
    Effect.flatMap(
      Time.CurrentTimeouts,
      ({ call }) =>
        Effect.mapError(
          Time.within("call", call)(self),
          (error) => error._tag === "TimeoutError" ? new AgentError({ operation, target, reason: error }) : error
        )
    )

/** Repeats calls that `may` be repeated, and subscriptions that failed before their first event. */
export const over = (policy: Policy, may: (operation: Operation.Any) => boolean) => (self: Transport): Transport => ({
  ...self,
  call: (operation, request) => {
    const once = self.call(operation, request)
    return may(operation)
      ? whole(operation._tag, publicUrl(self.target.url))(Effect.retry(once, polite(policy)))
      : once
  },
  stream: (operation, request) => {
    if (!may(operation)) return self.stream(operation, request)
    return Stream.suspend(() => {
      let begun = false
      return self.stream(operation, request).pipe(
        Stream.onFirst(() => Effect.sync(() => void (begun = true))),
        Stream.retry(Schedule.while(polite(policy), () => !begun))
      )
    })
  }
})
