/**
 * The path of a call, for every operation, protocol version and binding: prepare, exchange, read, decode, classify.
 * Tested in `test/engine` and, for every combination, in `test/peers`.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as Struct from "effect/Struct"
import type { AgentCard } from "../../AgentCard.ts"
import * as AgentError from "../../AgentError.ts"
import type { CardVerifier } from "../../CardVerifier.ts"
import type { ClientDialect, Decoder, WireFailure } from "../../Dialect.ts"
import type { HttpBinding, HttpRequest, Limits } from "../../HttpBinding.ts"
import * as HttpPeer from "../../HttpPeer.ts"
import type { TaskId } from "../../Id.ts"
import * as Operation from "../../Operation.ts"
import * as Recognizer from "../../Recognizer.ts"
import type * as StreamEvent from "../../StreamEvent.ts"
import type { Task } from "../../Task.ts"
import * as TaskProgress from "../../TaskProgress.ts"
import * as TaskState from "../../TaskState.ts"
import * as Timeouts from "../../Timeouts.ts"
import type { Transport } from "../../Transport.ts"
import * as Card from "../card/fetchCard.ts"
import * as Origins from "../card/origins.ts"
import { withDelivery } from "../errors/sendDelivery.ts"
import { toReason } from "../protocol/failure.ts"
import * as LastEventId from "../transport/lastEventId.ts"
import { singleEvent } from "../transport/singleEvent.ts"
import * as StreamEnd from "../transport/streamEnd.ts"
import * as EventStream from "./eventStream.ts"
import * as Json from "./json.ts"
import type { ObservedAgent, Observer } from "./observation.ts"
import * as Observe from "./observe.ts"
import * as Prepare from "./prepare.ts"
import * as Refusal from "./refusal.ts"
import * as Sse from "./sse.ts"
import * as Unexpected from "./unexpected.ts"

type Reason = AgentError.AgentErrorReason
type Failure = Reason | WireFailure

/** An agent's interface, and how to speak to it. */
interface Connection {
  readonly peer: HttpPeer.A2aPeer
  readonly binding: HttpBinding
  readonly dialect: ClientDialect
  readonly limits: Limits
  readonly recognizers: ReadonlyArray<Recognizer.Recognizer>
  /** By operation, the index of the request that this peer knows if it is not the first one. */
  readonly knownRequests: Map<string, number>
  readonly observed: ObservedAgent
}

const eventStreamType = "text/event-stream"
const jsonType = /^application\/(?:[\w.+-]+\+)?json$/

const isReason = (failure: Failure): failure is Reason => "_tag" in failure

const toError = (operation: string, peer: HttpPeer.HttpPeer) => (reason: Reason) =>
  new AgentError.AgentError({ operation, target: HttpPeer.publicUrl(peer), reason })

const toMalformed = ({ dialect }: Connection, message: string, issue: string) =>
  new AgentError.MalformedResponseError({ message, dialect: dialect.name, issue })

const contextOf = ({ dialect }: Connection, { ofTask }: Prepare.Prepared) => ({ ofTask, dialect: dialect.name })

/** Returns the result of a response that is not a stream, or its refusal. */
const fromResponse = (
  self: Connection,
  received: HttpPeer.Received,
  { body, text }: HttpPeer.JsonResponse,
  id: string
): Result.Result<unknown, Failure> => {
  const { status } = received.response
  if (Result.isSuccess(body)) {
    return self.binding.fromResponse({ protocol: self.peer.protocol, status, body: body.success, id })
  }
  const frame = status >= 400 ? Result.flatMap(Sse.firstData(text), Json.parse) : body
  if (Result.isSuccess(frame)) {
    return self.binding.fromResponse({ protocol: self.peer.protocol, status, body: frame.success, id })
  }
  if (status >= 400) return Result.fail({ message: Json.snippet(received.redact(text)) || `HTTP ${status}`, status })
  const dialect = self.dialect.name
  return Result.fail(Unexpected.make({ received, text, expected: "JSON", dialect, issue: body.failure }))
}

/** True for one JSON response, or a refusal, in place of a stream. Some gateways turn a stream into a JSON list. */
const isSingle = ({ body, response }: HttpPeer.JsonResponse) =>
  response.status >= 400 ||
  (jsonType.test(HttpPeer.mediaType(response)) && !(Result.isSuccess(body) && Array.isArray(body.success)))

const notAStream = (self: Connection, received: HttpPeer.Received, text: string) => {
  const issue = `content-type ${HttpPeer.mediaType(received.response)}`
  return Unexpected.make({ received, text, expected: "an event stream", dialect: self.dialect.name, issue })
}

