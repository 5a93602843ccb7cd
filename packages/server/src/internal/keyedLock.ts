import * as Effect from "effect/Effect"
import * as RcMap from "effect/RcMap"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"

/** One effect at a time per key; a key that nobody holds takes no room. */
export const make = <K>() =>
  Effect.map(
    RcMap.make({ lookup: (_key: K) => Semaphore.make(1) }),
    (locks) => (key: K) => <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.scopedWith((scope) =>
        RcMap.get(locks, key).pipe(
          Scope.provide(scope),
          Effect.flatMap((semaphore) => semaphore.withPermits(1)(effect))
        )
      )
  )
