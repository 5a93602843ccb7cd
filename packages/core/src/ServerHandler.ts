/**
 * The server's side of a protocol version: JSON of a request in, JSON of the response out, over any
 * {@link AgentTransport}. Bindings add routes and envelopes; `RestServer` and `JsonRpcServer` are written with it.
 *
 * ```ts
 * import { AgentError, ServerHandler } from "@effect-a2a/core"
 * import { Duration } from "effect"
 *
 * const failure = ServerHandler.fromReason(
 *   AgentError.reason("RateLimitError", { message: "too many requests", retryAfter: Duration.seconds(3) })
 * )
 * failure.status // => 429
 * ServerHandler.toHeaders(failure) // => { "retry-after": "3" }
 * ```
 *
 * @since 0.1.0
 * @stability unstable
 */
import type * as Arr from "effect/Array"
import * as ByteSize from "effect/ByteSize"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Headers from "effect/http/Headers"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerError from "effect/http/HttpServerError"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as AgentError from "./AgentError.ts"
import type { AgentTransport } from "./AgentTransport.ts"
import type * as Authenticator from "./Authenticator.ts"
import type { Codec, Dialect, WireFailure } from "./Dialect.ts"
import * as EventPosition from "./EventPosition.ts"
import * as Wait from "./internal/errors/wait.ts"
import * as Json from "./internal/http/json.ts"
import * as Weight from "./internal/http/weight.ts"
import * as Failure from "./internal/protocol/failureWriters.ts"
import type * as Operation from "./Operation.ts"
import * as OriginPolicy from "./OriginPolicy.ts"
import * as Protocol from "./Protocol.ts"
import * as Recognizer from "./Recognizer.ts"
import * as ServiceParameters from "./ServiceParameters.ts"

/** One event of a stream in JSON, and its position in the log of its task if it is known. */
export interface Frame {
  readonly data: Schema.Json
  readonly position?: number | undefined
}

/** Runs operations on JSON. `body` is the request without its envelope. */
export interface ServerHandler {
  readonly call: (
    operation: Operation.Unary,
    body: unknown
  ) => Effect.Effect<Schema.Json, AgentError.AgentErrorReason>
  readonly stream: (
    operation: Operation.Streaming,
    body: unknown
  ) => Stream.Stream<Frame, AgentError.AgentErrorReason>
  /** Fails as `call` and `stream` would if the request does not match the dialect. */
  readonly check: (operation: Operation.Any, body: unknown) => Effect.Effect<void, AgentError.AgentErrorReason>
}

/** The place of a binding's routes, and the protocol versions they serve. */
export interface RouteOptions {
  /** Default: the root. */
  readonly path?: `/${string}` | undefined
  /** In order of preference. Default: {@link protocols}. */
  readonly protocols?: Arr.NonEmptyReadonlyArray<Protocol.Protocol> | undefined
}

/** The protocol versions that are served by default: 1.0 and 0.3. */
export const protocols: Arr.NonEmptyReadonlyArray<Protocol.Protocol> = [Protocol.v1_0, Protocol.v0_3]

/** Converts a reason to the failure that is written to the response. */
export const fromReason: (reason: AgentError.AgentErrorReason) => WireFailure = Failure.fromReason

/** Returns the headers of a response that reports `failure`, if they apply: `Allow`, `Retry-After`, `WWW-Authenticate`. */
export const toHeaders = ({ allow, challenge, retryAfter }: WireFailure): Record<string, string> => ({
  ...(allow === undefined ? undefined : { allow }),
  ...(retryAfter === undefined ? undefined : { "retry-after": String(Math.ceil(Wait.toSeconds(retryAfter))) }),
  ...(challenge === undefined ? undefined : { "www-authenticate": challenge })
})

const internalError = AgentError.reason("InternalError", { message: "internal error" })

/**
 * Returns the error that is sent to the caller. A defect is logged and becomes `orDefect`, so that none of its text
 * leaves the server. An interruption stays one.
 */
const errorOf = <E>(cause: Cause.Cause<E>, orDefect: E): Effect.Effect<E> => {
  const error = Cause.findErrorOption(cause)
  if (Option.isSome(error)) return Effect.succeed(error.value)
  return Cause.hasInterruptsOnly(cause) ? Effect.interrupt : Effect.as(Effect.logError(cause), orDefect)
}

