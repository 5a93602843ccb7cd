/**
 * Verifies bearer tokens that are signed (JWT, RFC 7519; RFC 9068 for access tokens): the verifier of a scheme in
 * `Authentication.layer` of `@effect-a2a/server`.
 *
 * ```ts
 * import { JwtVerifier, KeySet, SigningKey, Token } from "@effect-a2a/signatures"
 * import { Effect, Redacted } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const key = yield* SigningKey.generate()
 *   const verify = yield* JwtVerifier.make({
 *     // of a server: KeySet.fromUrl("https://auth.test/.well-known/jwks.json")
 *     keys: KeySet.fromJwks(SigningKey.toJwks([key])),
 *     issuer: "https://auth.test",
 *     audience: "https://agent.test"
 *   })
 *   const claims = { iss: "https://auth.test", aud: "https://agent.test", sub: "ada", scope: "read write" }
 *   const token = yield* Token.sign(claims, { key })
 *   const caller = yield* verify({ _tag: "Bearer", token })
 *   const refused = yield* Effect.flip(verify({ _tag: "Bearer", token: Redacted.make("abc") }))
 *   return [caller?.id, caller?.scopes, refused.message]
 * })
 * await Effect.runPromise(program) // => ["ada", ["read", "write"], "the token is not a JWT"]
 * ```
 *
 * @since 0.1.0
 */
import * as AgentError from "@effect-a2a/core/AgentError"
import type * as Authenticator from "@effect-a2a/core/Authenticator"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Jwt from "./internal/jwt.ts"
import * as Jwk from "./Jwk.ts"
import type { KeySet } from "./KeySet.ts"

/** What a token must say, and the keys of its issuer. */
export interface Options<E, R> {
  /** The keys of the issuer, such as `KeySet.fromUrl(…)`. */
  readonly keys: Effect.Effect<KeySet, E, R>
  /** The claim `iss`, letter by letter. */
  readonly issuer: string
  /** The names of this agent, one of which the claim `aud` must have. */
  readonly audience: string | ReadonlyArray<string>
  /** The algorithms that are accepted. Default: all of `Jwk.Algorithm`. */
  readonly algorithms?: ReadonlyArray<Jwk.Algorithm> | undefined
  /** The difference of clocks that `exp` and `nbf` allow for. Default: 5 seconds. */
  readonly clockTolerance?: Duration.Input | undefined
  /** The `typ` of the token, such as `at+jwt`. Default: any. */
  readonly type?: string | undefined
  /** The longest time since `iat`, which must be there then. Default: as long as `exp` says. */
  readonly maxAge?: Duration.Input | undefined
}

const words = (value: unknown): ReadonlyArray<string> =>
  typeof value === "string"
    ? value.split(" ").filter((word) => word !== "")
    : Array.isArray(value)
    ? value.filter(Predicate.isString)
    : []

const toCaller = (claims: Jwt.Claims) => {
  const { scope, scp, sub } = claims
  return typeof sub === "string" && sub !== ""
    ? Effect.succeed<Authenticator.Caller>({ id: sub, scopes: words(scope ?? scp), claims })
    : Effect.fail("the token has no sub")
}

/**
 * Makes a verifier. A token needs `sub`, the id of the caller, and `exp`; `scope` or `scp` are the scopes, and all claims
 * are the caller's. It returns `undefined` for other credentials than bearer tokens, and
 * fails with `UnauthenticatedError` for a token that is not accepted, and with `ServiceUnavailableError` if the keys
 * cannot be fetched: then nothing is known about the token.
 */
export const make = Effect.fnUntraced(function*<E, R>(options: Options<E, R>): Effect.fn.Return<
  (
    presented: Authenticator.Presented
  ) => Effect.Effect<
    Authenticator.Caller | undefined,
    AgentError.UnauthenticatedError | AgentError.ServiceUnavailableError
  >,
  E,
  R
> {
  const rules: Jwt.Rules = {
    keys: yield* options.keys,
    algorithms: options.algorithms ?? Jwk.algorithms,
    issuer: options.issuer,
    audience: options.audience,
    type: options.type,
    clockTolerance: options.clockTolerance ?? "5 seconds",
    maxAge: options.maxAge,
    required: ["exp", "sub"]
  }
  return (presented) =>
    presented._tag !== "Bearer" ? Effect.succeed(undefined) : Jwt.verify(Redacted.value(presented.token), rules).pipe(
      Effect.flatMap(toCaller),
      Effect.mapError((error) =>
        typeof error === "string" ? new AgentError.UnauthenticatedError({ message: error }) : error
      )
    )
})
