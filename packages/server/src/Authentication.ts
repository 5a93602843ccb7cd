/**
 * Authenticates the callers of an agent by the security schemes of its card, before the body of a request is read:
 * {@link layer}, provided to the bindings. The public card stays open.
 *
 * ```ts
 * import { Agent, Credentials } from "@effect-a2a/core"
 * import { AgentExecutor, AgentServer, Authentication, InProcessHttp } from "@effect-a2a/server"
 * import { Rest, RestServer } from "@effect-a2a/transport-rest"
 * import { Effect, Layer, Redacted, Stream } from "effect"
 *
 * const card = {
 *   name: "Who",
 *   description: "Says who you are",
 *   securitySchemes: { token: { _tag: "HttpAuth", scheme: "Bearer" } },
 *   securityRequirements: [{ token: [] }]
 * } as const
 * const routes = RestServer.routes().pipe(
 *   Layer.provide(Authentication.layer({
 *     schemes: { token: Authentication.bearer([{ id: "ada", secret: Redacted.make("token of Ada") }]) }
 *   })),
 *   Layer.provide(AgentServer.layerMemory({ card })),
 *   Layer.provide(AgentExecutor.layer((turn) => Stream.make(`You are ${turn.caller?.id}`)))
 * )
 * const agent = Agent.layer.pipe(
 *   Layer.provide(Rest.layer({ url: "http://agent.test" })),
 *   Layer.provide([
 *     InProcessHttp.layer(routes),
 *     Credentials.layerFromCard(card, { token: Redacted.make("token of Ada") })
 *   ])
 * )
 * const answer = await Effect.runPromise(Agent.ask("Who am I?").pipe(Effect.provide(agent)))
 * answer.text // => "You are ada"
 * ```
 *
 * @since 0.1.0
 */
import type * as AgentCard from "@effect-a2a/core/AgentCard"
import * as AgentError from "@effect-a2a/core/AgentError"
import { AgentTransport } from "@effect-a2a/core/AgentTransport"
import * as Authenticator from "@effect-a2a/core/Authenticator"
import * as Operation from "@effect-a2a/core/Operation"
import * as Config from "effect/Config"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import type { HttpRouter } from "effect/http/HttpRouter"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as KeyTable from "./internal/authentication/keyTable.ts"
import * as Policy from "./internal/authentication/policy.ts"
import * as Requirements from "./internal/authentication/requirements.ts"
import * as SecretNames from "./internal/authentication/secretNames.ts"

/** Returns the caller that presents a credential; see `Authenticator.Verifier`. */
export type { Verifier } from "@effect-a2a/core/Authenticator"

/** A secret and the caller that has it. A caller may have several. */
export interface Key extends Authenticator.Caller {
  readonly secret: Redacted.Redacted
}

const invalid = (message: string) => Effect.fail(AgentError.make("authentication", "InvalidRequestError", { message }))

const toCaller = ({ claims, id, scopes }: Key): Authenticator.Caller => ({
  id,
  ...(scopes === undefined ? undefined : { scopes }),
  ...(claims === undefined ? undefined : { claims })
})

/** Makes a verifier of fixed secrets. A credential of another kind is a mistake in the options, hence a defect. */
const verifierOf = (
  name: string,
  textOf: (key: Key) => string,
  read: (presented: Authenticator.Presented) => string | undefined
) =>
(keys: ReadonlyArray<Key>): Effect.Effect<Authenticator.Verifier, AgentError.AgentError> =>
  Effect.map(
    Effect.suspend(() => KeyTable.make(keys.map((key) => ({ caller: toCaller(key), secret: textOf(key) })))),
    (find) => (presented) => {
      const text = read(presented)
      return text === undefined
        ? Effect.die(`Authentication.${name} is given to a scheme of the card that presents a ${presented._tag}`)
        : find(text)
    }
  )

const secretOf = ({ secret }: Key) => Redacted.value(secret)

/**
 * Verifies bearer tokens: those of `HttpAuth` with `Bearer`, OAuth 2.0 and OpenID Connect. They are compared in constant
 * time. Fails with `InvalidRequestError` if a secret is empty or belongs to two callers; so do the others.
 */
export const bearer = verifierOf(
  "bearer",
  secretOf,
  (presented) => presented._tag === "Bearer" ? Redacted.value(presented.token) : undefined
)

/** Verifies API keys in the header, query parameter or cookie that the card names. */
export const apiKey = verifierOf(
  "apiKey",
  secretOf,
  (presented) => presented._tag === "ApiKey" ? Redacted.value(presented.value) : undefined
)

const toPair = verifierOf(
  "basic",
  (key) => `${key.id}:${secretOf(key)}`,
  (presented) => presented._tag === "Basic" ? `${presented.username}:${Redacted.value(presented.password)}` : undefined
)

/** Verifies HTTP Basic: the user name is the caller's id, which has no colon; the password is its secret. */
export const basic = (keys: ReadonlyArray<Key>): Effect.Effect<Authenticator.Verifier, AgentError.AgentError> => {
  const wrong = keys.find(({ id }) => id.includes(":"))
  return wrong === undefined
    ? toPair(keys)
    : invalid(`the user name ${JSON.stringify(wrong.id)} has a colon, which HTTP Basic does not allow`)
}

