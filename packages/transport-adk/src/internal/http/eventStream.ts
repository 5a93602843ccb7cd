/**
 * Decodes the body of `/run_sse`. The run ends when the connection does, and successfully unless a frame reports a
 * failure. Tested in packages/transport-adk/test/run.test.ts.
 */
import * as AgentError from "@effect-a2a/core/AgentError"
import * as HttpPeer from "@effect-a2a/core/HttpPeer"
import { isJson } from "@effect-a2a/core/Metadata"
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Sse from "effect/encoding/Sse"
import type * as HttpClientError from "effect/http/HttpClientError"
import * as Predicate from "effect/Predicate"
import * as Pull from "effect/Pull"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as AdkError from "../../AdkError.ts"
import * as AdkEvent from "../../AdkEvent.ts"
import * as ErrorText from "./errorText.ts"

type Reason = AdkError.AdkErrorReason
type Frame = Pick<Sse.Event, "data" | "event">
type Events = Arr.NonEmptyReadonlyArray<AdkEvent.Event>

// -----------------------------------------------------------------------------
// frames
// -----------------------------------------------------------------------------

const decode = Schema.decodeUnknownResult(AdkEvent.Event)

const toMalformed = (data: string, issue: string) =>
  new AgentError.MalformedResponseError({
    message: `cannot read an event: ${issue}; it begins with ${HttpPeer.snippet(data)}`,
    dialect: "ADK",
    issue: HttpPeer.snippet(issue)
  })

const member = (json: unknown, name: string): unknown => Predicate.isReadonlyObject(json) ? json[name] : undefined

const agentFailed = (message: string, json?: unknown): AdkError.StreamError => {
  const type = member(member(json, "error_details"), "error_type")
  const details = HttpPeer.excerpt(json)
  return new AdkError.StreamError({
    message: ErrorText.truncate(ErrorText.removeTrace(message), 2000) || "the agent failed and gave no reason",
    ...(Predicate.isString(type) && { type: HttpPeer.snippet(type) }),
    ...(details !== undefined && { details })
  })
}

/** Returns the error that Python 1.x puts between quotes without escaping it. */
const unescapedError = (data: string): string | undefined => {
  const [head] = /^\s*\{\s*"error"\s*:\s*/.exec(data) ?? []
  return head === undefined
    ? undefined
    : data.slice(head.length).trimEnd().replace(/\}$/, "").trimEnd().replace(/^"|"$/g, "")
}

const hasId = (json: object) => "id" in json || "invocationId" in json || "invocation_id" in json

/** JavaScript reports a thrown value that is not an `Error` as an empty object. */
const isFailure = (json: object) => ("error" in json && !hasId(json)) || !AdkEvent.isEvent(json)

const readInvalidJson = ({ data, event }: Frame, issue: string): Reason => {
  const message = unescapedError(data) ?? (event === "error" ? data : undefined)
  return message === undefined ? toMalformed(data, issue) : agentFailed(message)
}

/** Reads one frame: an event, the failure of the run, or `undefined` if the frame holds no data. */
const readFrame = (frame: Frame): Result.Result<AdkEvent.Event | undefined, Reason> => {
  const { data, event } = frame
  const isError = event === "error"
  if (!isError && (data.trim() === "" || data === "[DONE]")) return Result.succeed(undefined)
  const parsed = HttpPeer.parseJson(data)
  if (Result.isFailure(parsed)) return Result.fail(readInvalidJson(frame, parsed.failure))
  const json = parsed.success
  if (isError) {
    return Result.fail(agentFailed(ErrorText.fromJson(json) ?? "", Predicate.isReadonlyObject(json) ? json : undefined))
  }
  if (!Predicate.isReadonlyObject(json)) return Result.fail(toMalformed(data, "not an object"))
  if (isFailure(json)) return Result.fail(agentFailed(ErrorText.fromJson(json) ?? "", json))
  // whatever it becomes a part of could not be read by everybody
  if (!isJson(json)) return Result.fail(toMalformed(data, "it has more than 150 levels, or a number that is infinite"))
  return Result.mapError(decode(json), (error) => toMalformed(data, error.message))
}

// -----------------------------------------------------------------------------
// streams
// -----------------------------------------------------------------------------

const toInterrupted = (message: string, cause?: unknown) =>
  new AgentError.StreamInterruptedError({ message, ...(cause !== undefined && { cause }) })

/** Collects text and returns the events in it; `failure` is set by the first frame that cannot be read or reports one. */
const makeDecoder = (maxEventSize: number) => {
  let frames: Array<Frame> = []
  let failure: Reason | undefined
  const parser = HttpPeer.makeParser((event) => {
    if (event._tag === "Event") frames.push(event)
  }, { maxEventSize })

  const append = (text: string): void => {
    if (failure !== undefined || parser.feed(text)) return
    failure = new AgentError.ResponseTooLargeError({
      message: `an event is longer than ${maxEventSize} characters; raise maxEventSize in HttpBinding.CurrentLimits`,
      maxLength: maxEventSize
    })
  }

  const drain = (): ReadonlyArray<AdkEvent.Event> => {
    const events: Array<AdkEvent.Event> = []
    for (const frame of frames) {
      const result = readFrame(frame)
      if (Result.isFailure(result)) {
        failure = result.failure
        break
      }
      if (result.success !== undefined) events.push(result.success)
    }
    frames = []
    return events
  }

  return {
    failure: () => failure,
    feed: (texts: ReadonlyArray<string>): ReadonlyArray<AdkEvent.Event> => {
      for (const text of texts) append(text)
      return drain()
    },
    /** Accepts a last event without its blank line if its JSON is complete; half an event means that the body was cut. */
    end: (reason: Reason | undefined): ReadonlyArray<AdkEvent.Event> => {
      append("\n\n")
      const complete = frames.filter(({ data }) => Result.isSuccess(HttpPeer.parseJson(data)))
      failure ??= reason ??
        (complete.length < frames.length ? toInterrupted("the stream ended within an event") : undefined)
      frames = complete
      return drain()
    }
  }
}

const toReason = (error: HttpClientError.HttpClientError | AgentError.TimeoutError): Reason => {
  if (error._tag === "TimeoutError") return error
  const { cause, message } = HttpPeer.connectionError(error)
  return toInterrupted(message, cause)
}

/** Decodes bytes to events, one array of events for each chunk. `maxEventSize` is in characters. */
export const fromBytes = (maxEventSize: number) =>
(
  bytes: Stream.Stream<Uint8Array, HttpClientError.HttpClientError | AgentError.TimeoutError>
): Stream.Stream<AdkEvent.Event, Reason> =>
  Stream.transformPull(Stream.decodeText(bytes), (pull) =>
    Effect.sync(() => {
      const decoder = makeDecoder(maxEventSize)
      let isDone = false

      const emit = (events: ReadonlyArray<AdkEvent.Event>) =>
        Arr.isReadonlyArrayNonEmpty(events) ? Effect.succeed(events) : next

      const end = (reason?: Reason) => {
        isDone = true
        return emit(decoder.end(reason))
      }

      const next: Effect.Effect<Events, Reason | Cause.Done> = Effect.suspend(() => {
        const failure = decoder.failure()
        if (failure !== undefined) return Effect.fail(failure)
        if (isDone) return Cause.done()
        return Pull.matchEffect(pull, {
          onSuccess: (texts) => emit(decoder.feed(texts)),
          onDone: () => end(),
          onFailure: (cause) => {
            const error = Cause.findErrorOption(cause)
            return error._tag === "None" ? Effect.failCause(cause as Cause.Cause<never>) : end(toReason(error.value))
          }
        })
      })
      return next
    }))
