/**
 * Decodes bytes to events: UTF-8, SSE, JSON, envelope, dialect, one pull per network chunk and one array per pull. A
 * stream succeeds only after a settled state or a message. Tested in `test/engine/streamEnd.test.ts`.
 */
import type * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Sse from "effect/encoding/Sse"
import type * as HttpClientError from "effect/http/HttpClientError"
import * as Pull from "effect/Pull"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as AgentError from "../../AgentError.ts"
import { connectionError } from "../../HttpPeer.ts"
import type { TaskId } from "../../Id.ts"
import type * as StreamEvent from "../../StreamEvent.ts"
import type { Task } from "../../Task.ts"
import * as TaskState from "../../TaskState.ts"
import * as LastEventId from "../transport/lastEventId.ts"
import * as StreamEnd from "../transport/streamEnd.ts"
import * as BodyParser from "./bodyParser.ts"
import * as Json from "./json.ts"

type Reason = AgentError.AgentErrorReason
type Events = Arr.NonEmptyReadonlyArray<StreamEvent.StreamEvent>
type Next = Effect.Effect<Events, Reason | Cause.Done>
type Texts = Pull.Pull<Arr.NonEmptyReadonlyArray<string>, HttpClientError.HttpClientError | AgentError.TimeoutError>

export interface Options {
  /** Decodes one SSE event; `undefined` skips it. */
  readonly read: (data: unknown, event: string) => Result.Result<StreamEvent.StreamEvent | undefined, Reason>
  /** Returns the end mark of the event that was read last, if it has one. */
  readonly isFinal: () => boolean | undefined
  /** Decides when the stream ends; events are added to it. */
  readonly end: StreamEnd.StreamEnd
  /** Reads the task, if the peer ends the stream although the task has not settled. */
  readonly readTask: (taskId: TaskId) => Effect.Effect<Task, Reason>
  readonly dialect: string
  /** Characters of one event, at most. */
  readonly maxEventSize: number
  /** How long to wait for a last snapshot after the end of a task. */
  readonly trailingSnapshotTimeout: Duration.Duration
  /** Keeps the ids of events. */
  readonly cursor: LastEventId.Cursor | undefined
}

/** True for heartbeats sent as events, and for the end mark that gateways for language models add to every stream. */
const isPadding = (data: string): boolean => data.trim() === "" || data === "[DONE]"

const toMalformed = ({ dialect }: Options, event: Sse.Event, issue: string): Reason =>
  new AgentError.MalformedResponseError({
    message: `an event is not JSON: ${Json.snippet(event.data)}`,
    dialect,
    issue
  })

const tooLarge = ({ maxEventSize }: Options): Reason =>
  new AgentError.ResponseTooLargeError({
    message: `an event is larger than ${maxEventSize} characters`,
    maxLength: maxEventSize
  })

const readEvent = (
  options: Options,
  event: Sse.Event
): Result.Result<StreamEvent.StreamEvent | undefined, Reason> => {
  // the parser limits what it buffers, not what arrives whole in one chunk
  if (event.data.length > options.maxEventSize) return Result.fail(tooLarge(options))
  if (event.event !== "error" && isPadding(event.data)) return Result.succeed(undefined)
  const json = Json.parse(event.data)
  if (Result.isSuccess(json)) return options.read(json.success, event.event)
  return event.event === "message" || event.event === "error"
    ? Result.fail(toMalformed(options, event, json.failure))
    : Result.succeed(undefined)
}

