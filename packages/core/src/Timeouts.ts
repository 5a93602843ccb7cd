/**
 * Limits of time for calls to an agent, ambient and read at each call. Default: no limits.
 *
 * ```ts
 * import { Timeouts } from "@effect-a2a/core"
 * import { Effect } from "effect"
 *
 * const slow = Timeouts.withTotal(Effect.never).pipe(
 *   Effect.provideService(Timeouts.CurrentTimeouts, { total: "20 millis" })
 * )
 * const error = await Effect.runPromise(Effect.flip(slow))
 * error.phase // => "total"
 * ```
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as AgentError from "./AgentError.ts"

/**
 * Limits by phase. An absent one does not limit.
 *
 * - `response`: from the request to the response headers. A send that waits for its task gets them when the task is
 *   done, so this must be longer than the task.
 * - `idle`: between two bytes of a response; heartbeats count as bytes.
 * - `total`: the whole call with its body, retries included. It also limits the whole duration of a stream.
 */
export interface Timeouts {
  readonly response?: Duration.Input | undefined
  readonly idle?: Duration.Input | undefined
  readonly total?: Duration.Input | undefined
}

/** The limit that ran out. */
export type Phase = keyof Timeouts

/** The limits of the calls made within. Default: none. */
export const CurrentTimeouts = Context.Reference<Timeouts>("@effect-a2a/core/Timeouts/CurrentTimeouts", {
  defaultValue: () => ({})
})

// timers stand still while a machine sleeps, so the wall clock is looked at this often (milliseconds)
const tick = 5_000

const messages: Readonly<Record<Phase, string>> = {
  response: "no response headers within",
  idle: "no byte received for",
  total: "the call took longer than"
}

const expire = (phase: Phase, input: Duration.Input) =>
  Effect.gen(function*() {
    const duration = Duration.fromInputUnsafe(input)
    const end = (yield* Clock.currentTimeMillis) + Duration.toMillis(duration)
    while (true) {
      const left = end - (yield* Clock.currentTimeMillis)
      if (left <= 0) break
      yield* Effect.sleep(Math.min(left, tick))
    }
    return yield* Effect.fail(
      new AgentError.TimeoutError({ phase, message: `${messages[phase]} ${Duration.format(duration)}` })
    )
  })

/** Fails with `TimeoutError` if the effect takes longer than the limit of the phase. */
export const timeout =
  (phase: Phase, limit: Duration.Input | undefined) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E | AgentError.TimeoutError, R> =>
    limit === undefined ? self : Effect.raceFirst(self, expire(phase, limit))

/** Fails with `TimeoutError` if the stream emits nothing for as long as the limit. The reader's own time is not counted. */
export const idleTimeout =
  (limit: Duration.Input | undefined) =>
  <A, E, R>(self: Stream.Stream<A, E, R>): Stream.Stream<A, E | AgentError.TimeoutError, R> =>
    limit === undefined ? self : Stream.transformPull(self, (pull) => Effect.succeed(timeout("idle", limit)(pull)))

/** Fails with `TimeoutError` if the stream has not ended within the limit. */
export const streamTimeout =
  (limit: Duration.Input | undefined) =>
  <A, E, R>(self: Stream.Stream<A, E, R>): Stream.Stream<A, E | AgentError.TimeoutError, R> =>
    limit === undefined ? self : Stream.interruptWhen(self, expire("total", limit))

/** Applies the ambient `total` limit to an effect. */
export const withTotal = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E | AgentError.TimeoutError, R> =>
  Effect.flatMap(CurrentTimeouts, ({ total }) => timeout("total", total)(self))

/** Applies the ambient `total` limit to a stream. */
export const withStreamTotal = <A, E, R>(
  self: Stream.Stream<A, E, R>
): Stream.Stream<A, E | AgentError.TimeoutError, R> =>
  Stream.unwrap(Effect.map(CurrentTimeouts, ({ total }) => streamTimeout(total)(self)))

/** Applies the ambient `idle` limit to a stream of bytes. */
export const withIdle = <A, E, R>(
  self: Stream.Stream<A, E, R>
): Stream.Stream<A, E | AgentError.TimeoutError, R> =>
  Stream.unwrap(Effect.map(CurrentTimeouts, ({ idle }) => idleTimeout(idle)(self)))
