/** Limits of time, by the wall clock: timers stand still while a machine sleeps, and its connections do not survive. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as AgentError from "../../AgentError.ts"

/**
 * How long to wait. `headers`: from the request to the head of the answer. `silence`: between two bytes of an answer, of
 * which heartbeats are some. `call`: for all of a call, its body included; of a stream, for its whole life.
 */
export interface Timeouts {
  readonly headers?: Duration.Input | undefined
  readonly silence?: Duration.Input | undefined
  readonly call?: Duration.Input | undefined
}

export type Phase = keyof Timeouts

export const CurrentTimeouts = Context.Reference<Timeouts>("@effect-a2a/core/HttpBinding/CurrentTimeouts", {
  defaultValue: () => ({})
})

/** How late a clock that was put forward is noticed. */
const tick = 5_000

const messages: Readonly<Record<Phase, string>> = {
  headers: "no answer began within",
  silence: "nothing came for",
  call: "the call was not done within"
}

const expired = (phase: Phase, input: Duration.Input) =>
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

/** An effect within the limit of a phase, if there is one. */
export const within =
  (phase: Phase, limit: Duration.Input | undefined) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E | AgentError.TimeoutError, R> =>
    limit === undefined ? self : Effect.raceFirst(self, expired(phase, limit))

/** Each wait for bytes within the limit; what the reader takes its time for is not counted. */
export const silence =
  (limit: Duration.Input | undefined) =>
  <A, E, R>(self: Stream.Stream<A, E, R>): Stream.Stream<A, E | AgentError.TimeoutError, R> =>
    limit === undefined ? self : Stream.transformPull(self, (pull) => Effect.succeed(within("silence", limit)(pull)))

/** The whole life of a stream within the limit. */
export const life =
  (limit: Duration.Input | undefined) =>
  <A, E, R>(self: Stream.Stream<A, E, R>): Stream.Stream<A, E | AgentError.TimeoutError, R> =>
    limit === undefined ? self : Stream.interruptWhen(self, expired("call", limit))
