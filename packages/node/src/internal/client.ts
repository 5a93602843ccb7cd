/** The HTTP client over undici. Tested in `packages/node/test`: `client`, `decoding`, `proxy`, `addressGuard`. */
import * as AgentError from "@effect-a2a/core/AgentError"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import type { HttpClientRequest } from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { decoding } from "./decode.ts"
import * as Guard from "./guard.ts"
import * as Proxy from "./proxy.ts"

/** A cause by whose code the SDK knows that nothing was sent. */
class UnsentError extends Error {
  readonly code = "ERR_NOT_SENT"
}

const unsent = (message: string, isRetryable: boolean) =>
  AgentError.reason("ConnectionError", { message, isRetryable, cause: new UnsentError(message) })

const toError = (request: HttpClientRequest, cause: AgentError.AgentErrorReason) =>
  new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request, cause }) })

/** Converts a refusal by the proxy, which is not the agent's: nothing has reached the agent. */
const fromProxy = (error: HttpClientError.HttpClientError): HttpClientError.HttpClientError => {
  const status = error.reason._tag === "TransportError" ? Proxy.refusal(error.reason.cause) : undefined
  if (status === undefined) return error
  const hint = status === 407 ? ": give user name and password in the proxy's URL" : ""
  return toError(error.request, unsent(`the proxy refused the connection with HTTP ${status}${hint}`, status >= 500))
}

const closed = unsent(
  "the layer of the HTTP client is closed: call the agent while its layer is provided, or hold the layer in a ManagedRuntime",
  false
)

const makeClient = Effect.fnUntraced(function*(...options: Parameters<typeof Proxy.makeDispatcher>) {
  // limits are for the caller to set
  const unlimited = (yield* Proxy.makeDispatcher(...options)).compose((dispatch) => (options, handler) =>
    dispatch({ ...options, headersTimeout: 0, bodyTimeout: 0 }, handler)
  )
  return yield* Effect.provideService(NodeHttpClient.makeUndici, NodeHttpClient.Dispatcher, unlimited)
})

const layerUndici: Layer.Layer<HttpClient.HttpClient> = Layer.effect(
  HttpClient.HttpClient,
  Effect.gen(function*() {
    const proxies = Proxy.parse(yield* Proxy.current)
    const usable = Result.getOrElse(proxies, () => ({ http: undefined, https: undefined, except: [] }))
    let refused: AgentError.AgentErrorReason | undefined = Result.isFailure(proxies) ? proxies.failure : undefined
    // a destroyed dispatcher cannot say whether a request had been sent; it is released before the dispatcher
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        refused = closed
      })
    )
    const client = Guard.withGuarded(yield* makeClient(usable), yield* makeClient(usable, Guard))
    const context: Context.Context<never> = yield* Effect.context<never>()
    return decoding(client).pipe(
      HttpClient.transformResponse((response) =>
        response.pipe(
          Effect.mapError(fromProxy),
          Effect.updateContext((input: Context.Context<never>) => Context.merge(context, input))
        )
      ),
      HttpClient.mapRequestEffect((request) =>
        refused === undefined ? Effect.succeed(request) : Effect.fail(toError(request, refused))
      )
    )
  })
)

const layerFetch: Layer.Layer<HttpClient.HttpClient> = Layer.effect(
  HttpClient.HttpClient,
  Effect.map(HttpClient.HttpClient, Guard.resolveFirst)
).pipe(Layer.provide(FetchHttpClient.layer))

/**
 * Provides the client over undici; or over `fetch`, which decodes bodies itself, if dispatchers lack `compose`: Bun
 * replaces undici by a stub.
 */
export const fromUndici = (
  { Agent }: { readonly Agent: { readonly prototype: object } }
): Layer.Layer<HttpClient.HttpClient> => "compose" in Agent.prototype ? layerUndici : layerFetch

/** The client over the undici of this runtime. */
export const layer: Layer.Layer<HttpClient.HttpClient> = Layer.unwrap(
  Effect.map(Effect.promise(() => import("@effect/platform-node/Undici")), fromUndici)
)
