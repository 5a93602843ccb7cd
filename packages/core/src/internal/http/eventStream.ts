/**
 * Bytes to events: UTF-8, SSE, JSON, envelope, dialect, one pull per network chunk and one array per pull. Ends well
 * only after a settled state or a message.
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
import * as StreamEvent from "../../StreamEvent.ts"
import * as TaskState from "../../TaskState.ts"
import type { Cursor } from "../transport/lastEventId.ts"
import * as Json from "./json.ts"
import * as SseParser from "./sse.ts"

type Reason = AgentError.AgentErrorReason
type Events = Arr.NonEmptyReadonlyArray<StreamEvent.StreamEvent>

export interface Options {
  /** One SSE event to one canonical event; `undefined` skips it. */
  readonly read: (data: unknown, event: string) => Result.Result<StreamEvent.StreamEvent | undefined, Reason>
  readonly dialect: string
  /** Characters of one event. */
  readonly maxEventSize: number
  /** How long after the end of a task a last snapshot is waited for. */
  readonly trailingSnapshotTimeout: Duration.Duration
  /** Where the ids of events are noted. */
  readonly cursor: Cursor | undefined
}

/** `open`: the task waits for credentials, which may come by another way. `end`: nothing more is to come. */
type Settled = "no" | "open" | "end"

/** A heartbeat that is an event, and the end mark that gateways for language models put behind every stream. */
const isNoData = (data: string): boolean => data.trim() === "" || data === "[DONE]"

const settle = (settled: Settled, event: StreamEvent.StreamEvent, hasTask: boolean): Settled => {
  if (settled === "end") return settled
  if (event._tag === "Message") return hasTask ? settled : "end"
  const state = StreamEvent.state(event)
  if (state === undefined) return settled
  return state === "auth-required" ? "open" : TaskState.isSettled(state) ? "end" : "no"
}

export const decode = (options: Options) =>
(
  bytes: Stream.Stream<Uint8Array, HttpClientError.HttpClientError | AgentError.TimeoutError>
): Stream.Stream<StreamEvent.StreamEvent, Reason> =>
  Stream.transformPull(Stream.decodeText(bytes), (pull) =>
    Effect.sync(() => {
      let parsed: Array<Sse.Event> = []
      let settled: Settled = "no"
      let taskId: TaskId | undefined
      let retryAfter: Duration.Duration | undefined
      let failure: Reason | undefined
      let done = false
      let trailingEnds: number | undefined
      const parser = SseParser.makeParser((event) => {
        if (event._tag === "Event") parsed.push(event)
        else retryAfter = event.duration
      }, { maxEventSize: options.maxEventSize })

      const interrupted = ({ cause, message }: { readonly message: string; readonly cause?: unknown }): Reason =>
        new AgentError.StreamInterruptedError({
          message,
          ...(cause === undefined ? undefined : { cause }),
          ...(taskId === undefined ? undefined : { taskId }),
          ...(retryAfter === undefined ? undefined : { retryAfter })
        })

      const malformed = (event: Sse.Event, issue: string): Reason =>
        new AgentError.MalformedResponseError({
          message: `an event is not JSON: ${Json.snippet(event.data)}`,
          dialect: options.dialect,
          issue
        })

      const tooLarge = (): Reason =>
        new AgentError.ResponseTooLargeError({
          message: `an event is larger than ${options.maxEventSize} characters`,
          maxLength: options.maxEventSize
        })

      const readOne = (event: Sse.Event): Result.Result<StreamEvent.StreamEvent | undefined, Reason> => {
        // the parser minds what it keeps, not what comes whole in one chunk
        if (event.data.length > options.maxEventSize) return Result.fail(tooLarge())
        if (event.event !== "error" && isNoData(event.data)) return Result.succeed(undefined)
        const json = Json.parse(event.data)
        if (Result.isSuccess(json)) return options.read(json.success, event.event)
        return event.event === "message" || event.event === "error"
          ? Result.fail(malformed(event, json.failure))
          : Result.succeed(undefined)
      }

      /** Reads what the parser has found, up to the first failure. */
      const drain = (): ReadonlyArray<StreamEvent.StreamEvent> => {
        const events: Array<StreamEvent.StreamEvent> = []
        const found = parsed
        parsed = []
        for (const event of found) {
          const result = readOne(event)
          if (Result.isFailure(result)) {
            failure = result.failure
            break
          }
          if (event.id !== undefined && options.cursor !== undefined) options.cursor.lastEventId = event.id
          if (result.success === undefined) continue
          events.push(result.success)
          settled = settle(settled, result.success, taskId !== undefined)
          taskId ??= StreamEvent.taskId(result.success)
        }
        return events
      }

      const feed = (texts: ReadonlyArray<string>): void => {
        for (const text of texts) {
          if (parser.feed(text) !== undefined) {
            failure ??= tooLarge()
            return
          }
        }
      }

      /** A last event that lacks its blank line is taken where it is whole; half of one is what a cut leaves behind. */
      const flush = (): ReadonlyArray<StreamEvent.StreamEvent> => {
        feed(["\n\n"])
        parsed = parsed.filter((event) => Result.isSuccess(Json.parse(event.data)))
        return drain()
      }

      const end = (why: () => Reason) => {
        done = true
        if (settled === "no") failure ??= why()
        return next
      }

      const emit = (
        events: ReadonlyArray<StreamEvent.StreamEvent>,
        otherwise: Effect.Effect<Events, Reason | Cause.Done>
      ) => events.length > 0 ? Effect.succeed(events as Events) : otherwise

      /** What comes within the grace, which heartbeats do not stretch. */
      const lingering = Effect.flatMap(Clock.currentTimeMillis, (now) => {
        trailingEnds ??= now + Duration.toMillis(options.trailingSnapshotTimeout)
        return Effect.timeoutOrElse(pull, { duration: Math.max(trailingEnds - now, 0), orElse: () => Cause.done() })
      })

      const next: Effect.Effect<Events, Reason | Cause.Done> = Effect.suspend(() => {
        if (failure !== undefined) return Effect.fail(failure)
        if (done) return Cause.done()
        const more = settled === "end" ? lingering : pull
        return Pull.matchEffect(more, {
          onSuccess: (texts) => {
            feed(texts)
            return emit(drain(), next)
          },
          onDone: () => {
            const last = flush()
            return emit(last, end(() => interrupted({ message: "the stream ended before the task did" })))
          },
          onFailure: (cause) => {
            const found = Cause.findErrorOption(cause)
            if (found._tag === "None") return Effect.failCause(cause as Cause.Cause<never>)
            const error = found.value
            return emit(flush(), end(() => error._tag === "TimeoutError" ? error : interrupted(connectionError(error))))
          }
        })
      })
      return next
    }))
