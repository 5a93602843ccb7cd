import type { SigningKey } from "@effect-a2a/signatures"
import { JwtVerifier, KeySet, PushSignature, Token } from "@effect-a2a/signatures"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import * as jose from "jose"
import { makeKey, serve } from "./support.ts"

const issuer = "https://auth.test"
const audience = "https://agent.test"
const now = 1_700_000_000

type Options = Partial<Omit<JwtVerifier.Options<unknown, unknown>, "keys">>

/** Verifies a token, and returns the caller or what is wrong. */
const verifier = Effect.fnUntraced(function*(keys: Effect.Effect<KeySet.KeySet, unknown>, options: Options = {}) {
  yield* TestClock.setTime(now * 1000)
  const verify = yield* JwtVerifier.make({ keys, issuer, audience, ...options })
  return (token: string) =>
    verify({ _tag: "Bearer", token: Redacted.make(token) }).pipe(
      Effect.match({ onSuccess: (caller) => caller, onFailure: ({ _tag, message }) => `${_tag}: ${message}` })
    )
})

const sign = (key: SigningKey.SigningKey, claims: object, header: object = {}) =>
  Effect.promise(() =>
    new jose.SignJWT({ iss: issuer, aud: audience, sub: "ada", exp: now + 60, ...claims })
      .setProtectedHeader({ alg: key.alg, kid: key.kid, ...header }).sign(key.key)
  )

const refused = (message: string) => `UnauthenticatedError: ${message}`

