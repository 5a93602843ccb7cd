/** The functions of `jose` as effects, and keys that fit an algorithm. */
import * as HttpPeer from "@effect-a2a/core/HttpPeer"
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { FlattenedSign } from "jose/jws/flattened/sign"
import { flattenedVerify } from "jose/jws/flattened/verify"
import { importJWK } from "jose/key/import"
import type { Algorithm, Jwk } from "../Jwk.ts"

/** The members of a protected header that are read before anything is verified. */
export interface Header {
  readonly alg: unknown
  readonly kid: unknown
  readonly jku: unknown
}

/** Reads a protected header; `undefined` if it is not the JSON of an object. */
export const readHeader = (text: string): Header | undefined => {
  const header = Result.flatMap(Base64Url.decodeString(text), HttpPeer.parseJson)
  if (Result.isFailure(header) || !Predicate.isObject(header.success)) return undefined
  const { alg, jku, kid }: { readonly alg?: unknown; readonly jku?: unknown; readonly kid?: unknown } = header.success
  return { alg, kid, jku }
}

interface Fit {
  readonly kty: string
  readonly crv?: string
}

const ed25519: Fit = { kty: "OKP", crv: "Ed25519" }
const rsa: Fit = { kty: "RSA" }

const fits: { readonly [A in Algorithm]: Fit } = {
  ES256: { kty: "EC", crv: "P-256" },
  ES384: { kty: "EC", crv: "P-384" },
  ES512: { kty: "EC", crv: "P-521" },
  EdDSA: ed25519,
  Ed25519: ed25519,
  RS256: rsa,
  RS384: rsa,
  RS512: rsa,
  PS256: rsa,
  PS384: rsa,
  PS512: rsa
}

const sameName = (alg: string) => alg === "Ed25519" ? "EdDSA" : alg

/** Returns true if signatures of the algorithm may be verified with the key. */
export const isFor = (key: Jwk, alg: Algorithm): boolean => {
  const { crv, kty } = fits[alg]
  return key.kty === kty && (crv === undefined || key.crv === crv) &&
    (key.alg === undefined || sameName(key.alg) === sameName(alg)) &&
    (key.use === undefined || key.use === "sig") &&
    (key.key_ops === undefined || (Array.isArray(key.key_ops) && key.key_ops.includes("verify")))
}

/** Returns the members that make the public key. */
export const publicMembers = ({ crv, e, kty, n, x, y }: Jwk): Jwk =>
  kty === "RSA" ? { kty, n, e } : kty === "EC" ? { kty, crv, x, y } : { kty, crv, x }

/** Makes a key that verifies; `undefined` if it is malformed. */
export const importPublic = (key: Jwk, alg: Algorithm): Effect.Effect<CryptoKey | undefined> =>
  Effect.promise(() =>
    importJWK({ ...publicMembers(key) }, alg).then(
      (key) => key instanceof Uint8Array ? undefined : key,
      () => undefined
    )
  )

/** A detached signature. */
export interface Detached {
  readonly protected: string
  readonly signature: string
}

/** Returns true if the signature is that of the payload by the key. */
export const isValid = (
  { protected: header, signature }: Detached,
  payload: string,
  key: CryptoKey,
  alg: Algorithm
): Effect.Effect<boolean> =>
  Effect.promise(() =>
    flattenedVerify({ protected: header, signature, payload: Base64Url.encode(payload) }, key, { algorithms: [alg] })
      .then(
        () => true,
        () => false
      )
  )

/** Signs a text, which is not part of the result. */
export const sign = (
  text: string,
  key: CryptoKey,
  header: { readonly alg: Algorithm; readonly kid: string; readonly typ: string; readonly jku?: string }
): Effect.Effect<Detached> =>
  Effect.promise(() => new FlattenedSign(new TextEncoder().encode(text)).setProtectedHeader(header).sign(key)).pipe(
    Effect.map(({ protected: header = "", signature }) => ({ protected: header, signature }))
  )