/** Converts the cause of a failed operation to the reason that is sent to the caller. Defects are logged. */
export const reasonOf = (
  cause: Cause.Cause<AgentError.AgentErrorReason>
): Effect.Effect<AgentError.AgentErrorReason> => errorOf(cause, internalError)

/** Responds to every failure by `toResponse`. A defect is logged and reported as an internal error. */
export const catchToResponse = (toResponse: (failure: WireFailure) => HttpServerResponse.HttpServerResponse) =>
<R>(
  self: Effect.Effect<HttpServerResponse.HttpServerResponse, WireFailure, R>
): Effect.Effect<HttpServerResponse.HttpServerResponse, never, R> =>
  Effect.catchCause(self, (cause) => Effect.map(errorOf(cause, fromReason(internalError)), toResponse))

const invalidParams = (violations: ReadonlyArray<AgentError.Violation>) =>
  AgentError.reason("InvalidParamsError", { message: AgentError.describe(violations), violations })

const invalidResponse = (violations: ReadonlyArray<AgentError.Violation>) =>
  AgentError.reason("InvalidAgentResponseError", {
    message: `the agent's response cannot be encoded: ${AgentError.describe(violations)}`
  })

const decode = <Op extends Operation.Any>(
  dialect: Dialect,
  operation: Op,
  body: unknown,
  recognizers: ReadonlyArray<Recognizer.Recognizer>
): Result.Result<Operation.Request<Op>, AgentError.AgentErrorReason> => {
  const codec = dialect.request[operation._tag] as Codec<Operation.Request<Op>> | undefined
  return codec === undefined
    ? Result.fail(
      AgentError.reason("MethodNotFoundError", { message: `${dialect.name} has no operation ${operation._tag}` })
    )
    : Result.mapBoth(codec.decode(body), {
      onFailure: invalidParams,
      onSuccess: (request) => Recognizer.apply(recognizers, request)
    })
}

const encoder = <Op extends Operation.Any>(dialect: Dialect, operation: Op) => {
  const codec = dialect.success[operation._tag] as Codec<Operation.Success<Op>> | undefined
  return (value: Operation.Success<Op>): Result.Result<Schema.Json, AgentError.AgentErrorReason> =>
    codec === undefined
      ? Result.fail(invalidResponse([{ field: "", description: `${dialect.name} has no ${operation._tag}` }]))
      : Result.mapError(codec.encode(value), invalidResponse)
}

/** Encodes the events of a chunk; fails if one cannot be. */
const toFrames = <A extends object>(
  events: Arr.NonEmptyReadonlyArray<A>,
  encode: (event: A) => Result.Result<Schema.Json, AgentError.AgentErrorReason>
): Result.Result<Arr.NonEmptyReadonlyArray<Frame>, AgentError.AgentErrorReason> => {
  const frames: Array<Frame> = []
  for (const event of events) {
    const result = encode(event)
    if (Result.isFailure(result)) return Result.fail(result.failure)
    frames.push({ data: result.success, position: EventPosition.get(event) })
  }
  return Result.succeed(frames as unknown as Arr.NonEmptyReadonlyArray<Frame>)
}

/** The name of the dialect of the request that is served, such as `A2A 0.3 REST`; `undefined` in the same process. */
export const CurrentDialect = Context.Reference<string | undefined>(
  "@effect-a2a/core/ServerHandler/CurrentDialect",
  { defaultValue: () => undefined }
)

/**
 * Creates the handler of one dialect. Fails with `InvalidParamsError` if a request does not match the dialect, and with
 * `InvalidAgentResponseError` if the dialect cannot express what the agent returned. `recognizers` mark the parts of
 * requests; default: none.
 */
