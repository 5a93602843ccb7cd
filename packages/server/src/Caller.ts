/**
 * Who calls: set by whatever authenticates a request, read by the server. Tasks belong to the caller that made them;
 * to everybody else they do not exist (specification §13.1). A context id is never an identity.
 *
 * ```ts
 * import { Caller } from "@effect-a2a/server"
 * import { Effect } from "effect"
 *
 * const whoami = Effect.map(Caller.Current, (caller) => caller?.id)
 * await Effect.runPromise(whoami) // => undefined
 * await Effect.runPromise(whoami.pipe(Effect.provideService(Caller.Current, { id: "ada" }))) // => "ada"
 * ```
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"

/** An authenticated principal; `id` is unique among callers. */
export interface Caller {
  readonly id: string
}

/** The caller of the present request; by default nobody in particular, and all such callers share their tasks. */
export const Current = Context.Reference<Caller | undefined>("@effect-a2a/server/Caller/Current", {
  defaultValue: () => undefined
})
