/**
 * Lets web pages of other origins call the agent (CORS): responds to their preflights and exposes response headers to
 * them. Merge {@link layer} with the routes. {@link methods}, {@link requestHeaders} and {@link responseHeaders} are the
 * lists for the configuration of a gateway.
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
 * const response = await Effect.runPromise(preflight.pipe(Effect.provide(server)))
 * response.headers["access-control-allow-origin"] // => "https://app.test"
 * ```
 *
 * @since 0.1.0
 */
import * as OriginPolicy from "@effect-a2a/core/OriginPolicy"
import * as Duration from "effect/Duration"
import * as HttpMiddleware from "effect/http/HttpMiddleware"
import * as HttpRouter from "effect/http/HttpRouter"
import * as Layer from "effect/Layer"
import type { Predicate } from "effect/Predicate"

/** The methods of A2A requests. */
export const methods: ReadonlyArray<string> = ["GET", "HEAD", "POST", "DELETE"]

/** The headers that clients send: those of the protocol, credentials, and trace context. */
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

/** The response headers that clients read and browsers hide by default. */
export const responseHeaders: ReadonlyArray<string> = [
  "retry-after",
  "www-authenticate",
  "a2a-version",
  "a2a-extensions",
  "x-a2a-extensions",
  "etag"
]

/** The pages that may call the agent, and the rules for them. */
export interface Options {
  /** Origins that may call. Default: all. This protects nothing: programs other than browsers ignore it. */
  readonly origins?: ReadonlyArray<string> | Predicate<string> | undefined
  /** Further request headers, such as the header of an API key. */
  readonly headers?: ReadonlyArray<string> | undefined
  /** For how long a browser caches the response to a preflight. Default: 2 hours, the most that all browsers allow. */
  readonly maxAge?: Duration.Input | undefined
  /** Allows cookies, for which `origins` must be listed; tokens in headers do not need it. Default: false. */
  readonly credentials?: boolean | undefined
}

/** Applies the rules to all routes of the router; to `OriginPolicy` the origins are permitted. */
export const layer = (
  { credentials, headers = [], maxAge = "2 hours", origins }: Options = {}
): Layer.Layer<never, never, HttpRouter.HttpRouter> =>
  Layer.merge(
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
    ),
    OriginPolicy.layer({ origins: origins ?? (() => true) })
  )
