import { CardSignature, JwksServer, KeySet, SigningKey } from "@effect-a2a/signatures"
import { Wire } from "@effect-a2a/testing"
import { assert, describe, it } from "@effect/vitest"
import type { Layer } from "effect"
import { Effect, Redacted } from "effect"
import { HttpClient } from "effect/http"
import * as jose from "jose"
import { document, problem } from "./cards.ts"
import { card } from "./support.ts"

const generate = (alg: string) => Effect.promise(() => jose.generateKeyPair(alg, { extractable: true }))

const pemOf = (key: CryptoKey) => Effect.promise(() => jose.exportPKCS8(key))

const jwkOf = (key: CryptoKey) => Effect.promise(() => jose.exportJWK(key)) as Effect.Effect<any>

describe("a signing key", () => {
  it.effect("is read from PEM and from JSON, and both make the same set", () =>
    Effect.gen(function*() {
      for (const alg of ["ES256", "ES384", "EdDSA", "RS256", "PS384"] as const) {
        const { privateKey } = yield* generate(alg)
        const fromPem = yield* SigningKey.fromPem(Redacted.make(yield* pemOf(privateKey)), { alg })
        const fromJwk = yield* SigningKey.fromJwk(Redacted.make({ ...yield* jwkOf(privateKey), alg }))
        assert.deepStrictEqual(SigningKey.toJwks([fromPem]), SigningKey.toJwks([fromJwk]))
        // the thumbprint names it
        const { kid, ...key } = fromPem.publicKey
        assert.strictEqual(kid, yield* Effect.promise(() => jose.calculateJwkThumbprint({ ...key } as jose.JWK)))
        const received = document(yield* CardSignature.sign(card, { keys: [fromJwk] }))
        assert.strictEqual(yield* problem(received, KeySet.fromJwks(SigningKey.toJwks([fromPem]))), kid)
      }
    }))

  it.effect("keeps its private half to itself", () =>
    Effect.gen(function*() {
      const { privateKey } = yield* generate("RS256")
      const jwk = yield* jwkOf(privateKey)
      const key = yield* SigningKey.fromJwk(Redacted.make({ ...jwk, kid: "k1" }), { alg: "RS256" })
      assert.isFalse(key.key.extractable)
      for (const member of ["d", "p", "q", "dp", "dq", "qi"]) {
        assert.notInclude(JSON.stringify([key, SigningKey.toJwks([key])]), jwk[member])
      }
      assert.deepStrictEqual(Object.keys(key.publicKey).toSorted(), ["alg", "e", "kid", "kty", "n", "use"])
    }))

  it.effect("that is odd is refused without its words", () =>
    Effect.gen(function*() {
      const { privateKey, publicKey } = yield* generate("ES256")
      const jwk = yield* jwkOf(privateKey)
      const pem = yield* pemOf(privateKey)
      const refused = [
        SigningKey.fromJwk(Redacted.make(jwk)),
        SigningKey.fromJwk(Redacted.make({ ...jwk, alg: "HS256" })),
        SigningKey.fromJwk(Redacted.make(jwk), { alg: "RS256" }),
        SigningKey.fromJwk(Redacted.make({ ...jwk, d: undefined }), { alg: "ES256" }),
        SigningKey.fromJwk(Redacted.make({ ...jwk, d: "secret" }), { alg: "ES256" }),
        SigningKey.fromJwk(Redacted.make(yield* jwkOf(publicKey)), { alg: "ES256" }),
        SigningKey.fromPem(Redacted.make("secret"), { alg: "ES256" }),
        SigningKey.fromPem(Redacted.make(pem), { alg: "RS256" })
      ]
      const messages = yield* Effect.forEach(refused, (one) => Effect.map(Effect.flip(one), String))
      assert.deepStrictEqual(messages.map((text) => text.replace(/^.*invalid signing key: /, "")), [
        "its algorithm is not named, pass `alg`",
        "its algorithm is HS256, pass `alg`",
        "not a private key for RS256",
        "not a private key for ES256",
        "not a private key of its algorithm",
        "not a private key for ES256",
        "not a private key of its algorithm",
        "not a private key of its algorithm"
      ])
    }))
})

describe("published keys", () => {
  it.effect("may be read by pages of any origin, and kept", () =>
    Effect.gen(function*() {
      const key = yield* SigningKey.generate({ kid: "k1" })
      const routes = JwksServer.routes({ keys: [key], path: "/keys", maxAge: "1 minute" })
      const response = yield* HttpClient.get("http://agent.test/keys").pipe(
        Effect.provide(Wire.layerHttp(routes) as Layer.Layer<HttpClient.HttpClient>)
      )
      assert.deepInclude(response.headers, {
        "access-control-allow-origin": "*",
        "cache-control": "public, max-age=60",
        "content-type": "application/jwk-set+json"
      })
      const text = yield* response.text
      assert.strictEqual(text, JSON.stringify({ keys: [key.publicKey] }))
    }))
})
