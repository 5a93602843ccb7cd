/**
 * A peer over HTTP, for clients of anything that is not A2A but should share its conduct: credentials and the caller's
 * headers, redirects within an origin, limits of time and size, spans without secrets. Failures are reasons of
 * `AgentError`; what a response means is up to the caller.
 *
 * ```ts
 * import { Credentials, HttpPeer } from "@effect-a2a/core"
 * import { Effect, Layer } from "effect"
 * import { HttpClient, HttpClientResponse } from "effect/http"
 *
 * const http = Layer.succeed(HttpClient.HttpClient, HttpClient.make((request) =>
 *   Effect.succeed(HttpClientResponse.fromWeb(request, new Response(`["weather"]`)))))
 * const apps = Effect.gen(function*() {
 *   const peer = yield* HttpPeer.make({ url: "http://localhost:8000", protocolBinding: "apps", protocolVersion: "2" })
 *   const request = { method: "GET", path: "/list-apps", query: [], body: undefined } as const
 *   const response = yield* HttpPeer.execute(peer, request, "application/json")
 *   return (yield* HttpPeer.read(response, 1024)).text
 * })
 * await Effect.runPromise(Effect.provide(apps, [http, Credentials.layerNone])) // => `["weather"]`
 * ```
 *
 * @since 0.1.0
 * @stability unstable
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type * as AgentCard from "./AgentCard.ts"
import * as AgentError from "./AgentError.ts"
import type * as ClientProtocol from "./ClientProtocol.ts"
import type { Credential } from "./Credential.ts"
import * as Credentials from "./Credentials.ts"
import { CurrentLimits, type HttpRequest } from "./HttpBinding.ts"
import { toSecrets } from "./internal/credentials/placement.ts"
import * as Excerpt from "./internal/errors/excerpt.ts"
import * as PublicUrl from "./internal/errors/publicUrl.ts"
import * as SendDelivery from "./internal/errors/sendDelivery.ts"
import * as Wait from "./internal/errors/wait.ts"
import * as Json from "./internal/http/json.ts"
import * as Observe from "./internal/http/observe.ts"
import * as Secrets from "./internal/http/redactSecrets.ts"
import * as Redirect from "./internal/http/redirect.ts"
import * as Request from "./internal/http/request.ts"
import * as Sse from "./internal/http/sse.ts"
import * as SpanTexts from "./internal/transport/spanTexts.ts"
import * as Timeouts from "./Timeouts.ts"

/** The other side: its URL and interface, and the client and credentials to reach it with. */
export interface HttpPeer {
  /** The URL that paths of requests are appended to. */
  readonly base: URL
  /** The interface that credentials are asked for. */
  readonly target: AgentCard.AgentInterface
  /** Absent for peers that do not speak A2A: no protocol headers are sent. */
  readonly protocol?: ClientProtocol.ClientProtocol | undefined
  readonly client: HttpClient.HttpClient
  readonly credentials: Credentials.Credentials["Service"]
  /** Characters of a response that is not a stream, at most. */
  readonly maxResponseSize: number
}

/** A peer that speaks A2A. */
export interface A2aPeer extends HttpPeer {
  readonly protocol: ClientProtocol.ClientProtocol
}

/**
 * Makes a peer from its interface; `protocolBinding` and `protocolVersion` are passed to `Credentials`. Fails with
 * `InvalidRequestError` if the URL is invalid.
 */
