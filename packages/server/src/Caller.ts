/**
 * The authenticated caller of a request: set by `Authentication`, or by whatever else authenticates it, and read by the
 * server. A task belongs to the caller that made it and does not exist for others (A2A 1.0 §13.1). A context id never
 * identifies a caller.
 *
 * ```ts
 * import { Caller } from "@effect-a2a/server"
 * import { Effect } from "effect"
 *
 * const name = Effect.map(Caller.Current, (caller) => caller?.id)
 * await Effect.runPromise(name) // => undefined
 * await Effect.runPromise(name.pipe(Effect.provideService(Caller.Current, { id: "ada" }))) // => "ada"
 * ```
 *
 * @since 0.1.0
 */
import type { Caller } from "@effect-a2a/core/Authenticator"
import * as Context from "effect/Context"

/** An authenticated principal: its id, scopes and claims; see `Authenticator.Caller`. */
export type { Caller } from "@effect-a2a/core/Authenticator"

/** The caller of the current request. Default: `undefined`, an anonymous caller; all of them share their tasks. */
export const Current = Context.Reference<Caller | undefined>("@effect-a2a/server/Caller/Current", {
  defaultValue: () => undefined
})