/** Makes the decoder of one connection: text to events, and whether the stream may end. */
const makeDecoder = (options: Options) => {
  let parsed: Array<Sse.Event> = []
  const { end } = options
  let retryAfter: Duration.Duration | undefined
  let failure: Reason | undefined
  const parser = BodyParser.make((event) => {
    if (event._tag === "Event") parsed.push(event)
    else retryAfter = event.duration
  }, options)

  const drain = (): ReadonlyArray<StreamEvent.StreamEvent> => {
    const events: Array<StreamEvent.StreamEvent> = []
    const batch = parsed
    parsed = []
    for (const event of batch) {
      const result = readEvent(options, event)
      if (Result.isFailure(result)) {
        failure = result.failure
        break
      }
      if (event.id !== undefined && options.cursor !== undefined) LastEventId.add(options.cursor, event.id)
      if (result.success === undefined) continue
      events.push(result.success)
      StreamEnd.add(end, result.success, options.isFinal())
    }
    return events
  }

  return {
    failure: () => failure,
    phase: () => end.phase,
    taskId: () => end.taskId,
    /** Returns the events that the texts complete, up to the first failure. */
    feed: (texts: ReadonlyArray<string>) => {
      if (!texts.every(parser.feed)) failure ??= tooLarge(options)
      return drain()
    },
    /** Returns a last event without its blank line, if it is whole; half an event is what a drop leaves behind. */
    flush: () => {
      parser.end()
      parsed = parsed.filter((event) => Result.isSuccess(Json.parse(event.data)))
      return drain()
    },
    /** Fails the stream if the end of the body is a drop. `isLost`: the connection was lost before that end. */
    end: (toReason: () => Reason, isLost: boolean) => {
      if (end.phase === "running" || (isLost && end.phase === "mayEnd")) failure ??= toReason()
    },
    interrupted: (
      { cause, isResumable = true, message }: {
        readonly message: string
        readonly cause?: unknown
        readonly isResumable?: boolean
      }
    ): Reason =>
      new AgentError.StreamInterruptedError({
        message,
        isRetryable: isResumable,
        isResumable,
        ...(cause === undefined ? undefined : { cause }),
        ...(end.taskId === undefined ? undefined : { taskId: end.taskId }),
        ...(retryAfter === undefined ? undefined : { retryAfter })
      })
  }
}

const emit = (events: ReadonlyArray<StreamEvent.StreamEvent>, otherwise: Next): Next =>
  events.length > 0 ? Effect.succeed(events as Events) : otherwise

// how long a peer may be silent after it announced more events of a terminal task (milliseconds)
const maxSilence = 30_000

const pullEvents = (options: Options, texts: Texts): Next => {
  const decoder = makeDecoder(options)
  const wait = Duration.toMillis(options.trailingSnapshotTimeout)
  let trailingEnds: number | undefined
  let isDone = false

  const within = (duration: number) => Effect.timeoutOrElse(texts, { duration, orElse: () => Cause.done() })

  /** Waits for trailing events; heartbeats do not extend the wait. */
  const trailing = Effect.flatMap(Clock.currentTimeMillis, (now) => {
    trailingEnds ??= now + wait
    return within(Math.max(trailingEnds - now, 0))
  })

  const more = (): Texts => {
    const phase = decoder.phase()
    return phase === "ended" ? trailing : phase === "extended" ? within(maxSilence) : texts
  }

  const end = (toReason: () => Reason, isLost: boolean): Next => {
    const last = decoder.flush()
    decoder.end(toReason, isLost)
    // a last event may announce that no event follows: then the task is read
    isDone = decoder.phase() !== "closed"
    return emit(last, next)
  }

  /** Reads the task once: the peer sends no more events of it. */
  const closed: Next = Effect.suspend(() => {
    isDone = true
    const taskId = decoder.taskId()
    const fail = (state: string) =>
      Effect.fail(decoder.interrupted({
        message: `the agent ended the stream although the task is ${state}`,
        isResumable: false
      }))
    return taskId === undefined
      ? fail("unknown")
      : Effect.flatMap(
        options.readTask(taskId),
        (task) => TaskState.isSettled(task.status.state) ? Effect.succeed<Events>([task]) : fail(task.status.state)
      )
  })

  const next: Next = Effect.suspend(() => {
    const failure = decoder.failure()
    if (failure !== undefined) return Effect.fail(failure)
    if (isDone) return Cause.done()
    if (decoder.phase() === "closed") return closed
    return Pull.matchEffect(more(), {
      onSuccess: (texts) => emit(decoder.feed(texts), next),
      onDone: () => end(() => decoder.interrupted({ message: "the stream ended before the task did" }), false),
      onFailure: (cause) => {
        const found = Cause.findErrorOption(cause)
        if (found._tag === "None") return Effect.failCause(cause as Cause.Cause<never>)
        const error = found.value
        return end(() => error._tag === "TimeoutError" ? error : decoder.interrupted(connectionError(error)), true)
      }
    })
  })
  return next
}

export const decode = (options: Options) =>
(
  bytes: Stream.Stream<Uint8Array, HttpClientError.HttpClientError | AgentError.TimeoutError>
): Stream.Stream<StreamEvent.StreamEvent, Reason> =>
  Stream.transformPull(
    Stream.decodeText(bytes),
    (texts) => Effect.sync(() => pullEvents(options, texts))
  )
