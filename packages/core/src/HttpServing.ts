/**
 * The serving half of a binding: what `RestServer` and `JsonRpcServer` have in common. Wire JSON in, wire JSON out, over
 * any {@link AgentTransport}, and answers as event streams.
 *
 * ```ts
 * import { AgentError, HttpServing } from "@effect-a2a/core"
 *
 * const failure = HttpServing.refusal(new AgentError.TaskNotFoundError({ message: "no such task" }))
 * failure.code // => -32001
 * ```
 *
 * @since 0.1.0
 * @stability unstable
 */
import type * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Option from "effect/Option"
import * as Pull from "effect/Pull"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as AgentError from "./AgentError.ts"
import type { AgentTransport } from "./AgentTransport.ts"
import * as Json from "./internal/http/json.ts"
import { fromReason } from "./internal/protocol/failure.ts"
import type * as Operation from "./Operation.ts"
import type * as Protocol from "./Protocol.ts"
import * as Recognizer from "./Recognizer.ts"
import * as ServiceParameters from "./ServiceParameters.ts"

/** Operations on wire JSON. Refusals are told as the wire tells them. */
export interface Handler {
  readonly call: (operation: Operation.Unary, body: unknown) => Effect.Effect<Schema.Json, Protocol.WireFailure>
  readonly stream: (operation: Operation.Streaming, body: unknown) => Stream.Stream<Schema.Json, Protocol.WireFailure>
}

/** A reason as a refusal. */
export const refusal: (reason: AgentError.AgentErrorReason) => Protocol.WireFailure = fromReason

/** What a refusal says in headers, whatever its body: how long to wait, and for want of which credentials. */
export const headers = ({ challenge, retryAfter }: Protocol.WireFailure): Record<string, string> => ({
  ...(retryAfter === undefined ? undefined : { "retry-after": String(Math.ceil(Duration.toSeconds(retryAfter))) }),
  ...(challenge === undefined ? undefined : { "www-authenticate": challenge })
})

/** What a caller is told: a refusal as it is; of a defect only that there was one, the rest is logged. */
const told = (cause: Cause.Cause<Protocol.WireFailure>): Effect.Effect<Protocol.WireFailure> => {
  const failure = Cause.findErrorOption(cause)
  if (failure._tag === "Some") return Effect.succeed(failure.value)
  return Cause.hasInterruptsOnly(cause)
    ? Effect.interrupt
    : Effect.as(Effect.logError(cause), refusal(new AgentError.InternalError({ message: "internal error" })))
}

/** An answer in any case: what went wrong as the binding tells it. */
export const answered = (refuse: (failure: Protocol.WireFailure) => HttpServerResponse.HttpServerResponse) =>
<R>(
  self: Effect.Effect<HttpServerResponse.HttpServerResponse, Protocol.WireFailure, R>
): Effect.Effect<HttpServerResponse.HttpServerResponse, never, R> =>
  Effect.catchCause(self, (cause) => Effect.map(told(cause), refuse))

const invalid = (violations: ReadonlyArray<AgentError.Violation>) =>
  refusal(new AgentError.InvalidParamsError({ message: AgentError.describe(violations), violations }))

const notExpressible = (violations: ReadonlyArray<AgentError.Violation>) =>
  refusal(
    new AgentError.InvalidAgentResponseError({
      message: `the agent's answer cannot be written: ${AgentError.describe(violations)}`
    })
  )

