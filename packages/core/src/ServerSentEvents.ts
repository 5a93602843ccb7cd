/**
 * Streams as `text/event-stream` responses. The serving halves of the bindings are written with it.
 *
 * ```ts
 * import { AgentError, ServerHandler, ServerSentEvents } from "@effect-a2a/core"
 * import { Effect, Stream } from "effect"
 * import { HttpServerResponse } from "effect/http"
 *
 * const program = Effect.gen(function*() {
 *   const response = yield* ServerSentEvents.toResponse({
 *     events: Stream.make({ data: { text: "Hello" }, position: 3 }),
 *     encode: (event) => event,
 *     encodeFailure: (failure) => ({ message: failure.message }),
 *     refuse: (failure) => HttpServerResponse.jsonUnsafe({ message: failure.message }, { status: 400 })
 *   })
 *   return yield* Effect.promise(() => HttpServerResponse.toWeb(response).text())
 * })
 * await Effect.runPromise(Effect.scoped(program)) // => 'id: 3\ndata: {"text":"Hello"}\n\n'
 * ```
 *
 * @since 0.1.0
 * @stability unstable
 */
import type * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Option from "effect/Option"
import * as Pull from "effect/Pull"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { AgentErrorReason } from "./AgentError.ts"
import type { WireFailure } from "./Dialect.ts"
import * as ServerHandler from "./ServerHandler.ts"

/**
 * The interval at which a silent stream sends a comment, so that proxies and clients do not take the connection for
 * dead. Default: 15 seconds.
 */
export const CurrentHeartbeat = Context.Reference<Duration.Duration>(
  "@effect-a2a/core/ServerSentEvents/CurrentHeartbeat",
  { defaultValue: () => Duration.seconds(15) }
)

/** The events of a stream, and how they and its failures are written. */
export interface Options {
  /** The position of an event is the id of its frame. */
  readonly events: Stream.Stream<ServerHandler.Frame, AgentErrorReason>
  /** Returns the data of an event's frame. */
  readonly encode: (event: Schema.Json) => Schema.Json
  /** Returns the data of the frame that reports a failure. */
  readonly encodeFailure: (failure: WireFailure) => Schema.Json
  /** Returns the response if the stream fails before its first event. */
  readonly refuse: (failure: WireFailure) => HttpServerResponse.HttpServerResponse
}

// `no-transform` and `x-accel-buffering` keep proxies from holding frames back
const headers = { "cache-control": "no-cache, no-transform", "x-accel-buffering": "no" }

/**
 * Returns a response that sends each event as one frame. It begins with the first event, so that an earlier failure is a
 * response with its own status (`refuse`); if the first event takes longer than a heartbeat, it begins without it.
 * A later failure, and the end of the server (`ServerHandler.CurrentDrain`), is one `event: error` frame. `StreamInterruptedError` ends the response without one: the client sees a
 * dropped stream, which it may resume.
 */
export const toResponse = Effect.fnUntraced(function*(
  options: Options
): Effect.fn.Return<HttpServerResponse.HttpServerResponse, never, Scope.Scope> {
  const heartbeat = yield* CurrentHeartbeat
  const pull = yield* Stream.toPull(options.events)
  const first = yield* Effect.forkScoped(pull, { startImmediately: true })
  const early = first.pollUnsafe() ??
    Option.getOrUndefined(yield* Effect.timeoutOption(Fiber.await(first), heartbeat))
  if (early?._tag === "Failure" && !Pull.isDoneCause(early.cause)) {
    const reason = yield* ServerHandler.reasonOf(early.cause as Cause.Cause<AgentErrorReason>)
    return options.refuse(ServerHandler.fromReason(reason))
  }
  let isFirst = true
  const next = Effect.suspend(() => {
    const events = isFirst ? Fiber.join(first) : pull
    isFirst = false
    return Effect.map(events, (events) => [toText(events, options.encode)] as const)
  })
  const drain = yield* ServerHandler.CurrentDrain
  const beside = drain === undefined
    ? keepAlive(heartbeat)
    : Stream.merge(keepAlive(heartbeat), Stream.fromEffect(ServerHandler.failOnDrain(drain)))
  const body = Stream.fromPull(Effect.succeed(next)).pipe(
    Stream.merge(beside, { haltStrategy: "left" }),
    Stream.catchCause((cause) =>
      Stream.unwrap(Effect.map(ServerHandler.reasonOf(cause), (reason) =>
        reason._tag === "StreamInterruptedError"
          ? Stream.empty
          : Stream.succeed(toErrorText(options.encodeFailure(ServerHandler.fromReason(reason))))))
    ),
    Stream.encodeText
  )
  return HttpServerResponse.stream(body, { contentType: "text/event-stream", headers })
})

const toText = (events: ReadonlyArray<ServerHandler.Frame>, encode: Options["encode"]): string =>
  events.reduce<string>((text, { data, position }) => {
    const id = position === undefined ? "" : `id: ${position}\n`
    return `${text}${id}data: ${JSON.stringify(encode(data))}\n\n`
  }, "")

const toErrorText = (data: Schema.Json): string => `event: error\ndata: ${JSON.stringify(data)}\n\n`

const keepAlive = (heartbeat: Duration.Duration): Stream.Stream<string> =>
  Stream.tick(heartbeat).pipe(Stream.drop(1), Stream.map(() => ": keep-alive\n"))
