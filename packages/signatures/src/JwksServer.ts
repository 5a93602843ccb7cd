/**
 * Publishes the public keys of an agent, for those who verify its cards, tokens and notifications.
 *
 * ```ts
 * import { JwksServer, KeySet, SigningKey } from "@effect-a2a/signatures"
 * import { InProcessHttp } from "@effect-a2a/server"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const key = yield* SigningKey.generate({ kid: "2026-12" })
 *   return yield* Effect.gen(function*() {
 *     const keys = yield* KeySet.fromUrl("https://agent.test/.well-known/jwks.json")
 *     return (yield* keys.find({ alg: "ES256", kid: "2026-12" })).length
 *   }).pipe(Effect.provide(InProcessHttp.layer(JwksServer.routes({ keys: [key] }))))
 * })
 * await Effect.runPromise(program) // => 1
 * ```
 *
 * @since 0.1.0
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as Layer from "effect/Layer"
import * as SigningKey from "./SigningKey.ts"

/** The keys, and their place. */
export interface Options {
  /** The keys of the agent; one that no longer signs stays until its signatures have expired. */
  readonly keys: ReadonlyArray<SigningKey.SigningKey>
  /** Default: `/.well-known/jwks.json`. */
  readonly path?: `/${string}` | undefined
  /** For how long the set may be kept. Default: 10 minutes. */
  readonly maxAge?: Duration.Input | undefined
}

/** Adds `GET {path}`, which pages of all origins may read: it has public halves only. */
export const routes = (
  { keys, maxAge = "10 minutes", path = "/.well-known/jwks.json" }: Options
): Layer.Layer<never, never, HttpRouter.HttpRouter> => {
  const response = HttpServerResponse.text(JSON.stringify(SigningKey.toJwks(keys)), {
    contentType: "application/jwk-set+json",
    headers: {
      "access-control-allow-origin": "*",
      "cache-control": `public, max-age=${Math.floor(Duration.toSeconds(maxAge))}`
    }
  })
  return HttpRouter.add("GET", path, Effect.succeed(response))
}
