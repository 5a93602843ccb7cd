/** A token that is read when it is first needed, kept, and read again when it is refused. */
import type { AgentError } from "@effect-a2a/core/AgentError"
import * as Credentials from "@effect-a2a/core/Credentials"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Semaphore from "effect/Semaphore"

/** One reading serves all who wait for it. A renewal that gives the same token again is not worth another try. */
export const renewable = (
  read: Effect.Effect<Redacted.Redacted, AgentError>
): Layer.Layer<Credentials.Credentials> =>
  Layer.effect(
    Credentials.Credentials,
    Effect.map(Semaphore.make(1), (lock) => {
      let known: Redacted.Redacted | undefined
      const load = Effect.map(read, (token) => {
        const changed = known === undefined || Redacted.value(known) !== Redacted.value(token)
        // the old value stays where nothing changed, so that waiting renewals can tell
        if (changed) known = token
        return changed
      })
      return Credentials.Credentials.of({
        get: () =>
          lock.withPermits(1)(Effect.suspend(() => known === undefined ? load : Effect.void)).pipe(
            Effect.map(() => [{ _tag: "Bearer", token: known! }])
          ),
        renew: () =>
          Effect.suspend(() => {
            const refused = known
            return lock.withPermits(1)(Effect.suspend(() => known === refused ? load : Effect.succeed(true)))
          })
      })
    })
  )
