import * as Effect from "effect/Effect"
import * as RcMap from "effect/RcMap"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"

/** A lock per key, held as long as the scope and given in order of arrival; a key that nobody wants takes no room. */
export const make = <K>() =>
  Effect.map(
    RcMap.make({ lookup: (_key: K) => Semaphore.make(1) }),
    (locks) => (key: K): Effect.Effect<void, never, Scope.Scope> =>
      Effect.flatMap(RcMap.get(locks, key), (semaphore) => semaphore.takeScoped(1))
  )
