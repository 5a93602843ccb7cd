/**
 * Public keys as JSON (RFC 7517), and the algorithms that signatures may have.
 *
 * ```ts
 * import { Jwk } from "@effect-a2a/signatures"
 *
 * // secrets that both sides share, and no signature at all, are not accepted
 * const names = ["ES256", "HS256", "none"]
 * names.map(Jwk.isAlgorithm) // => [true, false, false]
 * ```
 *
 * @since 0.1.0
 */
import type * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"

/** The algorithms of signatures by a pair of keys (RFC 7518 §3.1, RFC 8037). `HS256` and `none` are not among them. */
export const Algorithm = Schema.Literals([
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512"
]).annotate({ identifier: "Algorithm" })
/** The algorithms of signatures by a pair of keys. */
export type Algorithm = typeof Algorithm.Type

/** Returns true for the name of an {@link Algorithm}. */
export const isAlgorithm: (name: unknown) => name is Algorithm = Schema.is(Algorithm)

/** All algorithms, the default of whoever verifies. */
export const algorithms: ReadonlyArray<Algorithm> = Algorithm.literals

/** A key; which members it has depends on its type. */
export interface Jwk {
  /** The type of the key: `EC`, `OKP` or `RSA`. */
  readonly kty: string
  /** Names the key. */
  readonly kid?: string
  /** The only algorithm that the key is for. */
  readonly alg?: string
  /** The use of the key: `sig` for signatures. */
  readonly use?: string
  readonly [member: string]: unknown
}

/** A set of keys, as issuers publish it. */
export interface Jwks {
  readonly keys: ReadonlyArray<Jwk>
}

/** How keys are fetched, and for how long they are kept. */
export interface FetchOptions {
  /** For how long a set is used without fetching it again. Default: 10 minutes. */
  readonly maxAge?: Duration.Input | undefined
  /**
   * The shortest time between two requests, for keys that are not in the set and after a failure. Default: 30 seconds.
   */
  readonly minInterval?: Duration.Input | undefined
  /** The time for a request. Default: 10 seconds. */
  readonly timeout?: Duration.Input | undefined
  /** The characters of a set, at most. Default: 256 Ki. */
  readonly maxSize?: number | undefined
}
