/**
 * Decodes compressed response bodies as they arrive: undici leaves them as they are. Nothing is read ahead, so that the
 * reader's limit bounds a small body that decodes to a huge one. Tested in `packages/node/test/decoding.test.ts`.
 */
import type * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Headers from "effect/http/Headers"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Pull from "effect/Pull"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Transform } from "node:stream"
import * as zlib from "node:zlib"

type Bytes = Uint8Array<ArrayBufferLike>
type Chunks = Arr.NonEmptyReadonlyArray<Bytes>

/** Creates the decoder of a body that begins with the bytes. */
type MakeDecoder = (head: Bytes) => Transform

/** `deflate` means the zlib format; some servers send the bare one, which cannot begin with the method 8. */
const makeInflate: MakeDecoder = ([first = 0]) => (first & 0x0f) === 8 ? zlib.createInflate() : zlib.createInflateRaw()

const decoders: ReadonlyMap<string, MakeDecoder> = new Map([
  ["gzip", () => zlib.createGunzip()],
  ["x-gzip", () => zlib.createGunzip()],
  ["br", () => zlib.createBrotliDecompress()],
  ["deflate", makeInflate]
])

// more than any honest response has; each takes memory
const maxEncodings = 3

const isTruncated = (cause: Error) => "code" in cause && cause.code === "Z_BUF_ERROR"

const toError = (response: HttpClientResponse.HttpClientResponse, description: string | undefined, cause?: Error) =>
  new HttpClientError.HttpClientError({
    reason: new HttpClientError.DecodeError({
      request: response.request,
      response,
      ...(cause === undefined ? undefined : { cause }),
      ...(description === undefined ? undefined : { description })
    })
  })

/** A decoder between two pulls. Whatever was decoded before a failure is emitted before it. */
const makePull = (
  upstream: Pull.Pull<Chunks, HttpClientError.HttpClientError>,
  make: MakeDecoder,
  scope: Scope.Scope,
  fail: (cause: Error) => HttpClientError.HttpClientError
): Pull.Pull<Chunks, HttpClientError.HttpClientError> => {
  let decoder: Transform | undefined
  let writes = 0
  let hasEnded = false
  let isDone = false
  let failure: Error | undefined
  let hasChanged = false
  let wake = () => {}

  const change = () => {
    hasChanged = true
    wake()
  }

  const open = (head: Bytes) =>
    Effect.suspend(() => {
      const opened = make(head)
      decoder = opened
      opened.on("readable", change)
      opened.on("end", () => {
        isDone = true
        change()
      })
      opened.on("error", (cause) => {
        failure = cause
        change()
      })
      return Effect.as(Scope.addFinalizer(scope, Effect.sync(() => opened.destroy())), opened)
    })

  const write = (chunks: Chunks) =>
    Effect.map(decoder === undefined ? open(chunks[0]) : Effect.succeed(decoder), (decoder) => {
      for (const chunk of chunks) {
        writes++
        decoder.write(chunk, () => {
          writes--
          change()
        })
      }
    })

  const wait = Effect.callback<void>((resume) => {
    wake = () => resume(Effect.void)
    if (hasChanged) wake()
  })

  const end = Effect.sync(() => {
    hasEnded = true
    if (decoder === undefined) isDone = true
    else decoder.end()
  })

  const next: Pull.Pull<Chunks, HttpClientError.HttpClientError> = Effect.suspend(() => {
    hasChanged = false
    const decoded: Bytes | null = decoder?.read() ?? null
    if (decoded !== null) return Effect.succeed([decoded])
    if (failure !== undefined) return Effect.fail(fail(failure))
    if (isDone) return Cause.done()
    if (writes > 0 || hasEnded) return Effect.andThen(wait, next)
    return Pull.matchEffect(upstream, {
      onSuccess: (chunks) => Effect.andThen(write(chunks), next),
      onFailure: Effect.failCause,
      onDone: () => Effect.andThen(end, next)
    })
  })
  return next
}

const decodeStream = (
  response: HttpClientResponse.HttpClientResponse,
  stream: HttpClientResponse.HttpClientResponse["stream"],
  encoding: string
): HttpClientResponse.HttpClientResponse["stream"] => {
  const make = decoders.get(encoding)
  if (make === undefined) return Stream.fail(toError(response, `unknown content-encoding "${encoding}"`))
  return Stream.transformPull(stream, (upstream, scope) =>
    Effect.succeed(
      makePull(upstream, make, scope, (cause) =>
        toError(response, isTruncated(cause) ? undefined : `invalid ${encoding} encoding: ${cause.message}`, cause))
    ))
}

/** The readers of a whole body. */
const readers = ["arrayBuffer", "formData", "json", "text", "urlParamsBody"] as const

const decodeResponse = (response: HttpClientResponse.HttpClientResponse): HttpClientResponse.HttpClientResponse => {
  const encodings = (response.headers["content-encoding"] ?? "").toLowerCase().split(",")
    .map((one) => one.trim()).filter((one) => one !== "" && one !== "identity")
  if (encodings.length === 0) return response
  const stream = encodings.length > maxEncodings
    ? Stream.fail(toError(response, `more than ${maxEncodings} content-encodings`))
    : encodings.reduceRight((stream, encoding) => decodeStream(response, stream, encoding), response.stream)
  const headers = Headers.removeMany(response.headers, ["content-encoding", "content-length"])
  let whole: HttpClientResponse.HttpClientResponse | undefined
  const read = () =>
    whole ??= HttpClientResponse.fromWeb(response.request, new Response(Stream.toReadableStream(stream), { headers }))
  return Object.create(response, {
    headers: { value: headers },
    stream: { value: stream },
    ...Object.fromEntries(readers.map((name) => [name, { get: () => read()[name] }]))
  })
}

/**
 * Asks for the encodings that are decoded, unless the program asked for others. Not for event streams: middleware that
 * compresses holds events back until its buffer is full.
 */
const accept = (request: HttpClientRequest.HttpClientRequest) => {
  if (request.headers["accept-encoding"] !== undefined) return request
  const isStream = request.headers.accept?.includes("text/event-stream") === true
  return HttpClientRequest.setHeader(request, "accept-encoding", isStream ? "identity" : "gzip, deflate, br")
}

/** Makes a client decode what its peers compress. */
export const decoding = (client: HttpClient.HttpClient): HttpClient.HttpClient =>
  HttpClient.mapRequest(HttpClient.transformResponse(client, Effect.map(decodeResponse)), accept)
