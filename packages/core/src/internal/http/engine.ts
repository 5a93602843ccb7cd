/** The path of a call, for every operation, edition and binding: encode, frame, exchange, unframe, decode, classify. */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import type * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as AgentError from "../../AgentError.ts"
import { AgentTransport } from "../../AgentTransport.ts"
import type * as Credentials from "../../Credentials.ts"
import type * as Protocol from "../../Dialect.ts"
import * as Operation from "../../Operation.ts"
import * as Recognizer from "../../Recognizer.ts"
import type * as StreamEvent from "../../StreamEvent.ts"
import type { Frame, HttpBinding, Limits } from "../binding.ts"
import * as Card from "../card/fetchCard.ts"
import { toReason } from "../protocol/failure.ts"
import * as Cursor from "../transport/lastEventId.ts"
import { oneAnswer } from "../transport/singleEvent.ts"
import * as Time from "../transport/timeouts.ts"
import * as Outcome from "../transport/uncertainSend.ts"
import * as EventStream from "./eventStream.ts"
import * as Exchange from "./exchange.ts"
import * as Json from "./json.ts"
import * as Observe from "./observe.ts"
import * as Echo from "./redactSecrets.ts"
import * as Request from "./request.ts"

type Reason = AgentError.AgentErrorReason

export interface Options {
  readonly url: string
  readonly protocol: Protocol.Protocol
  readonly tenant: string | undefined
  readonly agentCardUrl: string | undefined
  readonly client: HttpClient.HttpClient
  readonly credentials: Credentials.Credentials["Service"]
  readonly limits: Limits
}

const eventStreamType = "text/event-stream"
const jsonType = /^application\/(?:[\w.+-]+\+)?json$/

/** A codec by an operation's tag; the one place where the link between tag and types is lost to the compiler. */
const codecOf = (
  codecs: Protocol.Dialect["request"] | Protocol.Dialect["success"],
  operation: Operation.Any
): Protocol.Codec<unknown> | undefined => codecs[operation._tag as Operation.Tag] as never

const isOfTask = (request: unknown): boolean =>
  typeof request === "object" && request !== null && ("id" in request || "taskId" in request)

/** A request that is ready to be sent, in the ways there are. */
interface Prepared {
  readonly id: string
  readonly frames: Arr.NonEmptyReadonlyArray<Frame>
  readonly ofTask: boolean
  readonly dialect: string
}

/** Who is spoken to, and with what. Fails where the URL is none. */
const connect = (options: Options, protocolBinding: string): Result.Result<Exchange.Peer, AgentError.AgentError> =>
  Request.parseUrl(options.url).pipe(
    Result.mapError((reason) => new AgentError.AgentError({ operation: "connect", reason })),
    Result.map((base) => ({
      base,
      target: {
        url: options.url,
        protocolBinding,
        protocolVersion: options.protocol.version,
        ...(options.tenant === undefined ? undefined : { tenant: options.tenant })
      },
      protocol: options.protocol,
      client: options.client,
      credentials: options.credentials,
      maxResponseSize: options.limits.maxResponseSize
    }))
  )

const toError = (operation: string, { base }: Exchange.Peer) => (reason: Reason) =>
  new AgentError.AgentError({ operation, target: Request.publicUrl(base), reason })

/** What is known of a request before it is sent. */
const knownOf = (request: unknown): Observe.Known => {
  const { id, message, taskId } = request as {
    readonly id?: string
    readonly taskId?: string
    readonly message?: Observe.Known
  }
  return message === undefined ? { taskId: taskId ?? id } : message
}

/** What is known from an answer, or from the first event. */
const learn = (answer: unknown): Observe.Known => {
  const { _tag, contextId, id, taskId } = (answer ?? {}) as Observe.Known & {
    readonly _tag?: string
    readonly id?: string
  }
  return { taskId: _tag === "Task" ? id : taskId, contextId }
}

/** One request of a vendor's own, with the credentials and the refusals of a REST operation. */
export const request = Effect.fnUntraced(function*(
  options: Options & { readonly operation: string; readonly frame: Frame; readonly extensions: ReadonlyArray<string> }
) {
  const peer = yield* Effect.fromResult(connect(options, "HTTP+JSON"))
  return yield* Effect.gen(function*() {
    const response = yield* Exchange.execute(peer, options.frame, "application/json", {
      extensions: options.extensions
    })
    const answer = yield* Exchange.read(response, peer.maxResponseSize)
    const body = Result.getOrElse(answer.body, () => answer.text)
    const failure = peer.protocol.rest.failure.decode(body) ??
      (response.status >= 400 ? { message: `HTTP ${response.status}`, details: Json.snippet(answer.text) } : undefined)
    return failure === undefined
      ? body
      : yield* Effect.fail(yield* Exchange.refusal(failure, response, { ofTask: true, dialect: "JSON" }))
  }).pipe(within, Effect.mapError(toError(options.operation, peer)))
})