export const make = (
  dialect: Dialect,
  transport: AgentTransport["Service"],
  recognizers: ReadonlyArray<Recognizer.Recognizer> = []
): ServerHandler => ({
  check: (operation, body) => Effect.asVoid(Effect.fromResult(decode(dialect, operation, body, recognizers))),
  call: Effect.fnUntraced(function*(operation, body) {
    const request = yield* Effect.fromResult(decode(dialect, operation, body, recognizers))
    const call = transport.call(operation, request).pipe(
      Effect.mapError((error) => error.reason),
      Effect.provideService(CurrentDialect, dialect.name)
    )
    const drain = operation.kind === "send" ? yield* CurrentDrain : undefined
    const success = yield* drain === undefined ? call : Effect.raceFirst(call, failOnDrain(drain))
    return yield* Effect.fromResult(encoder(dialect, operation)(success))
  }),
  stream: (operation, body) =>
    Stream.unwrap(Effect.map(Effect.fromResult(decode(dialect, operation, body, recognizers)), (request) => {
      const encode = encoder(dialect, operation)
      return transport.stream(operation, request).pipe(
        Stream.mapError((error) => error.reason),
        Stream.provideService(CurrentDialect, dialect.name),
        Stream.mapArrayEffect((events) => Effect.fromResult(toFrames(events, encode)))
      )
    }))
})

/**
 * Completes when the server begins to shut down: sends that wait are refused with `ServiceUnavailableError`, and streams
 * end with it. Provided by whoever listens. Default: `undefined`, the server never says that it shuts down.
 */
export const CurrentDrain = Context.Reference<Effect.Effect<void> | undefined>(
  "@effect-a2a/core/ServerHandler/CurrentDrain",
  { defaultValue: () => undefined }
)

/** Fails when the drain completes. */
export const failOnDrain = (drain: Effect.Effect<void>): Effect.Effect<never, AgentError.AgentErrorReason> =>
  Effect.andThen(
    drain,
    Effect.fail(
      AgentError.reason("ServiceUnavailableError", {
        message: "the server is shutting down; try again",
        retryAfter: "1 second"
      })
    )
  )

/**
 * The most members and elements of a request's body, all levels together: in memory they take far more than their text.
 * Larger bodies are refused with HTTP 413 before they are parsed. Default: 500,000. Provide another number to the server's layer.
 */
export const CurrentMaxValues = Context.Reference<number>("@effect-a2a/core/ServerHandler/CurrentMaxValues", {
  defaultValue: () => 500_000
})

const tooLarge = (message: string): WireFailure => ({
  ...fromReason(AgentError.reason("InvalidParamsError", { message })),
  status: 413
})

/** The limit of bodies if no server has set one, as in a handler of the web standard. */
const defaultMaxBodySize = /*#__PURE__*/ ByteSize.mebibytes(16)

/**
 * Reads the JSON body of a request; an absent body, an empty one and `null` are the empty request. Fails if the body
 * cannot be read or is larger than `HttpIncomingMessage.MaxBodySize` (HTTP 413; default: 16 MiB), if it is not JSON, or if
 * its content type is not JSON: browsers send other types from any page without asking.
 */
export const readBody = Effect.fnUntraced(function*(
  request: HttpServerRequest.HttpServerRequest
): Effect.fn.Return<unknown, WireFailure> {
  const encoding = (request.headers["content-encoding"] ?? "identity").trim().toLowerCase()
  if (encoding !== "identity") {
    return yield* Effect.fail({
      ...fromReason(AgentError.reason("ContentTypeNotSupportedError", {
        message: `the body must not be compressed, and is ${encoding.slice(0, 100)}`
      })),
      status: 415
    })
  }
  const [mediaType = ""] = (request.headers["content-type"] ?? "").split(";")
  const type = mediaType.trim().toLowerCase()
  const maxSize = (yield* HttpIncomingMessage.MaxBodySize) ?? defaultMaxBodySize
  const text = yield* request.text.pipe(
    Effect.provideService(HttpIncomingMessage.MaxBodySize, maxSize),
    Effect.mapError(() => tooLarge("the body cannot be read, or is too large"))
  )
  if (text.trim() === "") return {}
  if (!/^application\/(?:[\w.+-]+\+)?json$/.test(type)) {
    const given = type === "" ? "without a content type" : type.slice(0, 100)
    return yield* Effect.fail(fromReason(
      AgentError.reason("ContentTypeNotSupportedError", { message: `the body must be application/json, not ${given}` })
    ))
  }
  const max = yield* CurrentMaxValues
  if (Weight.hasMoreValues(text, max)) {
    return yield* Effect.fail(tooLarge(`the body has more than ${max} members and elements: send less at once`))
  }
  const json = Json.parse(text)
  if (Result.isFailure(json)) {
    return yield* Effect.fail({
      ...fromReason(AgentError.reason("InvalidParamsError", { message: `the body is not JSON: ${json.failure}` })),
      code: -32700
    })
  }
  return json.success ?? {}
})

