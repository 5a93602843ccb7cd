/** Ctrl-C where it means something else than the end. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** While the scope is open, an interrupt signal is told to `listener` alone. */
export const onInterrupt = (listener: () => void): Effect.Effect<void, never, Scope.Scope> =>
  Effect.asVoid(Effect.acquireRelease(
    Effect.sync(() => {
      const others = process.listeners("SIGINT")
      process.removeAllListeners("SIGINT").on("SIGINT", listener)
      return others
    }),
    (others) =>
      Effect.sync(() => {
        process.off("SIGINT", listener)
        for (const other of others) process.on("SIGINT", other)
      })
  ))
