/**
 * Runs of an effect that may not be cut off halfway, such as the exchange of a token that is valid once: one run serves
 * all who wait, and goes on if they are interrupted. Tested in `test/credentials`.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"

/** The longest that a run goes on without anybody waiting, before the next caller replaces it (milliseconds). */
const maxAlone = 60_000

interface Run<A, E> {
  readonly fiber: Fiber.Fiber<A, E>
  waiting: number
  /** When the last one who waited left. */
  aloneSince: number
}

/** Makes an effect whose runs are shared and outlive their callers. */
export const make = <A, E>(self: Effect.Effect<A, E>): Effect.Effect<A, E> => {
  let current: Run<A, E> | undefined

  const begin = (now: number) =>
    Effect.map(Effect.forkDetach(self, { startImmediately: true }), (fiber) => {
      const run: Run<A, E> = { fiber, waiting: 0, aloneSince: now }
      current = run
      fiber.addObserver(() => {
        if (current === run) current = undefined
      })
      return run
    })

  const join = (now: number): Effect.Effect<Run<A, E>> => {
    if (current === undefined) return begin(now)
    if (current.waiting > 0 || now - current.aloneSince <= maxAlone) return Effect.succeed(current)
    return Effect.andThen(Effect.forkDetach(Fiber.interrupt(current.fiber)), begin(now))
  }

  const leave = (run: Run<A, E>) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      run.waiting--
      run.aloneSince = now
    })

  return Effect.uninterruptibleMask((restore) =>
    Effect.gen(function*() {
      const run = yield* join(yield* Clock.currentTimeMillis)
      run.waiting++
      return yield* Effect.ensuring(restore(Fiber.join(run.fiber)), leave(run))
    })
  )
}
