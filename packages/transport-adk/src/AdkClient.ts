/**
 * A typed client of an ADK server: runs, sessions, artifacts, memory (ADK-01, ADK-02, ADK-03). Speaks to Python 2.x and 1.x,
 * JavaScript and Go, and finds out which where it matters. A run is never repeated (ADK-07).
 *
 * ```ts
 * import { Credentials } from "@effect-a2a/core"
 * import { AdkClient, AdkContent, AdkEvent } from "@effect-a2a/transport-adk"
 * import { Effect, Layer, Stream } from "effect"
 * import { HttpClient, HttpClientResponse } from "effect/http"
 *
 * const http = Layer.succeed(HttpClient.HttpClient, HttpClient.make((request) =>
 *   Effect.succeed(HttpClientResponse.fromWeb(
 *     request,
 *     new Response(`data: {"id":"1","content":{"parts":[{"text":"Sunny."}]}}\n\n`, {
 *       headers: { "content-type": "text/event-stream" }
 *     })
 *   ))))
 * const texts = Stream.unwrap(Effect.map(AdkClient.AdkClient, (client) =>
 *   client.runSse({ userId: "u-1", sessionId: "s-1", newMessage: AdkContent.user(AdkContent.text("Weather?")) }))).pipe(
 *     Stream.map(AdkEvent.text),
 *     Stream.runCollect
 *   )
 * const layer = AdkClient.layer({ url: "http://localhost:8000", appName: "weather" }).pipe(
 *   Layer.provide([Credentials.layerNone, http])
 * )
 * await Effect.runPromise(Effect.provide(texts, layer)) // => ["Sunny."]
 * ```
 *
 * @since 0.1.0
 */
import type { Credentials } from "@effect-a2a/core/Credentials"
import * as HttpExchange from "@effect-a2a/core/HttpExchange"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { HttpClient } from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import { AdkError } from "./AdkError.ts"
import * as Client from "./internal/client.ts"
import type { ArtifactKey, Client as Contract, Flavour, Options } from "./internal/contract.ts"

export type { ArtifactKey, Contract as Client, Flavour, Options }

export class AdkClient extends Context.Service<AdkClient, Contract>()("@effect-a2a/transport-adk/AdkClient") {}

/** A client of a server. Fails where the URL is none. */
export const make = Effect.fnUntraced(function*(
  options: Options
): Effect.fn.Return<AdkClient["Service"], AdkError, HttpClient | Credentials> {
  const target = { url: options.url, protocolBinding: "ADK", protocolVersion: "2" }
  const server = yield* HttpExchange.make(target).pipe(
    Effect.mapError((reason) => new AdkError({ operation: "connect", reason }))
  )
  return Client.make(server, options)
})

/** {@link make} as a layer. */
export const layer = (options: Options): Layer.Layer<AdkClient, AdkError, HttpClient | Credentials> =>
  Layer.effect(AdkClient, make(options))