describe("a bearer token", () => {
  it.effect("names a caller with scopes and claims", () =>
    Effect.gen(function*() {
      const { key, keys } = yield* makeKey("k1")
      const verify = yield* verifier(keys)
      const spellings = [
        [{ scope: "read  write" }, ["read", "write"]],
        [{ scp: "read write" }, ["read", "write"]],
        [{ scp: ["read", 1, "write"] }, ["read", "write"]],
        [{ scope: "" }, []],
        [{}, []]
      ] as const
      for (const [claims, scopes] of spellings) {
        assert.deepStrictEqual(yield* verify(yield* sign(key, claims)), {
          id: "ada",
          scopes: [...scopes],
          claims: { iss: issuer, aud: audience, sub: "ada", exp: now + 60, ...claims }
        })
      }
    }))

  it.effect("is refused for what it says, without its words", () =>
    Effect.gen(function*() {
      const { key, keys } = yield* makeKey("k1")
      const verify = yield* verifier(keys)
      const cases: ReadonlyArray<readonly [object, string]> = [
        [{ exp: now - 5 }, "the token has expired"],
        [{ exp: undefined }, "the token has no exp"],
        [{ exp: "soon" }, "the token has another exp"],
        [{ nbf: now + 6 }, "the token is not valid yet"],
        [{ aud: "https://other.test" }, "the token is for another audience"],
        [{ aud: ["https://other.test", `${audience}/`] }, "the token is for another audience"],
        [{ aud: undefined }, "the token has no aud"],
        [{ iss: `${issuer}/` }, "the token is of another issuer"],
        [{ iss: undefined }, "the token has no iss"],
        [{ sub: undefined }, "the token has no sub"],
        [{ sub: "" }, "the token has no sub"],
        [{ sub: 7 }, "the token has no sub"]
      ]
      for (const [claims, message] of cases) {
        assert.strictEqual(yield* verify(yield* sign(key, claims)), refused(message), JSON.stringify(claims))
      }
      for (const claims of [{ exp: now - 4 }, { nbf: now + 5 }, { aud: ["x", audience] }]) {
        assert.isObject(yield* verify(yield* sign(key, claims)), JSON.stringify(claims))
      }
    }))

  it.effect("is refused if its type, age or algorithm is another than is asked for", () =>
    Effect.gen(function*() {
      const { key, keys } = yield* makeKey("k1")
      const typed = yield* verifier(keys, { type: "at+jwt" })
      assert.strictEqual(yield* typed(yield* sign(key, {})), refused("the token has another typ"))
      assert.isObject(yield* typed(yield* sign(key, {}, { typ: "at+jwt" })))
      const young = yield* verifier(keys, { maxAge: "1 minute" })
      assert.strictEqual(yield* young(yield* sign(key, {})), refused("the token has no iat"))
      assert.strictEqual(yield* young(yield* sign(key, { iat: now - 66 })), refused("the token has expired"))
      assert.isObject(yield* young(yield* sign(key, { iat: now - 60 })))
      const rsa = yield* verifier(keys, { algorithms: ["RS256"] })
      assert.strictEqual(yield* rsa(yield* sign(key, {})), refused("the algorithm of the token is not accepted"))
    }))

  it.effect("is refused if it was changed, is signed by nobody, by a secret, or by another key", () =>
    Effect.gen(function*() {
      const { jwks, key, keys } = yield* makeKey("k1", { alg: "RS256" })
      const other = yield* makeKey("k1", { alg: "RS256" })
      const verify = yield* verifier(keys)
      const [header = "", payload = "", signature = ""] = (yield* sign(key, {})).split(".")
      const claims = { iss: issuer, aud: audience, sub: "eve", exp: now + 60 }
      const encode = (value: object) => jose.base64url.encode(JSON.stringify(value))
      const secret = new TextEncoder().encode(JSON.stringify(jwks.keys[0]))
      const hs = yield* Effect.promise(() =>
        new jose.SignJWT(claims).setProtectedHeader({ alg: "HS256", kid: "k1" }).sign(secret)
      )
      const cases: ReadonlyArray<readonly [string, string]> = [
        [`${header}.${encode(claims)}.${signature}`, "the signature of the token is wrong"],
        [yield* sign(other.key, {}), "the signature of the token is wrong"],
        [yield* sign(key, {}, { kid: "k2" }), "the token is signed by an unknown key"],
        [`${encode({ alg: "none" })}.${payload}.`, "the algorithm of the token is not accepted"],
        [`${encode({ alg: "none", kid: "k1" })}.${payload}.${signature}`, "the algorithm of the token is not accepted"],
        [hs, "the algorithm of the token is not accepted"],
        [`${encode({ alg: "RS256", kid: "k1", crit: ["x"], x: 1 })}.${payload}.${signature}`, "the token is malformed"],
        [`${header}.${payload}`, "the token is malformed"],
        [`${header}.${payload}.${signature}.x`, "the token is malformed"],
        ["", "the token is not a JWT"],
        ["opaque", "the token is not a JWT"],
        ["e30.e30.e30", "the token is not a JWT"],
        [`${header}.${"A".repeat(20_000)}.x`, "the token is not a JWT"]
      ]
      for (const [token, message] of cases) {
        assert.strictEqual(yield* verify(token), refused(message), token.slice(0, 60))
      }
      assert.isObject(yield* verify(yield* sign(key, {}, { kid: undefined })))
      const both = yield* verifier(KeySet.fromJwks({ keys: [...other.jwks.keys, ...jwks.keys] }))
      assert.isObject(yield* both(yield* sign(key, {})))
    }))

  it.effect("cannot be judged without the keys of its issuer", () =>
    Effect.gen(function*() {
      const { key } = yield* makeKey("k1")
      const { layer } = serve(() => new Response("", { status: 502 }))
      const verify = yield* verifier(Effect.provide(KeySet.fromUrl(`${issuer}/jwks.json`), layer))
      assert.strictEqual(
        yield* verify(yield* sign(key, {})),
        "ServiceUnavailableError: the keys at https://auth.test/jwks.json cannot be fetched: HTTP 502"
      )
      // what no key could repair is refused nevertheless
      assert.strictEqual(yield* verify("opaque"), refused("the token is not a JWT"))
    }))

  it.effect("is not looked for in other credentials", () =>
    Effect.gen(function*() {
      const { keys } = yield* makeKey("k1")
      const verify = yield* JwtVerifier.make({ keys, issuer, audience })
      assert.strictEqual(yield* verify({ _tag: "Certificate" }), undefined)
    }))

  it.effect("that this package signs is one, with times and an id", () =>
    Effect.gen(function*() {
      const { key, keys } = yield* makeKey("k1", { alg: "EdDSA" })
      const verify = yield* verifier(keys)
      const token = yield* Token.sign({ iss: issuer, aud: audience, sub: "ada" }, { key, lifetime: "1 minute" })
      const caller = yield* verify(Redacted.value(token))
      if (typeof caller !== "object") return assert.fail(caller)
      assert.deepInclude(caller?.claims, { iat: now, exp: now + 60 })
      assert.match(String(caller?.claims?.["jti"]), /^[\da-f-]{36}$/)
      yield* TestClock.adjust("65 seconds")
      assert.strictEqual(yield* verify(Redacted.value(token)), refused("the token has expired"))
    }))
})