export const make = Effect.fnUntraced(function*(
  target: AgentCard.AgentInterface
): Effect.fn.Return<HttpPeer, AgentError.InvalidRequestError, HttpClient.HttpClient | Credentials.Credentials> {
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

/** Returns the message of the deepest cause; never the request, which contains credentials. */
const causeMessage = (error: HttpClientError.HttpClientError): string => {
  let cause: unknown = "cause" in error.reason ? error.reason.cause : undefined
  let message: string | undefined
  while (cause instanceof Error) {
    message = cause.message || ("code" in cause ? String(cause.code) : cause.name)
    cause = cause.cause
  }
  return message ?? error.reason._tag
}

const rootCause = (error: HttpClientError.HttpClientError): unknown => {
  const cause = "cause" in error.reason ? error.reason.cause : undefined
  return cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause
}

/** Returns the description of a body that arrived and cannot be decoded, which another attempt would not change. */
const decodingIssue = ({ reason }: HttpClientError.HttpClientError) =>
  reason._tag === "DecodeError" ? reason.description : undefined

/** Converts an error of the HTTP client: there was no response, or not all of it. */
export const connectionError = (error: HttpClientError.HttpClientError): AgentError.ConnectionError => {
  const cause = rootCause(error)
  const issue = decodingIssue(error)
  return new AgentError.ConnectionError({
    message: issue !== undefined
      ? `the response cannot be decoded: ${issue}`
      : error.response === undefined
      ? `no response: ${causeMessage(error)}`
      : `the connection was lost: ${causeMessage(error)}`,
    ...(issue === undefined ? undefined : { isRetryable: false }),
    ...(cause === undefined ? undefined : { cause })
  })
}

// whatever stands before the client (a guard, a proxy) refuses with a reason of ours
const toReason = (
  error: HttpClientError.HttpClientError
): AgentError.ConnectionError | AgentError.InvalidRequestError => {
  const cause = "cause" in error.reason ? error.reason.cause : undefined
  return cause instanceof AgentError.InvalidRequestError || cause instanceof AgentError.ConnectionError
    ? cause
    : connectionError(error)
}

/** Headers that only some requests have. */
export interface ExecuteOptions {
  /** URIs of extensions, in addition to those of `ServiceParameters`. */
  readonly extensions?: ReadonlyArray<string> | undefined
  /** The id of the last event that arrived, for a server that continues behind it. */
  readonly lastEventId?: string | undefined
}

/** A response, and the secrets that its request was sent with. */
export interface Received {
  /** The URL that responded, after redirects, without what may be secret. */
  readonly url: string
  readonly response: HttpClientResponse.HttpClientResponse
  readonly credentials: ReadonlyArray<Credential>
  /** Returns a value, such as an error, without the secrets of the request, in whatever form the peer repeated them. */
  readonly redact: Secrets.Redact
}

/** Closes the connection of a response without reading it. */
export const release = (response: HttpClientResponse.HttpClientResponse): Effect.Effect<void> =>
  Effect.scoped(Effect.asVoid(Stream.toPull(response.stream)))

/** Keeps fetch from following redirects, which would forward custom credential headers. */
export const withoutRedirects = <A, E>(self: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.updateContext(self, (context: Context.Context<never>) =>
    Context.add(context, FetchHttpClient.RequestInit, {
      ...Context.getOrUndefined(context as Context.Context<FetchHttpClient.RequestInit>, FetchHttpClient.RequestInit),
      redirect: "manual"
    }) as Context.Context<never>)

const send = (
  peer: HttpPeer,
  place: Redirect.Place,
  accept: string,
  options: ExecuteOptions
): Effect.Effect<Received, AgentError.AgentErrorReason> =>
  Effect.gen(function*() {
    const timeouts = yield* Timeouts.CurrentTimeouts
    const credentials = yield* peer.credentials.get(peer.target).pipe(Effect.mapError((error) => error.reason))
    const request = yield* Request.make({ ...place, ...options, accept, protocol: peer.protocol, credentials })
    const { base, request: { body } } = place
    const redact = Secrets.make(() =>
      Secrets.ofRequest({ base, body, headers: request.headers, secrets: credentials.flatMap(toSecrets) })
    )
    const response = yield* peer.client.execute(request).pipe(
      Effect.mapError((error) => redact(toReason(error))),
      Timeouts.timeout("response", timeouts.response),
      withoutRedirects,
      Observe.exchange(base, credentials, redact)
    )
    const from = Request.join(base, place.request)
    const received = { url: PublicUrl.publicUrl(from), response, credentials, redact }
    const next = Redirect.next(response, from, place)
    if (Result.isSuccess(next) && next.success === undefined) return received
    yield* release(response)
    const to = yield* Effect.fromResult(Result.mapError(next, redact))
    return to === undefined ? received : yield* send(peer, to, accept, options)
  })

/**
 * Sends a request and returns the response with the credentials it was sent with. A 401 is answered once with renewed
 * credentials, if there are any.
 */
export const exchange = Effect.fnUntraced(
  function*(peer: HttpPeer, request: HttpRequest, accept: string, options: ExecuteOptions = {}) {
    const place = { base: peer.base, request, redirects: 0 }
    const received = yield* send(peer, place, accept, options)
    if (received.response.status !== 401) return received
    const renewed = yield* peer.credentials.renew({
      target: peer.target,
      wwwAuthenticate: received.response.headers["www-authenticate"],
      refused: received.credentials
    }).pipe(Effect.mapError((error) => error.reason))
    if (!renewed) return received
    yield* release(received.response)
    return yield* send(peer, place, accept, options)
  }
)

/** Sends a request and returns the response, its body not yet read. See {@link exchange}. */
export const execute = (
  peer: HttpPeer,
  request: HttpRequest,
  accept: string,
  options?: ExecuteOptions
): Effect.Effect<HttpClientResponse.HttpClientResponse, AgentError.AgentErrorReason> =>
  Effect.map(exchange(peer, request, accept, options), ({ response }) => response)

/** Returns the media type of a response without its parameters, in lower case; empty without one. */
export const mediaType = (response: HttpClientResponse.HttpClientResponse): string =>
  (response.headers["content-type"] ?? "").split(";")[0]!.trim().toLowerCase()

// an error response is read up to these bounds, and used as far as it came
const maxRefusalSize = 64 * 1024
const maxRefusalTime = Duration.seconds(5)

/** Reads the whole body as text, up to `maxSize` characters; of an error response, as much as its bounds allow. */
const readText = (
  response: HttpClientResponse.HttpClientResponse,
  maxSize: number
): Effect.Effect<string, AgentError.ConnectionError | AgentError.ResponseTooLargeError | AgentError.TimeoutError> => {
  const parts: Array<string> = []
  let size = 0
  const isRefusal = response.status >= 400
  return Effect.gen(function*() {
    const { idle } = yield* Timeouts.CurrentTimeouts
    const read = response.stream.pipe(
      Timeouts.idleTimeout(idle),
      Stream.decodeText,
      Stream.takeWhile(() => !isRefusal || size < maxRefusalSize),
      Stream.runForEachArray((texts) => {
        for (const text of texts) {
          parts.push(text)
          size += text.length
        }
        return size > maxSize
          ? Effect.fail(
            new AgentError.ResponseTooLargeError({
              message: `the response is larger than ${maxSize} characters`,
              maxLength: maxSize
            })
          )
          : Effect.void
      })
    )
    yield* isRefusal ? Effect.timeoutOption(read, maxRefusalTime) : read
  }).pipe(
    Effect.catchTag(
      "HttpClientError",
      (error) => isRefusal || error.reason._tag === "EmptyBodyError" ? Effect.void : Effect.fail(connectionError(error))
    ),
    Effect.map(() => parts.join(""))
  )
}

/** Returns the wait that `Retry-After` asks for, in seconds or as an HTTP date; a year at most. */
export const retryAfter = (
  response: HttpClientResponse.HttpClientResponse
): Effect.Effect<Duration.Duration | undefined> => {
  const header = response.headers["retry-after"]?.trim()
  if (header === undefined || header === "") return Effect.succeed(undefined)
  if (/^\d+(\.\d+)?$/.test(header)) return Effect.succeed(Wait.limit(Duration.seconds(Number(header))))
  const date = Date.parse(header)
  return Number.isNaN(date)
    ? Effect.succeed(undefined)
    : Effect.map(Clock.currentTimeMillis, (now) => Wait.limit(Duration.millis(Math.max(0, date - now))))
}

/** A response read to its end. An empty body is `undefined`; `body` fails with the parser's message if it is not JSON. */
export interface JsonResponse {
  readonly response: HttpClientResponse.HttpClientResponse
  readonly text: string
  readonly body: Result.Result<unknown, string>
}

/**
 * Reads a response to its end. Fails with `ResponseTooLargeError` if it has more than `maxSize` characters, with
 * `TimeoutError` after the idle timeout, and with `ConnectionError` if the connection is lost.
 */
export const read = (response: HttpClientResponse.HttpClientResponse, maxSize: number) =>
  Effect.map(readText(response, maxSize), (text): JsonResponse => ({
    response,
    text,
    body: text === "" ? Result.succeed(undefined) : Json.parse(text)
  }))

/**
 * Makes the function of {@link Received} for other secrets, which are read at its first use. It reads 256 Ki characters of a
 * value and leaves out the rest.
 */
export const makeRedact: (secrets: () => ReadonlyArray<string>) => Secrets.Redact = Secrets.make

/**
 * Returns what may be secret in the value of a header: none of those that HTTP and the protocol define for contents and
 * versions, of others the value without its scheme, and the values of its pairs.
 */
export const secretsOfHeader: (header: readonly [name: string, value: string]) => ReadonlyArray<string> =
  Secrets.ofHeader

/** Changes the texts of all spans that are made within: their attributes, events and errors. */
export const withSpanTexts: (
  change: <A>(value: A) => A
) => <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> = SpanTexts.withSpanTexts

/** Returns a peer's URL without user info, query and fragment, which may be secret. */
export const publicUrl = ({ base }: HttpPeer): string => PublicUrl.publicUrl(base)

/** Returns the beginning of a text for a message, by default 200 characters: on one line, without control characters. */
export const snippet: (text: string, size?: number) => string = Json.snippet

/**
 * Returns JSON for the `details` of an error: the whole, or the beginning of a document that is longer than 4,000
 * characters. Numbers that JSON cannot write are left out.
 */
export const excerpt: (document: unknown) => Schema.Json | undefined = Excerpt.excerpt

/** Parses JSON. Fails with the parser's message, without the text that it quotes; documents have at most 200 levels. */
export const parseJson: (text: string) => Result.Result<unknown, string> = Json.parse

/** Makes a parser of server-sent events, of which none may be larger than `maxEventSize` characters. */
export const makeParser = Sse.makeParser

/**
 * Returns how far a message came whose send failed for the reason before anything of the response was used. After
 * `unknown` it must not be sent again.
 */
export const toDelivery: (reason: AgentError.AgentErrorReason) => AgentError.Delivery = SendDelivery.toDelivery
