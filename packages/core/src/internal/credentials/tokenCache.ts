/** A token that is read when it is first needed, kept until it expires, and read again if an agent rejects it. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import type { Token } from "../../Credential.ts"
import * as SingleFlight from "./singleFlight.ts"

/** A token with its renewal. */
export interface TokenCache<E> {
  readonly get: Effect.Effect<Redacted.Redacted, E>
  /** Renews a rejected token. Returns true if `get` now returns one that was not rejected. */
  readonly renew: (isRefused: (token: Redacted.Redacted) => boolean) => Effect.Effect<boolean, E>
}

/** A token that is rejected this soon after a renewal is rejected for another reason. */
const minInterval = Duration.toMillis("10 seconds")

/** Returns when to renew a token: before it expires, by a tenth of its life or 30 seconds at most. */
const endOf = ({ expiresIn }: Token, start: number) => {
  const life = expiresIn === undefined ? Infinity : Duration.toMillis(expiresIn)
  return start + life - Math.min(30_000, life === Infinity ? 0 : life / 10)
}

/** Creates a cache of a token that never changes. */
export const makeFixed = (token: Redacted.Redacted): TokenCache<never> => ({
  get: Effect.succeed(token),
  renew: () => Effect.succeed(false)
})

/**
 * Creates a cache over an effect. A single reading serves all waiting calls, its failure included, and goes on if they are
 * interrupted: what it reads may be valid once.
 */
export const make = <E>(read: Effect.Effect<Token | Redacted.Redacted, E>): TokenCache<E> => {
  let known: { readonly value: Redacted.Redacted; readonly end: number } | undefined
  let last: Exit.Exit<Redacted.Redacted, E> | undefined
  let quietUntil = -Infinity

  const load = SingleFlight.make(Effect.flatMap(Clock.currentTimeMillis, (start) =>
    Effect.onExit(
      Effect.map(read, (found) => {
        const token = Redacted.isRedacted(found) ? { value: found } : found
        known = { value: token.value, end: endOf(token, start) }
        return token.value
      }),
      (exit) =>
        Effect.sync(() => {
          if (!Exit.hasInterrupts(exit)) last = exit
        })
    )))

  return {
    get: Effect.flatMap(
      Clock.currentTimeMillis,
      (now) => known !== undefined && now < known.end ? Effect.succeed(known.value) : load
    ),
    renew: (isRefused) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        if (known !== undefined && !isRefused(known.value)) return Effect.succeed(true)
        if (now < quietUntil && last !== undefined) return Effect.as(last, false)
        return load.pipe(
          Effect.onExit((exit) =>
            Effect.sync(() => {
              if (!Exit.hasInterrupts(exit)) quietUntil = now + minInterval
            })
          ),
          Effect.map((token) => !isRefused(token))
        )
      })
  }
}
