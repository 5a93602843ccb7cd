/**
 * What travels beside a request, in headers: extensions asked for, and headers of the caller's own (specification
 * §3.2.6). Ambient: provide {@link Current} around a call.
 *
 * ```ts
 * import { ServiceParameters } from "@effect-a2a/core"
 * import { Effect } from "effect"
 *
 * const asked = Effect.map(ServiceParameters.Current, ({ extensions }) => extensions)
 * const program = asked.pipe(ServiceParameters.provide({ extensions: ["https://ext.test/v1"] }))
 * await Effect.runPromise(program) // => ["https://ext.test/v1"]
 * ```
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** `extensions` are URIs; `headers` never replace those that the protocol sets itself. */
export interface ServiceParameters {
  readonly extensions: ReadonlyArray<string>
  readonly headers: Readonly<Record<string, string>>
}

export const Current = Context.Reference<ServiceParameters>("@effect-a2a/core/ServiceParameters/Current", {
  defaultValue: () => ({ extensions: [], headers: {} })
})

/** Adds extensions and headers to those already there. */
export const provide = (parameters: Partial<ServiceParameters>) => <A, E, R>(self: Effect.Effect<A, E, R>) =>
  Effect.updateService(self, Current, (current) => ({
    extensions: [...new Set([...current.extensions, ...parameters.extensions ?? []])],
    headers: { ...current.headers, ...parameters.headers }
  }))
