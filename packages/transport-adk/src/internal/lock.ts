/** One at a time per key: who holds a key is waited for, in order. A key that nobody wants takes no room. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"

/** Gives the key until the scope closes; who waits can be interrupted. */
export const make = (): (key: string) => Effect.Effect<void, never, Scope.Scope> => {
  const rooms = new Map<string, { readonly semaphore: Semaphore.Semaphore; wanted: number }>()

  return (key) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function*() {
        const room = rooms.get(key) ?? { semaphore: Semaphore.makeUnsafe(1), wanted: 0 }
        room.wanted++
        rooms.set(key, room)
        const leave = Effect.sync(() => {
          if (--room.wanted === 0) rooms.delete(key)
        })
        yield* restore(room.semaphore.take(1)).pipe(
          Effect.onExit((exit) => exit._tag === "Failure" ? leave : Effect.void)
        )
        yield* Effect.addFinalizer(() => Effect.andThen(room.semaphore.release(1), leave))
      })
    )
}