/** A transport behind a dialect. The parts of requests are marked by `recognizers` (default: none). */
export const handler = (
  dialect: Protocol.Dialect,
  transport: AgentTransport["Service"],
  recognizers: ReadonlyArray<Recognizer.Recognizer> = []
): Handler => {
  const decode = (operation: Operation.Any, body: unknown): Result.Result<never, Protocol.WireFailure> => {
    const codec = dialect.request[operation._tag as Operation.Tag]
    return codec === undefined
      ? Result.fail(
        refusal(new AgentError.MethodNotFoundError({ message: `${dialect.name} has no ${operation._tag}` }))
      )
      : Result.mapBoth(codec.decode(body), {
        onFailure: invalid,
        onSuccess: (request) => Recognizer.apply(recognizers, request)
      }) as Result.Result<never, Protocol.WireFailure>
  }
  const encode = (operation: Operation.Any) => {
    const codec = dialect.success[operation._tag as Operation.Tag] as Protocol.Codec<unknown> | undefined
    return (value: unknown): Result.Result<Schema.Json, Protocol.WireFailure> =>
      codec === undefined
        ? Result.fail(notExpressible([{ field: "", description: `no ${operation._tag} in ${dialect.name}` }]))
        : Result.mapError(codec.encode(value), notExpressible)
  }
  const toFailure = (error: AgentError.AgentError) => refusal(error.reason)
  return {
    call: Effect.fnUntraced(function*(operation, body) {
      const request = yield* Effect.fromResult(decode(operation, body))
      const answer = yield* transport.call(operation, request).pipe(Effect.mapError(toFailure))
      return yield* Effect.fromResult(encode(operation)(answer))
    }),
    stream: (operation, body) =>
      Stream.unwrap(Effect.map(Effect.fromResult(decode(operation, body)), (request) => {
        const encodeEvent = encode(operation)
        return transport.stream(operation, request).pipe(
          Stream.mapError(toFailure),
          Stream.mapArrayEffect((events) => Effect.fromResult(all(events, encodeEvent)))
        )
      }))
  }
}

const all = <A, B, E>(
  values: Arr.NonEmptyReadonlyArray<A>,
  f: (value: A) => Result.Result<B, E>
): Result.Result<Arr.NonEmptyReadonlyArray<B>, E> => {
  const results: Array<B> = []
  for (const value of values) {
    const result = f(value)
    if (Result.isFailure(result)) return Result.fail(result.failure)
    results.push(result.success)
  }
  return Result.succeed(results as unknown as Arr.NonEmptyReadonlyArray<B>)
}

/** How often a silent stream sends a comment, so that nothing between takes it for dead (default 15 s). */
export const CurrentHeartbeat = Context.Reference<Duration.Duration>("@effect-a2a/core/HttpServing/CurrentHeartbeat", {
  defaultValue: () => Duration.seconds(15)
})

/** A stream that broke off breaks off for those behind it too: no refusal, and it may be taken up again. */
const brokenOff = refusal(new AgentError.StreamInterruptedError({ message: "" })).reason

const eventStreamHeaders = {
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no"
}

/**
 * Events as `text/event-stream`. The first event is awaited, so that a refusal before it is an answer of its own
 * (`refuse`); after it a failure is one `event: error` frame, and an interruption just an end. A comment line keeps a
 * silent stream alive, and one whose first event takes longer than a heartbeat begins without it.
 */
