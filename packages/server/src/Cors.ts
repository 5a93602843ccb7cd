/**
 * Lets pages of other origins speak to the agent: the answers to their preflights, and the headers of answers that they
 * may read. Merge {@link layer} with the routes. For a gateway's own rules the lists are {@link methods},
 * {@link requestHeaders} and {@link responseHeaders}.
 *
 * ```ts
 * import { Cors } from "@effect-a2a/server"
 * import { Wire } from "@effect-a2a/testing"
 * import { Effect, Layer } from "effect"
 * import { HttpClient, HttpClientRequest, HttpRouter, HttpServerResponse } from "effect/http"
 *
 * const routes = HttpRouter.add("POST", "/a2a", HttpServerResponse.text("hi"))
 * const server = Wire.layerHttp(Layer.merge(routes, Cors.layer({ origins: ["https://app.test"] })))
 * const preflight = HttpClientRequest.options("http://agent.test/a2a").pipe(
 *   HttpClientRequest.setHeader("origin", "https://app.test"),
 *   HttpClient.execute
 * )
 * const answer = await Effect.runPromise(preflight.pipe(Effect.provide(server)))
 * answer.headers["access-control-allow-origin"] // => "https://app.test"
 * ```
 *
 * @since 0.1.0
 */
import * as Duration from "effect/Duration"
import * as HttpMiddleware from "effect/http/HttpMiddleware"
import * as HttpRouter from "effect/http/HttpRouter"
import type * as Layer from "effect/Layer"
import type { Predicate } from "effect/Predicate"

/** What A2A's routes are asked with. */
export const methods: ReadonlyArray<string> = ["GET", "HEAD", "POST", "DELETE"]

/** What clients send: the protocol's headers, credentials, and traces of those that want them. */
export const requestHeaders: ReadonlyArray<string> = [
  "accept",
  "content-type",
  "a2a-version",
  "a2a-extensions",
  "x-a2a-extensions",
  "last-event-id",
  "if-none-match",
  "authorization",
  "x-api-key",
  "traceparent",
  "tracestate",
  "b3",
  "baggage"
]

/** What a client reads of an answer besides its type, and a browser hides unless it is told to. */
export const responseHeaders: ReadonlyArray<string> = [
  "retry-after",
  "www-authenticate",
  "a2a-version",
  "a2a-extensions",
  "etag"
]

/**
 * `origins`: who may speak to the agent, all unless said otherwise; they are no protection, since programs need not ask.
 * `headers`: more that clients send, such as the name of an API key. `maxAge`: how long a browser remembers the answer,
 * two hours by default, which is the most that browsers agree on. `credentials`: whether cookies go along, for which the
 * origins must be named; tokens in headers need it not.
 */
export interface Options {
  readonly origins?: ReadonlyArray<string> | Predicate<string> | undefined
  readonly headers?: ReadonlyArray<string> | undefined
  readonly maxAge?: Duration.Input | undefined
  readonly credentials?: boolean | undefined
}

/** For all routes of the router. */
export const layer = (
  { credentials, headers = [], maxAge = "2 hours", origins }: Options = {}
): Layer.Layer<never, never, HttpRouter.HttpRouter> =>
  HttpRouter.middleware(
    HttpMiddleware.cors({
      allowedOrigins: origins,
      allowedMethods: methods,
      allowedHeaders: [...requestHeaders, ...headers],
      exposedHeaders: responseHeaders,
      maxAge: Math.floor(Duration.toSeconds(maxAge)),
      credentials
    }),
    { global: true }
  )
