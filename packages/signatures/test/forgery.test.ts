import { CardSignature, KeySet } from "@effect-a2a/signatures"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as jose from "jose"
import { type Document, document, header, problem, signed } from "./cards.ts"
import { card, makeKey } from "./support.ts"

const encode = (value: unknown) => jose.base64url.encode(JSON.stringify(value))

const forge = (change: (received: Document) => unknown) =>
  Effect.flatMap(signed, ({ keys, received }) => problem(change(received), keys))

const withHeader = (change: (header: Document) => Document) => (received: Document) => ({
  ...received,
  signatures: received["signatures"].map((one: any) => ({ ...one, protected: encode(change(header(one))) }))
})

const withSignatures = (...signatures: ReadonlyArray<unknown>) => (received: Document) => ({ ...received, signatures })

/** A signature with a secret, over the text of the document. */
const signBySecret = (received: Document, secret: string) =>
  Effect.promise(() =>
    new jose.FlattenedSign(new TextEncoder().encode(JSON.stringify(received)))
      .setProtectedHeader({ alg: "HS256", kid: "k1" })
      .sign(new TextEncoder().encode(secret))
  )

describe("a card is refused", () => {
  it.effect("without signatures", () =>
    Effect.gen(function*() {
      for (const signatures of [undefined, [], {}, null]) {
        assert.strictEqual(yield* forge((received) => ({ ...received, signatures })), "unsigned")
      }
      const { keys } = yield* makeKey("k1")
      for (const one of [undefined, null, "", 1, []]) assert.strictEqual(yield* problem(one, keys), "unsigned")
    }))

  it.effect("with signatures that are malformed, cut, or too many", () =>
    Effect.gen(function*() {
      const odd = [
        null,
        1,
        {},
        { protected: 1, signature: "" },
        { protected: "", signature: "" },
        { protected: "e30", signature: "x" },
        { protected: "W10", signature: "x" },
        { protected: "bnVsbA", signature: "x" }
      ]
      assert.strictEqual(yield* forge(withSignatures(...odd)), "unknown-key")
      assert.strictEqual(yield* forge((all) => withSignatures(...Array(33).fill(all["signatures"][0]))(all)), "invalid")
      const cut = (all: Document) => withSignatures({ ...all["signatures"][0], signature: "AAAA" })(all)
      assert.strictEqual(yield* forge(cut), "invalid")
      // one among them is enough
      assert.strictEqual(yield* forge((all) => withSignatures(...odd, ...all["signatures"])(all)), "k1")
    }))

  it.effect("whose header was changed: no algorithm, another, a secret that both sides share, another key", () =>
    Effect.gen(function*() {
      const changes: ReadonlyArray<readonly [(header: Document) => Document, string]> = [
        [(header) => ({ ...header, alg: "none" }), "unknown-key"],
        [(header) => ({ ...header, alg: "HS256" }), "unknown-key"],
        [(header) => ({ ...header, alg: "RS256" }), "unknown-key"],
        [(header) => ({ ...header, kid: "k2" }), "unknown-key"],
        [(header) => ({ ...header, kid: undefined }), "unknown-key"],
        [(header) => ({ ...header, alg: undefined }), "unknown-key"],
        [(header) => ({ ...header, jku: "https://evil.test" }), "invalid"],
        [(header) => ({ ...header, crit: ["exp"], exp: 1 }), "invalid"],
        [(header) => ({ ...header, crit: ["b64"], b64: false }), "invalid"]
      ]
      for (const [change, expected] of changes) {
        assert.strictEqual(yield* forge(withHeader(change)), expected, String(change))
      }
      const none = { protected: encode({ alg: "none", kid: "k1" }), signature: "" }
      assert.strictEqual(yield* forge(withSignatures(none)), "unknown-key")
    }))

  it.effect("whose unprotected header names the key, which nobody signed", () =>
    Effect.gen(function*() {
      const { key, keys } = yield* makeKey("k1")
      const received = document(card)
      const jws = yield* Effect.promise(() =>
        new jose.FlattenedSign(new TextEncoder().encode("{}")).setProtectedHeader({ alg: "ES256" })
          .setUnprotectedHeader({ kid: "k1" }).sign(key.key)
      )
      assert.strictEqual(yield* problem({ ...received, signatures: [jws] }, keys), "unknown-key")
    }))

  it.effect("that is signed with the public key as a secret, or with a secret of the set", () =>
    Effect.gen(function*() {
      const { jwks, keys } = yield* makeKey("k1", { alg: "RS256" })
      const received = document(card)
      for (const secret of [JSON.stringify(jwks.keys[0]), String(jwks.keys[0]!["n"])]) {
        const signature = yield* signBySecret(received, secret)
        assert.strictEqual(yield* problem({ ...received, signatures: [signature] }, keys), "unknown-key")
      }
      const shared = {
        kty: "oct",
        kid: "k1",
        k: jose.base64url.encode("secret-secret-secret-secret-secret"),
        alg: "HS256"
      }
      const signature = yield* signBySecret(received, "secret-secret-secret-secret-secret")
      const both = KeySet.fromJwks({ keys: [shared, ...jwks.keys] })
      assert.strictEqual(yield* problem({ ...received, signatures: [signature] }, both), "unknown-key")
    }))

  it.effect("by another key of the same name, and accepted if the set has both", () =>
    Effect.gen(function*() {
      const { jwks, received } = yield* signed
      const other = yield* makeKey("k1")
      assert.strictEqual(yield* problem(received, other.keys), "invalid")
      const both = KeySet.fromJwks({ keys: [...other.jwks.keys, ...jwks.keys] })
      assert.strictEqual(yield* problem(received, both), "k1")
    }))

  it.effect("by a key that has expired, is not valid yet, was revoked, is malformed, or is for something else", () =>
    Effect.gen(function*() {
      const { jwks, received } = yield* signed
      yield* TestClock.setTime(1_000_000)
      const having = (members: object) => KeySet.fromJwks({ keys: jwks.keys.map((key) => ({ ...key, ...members })) })
      const odd = [
        { exp: 1000 },
        { nbf: 1001 },
        { revoked: { revoked_at: 1 } },
        { use: "enc" },
        { alg: "ES384" },
        { key_ops: ["sign"] },
        { crv: "P-384" },
        { kty: "RSA" },
        { x: "AAAA" },
        { x: 1 }
      ]
      for (const members of odd) {
        assert.strictEqual(yield* problem(received, having(members)), "unknown-key", JSON.stringify(members))
      }
      const good = having({ exp: 1001, nbf: 1000, key_ops: ["verify"], use: undefined, alg: undefined })
      assert.strictEqual(yield* problem(received, good), "k1")
    }))

  it.effect("by an algorithm that is not accepted", () =>
    Effect.gen(function*() {
      const { keys, received } = yield* signed
      assert.strictEqual(yield* problem(received, keys, { algorithms: ["RS256"] }), "unknown-key")
      assert.strictEqual(yield* problem(received, keys, { algorithms: ["RS256", "ES256"] }), "k1")
    }))

  it.effect("if it has no canonical form, or is too large to be verified many times", () =>
    Effect.gen(function*() {
      let deep: unknown = 1
      for (let level = 0; level < 100_000; level++) deep = [deep]
      const { keys, received } = yield* signed
      const cases: ReadonlyArray<readonly [unknown, string]> = [
        ["\ud800", "half of a surrogate pair"],
        [deep, "more than 200 levels"],
        ["x".repeat(1024 * 1024), "more than 1048576 characters"]
      ]
      for (const [value, issue] of cases) {
        const error = yield* CardSignature.verify({ ...received, value }, { keys: yield* keys }).pipe(Effect.flip)
        assert.strictEqual(error.message, `the card cannot be verified: ${issue}`)
      }
    }))

  it.effect("never for a key of any algorithm that signed it", () =>
    Effect.gen(function*() {
      for (const alg of ["ES384", "ES512", "EdDSA", "Ed25519", "RS512", "PS256"] as const) {
        const { key, keys } = yield* makeKey("k1", { alg })
        const received = document(yield* CardSignature.sign(card, { keys: [key] }))
        assert.strictEqual(yield* problem(received, keys), "k1", alg)
      }
    }))
})
