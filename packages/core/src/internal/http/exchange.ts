/** One HTTP exchange: credentials, the request, the head of the answer, and a body that stays within bounds. */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import type * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type * as AgentCard from "../../AgentCard.ts"
import * as AgentError from "../../AgentError.ts"
import type * as Credentials from "../../Credentials.ts"
import type * as Protocol from "../../Dialect.ts"
import type { Frame } from "../binding.ts"
import { type RequestContext, toReason } from "../protocol/failure.ts"
import * as Time from "../transport/timeouts.ts"
import * as Json from "./json.ts"
import * as Observe from "./observe.ts"
import * as Echo from "./redactSecrets.ts"
import * as Redirect from "./redirect.ts"
import * as Request from "./request.ts"

/** Who answers over HTTP; without a `protocol` it is not A2A that is spoken. */
export interface Server {
  readonly base: URL
  readonly target: AgentCard.AgentInterface
  readonly protocol?: Protocol.Protocol | undefined
  readonly client: HttpClient.HttpClient
  readonly credentials: Credentials.Credentials["Service"]
  /** Characters of an answer that is no stream. */
  readonly maxResponseSize: number
}

/** What every exchange of one transport shares. */
export interface Peer extends Server {
  readonly protocol: Protocol.Protocol
}

/** The deepest cause that says something; never the request, which holds credentials. */
const says = (error: HttpClientError.HttpClientError): string => {
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

/** No answer, or none to the end. */
export const connectionError = (error: HttpClientError.HttpClientError): AgentError.ConnectionError => {
  const cause = rootCause(error)
  return new AgentError.ConnectionError({
    message: error.response === undefined ? `no answer: ${says(error)}` : `the connection was lost: ${says(error)}`,
    ...(cause === undefined ? undefined : { cause })
  })
}

/** A guard before the client refuses in our own words. */
const notSent = (error: HttpClientError.HttpClientError): AgentError.ConnectionError | AgentError.InvalidRequestError =>
  error.reason._tag === "InvalidUrlError" && error.reason.cause instanceof AgentError.InvalidRequestError
    ? error.reason.cause
    : connectionError(error)

export interface ExecuteOptions {
  readonly extensions?: ReadonlyArray<string> | undefined
  readonly lastEventId?: string | undefined
}

/** Closes the connection of an answer that nobody reads. */
export const release = (response: HttpClientResponse.HttpClientResponse): Effect.Effect<void> =>
  Effect.scoped(Effect.asVoid(Stream.toPull(response.stream)))

/** Without redirects of fetch's own. */
export const manually = <A, E>(self: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.updateContext(self, (context: Context.Context<never>) =>
    Context.add(context, FetchHttpClient.RequestInit, {
      ...Context.getOrUndefined(context as Context.Context<FetchHttpClient.RequestInit>, FetchHttpClient.RequestInit),
      redirect: "manual"
    }) as Context.Context<never>)

const send = Effect.fnUntraced(function*(peer: Server, frame: Frame, accept: string, options: ExecuteOptions) {
  const { headers } = yield* Time.CurrentTimeouts
  const places = [{ base: peer.base, frame, redirects: 0 }]
  for (const place of places) {
    const credentials = yield* peer.credentials.get(peer.target).pipe(Effect.mapError((error) => error.reason))
    const request = yield* Request.make({ ...place, ...options, accept, protocol: peer.protocol, credentials })
    const response = yield* peer.client.execute(request).pipe(
      Effect.mapError(notSent),
      Time.within("headers", headers),
      manually,
      Observe.exchange(place.base, credentials)
    )
    const next = Redirect.next(response, Request.join(place.base, place.frame, peer.protocol?.rest.prefix), place)
    if (Result.isSuccess(next) && next.success === undefined) {
      Echo.note(response, credentials)
      return { response, credentials }
    }
    yield* release(response)
    places.push((yield* Effect.fromResult(next))!)
  }
  return yield* Effect.die("unreachable: each place answers or leads to another")
})

/** Sends a frame and gives the head of the answer. A 401 is answered once with renewed credentials, if there are any. */
export const execute = Effect.fnUntraced(
  function*(peer: Server, frame: Frame, accept: string, options: ExecuteOptions = {}) {
    const { credentials: refused, response } = yield* send(peer, frame, accept, options)
    if (response.status !== 401) return response
    const wwwAuthenticate = response.headers["www-authenticate"]
    const renewed = yield* peer.credentials.renew({ target: peer.target, wwwAuthenticate, refused }).pipe(
      Effect.mapError((error) => error.reason)
    )
    if (!renewed) return response
    yield* release(response)
    return (yield* send(peer, frame, accept, options)).response
  }
)

/** The media type, without its parameters and in lower case. */
export const mediaType = (response: HttpClientResponse.HttpClientResponse): string =>
  (response.headers["content-type"] ?? "").split(";")[0]!.trim().toLowerCase()

/** What a refusal may take; the rest of it is left. */
const refusalSize = 64 * 1024
const refusalPatience = Duration.seconds(5)

/** The whole body as text, up to `maxSize`; of a refusal, as much as there is within its bounds. */
const text = (
  response: HttpClientResponse.HttpClientResponse,
  maxSize: number
): Effect.Effect<string, AgentError.ConnectionError | AgentError.ResponseTooLargeError | AgentError.TimeoutError> => {
  const parts: Array<string> = []
  let size = 0
  const isRefusal = response.status >= 400
  return Effect.gen(function*() {
    const { silence } = yield* Time.CurrentTimeouts
    const read = response.stream.pipe(
      Time.silence(silence),
      Stream.decodeText,
      Stream.takeWhile(() => !isRefusal || size < refusalSize),
      Stream.runForEachArray((texts) => {
        for (const text of texts) {
          parts.push(text)
          size += text.length
        }
        return size > maxSize
          ? Effect.fail(
            new AgentError.ResponseTooLargeError({
              message: `the answer is larger than ${maxSize} characters`,
              maxLength: maxSize
            })
          )
          : Effect.void
      })
    )
    yield* isRefusal ? Effect.timeoutOption(read, refusalPatience) : read
  }).pipe(
    Effect.catchTag(
      "HttpClientError",
      (error) => isRefusal || error.reason._tag === "EmptyBodyError" ? Effect.void : Effect.fail(connectionError(error))
    ),
    Effect.map(() => parts.join(""))
  )
}

/** `Retry-After`: seconds, or an HTTP date. */
export const retryAfter = (
  response: HttpClientResponse.HttpClientResponse
): Effect.Effect<Duration.Duration | undefined> => {
  const header = response.headers["retry-after"]?.trim()
  if (header === undefined || header === "") return Effect.succeed(undefined)
  if (/^\d+(\.\d+)?$/.test(header)) return Effect.succeed(Duration.seconds(Number(header)))
  const date = DateTime.make(header)
  return Option.isNone(date)
    ? Effect.succeed(undefined)
    : Effect.map(DateTime.now, (now) => Duration.max(DateTime.distance(now, date.value), Duration.zero))
}

/** An answer read to its end; an empty body is `undefined`. */
export interface Answer {
  readonly response: HttpClientResponse.HttpClientResponse
  readonly text: string
  readonly body: Result.Result<unknown, string>
}

export const read = (response: HttpClientResponse.HttpClientResponse, maxSize: number) =>
  Effect.map(text(response, maxSize), (text): Answer => ({
    response,
    text,
    body: text === "" ? Result.succeed(undefined) : Json.parse(text)
  }))

/** What a refusal says, with what HTTP adds to it. */
export const refusal = Effect.fnUntraced(function*(
  failure: Protocol.WireFailure,
  response: HttpClientResponse.HttpClientResponse,
  context: RequestContext
) {
  const delay = yield* retryAfter(response)
  const whole = {
    ...failure,
    status: failure.status ?? response.status,
    retryAfter: failure.retryAfter ?? delay,
    challenge: response.headers["www-authenticate"]
  }
  return toReason(Echo.hide(whole, response), context)
})
