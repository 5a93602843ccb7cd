/**
 * The credentials that are presented to agents. A required service, so that a forgotten one does not compile; for agents
 * that require none there is {@link layerNone}. Secrets are `Redacted` until the request is written.
 *
 * ```ts
 * import { Credentials } from "@effect-a2a/core"
 * import { Effect, Redacted } from "effect"
 *
 * const target = { url: "https://agent.test", protocolBinding: "HTTP+JSON", protocolVersion: "1.0" }
 * const presented = Effect.flatMap(Credentials.Credentials, ({ get }) => get(target)).pipe(
 *   Effect.provide(Credentials.layerApiKey({ name: "x-api-key", value: Redacted.make("secret") }))
 * )
 * const [key] = await Effect.runPromise(presented)
 * String(key?._tag === "ApiKey" && key.value) // => "<redacted>"
 * ```
 *
 * @since 0.1.0
 */
import type * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type * as AgentCard from "./AgentCard.ts"
import * as AgentError from "./AgentError.ts"
import * as Credential from "./Credential.ts"
import * as Placement from "./internal/credentials/placement.ts"
import * as Requirements from "./internal/credentials/requirements.ts"
import * as TokenCache from "./internal/credentials/tokenCache.ts"
import { parseUrl } from "./internal/http/request.ts"

/** One credential; see `Credential`. */
export type { Credential } from "./Credential.ts"

/** A secret and how long it may be used; see `Credential.Token`. */
export type { Token } from "./Credential.ts"

type Failure = AgentError.AgentError

/** An agent's rejection of the credentials it got (HTTP 401). */
export interface Challenge {
  /** The interface that rejected them. */
  readonly target: AgentCard.AgentInterface
  /** The response's `WWW-Authenticate` header. */
  readonly wwwAuthenticate: string | undefined
  /** The credentials that were presented. */
  readonly refused: ReadonlyArray<Credential.Credential>
}

/** Supplies credentials. */
export interface Service {
  /** Returns the credentials for an interface. Called before every request. */
  readonly get: (target: AgentCard.AgentInterface) => Effect.Effect<ReadonlyArray<Credential.Credential>, Failure>
  /** Renews rejected credentials, once per request. Returns true if the request is worth another try. */
  readonly renew: (challenge: Challenge) => Effect.Effect<boolean, Failure>
}

/** The service that supplies credentials. */
export class Credentials extends Context.Service<Credentials, Service>()("@effect-a2a/core/Credentials") {}

const makeFixed = (...credentials: ReadonlyArray<Credential.Credential>): Service => ({
  get: () => Effect.succeed(credentials),
  renew: () => Effect.succeed(false)
})

/** Presents nothing, for agents that require no credentials. */
export const layerNone: Layer.Layer<Credentials> = Layer.succeed(Credentials, makeFixed())

/** Presents a fixed bearer token: `Authorization: Bearer …`. */
export const layerBearer = (token: Redacted.Redacted): Layer.Layer<Credentials> =>
  Layer.succeed(Credentials, makeFixed(Credential.bearer(token)))

/** Presents an API key under a name, in a header unless `in` says otherwise. */
export const layerApiKey = (options: {
  readonly name: string
  readonly in?: "header" | "query" | "cookie" | undefined
  readonly value: Redacted.Redacted
}): Layer.Layer<Credentials> => Layer.succeed(Credentials, makeFixed(Credential.apiKey(options)))

/** Presents a user name and a password: `Authorization: Basic …`, in UTF-8. */
export const layerBasic = (options: {
  readonly username: string
  readonly password: Redacted.Redacted
}): Layer.Layer<Credentials> => Layer.succeed(Credentials, makeFixed(Credential.basic(options)))

/**
 * Presents credentials from configuration. Fails with a `ConfigError` if the configuration is missing or invalid.
 *
 * ```ts
 * import { Credential, Credentials } from "@effect-a2a/core"
 * import { Config, ConfigProvider, Effect } from "effect"
 *
 * const layer = Credentials.layerConfig(Config.map(Config.Redacted("AGENT_TOKEN"), Credential.bearer))
 *
 * const target = { url: "https://agent.test", protocolBinding: "HTTP+JSON", protocolVersion: "1.0" }
 * const presented = Effect.flatMap(Credentials.Credentials, ({ get }) => get(target)).pipe(
 *   Effect.provide(layer),
 *   Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown({ AGENT_TOKEN: "secret" }))
 * )
 * const credentials = await Effect.runPromise(presented)
 * credentials.map(({ _tag }) => _tag) // => ["Bearer"]
 * ```
 */
export const layerConfig = (
  config: Config.Config<Credential.Credential | ReadonlyArray<Credential.Credential>>
): Layer.Layer<Credentials, Config.ConfigError> =>
  Layer.effect(
    Credentials,
    Effect.map(config, (credentials) => "_tag" in credentials ? makeFixed(credentials) : makeFixed(...credentials))
  )

