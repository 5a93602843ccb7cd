/**
 * Signs push notifications, and verifies them where they arrive (A2A 1.0 §13.2): a token in the header `Authorization`,
 * whose claim `request_body_sha256` is the hash of the body. The receiver finds the key in the set that the agent publishes,
 * see {@link JwksServer}.
 *
 * ```ts
 * import { KeySet, PushSignature, SigningKey } from "@effect-a2a/signatures"
 * import { Effect } from "effect"
 *
 * const body = new TextEncoder().encode(`{"task":{"id":"t-1"}}`)
 * const program = Effect.gen(function*() {
 *   const key = yield* SigningKey.generate()
 *   const issuer = "https://agent.test"
 *   const sign = PushSignature.makeSigner({ key, issuer })
 *   const verify = yield* PushSignature.makeVerifier({ keys: KeySet.fromJwks(SigningKey.toJwks([key])), issuer })
 *   const authorization = yield* sign(body)
 *   const { iss } = yield* verify({ authorization, body })
 *   const changed = yield* Effect.flip(verify({ authorization, body: body.slice(1) }))
 *   return [iss, changed.message]
 * })
 * await Effect.runPromise(program) // => ["https://agent.test", "the body is not the one that was signed"]
 * ```
 *
 * @since 0.1.0
 */
import * as AgentError from "@effect-a2a/core/AgentError"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Hex from "effect/encoding/Hex"
import * as Redacted from "effect/Redacted"
import type * as Schema from "effect/Schema"
import * as Jwt from "./internal/jwt.ts"
import * as Jwk from "./Jwk.ts"
import type { KeySet } from "./KeySet.ts"
import type { SigningKey } from "./SigningKey.ts"
import * as Token from "./Token.ts"

const hash = (body: Uint8Array): Effect.Effect<string> =>
  Effect.map(
    Effect.promise(() => crypto.subtle.digest("SHA-256", new Uint8Array(body))),
    (digest) => Hex.encode(new Uint8Array(digest))
  )

/** The agent that signs. */
export interface SignOptions {
  readonly key: SigningKey
  /** The claim `iss`: the URL of the agent. */
  readonly issuer: string
  /**
   * The claim `aud`: the receiver. Default: none, since receivers that expect none refuse one. Without it a receiver can
   * send a notification on to another receiver of the same agent, unchanged.
   */
  readonly audience?: string | undefined
  /** For how long a notification may be on its way. Default: 5 minutes. */
  readonly lifetime?: Duration.Input | undefined
}

/** Makes the function that returns the value of the header `Authorization` for a body, as its bytes are sent. */
export const makeSigner = (
  { audience, issuer, key, lifetime }: SignOptions
): (body: Uint8Array) => Effect.Effect<Redacted.Redacted> =>
  Effect.fnUntraced(function*(body) {
    const claims = {
      iss: issuer,
      ...(audience === undefined ? undefined : { aud: audience }),
      request_body_sha256: yield* hash(body)
    }
    const token = yield* Token.sign(claims, { key, lifetime })
    return Redacted.make(`Bearer ${Redacted.value(token)}`)
  })

/** The agent whose notifications are accepted. */
export interface VerifyOptions<E, R> {
  /** The keys of the agent, such as `KeySet.fromUrl(…)`. */
  readonly keys: Effect.Effect<KeySet, E, R>
  /** The claim `iss`. Default: any; whose keys they are says who signed. */
  readonly issuer?: string | undefined
  /** The claim `aud`. Default: any. */
  readonly audience?: string | ReadonlyArray<string> | undefined
  /** The algorithms that are accepted. Default: all of `Jwk.Algorithm`. */
  readonly algorithms?: ReadonlyArray<Jwk.Algorithm> | undefined
  /** The difference of clocks that is allowed for. Default: 30 seconds. */
  readonly clockTolerance?: Duration.Input | undefined
  /** The longest time since a notification was signed, whatever it says. Default: 5 minutes. */
  readonly maxAge?: Duration.Input | undefined
}

/** A notification as it arrived. */
export interface Notification {
  /** The value of the header `Authorization`. */
  readonly authorization: Redacted.Redacted | undefined
  /** The bytes of the body. */
  readonly body: Uint8Array
}

/** The claims of a notification. `jti` is another one in each: one that was seen already is a repetition. */
export interface Claims {
  readonly [claim: string]: Schema.Json
}

/**
 * Makes the function that verifies notifications. It fails with `UnauthenticatedError` if there is no token, or it is not
 * accepted, or the body is another one, and with `ServiceUnavailableError` if the keys cannot be fetched: the agent then
 * sends again.
 */
export const makeVerifier = Effect.fnUntraced(function*<E, R>(options: VerifyOptions<E, R>): Effect.fn.Return<
  (
    notification: Notification
  ) => Effect.Effect<Claims, AgentError.UnauthenticatedError | AgentError.ServiceUnavailableError>,
  E,
  R
> {
  const rules: Jwt.Rules = {
    keys: yield* options.keys,
    algorithms: options.algorithms ?? Jwk.algorithms,
    issuer: options.issuer,
    audience: options.audience,
    type: undefined,
    clockTolerance: options.clockTolerance ?? "30 seconds",
    maxAge: options.maxAge ?? "5 minutes",
    required: ["iat", "request_body_sha256"]
  }
  return ({ authorization, body }) =>
    Effect.gen(function*() {
      const [, token] = /^Bearer +(\S+)$/i.exec(authorization === undefined ? "" : Redacted.value(authorization)) ?? []
      if (token === undefined) return yield* Effect.fail("the notification is not signed")
      const claims = yield* Jwt.verify(token, rules)
      return claims["request_body_sha256"] === (yield* hash(body))
        ? claims
        : yield* Effect.fail("the body is not the one that was signed")
    }).pipe(
      Effect.mapError((error) =>
        typeof error === "string" ? new AgentError.UnauthenticatedError({ message: error }) : error
      )
    )
})