/** All of a call within its time. */
const within = <A, E, R>(self: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Time.CurrentTimeouts, ({ call }) => Time.within("call", call)(self))

export const make = Effect.fnUntraced(function*(options: Options & { readonly binding: HttpBinding }) {
  const { binding, limits, protocol } = options
  const peer = yield* Effect.fromResult(connect(options, binding.protocolBinding))
  const dialect = binding.dialect(protocol)
  const recognizers = [...protocol.recognizers, ...yield* Recognizer.Current]
  let lastId = 0

  const malformed = (message: string, issue: string) =>
    new AgentError.MalformedResponseError({ message, dialect: dialect.name, issue })

  /** The request as the edition writes it, in the ways the binding knows; nothing has been sent yet. */
  const prepare = (operation: Operation.Any, request: unknown): Result.Result<Prepared, Reason> => {
    const codec = codecOf(dialect.request, operation)
    const id = `req-${++lastId}`
    const named = options.tenant === undefined ? request : { tenant: options.tenant, ...(request as object) }
    if (codec === undefined) return Result.fail(notInProtocol(operation))
    const violations = check(operation, named)
    const body = violations === undefined ? codec.encode(named) : Result.fail(violations)
    if (Result.isFailure(body)) {
      return Result.fail(
        new AgentError.InvalidRequestError({ message: AgentError.describe(body.failure), violations: body.failure })
      )
    }
    const frames = binding.frame({ protocol, operation, body: body.success, id })
    return Arr.isReadonlyArrayNonEmpty(frames)
      ? Result.succeed({ id, frames, ofTask: isOfTask(request), dialect: dialect.name })
      : Result.fail(notInProtocol(operation))
  }

  const notInProtocol = (operation: Operation.Any) =>
    new AgentError.OperationNotInProtocolError({
      message: `A2A ${protocol.version} has no ${operation._tag} over ${binding.protocolBinding}`,
      protocolVersion: protocol.version
    })

  /** The result in an answer that is no stream, or its refusal. */
  const unframe = (answer: Exchange.Answer, id: string): Result.Result<unknown, Reason | Protocol.WireFailure> => {
    const { body, response, text } = answer
    if (Result.isSuccess(body)) return binding.unframe({ protocol, status: response.status, body: body.success, id })
    if (response.status >= 400) {
      return Result.fail({ message: Json.snippet(text) || `HTTP ${response.status}`, status: response.status })
    }
    return Result.fail(
      malformed(
        `the answer is not JSON but ${Exchange.mediaType(response) || "untyped"}: ${Json.snippet(text)}`,
        body.failure
      )
    )
  }

  /** Instead of a stream there may be one JSON answer, or a refusal; a list is what gateways make of a stream. */
  const isOneAnswer = ({ body, response }: Exchange.Answer) =>
    response.status >= 400 ||
    (jsonType.test(Exchange.mediaType(response)) && !(Result.isSuccess(body) && Array.isArray(body.success)))

  const notAStream = (response: HttpClientResponse.HttpClientResponse) => {
    const type = Exchange.mediaType(response)
    return malformed(`not an event stream but ${type || "untyped"}`, `content-type ${type}`)
  }

  const isReason = (failure: Reason | Protocol.WireFailure): failure is Reason => "_tag" in failure

  /** A peer that lacks the route says 404 or 405 and nothing of A2A. */
  const lacksRoute = (failure: Reason | Protocol.WireFailure, status: number) =>
    !isReason(failure) && failure.reason === undefined && failure.code === undefined &&
    (status === 404 || status === 405)

  /** Tries the frames in turn. Gives the head of a stream as it is, everything else read to its end and unframed. */
  const exchange = Effect.fnUntraced(function*(
    prepared: Prepared,
    accept: string,
    options?: Exchange.ExecuteOptions
  ) {
    for (const [index, frame] of prepared.frames.entries()) {
      const response = yield* Exchange.execute(peer, frame, accept, options)
      if (response.status < 400 && Exchange.mediaType(response) === eventStreamType) {
        return { response, stream: true } as const
      }
      const answer = yield* Exchange.read(response, limits.maxResponseSize)
      const result = accept === eventStreamType && !isOneAnswer(answer)
        ? Result.fail(notAStream(response))
        : unframe(answer, prepared.id)
      if (Result.isSuccess(result)) return { stream: false, json: result.success } as const
      if (index + 1 < prepared.frames.length && lacksRoute(result.failure, response.status)) continue
      return yield* Effect.fail(
        isReason(result.failure) ? result.failure : yield* Exchange.refusal(result.failure, response, prepared)
      )
    }
    return yield* Effect.die("unreachable: there is always a frame")
  })

  const decode = (operation: Operation.Any, json: unknown): Result.Result<unknown, Reason> => {
    const codec = codecOf(dialect.success, operation)
    if (codec === undefined) return Result.fail(notInProtocol(operation))
    const result = codec.decode(json)
    if (Result.isSuccess(result)) {
      return Result.succeed(Recognizer.apply(recognizers, result.success))
    }
    const issue = AgentError.describe(result.failure)
    return Result.fail(malformed(`the answer is not what ${dialect.name} prescribes: ${issue}`, issue))
  }

  const server = Observe.server(peer.base, peer.target)
  let agentName: string | undefined

  const observed = (operation: Operation.Any, request: unknown): Observe.Options => ({
    operation: operation._tag,
    server,
    known: { ...knownOf(request), agentName },
    learn
  })

  const failing = (operation: Operation.Any, request: unknown) => (reason: Reason) =>
    toError(operation._tag, peer)(Outcome.unknown(operation, request, reason))

  const card = Effect.map(Card.get(peer, options.agentCardUrl), (card) => {
    agentName = card.name
    return card
  })

  const call: AgentTransport["Service"]["call"] = (operation, request) =>
    (operation._tag === Operation.GetAgentCard._tag ? card : Effect.gen(function*() {
      const prepared = yield* Effect.fromResult(prepare(operation, request))
      const answer = yield* exchange(prepared, binding.accept(protocol))
      if (answer.stream) {
        yield* Exchange.release(answer.response)
        return yield* Effect.fail(malformed("a stream answers a call that has one answer", eventStreamType))
      }
      return yield* Effect.fromResult(decode(operation, answer.json))
    })).pipe(
      within,
      Effect.mapError(failing(operation, request)),
      Observe.call(observed(operation, request))
    ) as never

  const stream: AgentTransport["Service"]["stream"] = (operation, request) =>
    Stream.unwrap(Effect.gen(function*() {
      const timeouts = yield* Time.CurrentTimeouts
      const cursor = yield* Cursor.Current
      const opened = Stream.unwrap(Effect.gen(function*() {
        const prepared = yield* Effect.fromResult(prepare(operation, request))
        const lastEventId = operation._tag === Operation.SubscribeToTask._tag ? cursor?.lastEventId : undefined
        const answer = yield* exchange(prepared, eventStreamType, { lastEventId })
        return answer.stream
          ? events(operation, prepared, answer.response, cursor, timeouts)
          : oneAnswer(
            yield* Effect.fromResult(decode(operation, answer.json)) as Effect.Effect<StreamEvent.StreamEvent>
          )
      }))
      return opened.pipe(
        Time.life(timeouts.call),
        Stream.mapError(failing(operation, request)),
        Observe.stream(observed(operation, request))
      )
    })) as never

  const events = (
    operation: Operation.Any,
    prepared: Prepared,
    response: HttpClientResponse.HttpClientResponse,
    cursor: Cursor.Cursor | undefined,
    { silence }: Time.Timeouts
  ): Stream.Stream<StreamEvent.StreamEvent, Reason> => {
    const codec = codecOf(dialect.success, operation)
    const { status } = response
    return EventStream.decode({
      dialect: dialect.name,
      maxEventSize: limits.maxEventSize,
      grace: limits.grace,
      cursor,
      read: (data, event) => {
        const result = binding.unframe({ protocol, status, body: data, id: prepared.id, event })
        if (Result.isFailure(result)) return Result.fail(toReason(Echo.hide(result.failure, response), prepared))
        if (codec?.isKnown?.(result.success) === false) return Result.succeed(undefined)
        return decode(operation, result.success) as Result.Result<StreamEvent.StreamEvent, Reason>
      }
    })(Time.silence(silence)(response.stream))
  }

  return AgentTransport.of({ target: peer.target, call, stream })
})

/** Compiled once per operation, when it is first used. */
const checks = new Map<string, (request: unknown) => Result.Result<unknown, Schema.SchemaError>>()

/** What is wrong with a canonical request, member by member. */
const check = (operation: Operation.Any, request: unknown): ReadonlyArray<AgentError.Violation> | undefined => {
  let decode = checks.get(operation._tag)
  if (decode === undefined) {
    decode = Schema.decodeUnknownResult(Schema.toType(operation.request)) as never
    checks.set(operation._tag, decode!)
  }
  const result = decode!(request)
  return Result.isSuccess(result) ? undefined : [{ field: "", description: result.failure.message }]
}