/**
 * Presents the credentials of an interface's origin, and nothing to other origins: for an agent whose card leads to a
 * further origin that `allow` lists, and for several agents in one layer. Fails with `InvalidRequestError` if an origin is
 * not an http or https URL.
 *
 * ```ts
 * import { Credentials } from "@effect-a2a/core"
 * import { Effect, Redacted } from "effect"
 *
 * const credentials = Credentials.layerOrigins({
 *   "https://agent.test": Credentials.layerBearer(Redacted.make("token")),
 *   "https://files.test": Credentials.layerApiKey({ name: "x-api-key", value: Redacted.make("key") })
 * })
 * const presented = (url: string) =>
 *   Effect.map(
 *     Effect.flatMap(Credentials.Credentials, ({ get }) => get({ url, protocolBinding: "HTTP+JSON", protocolVersion: "1.0" })),
 *     (all) => all.map(({ _tag }) => _tag)
 *   )
 * const all = Effect.forEach(["https://agent.test/a2a", "https://files.test/a2a", "https://evil.test/a2a"], presented)
 * await Effect.runPromise(Effect.provide(all, credentials)) // => [["Bearer"], ["ApiKey"], []]
 * ```
 */
export const layerOrigins = <E = never, R = never>(
  origins: { readonly [origin: string]: Layer.Layer<Credentials, E, R> }
): Layer.Layer<Credentials, E | Failure, R> =>
  Layer.effect(
    Credentials,
    Effect.gen(function*() {
      const services = new Map<string, Service>()
      for (const [url, layer] of Object.entries(origins)) {
        const { origin } = yield* Effect.fromResult(parseUrl(url)).pipe(
          Effect.mapError((reason) => new AgentError.AgentError({ operation: "credentials", reason }))
        )
        services.set(origin, Context.get(yield* Layer.build(layer), Credentials))
      }
      const none = makeFixed()
      const of = ({ url }: AgentCard.AgentInterface) => services.get(URL.parse(url)?.origin ?? "") ?? none
      return {
        get: (target) => of(target).get(target),
        renew: (challenge) => of(challenge.target).renew(challenge)
      }
    })
  )

/** A token, and the credentials that present it. */
interface Source {
  readonly token: TokenCache.TokenCache<Failure>
  readonly present: (token: Redacted.Redacted) => ReadonlyArray<Credential.Credential>
}

const fromSources = (sources: ReadonlyArray<Source>): Service => ({
  get: () =>
    Effect.map(Effect.forEach(sources, ({ present, token }) => Effect.map(token.get, present)), (all) => all.flat()),
  renew: ({ refused }) => {
    const isRefused = (credential: Credential.Credential) => refused.some((one) => Placement.isEqual(one, credential))
    return Effect.map(
      Effect.forEach(sources, ({ present, token }) => token.renew((secret) => present(secret).some(isRefused))),
      (renewed) => renewed.includes(true)
    )
  }
})

/**
 * Presents a bearer token that `read` supplies. It is kept until shortly before it expires, and read again if an agent
 * rejects it. A single reading serves all waiting calls, and goes on if they are interrupted: what it spends, such as a
 * refresh token, may be valid once. A token that is rejected within ten seconds of a renewal is not renewed again:
 * another one would not help.
 *
 * ```ts
 * import { Credentials } from "@effect-a2a/core"
 * import { Duration, Effect, Redacted } from "effect"
 *
 * let readings = 0
 * const read = Effect.sync(() => {
 *   readings++
 *   return { value: Redacted.make("token"), expiresIn: Duration.minutes(5) }
 * })
 * const target = { url: "https://agent.test", protocolBinding: "HTTP+JSON", protocolVersion: "1.0" }
 * const twice = Effect.flatMap(Credentials.Credentials, ({ get }) => Effect.all([get(target), get(target)])).pipe(
 *   Effect.provide(Credentials.layerBearerEffect(read))
 * )
 * await Effect.runPromise(twice)
 * readings // => 1
 * ```
 */
export const layerBearerEffect = <R = never>(
  read: Effect.Effect<Credential.Token | Redacted.Redacted, Failure, R>
): Layer.Layer<Credentials, never, R> =>
  Layer.effect(
    Credentials,
    Effect.contextWith((context: Context.Context<R>) =>
      Effect.succeed(fromSources([{
        present: (token) => [Credential.bearer(token)],
        token: TokenCache.make(Effect.provideContext(read, context))
      }]))
    )
  )

/** The secret of one security scheme: a fixed one, or an effect that reads it as in {@link layerBearerEffect}. */
export type Provider<R = never> =
  | Redacted.Redacted
  | Effect.Effect<Credential.Token | Redacted.Redacted, Failure, R>

/**
 * Presents what a card requires (A2A 1.0 §4.5): the first requirement whose schemes all have a provider under their name,
 * with every scheme of it. Presents nothing if the card requires nothing. If no requirement can be met, calls fail with
 * `CredentialsUnavailableError` before anything is sent, and the error names the missing schemes. For HTTP Basic a secret
 * is `user:password`; for a mutual-TLS scheme only its name is needed, since the connection meets it.
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
      const sourceOf = ({ provider, scheme }: Requirements.Met<Provider<R>>): Source => ({
        present: (secret) => Requirements.present(scheme, secret),
        token: Redacted.isRedacted(provider)
          ? TokenCache.makeFixed(provider)
          : TokenCache.make(Effect.provideContext(provider, context))
      })
      return Effect.succeed(Result.match(Requirements.choose(card, providers), {
        onSuccess: (met) => fromSources(met.filter(({ scheme }) => scheme._tag !== "MutualTls").map(sourceOf)),
        onFailure: (message): Service => ({
          get: () => Effect.fail(AgentError.make("credentials", "CredentialsUnavailableError", { message })),
          renew: () => Effect.succeed(false)
        })
      }))
    })
  )