export const eventStream = Effect.fnUntraced(function*(options: {
  readonly events: Stream.Stream<Schema.Json, Protocol.WireFailure>
  /** An event as it goes into its frame. */
  readonly frame: (event: Schema.Json) => Schema.Json
  /** A failure as it goes into its frame. */
  readonly fail: (failure: Protocol.WireFailure) => Schema.Json
  readonly refuse: (failure: Protocol.WireFailure) => HttpServerResponse.HttpServerResponse
}): Effect.fn.Return<HttpServerResponse.HttpServerResponse, never, Scope.Scope> {
  const heartbeat = yield* CurrentHeartbeat
  const pull = yield* Stream.toPull(options.events)
  const text = (events: ReadonlyArray<Schema.Json>) =>
    events.reduce<string>((text, event) => `${text}data: ${JSON.stringify(options.frame(event))}\n\n`, "")
  const respond = (body: Stream.Stream<string, Protocol.WireFailure>) =>
    HttpServerResponse.stream(
      body.pipe(
        Stream.catchCause((cause) =>
          Stream.unwrap(Effect.map(told(cause), (failure) =>
            failure.reason === brokenOff
              ? Stream.empty
              : Stream.succeed(`event: error\ndata: ${JSON.stringify(options.fail(failure))}\n\n`)))
        ),
        Stream.merge(Stream.tick(heartbeat).pipe(Stream.drop(1), Stream.map(() => ": keep-alive\n")), {
          haltStrategy: "left"
        }),
        Stream.encodeText
      ),
      { contentType: "text/event-stream", headers: eventStreamHeaders }
    )
  const first = yield* Effect.forkScoped(pull, { startImmediately: true })
  const early = first.pollUnsafe() ??
    Option.getOrUndefined(yield* Effect.timeoutOption(Fiber.await(first), heartbeat))
  if (early?._tag === "Failure" && !Pull.isDoneCause(early.cause)) {
    return options.refuse(yield* told(early.cause as Cause.Cause<Protocol.WireFailure>))
  }
  let isFirst = true
  const next = Effect.suspend(() => {
    const events = isFirst ? Fiber.join(first) : pull
    isFirst = false
    return Effect.map(events, (events) => [text(events)] as const)
  })
  return respond(Stream.fromPull(Effect.succeed(next)))
})

/** A JSON body: absent, empty and `null` are the empty request. */
export const body = Effect.fnUntraced(function*(
  request: HttpServerRequest.HttpServerRequest
): Effect.fn.Return<unknown, Protocol.WireFailure> {
  const type = (request.headers["content-type"] ?? "").split(";")[0]!.trim().toLowerCase()
  const text = yield* request.text.pipe(Effect.mapError(() => ({
    ...refusal(new AgentError.InvalidParamsError({ message: "the body cannot be read, or is too large" })),
    status: 413
  })))
  if (text.trim() === "") return {}
  if (type !== "" && !/^application\/(?:[\w.+-]+\+)?json$/.test(type)) {
    return yield* Effect.fail(
      refusal(
        new AgentError.ContentTypeNotSupportedError({ message: `the body must be application/json, not ${type}` })
      )
    )
  }
  const json = Json.parse(text)
  if (Result.isFailure(json)) {
    return yield* Effect.fail({
      ...refusal(new AgentError.InvalidParamsError({ message: `the body is not JSON: ${json.failure}` })),
      code: -32700
    })
  }
  return json.success ?? {}
})

/** The version a request names, in its header or its query: major and minor only. Absent and empty are `undefined`. */
export const version = (request: HttpServerRequest.HttpServerRequest): string | undefined => {
  const named = request.headers["a2a-version"] ??
    new URL(request.url, "http://localhost").searchParams.get("A2A-Version")
  return named === null || named === "" ? undefined : /^\d+\.\d+(?=\.\d+$)/.exec(named)?.[0] ?? named
}

/** What came beside a request is ambient for whatever answers it: the extensions that were asked for. */
export const withParameters =
  (request: HttpServerRequest.HttpServerRequest) => <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
    const named = request.headers["a2a-extensions"] ?? request.headers["x-a2a-extensions"] ?? ""
    const extensions = named.split(",").map((uri) => uri.trim()).filter((uri) => uri !== "")
    return Effect.provideService(self, ServiceParameters.Current, { extensions, headers: {} })
  }

/** The refusal of a version that is not served, which lists those that are. */
export const versionNotSupported = (
  named: string | undefined,
  protocols: ReadonlyArray<Protocol.Protocol>
): Protocol.WireFailure => {
  const supported = protocols.map(({ version }) => version)
  const what = named === undefined ? "no A2A-Version, which means 0.3" : `A2A ${named} is not supported`
  return {
    ...refusal(new AgentError.VersionNotSupportedError({ message: `${what}; supported: ${supported.join(", ")}` })),
    details: { supportedVersions: supported.join(",") }
  }
}
