/**
 * Parameters that travel beside a request, in headers (A2A 1.0 §3.2.6): the extensions that are asked for, and further
 * headers. Ambient: {@link provide} them around a call.
 *
 * ```ts
 * import { ServiceParameters } from "@effect-a2a/core"
 * import { Effect } from "effect"
 *
 * const extensions = Effect.map(ServiceParameters.Current, ({ extensions }) => extensions)
 * const program = extensions.pipe(
 *   ServiceParameters.provide({ extensions: ["https://ext.test/v2"] }),
 *   ServiceParameters.provide({ extensions: ["https://ext.test/v1"], headers: { "x-tenant": "a" } })
 * )
 * await Effect.runPromise(program) // => ["https://ext.test/v1", "https://ext.test/v2"]
 * ```
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { dual } from "effect/Function"

/** Parameters of a request. */
export interface ServiceParameters {
  /** URIs of extensions. */
  readonly extensions: ReadonlyArray<string>
  /** Further headers. They never replace those that the protocol sets; a header of extensions is merged with `extensions`. */
  readonly headers: Readonly<Record<string, string>>
}

/** The parameters of calls. Default: none. */
export const Current = Context.Reference<ServiceParameters>("@effect-a2a/core/ServiceParameters/Current", {
  defaultValue: () => ({ extensions: [], headers: {} })
})

/** Adds extensions and headers to those that are provided already. */
export const provide: {
  (parameters: Partial<ServiceParameters>): <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  <A, E, R>(self: Effect.Effect<A, E, R>, parameters: Partial<ServiceParameters>): Effect.Effect<A, E, R>
} = /*#__PURE__*/ dual(
  2,
  <A, E, R>(self: Effect.Effect<A, E, R>, parameters: Partial<ServiceParameters>) =>
    Effect.updateService(self, Current, (current) => ({
      extensions: [...new Set([...current.extensions, ...parameters.extensions ?? []])],
      headers: { ...current.headers, ...parameters.headers }
    }))
)