describe("a push notification", () => {
  const body = new TextEncoder().encode("{\"task\":{\"name\":\"Café\"}}")

  const setup = Effect.fnUntraced(function*(
    sent: Partial<PushSignature.SignOptions> = {},
    expected: Partial<PushSignature.VerifyOptions<unknown, unknown>> = {}
  ) {
    yield* TestClock.setTime(now * 1000)
    const { key, keys } = yield* makeKey("k1")
    const authorization = yield* PushSignature.makeSigner({ key, issuer, ...sent })(body)
    const verify = yield* PushSignature.makeVerifier({ ...expected, keys })
    const outcome = (notification: Partial<PushSignature.Notification> = {}) =>
      verify({ authorization, body, ...notification }).pipe(
        Effect.match({ onSuccess: (claims) => claims, onFailure: ({ message }) => message })
      )
    return { authorization, key, outcome }
  })

  it.effect("has the hash of its bytes, and a new id each time", () =>
    Effect.gen(function*() {
      const { authorization, key, outcome } = yield* setup()
      const claims = yield* outcome()
      const again = yield* outcome({ authorization: yield* PushSignature.makeSigner({ key, issuer })(body) })
      if (typeof claims === "string" || typeof again === "string") return assert.fail("refused")
      assert.notStrictEqual(claims["jti"], again["jti"])
      assert.deepInclude(claims, {
        iss: issuer,
        iat: now,
        exp: now + 300,
        request_body_sha256: "fcf43eaeab8f4b0f1b794ffb53f273cbe518882f8f37a4295dbeb11691ee52b5"
      })
      assert.notInclude(JSON.stringify(authorization), Redacted.value(authorization))
    }))

  it.effect("is refused with another body, without a signature, too late, and for somebody else", () =>
    Effect.gen(function*() {
      const { authorization, key, outcome } = yield* setup()
      const changed = body.map((byte, index) => index === 12 ? byte + 1 : byte)
      assert.strictEqual(yield* outcome({ body: changed }), "the body is not the one that was signed")
      assert.strictEqual(yield* outcome({ body: new Uint8Array() }), "the body is not the one that was signed")
      for (const text of ["", "Bearer", "Basic x", Redacted.value(authorization).replace("Bearer ", "")]) {
        assert.strictEqual(yield* outcome({ authorization: Redacted.make(text) }), "the notification is not signed")
      }
      assert.strictEqual(yield* outcome({ authorization: undefined }), "the notification is not signed")
      const bearer = (token: string) => ({ authorization: Redacted.make(`bearer ${token}`) })
      // a token for another purpose, by the same key
      assert.strictEqual(yield* outcome(bearer(yield* sign(key, { iat: now }))), "the token has no request_body_sha256")
      yield* TestClock.adjust("331 seconds")
      assert.strictEqual(yield* outcome(), "the token has expired")

      const named = yield* setup({ audience: "https://app.test/hook" }, { audience: "https://other.test/hook" })
      assert.strictEqual(yield* named.outcome(), "the token is for another audience")
      const same = yield* setup({ audience: "https://app.test/hook" }, { audience: "https://app.test/hook", issuer })
      assert.isObject(yield* same.outcome())
      const impostor = yield* setup({ issuer: "https://evil.test" }, { issuer })
      assert.strictEqual(yield* impostor.outcome(), "the token is of another issuer")
      const long = yield* setup({ lifetime: "1 day" })
      yield* TestClock.adjust("6 minutes")
      assert.strictEqual(yield* long.outcome(), "the token has expired")
    }))
})