/** True if the peer refuses without a word of A2A. */
const isBare = (failure: Failure): failure is WireFailure =>
  !isReason(failure) && failure.reason === undefined && failure.code === undefined

/** True for a 405, and for the bare 404 of a peer without the route; an A2A error says more. */
const lacksRoute = (failure: Failure, status: number) => status === 405 || (status === 404 && isBare(failure))

/** Says which route is missing, since a bare 404 says nothing: the URL may be that of another binding. */
const explain = (failure: WireFailure, { method }: HttpRequest, { response, url }: HttpPeer.Received) => {
  const { status } = response
  const words = failure.message === `HTTP ${status}` ? "" : `; it says: ${failure.message}`
  const message = `no ${method} ${url} (HTTP ${status}): is it the URL of another binding or protocol version?${words}`
  return { ...failure, message }
}

const toRefusal = (
  self: Connection,
  prepared: Prepare.Prepared,
  request: HttpRequest,
  received: HttpPeer.Received,
  failure: Failure
): Effect.Effect<Reason> => {
  if (isReason(failure)) return Effect.succeed(failure)
  const { status } = received.response
  const isRoute = isBare(failure) && (status === 405 || (status === 404 && !prepared.ofTask))
  const explained = isRoute ? explain(failure, request, received) : failure
  return Refusal.fromResponse(explained, received, contextOf(self, prepared))
}

interface Exchanged {
  readonly received: HttpPeer.Received
  /** The result of a response that was read to its end; absent from an open stream. */
  readonly json?: unknown
}

type ReadTask = EventStream.Options["readTask"]

/** What has arrived of a stream. */
interface Progress {
  hasBegun: boolean
}

/** Tries the requests in turn. Returns an open stream, or the result of a response that was read to its end. */
const exchange = (
  self: Connection,
  prepared: Prepare.Prepared,
  accept: string,
  lastEventId?: string | undefined
): Effect.Effect<Exchanged, Reason> => {
  const { operation, requests } = prepared
  const known = self.knownRequests.get(operation._tag) ?? 0
  const order = [known, ...requests.map((_, index) => index).filter((index) => index !== known)]

  const attempt = (turn: number): Effect.Effect<Exchanged, Reason> =>
    Effect.gen(function*() {
      const index = order[turn] ?? 0
      const remember = () => turn > 0 && self.knownRequests.set(operation._tag, index)
      const request = requests[index] ?? requests[0]
      const received = yield* HttpPeer.exchange(self.peer, request, accept, { lastEventId }).pipe(self.observed.within)
      const { response } = received
      if (response.status < 400 && HttpPeer.mediaType(response) === eventStreamType) {
        remember()
        return { received }
      }
      const body = yield* HttpPeer.read(response, self.limits.maxResponseSize).pipe(
        Effect.mapError(Unexpected.locate(received))
      )
      const result = accept === eventStreamType && !isSingle(body)
        ? Result.fail(notAStream(self, received, body.text))
        : fromResponse(self, received, body, prepared.id)
      if (Result.isFailure(result) && lacksRoute(result.failure, response.status)) {
        if (turn + 1 < order.length) return yield* attempt(turn + 1)
      } else remember()
      if (Result.isSuccess(result)) return { json: result.success, received }
      const reason = yield* toRefusal(self, prepared, request, received, result.failure)
      return yield* Effect.fail(Unexpected.locate(received)(reason))
    })
  return attempt(0)
}

/** Removes secrets from what a task says that did not succeed, since it becomes an error; its artifacts stay. */
const redactFailed = ({ redact }: HttpPeer.Received, result: unknown): unknown => {
  const task = result as Task | undefined
  return task?.status !== undefined && TaskState.isUnsuccessful(task.status.state)
    ? { ...task, ...redact(Struct.omit(task, ["artifacts", "history"])) }
    : result
}

const decode = (self: Connection, operation: Operation.Any, json: unknown): Result.Result<unknown, Reason> => {
  const codec: Decoder<unknown> | undefined = self.dialect.success[operation._tag]
  if (codec === undefined) return Result.fail(Prepare.notInProtocol(self.binding, self.peer.protocol, operation))
  const result = codec.decode(json)
  if (Result.isSuccess(result)) return Result.succeed(Recognizer.apply(self.recognizers, result.success))
  const issue = AgentError.describe(result.failure)
  return Result.fail(toMalformed(self, `the response does not match ${self.dialect.name}: ${issue}`, issue))
}

