/** Sets of keys, tokens and signatures of cards that are wrong everywhere. */
import { Credential, Protocol } from "@effect-a2a/core"
import { CardSignature, JwtVerifier, KeySet, SigningKey } from "@effect-a2a/signatures"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { respond } from "../support/respond.ts"
import { all, costly, few, nameOf, places, plant } from "./documents.ts"
import * as Samples from "./samples.ts"
import { assertLinear, outcome } from "./support.ts"

describe("a set of keys", () => {
  it.live("is a set, or an error of few words, whatever it is made of, at the same cost for each member", () =>
    Effect.gen(function*() {
      const key = yield* SigningKey.generate()
      const sample = { keys: [key.publicKey] }
      const find = (text: string) => {
        const { layer } = respond(() => new Response(text, { headers: { "content-type": "application/json" } }))
        return KeySet.fromUrl("https://keys.test/jwks.json").pipe(
          Effect.flatMap((keys) => keys.find({ alg: key.alg, kid: key.kid })),
          Effect.provide(layer)
        )
      }
      assert.lengthOf(yield* find(JSON.stringify(sample)), 1)
      for (const path of places(sample)) {
        for (const [kind, make] of Object.entries(all)) {
          yield* outcome(find(plant(sample, path, make(300))), `${kind} at ${nameOf(path)}`)
        }
        for (const [kind, make] of Object.entries(costly)) {
          const name = `${kind} at ${nameOf(path)}`
          yield* assertLinear((count) => outcome(find(plant(sample, path, make(count))), name), name)
        }
      }
    }))
})

describe("a token", () => {
  it.live("is refused in few words, whatever its header and its claims are made of", () =>
    Effect.gen(function*() {
      const key = yield* SigningKey.generate()
      const verify = yield* JwtVerifier.make({
        keys: KeySet.fromJwks({ keys: [key.publicKey] }),
        issuer: "https://issuer.test",
        audience: "agent"
      })
      const header = { alg: key.alg, kid: key.kid, typ: "JWT" }
      const claims = { iss: "https://issuer.test", aud: "agent", sub: "ana", exp: 4_000_000_000, scope: "a b" }
      const present = (token: string) => verify(Credential.bearer(Redacted.make(token)))
      for (const [part, sample] of [["header", header], ["claims", claims]] as const) {
        for (const path of places(sample)) {
          for (const [kind, make] of Object.entries(few)) {
            const name = `${kind} at ${nameOf(path)} of the ${part}`
            const changed = Base64Url.encode(plant(sample, path, make(300)))
            const token = part === "header"
              ? `${changed}.${Base64Url.encode(JSON.stringify(claims))}.c2ln`
              : `${Base64Url.encode(JSON.stringify(header))}.${changed}.c2ln`
            assert.isUndefined(yield* outcome(present(token), name))
          }
        }
      }
      for (
        const token of ["", ".", "..", ".".repeat(100_000), "x".repeat(1_000_000), `${"e30".repeat(5000)}.e30.e30`]
      ) {
        assert.isUndefined(yield* outcome(present(token), token.slice(0, 20)))
      }
    }))
})

describe("a signed card", () => {
  it.live("that was changed is refused in few words, whatever it is made of, at the same cost for each member", () =>
    Effect.gen(function*() {
      const key = yield* SigningKey.generate()
      const keys = yield* KeySet.fromJwks({ keys: [key.publicKey] })
      const card = yield* CardSignature.sign(Samples.card(false), { keys: [key] })
      const sample = Result.getOrThrow(Protocol.v1_0.agentCard.encode(card))
      const verify = (text: string) => CardSignature.verify(JSON.parse(text), { keys })
      assert.strictEqual((yield* verify(JSON.stringify(sample))).kid, key.kid)
      for (const path of places(sample).filter(({ length }) => length < 3)) {
        for (const [kind, make] of Object.entries(few)) {
          yield* outcome(verify(plant(sample, path, make(300))), `${kind} at ${nameOf(path)}`)
        }
      }
      // all places are walked alike
      for (const [kind, make] of Object.entries(costly)) {
        yield* assertLinear((count) => outcome(verify(plant(sample, ["skills"], make(count))), kind), kind, 300)
      }
    }))
})
