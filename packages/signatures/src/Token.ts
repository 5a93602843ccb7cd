/**
 * Signs tokens (JWT, RFC 7519), for agents that identify themselves by a key of theirs.
 *
 * ```ts
 * import { SigningKey, Token } from "@effect-a2a/signatures"
 * import { Effect, Redacted } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const key = yield* SigningKey.generate()
 *   return yield* Token.sign({ iss: "https://agent.test", sub: "ada" }, { key, lifetime: "1 minute" })
 * })
 * const token = await Effect.runPromise(program)
 * String(token) // => "<redacted>"
 * Redacted.value(token).split(".").length // => 3
 * ```
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Schema from "effect/Schema"
import { SignJWT } from "jose/jwt/sign"
import type { SigningKey } from "./SigningKey.ts"

/** The key of a token, and how long it is valid. */
export interface Options {
  readonly key: SigningKey
  /** Default: 5 minutes. */
  readonly lifetime?: Duration.Input | undefined
}

/** Signs claims, and adds `iat`, `exp`, and a random `jti` unless the claims have one. */
export const sign = Effect.fnUntraced(function*(
  claims: Readonly<Record<string, Schema.Json>>,
  { key: { alg, key, kid }, lifetime = "5 minutes" }: Options
): Effect.fn.Return<Redacted.Redacted> {
  const now = Math.floor((yield* Clock.currentTimeMillis) / 1000)
  const id = crypto.randomUUID()
  const token = new SignJWT({ jti: id, ...claims, iat: now, exp: now + Math.ceil(Duration.toSeconds(lifetime)) })
    .setProtectedHeader({ alg, kid, typ: "JWT" })
  return Redacted.make(yield* Effect.promise(() => token.sign(key)))
})
