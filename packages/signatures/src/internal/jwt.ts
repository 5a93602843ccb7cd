/** Tokens (JWT, RFC 7519): verified by a set of keys, or the reason why not. Tested in `packages/signatures/test`. */
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type * as Schema from "effect/Schema"
import { JWSSignatureVerificationFailed, JWTClaimValidationFailed, JWTExpired } from "jose/errors"
import { jwtVerify } from "jose/jwt/verify"
import * as Jwk from "../Jwk.ts"
import type { KeySet } from "../KeySet.ts"
import * as Jose from "./jose.ts"

/** The claims of a token. */
export type Claims = Readonly<Record<string, Schema.Json>>

/** What a token must say. */
export interface Rules {
  readonly keys: KeySet
  readonly algorithms: ReadonlyArray<Jwk.Algorithm>
  readonly issuer: string | undefined
  readonly audience: string | ReadonlyArray<string> | undefined
  readonly type: string | undefined
  readonly clockTolerance: Duration.Input
  readonly maxAge: Duration.Input | undefined
  readonly required: ReadonlyArray<string>
}

/** More characters than any honest token has. */
const maxLength = 16 * 1024

/** Says what is wrong, without words of the token; `undefined` if another key may have made the signature. */
const describe = (cause: unknown): string | undefined => {
  if (cause instanceof JWSSignatureVerificationFailed) return undefined
  if (cause instanceof JWTExpired) return "the token has expired"
  if (!(cause instanceof JWTClaimValidationFailed)) return "the token is malformed"
  if (cause.reason === "missing") return `the token has no ${cause.claim}`
  switch (cause.claim) {
    case "aud":
      return "the token is for another audience"
    case "iss":
      return "the token is of another issuer"
    case "nbf":
      return "the token is not valid yet"
    default:
      return `the token has another ${cause.claim}`
  }
}

/** Either the claims, or what is wrong; `undefined` if the key did not make the signature. */
type Outcome = { readonly claims: Claims } | { readonly issue: string | undefined }

const seconds = (input: Duration.Input) => Duration.toSeconds(input)

const verifyWith = (token: string, key: CryptoKey, alg: Jwk.Algorithm, rules: Rules, now: DateTime.DateTime) =>
  Effect.promise((): Promise<Outcome> =>
    jwtVerify<Claims>(token, key, {
      algorithms: [alg],
      clockTolerance: seconds(rules.clockTolerance),
      currentDate: DateTime.toDateUtc(now),
      requiredClaims: [...rules.required],
      ...(rules.issuer === undefined ? undefined : { issuer: rules.issuer }),
      ...(rules.audience === undefined ? undefined : { audience: [rules.audience].flat() }),
      ...(rules.type === undefined ? undefined : { typ: rules.type }),
      ...(rules.maxAge === undefined ? undefined : { maxTokenAge: seconds(rules.maxAge) })
    }).then(
      ({ payload }): Outcome => ({ claims: payload }),
      (cause: unknown) => ({ issue: describe(cause) })
    )
  )

/**
 * Returns the claims of a token. Fails with a text that says what is wrong with it, and with `ServiceUnavailableError` if
 * the keys cannot be fetched.
 */
export const verify = Effect.fnUntraced(function*(token: string, rules: Rules) {
  const { alg, kid } = token.length > maxLength ? {} : Jose.readHeader(token.split(".", 1).join("")) ?? {}
  if (alg === undefined) return yield* Effect.fail("the token is not a JWT")
  if (!Jwk.isAlgorithm(alg) || !rules.algorithms.includes(alg)) {
    return yield* Effect.fail("the algorithm of the token is not accepted")
  }
  const keys = yield* rules.keys.find({ alg, kid: Predicate.isString(kid) ? kid : undefined })
  if (keys.length === 0) return yield* Effect.fail("the token is signed by an unknown key")
  const now = yield* DateTime.now
  for (const key of keys) {
    const outcome = yield* verifyWith(token, key, alg, rules, now)
    if ("claims" in outcome) return outcome.claims
    if (outcome.issue !== undefined) return yield* Effect.fail(outcome.issue)
  }
  return yield* Effect.fail("the signature of the token is wrong")
})
