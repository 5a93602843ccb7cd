/**
 * HTTP as the bindings do it, for clients of what is not A2A: credentials and the caller's headers, redirects within an
 * origin, limits of time and size, spans without secrets. Failures are reasons of `AgentError`; what an answer means is the
 * caller's business.
 *
 * ```ts
 * import { Credentials, HttpExchange } from "@effect-a2a/core"
 * import { Effect, Layer } from "effect"
 * import { HttpClient, HttpClientResponse } from "effect/http"
 *
 * const http = Layer.succeed(HttpClient.HttpClient, HttpClient.make((request) =>
 *   Effect.succeed(HttpClientResponse.fromWeb(request, new Response(`["weather"]`)))))
 * const apps = Effect.gen(function*() {
 *   const server = yield* HttpExchange.make({ url: "http://localhost:8000", protocolBinding: "ADK", protocolVersion: "2" })
 *   const frame = { method: "GET", path: "/list-apps", query: [], body: undefined } as const
 *   const response = yield* HttpExchange.execute(server, frame, "application/json")
 *   return (yield* HttpExchange.read(response, 1024)).text
 * })
 * await Effect.runPromise(Effect.provide(apps, [http, Credentials.layerNone])) // => `["weather"]`
 * ```
 *
 * @since 0.1.0
 * @stability unstable
 */
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Stream from "effect/Stream"
import type { AgentInterface } from "./AgentCard.ts"
import type { AgentErrorReason, InvalidRequestError, TimeoutError } from "./AgentError.ts"
import * as Credentials from "./Credentials.ts"
import { CurrentLimits } from "./HttpBinding.ts"
import type { Frame } from "./internal/binding.ts"
import * as Exchange from "./internal/http/exchange.ts"
import * as Request from "./internal/http/request.ts"
import * as Sse from "./internal/http/sse.ts"
import * as Time from "./internal/transport/timeouts.ts"
import * as Outcome from "./internal/transport/uncertainSend.ts"
import * as Operation from "./Operation.ts"

/** Who is spoken to, and with what. */
export type Server = Exchange.Server
/** An answer read to its end: its text, and the JSON in it. */
export type Answer = Exchange.Answer
export type { Frame }

/** A server at an URL. Fails where the URL is none. `protocolBinding` and `protocolVersion` are told to `Credentials`. */
export const make = Effect.fnUntraced(function*(
  target: AgentInterface
): Effect.fn.Return<Server, InvalidRequestError, HttpClient.HttpClient | Credentials.Credentials> {
  const base = yield* Effect.fromResult(Request.parseUrl(target.url))
  const { maxResponseSize } = yield* CurrentLimits
  return {
    base,
    target,
    client: yield* HttpClient.HttpClient,
    credentials: yield* Credentials.Credentials,
    maxResponseSize
  }
})

/** Sends a frame and gives the head of the answer. A 401 is answered once with renewed credentials, if there are any. */
export const execute = Exchange.execute

/** Reads an answer to its end, up to so many characters. */
export const read = Exchange.read

/** The media type of an answer, without its parameters and in lower case; empty where there is none. */
export const mediaType = Exchange.mediaType

/** What `Retry-After` asks for. */
export const retryAfter = Exchange.retryAfter

/** Why there was no answer, or none to the end. */
export const connectionError = Exchange.connectionError

/** A server's URL without what may be secret in it. */
export const publicUrl = ({ base }: Server): string => Request.publicUrl(base)

/** Text to server-sent events, of which none is larger than `maxEventSize` characters. */
export const makeParser = Sse.makeParser

/** All of a call within the limit of `HttpBinding.CurrentTimeouts`. */
export const within = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E | TimeoutError, R> =>
  Effect.flatMap(Time.CurrentTimeouts, ({ call }) => Time.within("call", call)(self))

/** The whole life of a stream within that limit. */
export const withinStream = <A, E, R>(self: Stream.Stream<A, E, R>): Stream.Stream<A, E | TimeoutError, R> =>
  Stream.unwrap(Effect.map(Time.CurrentTimeouts, ({ call }) => Time.life(call)(self)))

/** The bytes of an answer, each wait for them within the limit of silence. */
export const bytes = (
  response: HttpClientResponse.HttpClientResponse
): Stream.Stream<Uint8Array, HttpClientError.HttpClientError | TimeoutError> =>
  Stream.unwrap(Effect.map(Time.CurrentTimeouts, ({ silence }) => Time.silence(silence)(response.stream)))

/** Why a message was not answered; where it may have arrived all the same, the reason says so and keeps its id. */
export const unknownOutcome = (request: Operation.SendMessageRequest, reason: AgentErrorReason): AgentErrorReason =>
  Outcome.unknown(Operation.SendMessage, request, reason)
