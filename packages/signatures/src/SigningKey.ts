/**
 * Private keys that sign cards and tokens, and the set of their public halves.
 *
 * ```ts
 * import { SigningKey } from "@effect-a2a/signatures"
 * import { Effect } from "effect"
 *
 * const key = await Effect.runPromise(SigningKey.generate({ kid: "2026-12" }))
 * const [published] = SigningKey.toJwks([key]).keys
 * published?.kid // => "2026-12"
 * published?.d // => undefined
 * ```
 *
 * @since 0.1.0
 */
import * as AgentError from "@effect-a2a/core/AgentError"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { calculateJwkThumbprint } from "jose/jwk/thumbprint"
import { exportJWK } from "jose/key/export"
import { generateKeyPair } from "jose/key/generate/keypair"
import { importJWK, importPKCS8 } from "jose/key/import"
import * as Jose from "./internal/jose.ts"
import { type Algorithm, isAlgorithm, type Jwk, type Jwks } from "./Jwk.ts"

/** A private key with its algorithm and name. */
export interface SigningKey {
  /** The algorithm of its signatures. */
  readonly alg: Algorithm
  /** Names the key in signatures. */
  readonly kid: string
  /** The private half, which cannot be read. */
  readonly key: CryptoKey
  /** The public half, for verifiers. */
  readonly publicKey: Jwk
}

/** The algorithm and the name of a key. */
export interface Options {
  /** Default: the `alg` of the key. */
  readonly alg?: Algorithm | undefined
  /** Default: the `kid` of the key, or its thumbprint (RFC 7638). */
  readonly kid?: string | undefined
}

const invalid = (message: string) =>
  new AgentError.InvalidRequestError({ message, violations: [{ field: "key", description: "a private key" }] })

// the cause may quote the key
const attempt = <A>(run: () => Promise<A>): Effect.Effect<A, AgentError.InvalidRequestError> =>
  Effect.tryPromise({ try: run, catch: () => invalid("invalid signing key: not a private key of its algorithm") })

const make = (key: CryptoKey, jwk: Jwk, alg: Algorithm, kid: string | undefined) =>
  Effect.map(
    kid === undefined ? attempt(() => calculateJwkThumbprint({ ...Jose.publicMembers(jwk) })) : Effect.succeed(kid),
    (kid): SigningKey => ({ alg, kid, key, publicKey: { ...Jose.publicMembers(jwk), kid, alg, use: "sig" } })
  )

/** Reads a private key from JSON. Fails with `InvalidRequestError` if it is not one, or names no algorithm. */
export const fromJwk = Effect.fnUntraced(function*(
  jwk: Redacted.Redacted<Jwk>,
  options: Options = {}
): Effect.fn.Return<SigningKey, AgentError.InvalidRequestError> {
  const value = Redacted.value(jwk)
  const alg = options.alg ?? value.alg
  if (!isAlgorithm(alg)) {
    return yield* invalid(`invalid signing key: its algorithm is ${alg ?? "not named"}, pass \`alg\``)
  }
  if (typeof value.d !== "string" || !Jose.isFor({ ...value, key_ops: undefined }, alg)) {
    return yield* invalid(`invalid signing key: not a private key for ${alg}`)
  }
  const key = yield* attempt(() => importJWK({ ...value, ext: false }, alg))
  if (key instanceof Uint8Array) return yield* invalid(`invalid signing key: not a private key for ${alg}`)
  return yield* make(key, value, alg, options.kid ?? value.kid)
})

/** Reads a private key from PEM (PKCS #8, `BEGIN PRIVATE KEY`). Fails with `InvalidRequestError` if it is not one. */
export const fromPem = Effect.fnUntraced(function*(
  pem: Redacted.Redacted,
  { alg, kid }: Options & { readonly alg: Algorithm }
): Effect.fn.Return<SigningKey, AgentError.InvalidRequestError> {
  const readable = yield* attempt(() => importPKCS8(Redacted.value(pem), alg, { extractable: true }))
  const jwk = yield* attempt(() => exportJWK(readable))
  return yield* fromJwk(Redacted.make({ ...jwk, kty: jwk.kty ?? "" }), { alg, kid })
})

/** Makes a new key, for tests and for servers whose keys live as long as their process. Default: ES256. */
export const generate = Effect.fnUntraced(function*(
  { alg = "ES256", kid }: Options = {}
): Effect.fn.Return<SigningKey, AgentError.InvalidRequestError> {
  const { privateKey, publicKey } = yield* attempt(() => generateKeyPair(alg))
  const jwk = yield* attempt(() => exportJWK(publicKey))
  return yield* make(privateKey, { ...jwk, kty: jwk.kty ?? "" }, alg, kid)
})

/** Returns the set of the public halves, which an issuer publishes. */
export const toJwks = (keys: ReadonlyArray<SigningKey>): Jwks => ({ keys: keys.map(({ publicKey }) => publicKey) })
