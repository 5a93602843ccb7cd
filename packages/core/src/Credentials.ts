/**
 * What to present to an agent. A required service, so that forgetting it does not compile; an agent that wants none is
 * {@link layerNone}. Secrets are `Redacted` from here inwards.
 *
 * ```ts
 * import { Credentials } from "@effect-a2a/core"
 * import { Layer, Redacted } from "effect"
 *
 * const layer = Credentials.layerApiKey({ name: "x-api-key", value: Redacted.make("secret") })
 * Layer.isLayer(layer) // => true
 * ```
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import type * as AgentCard from "./AgentCard.ts"
import type { AgentError } from "./AgentError.ts"

/** One credential, as data: whichever binding sends it knows where it goes. */
export type Credential =
  | { readonly _tag: "Bearer"; readonly token: Redacted.Redacted }
  | { readonly _tag: "Basic"; readonly username: string; readonly password: Redacted.Redacted }
  | {
    readonly _tag: "ApiKey"
    readonly in: "header" | "query" | "cookie"
    readonly name: string
    readonly value: Redacted.Redacted
  }

/** A refusal for want of credentials: HTTP 401 and the `WWW-Authenticate` header. */
export interface Challenge {
  readonly target: AgentCard.AgentInterface
  readonly wwwAuthenticate: string | undefined
}

/**
 * `get` is asked before every request. `renew` is asked once when a request was refused; `true` means that it is worth
 * one more try with what `get` gives then.
 */
export class Credentials extends Context.Service<Credentials, {
  readonly get: (target: AgentCard.AgentInterface) => Effect.Effect<ReadonlyArray<Credential>, AgentError>
  readonly renew: (challenge: Challenge) => Effect.Effect<boolean, AgentError>
}>()("@effect-a2a/core/Credentials") {}

const layerStatic = (...credentials: ReadonlyArray<Credential>): Layer.Layer<Credentials> =>
  Layer.succeed(Credentials, {
    get: () => Effect.succeed(credentials),
    renew: () => Effect.succeed(false)
  })

/** For agents that ask for nothing. */
export const layerNone: Layer.Layer<Credentials> = layerStatic()

/** `Authorization: Bearer …`. */
export const layerBearer = (token: Redacted.Redacted): Layer.Layer<Credentials> =>
  layerStatic({ _tag: "Bearer", token })

/** An API key under a name, in a header unless said otherwise. */
export const layerApiKey = (options: {
  readonly name: string
  readonly in?: "header" | "query" | "cookie" | undefined
  readonly value: Redacted.Redacted
}): Layer.Layer<Credentials> => layerStatic({ _tag: "ApiKey", in: "header", ...options } as Credential)