/**
 * Returns the protocol version that the request's `A2A-Version` names, as header or query parameter, without a patch
 * number; `undefined` if it is absent or empty.
 */
export const readVersion = (request: HttpServerRequest.HttpServerRequest): string | undefined => {
  const version = request.headers["a2a-version"] ??
    URL.parse(request.url, "http://localhost")?.searchParams.get("A2A-Version")
  return version === undefined || version === null || version === ""
    ? undefined
    : /^\d+\.\d+(?=\.\d+$)/.exec(version)?.[0] ?? version
}

const notAUrl = fromReason(
  AgentError.reason("InvalidParamsError", { message: "the request's target is not a URL" })
)

// what a URL parser removes or rewrites in a path: dot segments, backslashes, a fragment
const rewritten = /[\\#]|\/(?:\.|%2e){1,2}(?:\/|$)/i

/** Whether a request's path has the one spelling under which it is served. */
const isPlain = ({ originalUrl }: HttpServerRequest.HttpServerRequest) =>
  !rewritten.test(originalUrl.split("?", 1)[0] ?? "")

/**
 * Makes the function that returns the URL of a request below `mount`. It fails if the target is not a URL (HTTP 400) or not
 * below `mount` (404), and if `OriginPolicy` does not permit the request. The case of `mount` counts, and every slash,
 * whatever the router thinks, and dot segments are not resolved (404): a rule of a proxy for the path is not evaded.
 */
export const admit = (mount: string) => {
  const segments = mount.replace(/\/$/, "").split("/")
  return Effect.fnUntraced(function*(
    request: HttpServerRequest.HttpServerRequest
  ): Effect.fn.Return<URL, WireFailure> {
    const url = URL.parse(request.url, "http://localhost")
    if (url === null) return yield* Effect.fail(notAUrl)
    yield* Effect.mapError(OriginPolicy.check(request), fromReason)
    const path = url.pathname.split("/")
    const isBelow = segments.every((segment, index) => segment.startsWith(":") || segment === path[index])
    if (isBelow && isPlain(request)) return url
    return yield* Effect.fail({
      ...fromReason(AgentError.reason("MethodNotFoundError", { message: `nothing is served at ${url.pathname}` })),
      status: 404
    })
  })
}

/** Runs an authenticator on a request. Fails with its refusal; a defect is logged and becomes an internal error. */
export const authenticate = (
  authenticator: Authenticator.Authenticator,
  request: HttpServerRequest.HttpServerRequest
): Effect.Effect<Authenticator.Admission, WireFailure> =>
  Effect.catchCause(
    Effect.suspend(() => authenticator(request)),
    (cause) => Effect.flatMap(reasonOf(cause), (reason) => Effect.fail(fromReason(reason)))
  )

/** Runs an operation of an admitted request, if it may run it. */
export const authorize =
  ({ authorize, services }: Authenticator.Admission, operation: Operation.Any) =>
  <A, R>(self: Effect.Effect<A, WireFailure, R>): Effect.Effect<A, WireFailure, R> =>
    Effect.andThen(Effect.mapError(authorize(operation), fromReason), Effect.provideContext(self, services))

/** Returns the refusal of a method that has no route where others have (HTTP 405). `allowed`: those that have. */
export const methodNotAllowed = (
  { method, originalUrl }: HttpServerRequest.HttpServerRequest,
  allowed: ReadonlyArray<string>
): WireFailure => {
  // the query may contain a credential
  const path = URL.parse(originalUrl, "http://localhost")?.pathname
  const allow = allowed.join(", ")
  return {
    ...fromReason(
      AgentError.reason("MethodNotFoundError", { message: `${method} ${path} is not served: use ${allow}` })
    ),
    status: 405,
    allow
  }
}

/**
 * Answers with HTTP 405 if a path is requested by a method that has no route, which the router reports as an unknown path.
 * Routes of the application at the same path are served as before.
 */
export const layerAllow = (
  path: string,
  allowed: ReadonlyArray<string>
): Layer.Layer<never, never, HttpRouter.HttpRouter> =>
  HttpRouter.middleware(
    (effect) =>
      effect.pipe(Effect.catch((error) => {
        const request = requestOf(error)
        const isHere = request !== undefined && isPlain(request) &&
          URL.parse(request.originalUrl, "http://localhost")?.pathname === path
        return isHere ? Effect.succeed(toMethodRefusal(request, allowed)) : Effect.fail(error)
      })),
    { global: true }
  )

const toMethodRefusal = (request: HttpServerRequest.HttpServerRequest, allowed: ReadonlyArray<string>) => {
  const failure = methodNotAllowed(request, allowed)
  return HttpServerResponse.jsonUnsafe(Protocol.v1_0.http.failure.encode(failure).body, {
    status: 405,
    headers: toHeaders(failure)
  })
}

/** Returns the request that the router knows no route for, if that is the error. */
const requestOf = (error: unknown): HttpServerRequest.HttpServerRequest | undefined =>
  HttpServerError.isHttpServerError(error) && error.reason._tag === "RouteNotFound" ? error.reason.request : undefined

/** Returns the refusal of a version that is not served (`undefined`: the request named none). It lists `protocols`. */
export const versionNotSupported = (
  version: string | undefined,
  protocols: ReadonlyArray<Protocol.Protocol>
): WireFailure => {
  const supportedVersions = protocols.map(({ version }) => version)
  const problem = version === undefined ? "no A2A-Version, which means 0.3" : `A2A ${version} is not supported`
  return {
    ...fromReason(
      AgentError.reason("VersionNotSupportedError", {
        message: `${problem}; supported: ${supportedVersions.join(", ")}`
      })
    ),
    details: { supportedVersions: supportedVersions.join(",") }
  }
}

/**
 * The headers of the request that is served, in lower case, without `Authorization`, `Proxy-Authorization` and `Cookie`.
 * They are not among the `ServiceParameters`, which would travel on to agents that an executor calls. Default: none.
 */
export const CurrentHeaders = Context.Reference<Readonly<Record<string, string>>>(
  "@effect-a2a/core/ServerHandler/CurrentHeaders",
  { defaultValue: () => ({}) }
)

const credentialHeaders = ["authorization", "proxy-authorization", "cookie"]

/** Returns the headers of a request as {@link CurrentHeaders} has them, without those that `secret` names in lower case. */
export const readHeaders = (
  { headers }: HttpServerRequest.HttpServerRequest,
  secret: ReadonlyArray<string> = []
): Readonly<Record<string, string>> => Headers.removeMany(headers, [...credentialHeaders, ...secret])

/** The URIs of the extensions that are activated for the request that is served; `undefined` outside of a request. */
const CurrentActivated = Context.Reference<Ref.Ref<ReadonlyArray<string>> | undefined>(
  "@effect-a2a/core/ServerHandler/CurrentActivated",
  { defaultValue: () => undefined }
)

/**
 * Reports extensions as activated, in the `A2A-Extensions` header of the response to the request that is served (A2A
 * 1.0, "Extensions", Extension Activation). Those that the request does not ask for are left out. Has no effect once the head of the response is sent: with the
 * first event of a stream.
 */
export const activateExtensions = (uris: ReadonlyArray<string>): Effect.Effect<void> =>
  Effect.flatMap(
    CurrentActivated,
    (activated) => activated === undefined ? Effect.void : Ref.update(activated, (current) => [...current, ...uris])
  )

/**
 * Provides the extensions that the request asks for (`ServiceParameters.Current`), and its headers. The response names the
 * extensions that are activated.
 */
export const withServiceParameters = (request: HttpServerRequest.HttpServerRequest) => {
  // 0.3 has another name
  const name = request.headers["a2a-extensions"] === undefined ? "x-a2a-extensions" : "a2a-extensions"
  const requested = (request.headers[name] ?? "").split(",").map((uri) => uri.trim()).filter((uri) => uri !== "")
  return <E, R>(self: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
    Effect.gen(function*() {
      const activated = yield* Ref.make<ReadonlyArray<string>>([])
      const response = yield* self.pipe(
        Effect.provideService(ServiceParameters.Current, { extensions: requested, headers: {} }),
        Effect.provideService(CurrentHeaders, readHeaders(request)),
        Effect.provideService(CurrentActivated, activated)
      )
      const uris = yield* Ref.get(activated)
      const names = [...new Set(requested)].filter((uri) => uris.includes(uri))
      return names.length === 0 ? response : HttpServerResponse.setHeader(response, name, names.join(", "))
    })
}
