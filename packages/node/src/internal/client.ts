/** The HTTP client over undici. Tested in `packages/node/test/client.test.ts`. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import type { HttpClient } from "effect/http/HttpClient"
import * as Layer from "effect/Layer"

/** undici without its time limits. */
const layerUndici: Layer.Layer<HttpClient> = NodeHttpClient.layerUndiciNoDispatcher.pipe(
  Layer.provide(Layer.effect(
    NodeHttpClient.Dispatcher,
    Effect.map(
      NodeHttpClient.makeDispatcher,
      (dispatcher) =>
        dispatcher.compose((dispatch) => (options, handler) =>
          dispatch({ ...options, headersTimeout: 0, bodyTimeout: 0 }, handler)
        )
    )
  ))
)

/** Provides the client over undici; or over `fetch`, if dispatchers lack `compose`: Bun replaces undici by a stub. */
export const fromUndici = ({ Agent }: { readonly Agent: { readonly prototype: object } }): Layer.Layer<HttpClient> =>
  "compose" in Agent.prototype ? layerUndici : FetchHttpClient.layer

/** The client over the undici of this runtime. */
export const layer: Layer.Layer<HttpClient> = Layer.unwrap(
  Effect.map(Effect.promise(() => import("@effect/platform-node/Undici")), fromUndici)
)
