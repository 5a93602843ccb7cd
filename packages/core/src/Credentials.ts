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
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type * as AgentCard from "./AgentCard.ts"
import * as AgentError from "./AgentError.ts"
import { type Credential, isAmong } from "./Credential.ts"
import * as Security from "./internal/credentials/requirements.ts"
import * as Renewable from "./internal/credentials/tokenCache.ts"

export type { Credential }

/** A refusal for want of credentials: HTTP 401, its `WWW-Authenticate` header, and what had been presented. */
export interface Challenge {
  readonly target: AgentCard.AgentInterface
  readonly wwwAuthenticate: string | undefined
  readonly refused: ReadonlyArray<Credential>
}

type Failure = AgentError.AgentError

/**
 * `get` is asked before every request. `renew` is asked once when a request was refused; `true` means that it is worth
 * one more try with what `get` gives then.
 */
export class Credentials extends Context.Service<Credentials, {
  readonly get: (target: AgentCard.AgentInterface) => Effect.Effect<ReadonlyArray<Credential>, Failure>
  readonly renew: (challenge: Challenge) => Effect.Effect<boolean, Failure>
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

/** `Authorization: Basic …`, in UTF-8. */
export const layerBasic = (options: {
  readonly username: string
  readonly password: Redacted.Redacted
}): Layer.Layer<Credentials> => layerStatic({ _tag: "Basic", ...options })

/** A token, and what is presented of it. */
interface Part {
  readonly token: Renewable.Renewable<Failure>
  readonly present: (token: Redacted.Redacted) => ReadonlyArray<Credential>
}

const of = (parts: ReadonlyArray<Part>): Credentials["Service"] => ({
  get: () =>
    Effect.map(Effect.forEach(parts, ({ present, token }) => Effect.map(token.get, present)), (all) => all.flat()),
  renew: ({ refused }) => {
    const isRefused = isAmong(refused)
    return Effect.map(
      Effect.forEach(parts, ({ present, token }) => token.renew((secret) => present(secret).some(isRefused))),
      (renewed) => renewed.includes(true)
    )
  }
})

/** A secret and how long it may be used; without a time, until it is refused. */
export type Token = Renewable.Token

/**
 * `Authorization: Bearer …` with a token that `read` gives: kept until shortly before it expires, and read again when an
 * agent refuses it. One reading serves all calls that wait for it. A token refused within ten seconds of a renewal is
 * not renewed again: it is refused for another reason.
 *
 * ```ts
 * import { Credentials } from "@effect-a2a/core"
 * import { Duration, Effect, Layer, Redacted } from "effect"
 *
 * const layer = Credentials.layerBearerEffect(
 *   Effect.sync(() => ({ value: Redacted.make("token"), expiresIn: Duration.minutes(5) }))
 * )
 * Layer.isLayer(layer) // => true
 * ```
 */
export const layerBearerEffect = <R = never>(
  read: Effect.Effect<Token | Redacted.Redacted, Failure, R>
): Layer.Layer<Credentials, never, R> =>
  Layer.effect(
    Credentials,
    Effect.contextWith((context: Context.Context<R>) =>
      Effect.succeed(of([{
        present: (token) => [{ _tag: "Bearer", token }],
        token: Renewable.make(Effect.provideContext(read, context))
      }]))
    )
  )

/** The secret of one security scheme: as it is, or had by an effect as in {@link layerBearerEffect}. */
export type Provider<R = never> = Redacted.Redacted | Effect.Effect<Token | Redacted.Redacted, Failure, R>

/**
 * What a card asks for (specification §4.5): the first of its requirements whose schemes all have a provider, by the
 * scheme's name, with every scheme of it applied. Presents nothing where the card requires nothing. Where none can be met,
 * calls fail before anything is sent, and the error names the schemes that are missing. For HTTP Basic a secret is
 * `user:password`; a mutual-TLS scheme is met by the connection and needs its name only.
 *
 * ```ts
 * import { Credentials } from "@effect-a2a/core"
 * import { Effect, Redacted } from "effect"
 *
 * const target = { url: "https://agent.test", protocolBinding: "HTTP+JSON", protocolVersion: "1.0" }
 * const card = {
 *   securitySchemes: { gateway: { _tag: "ApiKey", location: "header", name: "X-Gateway-Key" } },
 *   securityRequirements: [{ gateway: [] }]
 * } as const
 * const presented = Effect.flatMap(Credentials.Credentials, ({ get }) => get(target)).pipe(
 *   Effect.provide(Credentials.layerFromCard(card, { gateway: Redacted.make("secret") }))
 * )
 * const credentials = await Effect.runPromise(presented)
 * credentials.map((one) => one._tag) // => ["ApiKey"]
 * ```
 */
export const layerFromCard = <R = never>(
  card: Pick<AgentCard.AgentCard, "securitySchemes" | "securityRequirements">,
  providers: { readonly [scheme: string]: Provider<R> }
): Layer.Layer<Credentials, never, R> =>
  Layer.effect(
    Credentials,
    Effect.contextWith((context: Context.Context<R>) => {
      const met = Result.map(Security.choose(card, Object.keys(providers)), (schemes) =>
        schemes.filter(({ scheme }) =>
          scheme._tag !== "MutualTls"
        ).map(({ name, scheme }): Part => {
          const provider = providers[name]!
          return {
            present: (secret) => Security.present(scheme, secret),
            token: Redacted.isRedacted(provider)
              ? Renewable.fixed(provider)
              : Renewable.make(Effect.provideContext(provider, context))
          }
        }))
      return Effect.succeed(
        Result.isSuccess(met) ? of(met.success) : {
          get: () =>
            Effect.fail(AgentError.make("credentials", "CredentialsUnavailableError", { message: met.failure })),
          renew: () => Effect.succeed(false)
        }
      )
    })
  )