const readKeys = (text: string): Result.Result<ReadonlyArray<Key>, string> =>
  Result.all(
    text.split(",").map((entry, index) => {
      const [, id, secret] = /^\s*([^:\s]+):(\S+)\s*$/.exec(entry) ?? []
      return id === undefined || secret === undefined
        ? Result.fail(`entry ${index + 1} is not id:secret`)
        : Result.succeed({ id, secret: Redacted.make(secret) })
    })
  )

/**
 * Reads keys from configuration, such as `A2A_SERVE_TOKENS=ana:secret1,ben:secret2`. A secret has no comma and no space.
 * Fails with a `ConfigError` that shows no secret.
 *
 * ```ts
 * import { Authentication } from "@effect-a2a/server"
 * import { ConfigProvider, Effect } from "effect"
 *
 * const keys = Authentication.configKeys("A2A_SERVE_TOKENS").parse(
 *   ConfigProvider.fromUnknown({ A2A_SERVE_TOKENS: "ana:secret1,ben:secret2" })
 * )
 * const all = await Effect.runPromise(keys)
 * all.map(({ id, secret }) => `${id} ${secret}`) // => ["ana <redacted>", "ben <redacted>"]
 * ```
 */
export const configKeys = (name: string): Config.Config<ReadonlyArray<Key>> =>
  Config.flatMap(Config.Redacted(name), (text) =>
    Result.match(readKeys(Redacted.value(text)), {
      onFailure: (problem) =>
        Config.fail(
          new ConfigProvider.SourceError({ message: `${name}: ${problem}; write id:secret, separated by commas` })
        ),
      onSuccess: Config.succeed
    }))

/** The verifiers of an agent's schemes, and further rules. */
export interface Options<E = never, R = never> {
  /**
   * The verifier of each scheme, by its name in the card, or an effect that makes it. If a requirement has several
   * schemes, the caller is that of the one that stands first here; the others have to be valid too.
   */
  readonly schemes: {
    readonly [name: string]: Authenticator.Verifier | Effect.Effect<Authenticator.Verifier, E, R>
  }
  /** False: requests without credentials are served, as anonymous ones. Wrong credentials are refused. Default: true. */
  readonly required?: boolean | undefined
  /**
   * The scopes that callers need for an operation, in addition to those of the card's requirements. By default
   * `SendStreamingMessage` needs those of `SendMessage`, and `SubscribeToTask` those of `GetTask`. Default: none.
   */
  readonly scopes?: Policy.Scopes | undefined
}

const toSchemes = Effect.fnUntraced(function*<E, R>(card: AgentCard.AgentCard, { schemes }: Options<E, R>) {
  const declared = new Map(Object.entries(card.securitySchemes ?? {}))
  return yield* Effect.forEach(
    Object.entries(schemes),
    Effect.fnUntraced(function*([name, given]) {
      const scheme = declared.get(name)
      if (scheme === undefined) {
        return yield* invalid(
          `the card has no security scheme ${JSON.stringify(name)}; it has: ${
            [...declared.keys()].join(", ") || "none"
          }`
        )
      }
      const verify = Effect.isEffect(given) ? yield* given : given
      return { name, scheme, verify } satisfies Requirements.Scheme
    })
  )
})

const toPolicy = Effect.fnUntraced(function*<E, R>(card: AgentCard.AgentCard, options: Options<E, R>) {
  const schemes = yield* toSchemes(card, options)
  const names = schemes.map(({ name }) => name)
  const { alternatives, isOptional } = Requirements.of(card, names)
  const usable = alternatives.filter((one) => Array.from(one.keys()).every((name) => names.includes(name)))
  if (usable.length === 0) {
    return yield* invalid(
      `\`schemes\` has no verifiers for what the card requires: ${Requirements.describe(alternatives) || "a scheme"}`
    )
  }
  return {
    realm: card.name,
    schemes,
    alternatives: usable,
    isOptional: isOptional || options.required === false,
    scopes: options.scopes ?? {}
  } satisfies Policy.Policy
})

const make = <E, R>(options: Options<E, R>) =>
  Layer.unwrap(Effect.gen(function*() {
    const transport = yield* AgentTransport
    const policy = yield* toPolicy(yield* transport.call(Operation.GetAgentCard, {}), options)
    const secrets = SecretNames.of(policy.schemes.map(({ scheme }) => scheme))
    return Layer.merge(
      Authenticator.layer(Policy.toAuthenticator(policy, secrets)),
      SecretNames.layer(secrets)
    )
  }))

/**
 * Authenticates the requests of all bindings of the agent in the application, whether this layer is provided to them or
 * merged with them, so that none is left open by mistake. Not memoised, so that one layer can be given to several agents. It reads the card once: its schemes, and its
 * requirements, which are alternatives (or) of conjunctions (and); those that lack a verifier cannot be used. A card with
 * schemes and without requirements requires one scheme, whichever.
 *
 * Requests are refused with `UnauthenticatedError` and the challenges of all schemes if a credential is missing or wrong,
 * and with `AccessDeniedError` if a scope is missing. Fails with `InvalidRequestError` if `schemes` do not fit the card.
 * Skills cannot need scopes: a request does not name the skill that it uses.
 */
export const layer = <E = never, R = never>(
  options: Options<E, R>
): Layer.Layer<never, AgentError.AgentError | E, AgentTransport | HttpRouter | R> =>
  Layer.fromBuild((memoMap, scope) => Layer.buildWithMemoMap(make(options), memoMap, scope))