/** Decodes the result of a response that was read to its end. */
const decodeResult = (self: Connection, operation: Operation.Any, { json, received }: Exchanged) => {
  const result = Result.mapBoth(decode(self, operation, json), {
    onSuccess: (success) => redactFailed(received, success),
    onFailure: Unexpected.locate(received)
  })
  return operation._tag === "GetExtendedAgentCard"
    ? Result.map(result, (card) => Origins.addSource(card as AgentCard, self.peer.base.origin))
    : result
}

/** Decodes a result, an extended card from what the verifier trusts of it. */
const decodeVerified = (
  self: Connection,
  operation: Operation.Any,
  exchanged: Exchanged,
  verifier: CardVerifier | undefined
): Effect.Effect<unknown, Reason> => {
  const read = (json: unknown) => Effect.fromResult(decodeResult(self, operation, { ...exchanged, json }))
  return verifier === undefined || operation._tag !== "GetExtendedAgentCard"
    ? read(exchanged.json)
    : read(exchanged.json).pipe(
      Effect.andThen(
        verifier.verify(exchanged.json, { url: exchanged.received.url }).pipe(
          Effect.mapError(exchanged.received.redact)
        )
      ),
      Effect.flatMap(read)
    )
}

/** Returns what decides the end of a stream, by how it was opened. */
const endOf = (operation: Operation.Streaming, request: object): StreamEnd.StreamEnd => {
  const { id, message } = request as { readonly id?: TaskId; readonly message?: { readonly taskId?: TaskId } }
  return operation._tag === "SubscribeToTask" ? StreamEnd.make("subscribe", id) : StreamEnd.ofMessage(message ?? {})
}

/** Reads the events of an open stream. */
const events = (
  self: Connection,
  operation: Operation.Streaming,
  prepared: Prepare.Prepared,
  received: HttpPeer.Received,
  options: Pick<EventStream.Options, "cursor" | "end" | "readTask">,
  progress: Progress
): Stream.Stream<StreamEvent.StreamEvent, Reason> => {
  const codec: Decoder<unknown> | undefined = self.dialect.success[operation._tag]
  const { protocol } = self.peer
  const { response } = received
  let isFinal: boolean | undefined
  return EventStream.decode({
    ...options,
    isFinal: () => isFinal,
    dialect: self.dialect.name,
    maxEventSize: self.limits.maxEventSize,
    trailingSnapshotTimeout: Duration.fromInputUnsafe(self.limits.trailingSnapshotTimeout),
    read: (body, event) => {
      const { status } = response
      const result = self.binding.fromResponse({ protocol, status, body, id: prepared.id, event })
      if (Result.isFailure(result)) {
        return Result.fail(toReason(result.failure, contextOf(self, prepared)))
      }
      if (codec?.isKnown?.(result.success) === false) return Result.succeed(undefined)
      isFinal = codec?.isFinal?.(result.success)
      const decoded = Result.map(
        decode(self, operation, result.success),
        (event) => redactFailed(received, event) as StreamEvent.StreamEvent
      )
      progress.hasBegun ||= Result.isSuccess(decoded)
      return decoded
    }
  })(Timeouts.withIdle(self.observed.markFirstByte(response.stream))).pipe(Stream.mapError(Unexpected.locate(received)))
}

/** Returns the task that the events of its subscription make, for agents whose `GetTask` leaves its answer out. */
const foldTask = (events: Stream.Stream<StreamEvent.StreamEvent, Reason>, id: TaskId) => {
  const progress = TaskProgress.make()
  return events.pipe(
    Stream.takeUntil((event) => StreamEnd.asksForInput(id, event)),
    Stream.runForEachArray((events) => Effect.sync(() => TaskProgress.addAll(progress, events))),
    Effect.map(() => TaskProgress.task(progress))
  )
}

/** Returns the one response in place of a stream, as its only event. */
const single = (self: Connection, operation: Operation.Streaming, exchanged: Exchanged, progress: Progress) =>
  Effect.map(Effect.fromResult(decodeResult(self, operation, exchanged)), (event) => {
    progress.hasBegun = true
    return singleEvent(event as StreamEvent.StreamEvent)
  })

