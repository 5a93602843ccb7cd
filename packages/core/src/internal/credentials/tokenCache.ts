/** A token that is read when it is first needed, kept while it lasts, and read again when it is refused. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import * as Semaphore from "effect/Semaphore"

/** A token and how long it may be used; without a time, until it is refused. */
export interface Token {
  readonly value: Redacted.Redacted
  readonly expiresIn?: Duration.Duration | undefined
}

export interface Renewable<E> {
  readonly get: Effect.Effect<Redacted.Redacted, E>
  /** Whether `get` gives a token now that was not refused. */
  readonly renew: (isRefused: (token: Redacted.Redacted) => boolean) => Effect.Effect<boolean, E>
}

/** How long after a renewal another one is not worth it: what is refused so soon is refused for another reason. */
const quiet = Duration.toMillis("10 seconds")

/** Renewed a little before it ends: a tenth of its life, 30 seconds at most. */
const endOf = ({ expiresIn }: Token, start: number) => {
  const life = expiresIn === undefined ? Infinity : Duration.toMillis(expiresIn)
  return start + life - Math.min(30_000, life === Infinity ? 0 : life / 10)
}

/** A token that never changes. */
export const fixed = (token: Redacted.Redacted): Renewable<never> => ({
  get: Effect.succeed(token),
  renew: () => Effect.succeed(false)
})

/** One reading serves all who wait for it, its failure included. */
export const make = <E>(read: Effect.Effect<Token | Redacted.Redacted, E>): Renewable<E> => {
  const lock = Semaphore.makeUnsafe(1)
  let known: { readonly value: Redacted.Redacted; readonly end: number } | undefined
  let readings = 0
  let last: Exit.Exit<Redacted.Redacted, E> | undefined
  let quietUntil = -Infinity

  const load = (seen: number): Effect.Effect<Redacted.Redacted, E> =>
    lock.withPermits(1)(Effect.suspend(() => {
      if (readings !== seen) return last!
      return Effect.flatMap(Clock.currentTimeMillis, (start) =>
        Effect.onExit(
          Effect.map(read, (found) => {
            const token = Redacted.isRedacted(found) ? { value: found } : found
            known = { value: token.value, end: endOf(token, start) }
            return token.value
          }),
          (exit) =>
            Effect.sync(() => {
              if (Exit.hasInterrupts(exit)) return
              readings++
              last = exit
            })
        ))
    }))

  return {
    get: Effect.flatMap(
      Clock.currentTimeMillis,
      (now) => known !== undefined && now < known.end ? Effect.succeed(known.value) : load(readings)
    ),
    renew: (isRefused) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        if (known !== undefined && !isRefused(known.value)) return Effect.succeed(true)
        if (now < quietUntil) return Effect.as(last!, false)
        return load(readings).pipe(
          Effect.onExit((exit) =>
            Effect.sync(() => {
              if (!Exit.hasInterrupts(exit)) quietUntil = now + quiet
            })
          ),
          Effect.map((token) => !isRefused(token))
        )
      })
  }
}
