/** The HTTP client over a dispatcher of undici. Tested in `test/client.test.ts`. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import type { HttpClient } from "effect/http/HttpClient"
import * as Layer from "effect/Layer"

/**
 * Creates a client without undici's time limits. Falls back to `fetch` if the dispatcher cannot be composed: Bun replaces
 * undici by one that lacks `compose`.
 */
export const fromDispatcher = (dispatcher: NodeHttpClient.Dispatcher["Service"]): Layer.Layer<HttpClient> =>
  typeof dispatcher.compose !== "function" ? FetchHttpClient.layer : NodeHttpClient.layerUndiciNoDispatcher.pipe(
    Layer.provide(Layer.succeed(
      NodeHttpClient.Dispatcher,
      dispatcher.compose((dispatch) => (options, handler) =>
        dispatch({ ...options, headersTimeout: 0, bodyTimeout: 0 }, handler)
      )
    ))
  )