/** Makes a transport to an agent's interface. */
export const make = (options: {
  readonly peer: HttpPeer.A2aPeer
  readonly binding: HttpBinding
  readonly limits: Limits
  readonly agentCardUrl: string | undefined
  /** Those of the application, in addition to the protocol's. */
  readonly recognizers: ReadonlyArray<Recognizer.Recognizer>
  readonly observer: Observer | undefined
  readonly agentName: string | undefined
  readonly cardVerifier: CardVerifier | undefined
}): Transport => {
  const { binding, cardVerifier, limits, peer } = options
  const recognizers = [...peer.protocol.recognizers, ...options.recognizers]
  const dialect = binding.dialect(peer.protocol)
  const observed = Observe.agent(options.observer, peer, options.agentName)
  const self: Connection = { peer, binding, limits, recognizers, knownRequests: new Map(), dialect, observed }
  const prepare = Prepare.make({ binding, protocol: peer.protocol, tenant: peer.target.tenant })

  const failing = (operation: Operation.Any, request: object, progress?: Progress) => (reason: Reason) =>
    toError(operation._tag, peer)(withDelivery(operation, request, reason, progress?.hasBegun === true))

  const card = observed.within(Card.get(peer, options.agentCardUrl, cardVerifier))

  const callOnce = (operation: Operation.Unary, request: object): Effect.Effect<unknown, Reason> =>
    operation._tag === "GetAgentCard" ? card : Effect.gen(function*() {
      const prepared = yield* Effect.fromResult(prepare(operation, request))
      const exchanged = yield* exchange(self, prepared, binding.accept(peer.protocol))
      if ("json" in exchanged) return yield* decodeVerified(self, operation, exchanged, cardVerifier)
      yield* HttpPeer.release(exchanged.received.response)
      const reason = toMalformed(self, "expected one response, got an event stream", eventStreamType)
      return yield* Effect.fail(Unexpected.locate(exchanged.received)(reason))
    })

  const getTask: ReadTask = (id) => Effect.map(callOnce(Operation.GetTask, { id }), (task) => task as Task)

  const followTask: ReadTask = (id) =>
    Effect.flatMap(
      foldTask(open(Operation.SubscribeToTask, { id }, { hasBegun: false }, getTask), id),
      (task) => task === undefined ? getTask(id) : Effect.succeed(task)
    )
  const readTask = peer.protocol.traits?.getReturnsAnswer === false ? followTask : getTask

  const open = (
    operation: Operation.Streaming,
    request: object,
    progress: Progress,
    read: ReadTask = readTask
  ): Stream.Stream<StreamEvent.StreamEvent, Reason> =>
    Stream.unwrap(Effect.gen(function*() {
      const cursor = yield* LastEventId.Current
      const prepared = yield* Effect.fromResult(prepare(operation, request))
      const lastEventId = cursor && LastEventId.begin(cursor, operation._tag === "SubscribeToTask")
      const exchanged = yield* exchange(self, prepared, eventStreamType, lastEventId)
      if ("json" in exchanged) return yield* single(self, operation, exchanged, progress)
      const options = { cursor, readTask: read, end: endOf(operation, request) }
      return events(self, operation, prepared, exchanged.received, options, progress)
    }))

  return {
    target: peer.target,
    traits: peer.protocol.traits,
    call: <Op extends Operation.Unary>(operation: Op, request: Operation.Request<Op>) =>
      callOnce(operation, request).pipe(
        Timeouts.withTotal,
        Effect.mapError(failing(operation, request)),
        observed.call(operation, request)
      ) as Effect.Effect<Operation.Success<Op>, AgentError.AgentError>,
    stream: (operation, request) =>
      Stream.suspend(() => {
        const progress = { hasBegun: false }
        return open(operation, request, progress).pipe(
          Timeouts.withStreamTotal,
          Stream.mapError((reason) => failing(operation, request, progress)(reason)),
          observed.stream(operation, request)
        )
      })
  }
}

/** Sends one JSON request that is not an operation, with the credentials and the refusals of one. */
export const request = (options: {
  readonly peer: HttpPeer.A2aPeer
  readonly operation: string
  readonly request: HttpRequest
  readonly extensions?: ReadonlyArray<string> | undefined
}): Effect.Effect<unknown, AgentError.AgentError> => {
  const { extensions, operation, peer } = options
  return Effect.gen(function*() {
    const received = yield* HttpPeer.exchange(peer, options.request, "application/json", { extensions })
    const { body, text } = yield* HttpPeer.read(received.response, peer.maxResponseSize)
    const { status } = received.response
    const value = Result.getOrElse(body, () => text)
    const failure = peer.protocol.http.failure.decode(value) ??
      (status >= 400 ? { message: `HTTP ${status}`, details: Json.snippet(text) } : undefined)
    return failure === undefined
      ? value
      : yield* Effect.fail(yield* Refusal.fromResponse(failure, received, { ofTask: true, dialect: operation }))
  }).pipe(Timeouts.withTotal, Effect.mapError(toError(operation, peer)))
}
