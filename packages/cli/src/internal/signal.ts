/** Ctrl-C, if it does not end the command. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { CurrentProcess } from "./environment.ts"

/** Handles interrupt signals by `listener` alone, until the scope closes. */
export const onInterrupt = (listener: () => void): Effect.Effect<void, never, Scope.Scope> =>
  Effect.asVoid(Effect.acquireRelease(
    Effect.map(CurrentProcess, (process) => {
      const others = process.listeners("SIGINT")
      process.removeAllListeners("SIGINT").on("SIGINT", listener)
      return { others, process }
    }),
    ({ others, process }) =>
      Effect.sync(() => {
        process.off("SIGINT", listener)
        for (const other of others) process.on("SIGINT", other as () => void)
      })
  ))
