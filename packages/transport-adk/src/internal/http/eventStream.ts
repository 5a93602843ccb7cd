/** The bytes of `/run_sse` to events. The stream ends when the connection does, and well unless a frame says otherwise. */
import * as AgentError from "@effect-a2a/core/AgentError"
import * as HttpExchange from "@effect-a2a/core/HttpExchange"
import type * as Arr from "effect/Array"
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
import * as Words from "./errorText.ts"

type Reason = AdkError.AdkErrorReason
type Frame = Pick<Sse.Event, "data" | "event">

const parse = (text: string): Result.Result<unknown, string> =>
  Result.try({ try: (): unknown => JSON.parse(text), catch: (cause) => String(cause) })

const decode = Schema.decodeUnknownResult(AdkEvent.Event)

const malformed = (data: string, issue: string) =>
  new AgentError.MalformedResponseError({
    message: `an event cannot be read: ${data.length > 200 ? `${data.slice(0, 200)}…` : data}`,
    dialect: "ADK",
    issue
  })

const failed = (message: string, json?: unknown): AdkError.StreamError => {
  const details = Predicate.isObject(json) ? (json as { readonly error_details?: unknown }).error_details : undefined
  const type = Predicate.isObject(details) ? (details as { readonly error_type?: unknown }).error_type : undefined
  return new AdkError.StreamError({
    message: Words.withoutTrace(message) || "the agent failed and did not say why",
    ...(Predicate.isString(type) && { type }),
    ...(json !== undefined && { details: json as Schema.Json })
  })
}

/** Python 1.x pastes the message between quotes without escaping it. */
const pasted = /^\s*\{\s*"error"\s*:\s*"?(.*?)"?\s*\}?\s*$/s

const hasId = (json: object) => "id" in json || "invocationId" in json || "invocation_id" in json

/** One frame: an event, the failure of the run, or nothing. */
export const readFrame = ({ data, event }: Frame): Result.Result<AdkEvent.Event | undefined, Reason> => {
  const isError = event === "error"
  if (!isError && (data.trim() === "" || data === "[DONE]")) return Result.succeed(undefined)
  const parsed = parse(data)
  if (Result.isFailure(parsed)) {
    const words = pasted.exec(data)?.[1]
    return Result.fail(words !== undefined || isError ? failed(words ?? data) : malformed(data, parsed.failure))
  }
  const json = parsed.success
  if (!Predicate.isObject(json)) {
    return Result.fail(isError ? failed(Words.ofJson(json) ?? "") : malformed(data, "not an object"))
  }
  if (isError || ("error" in json && !hasId(json)) || !AdkEvent.isEvent(json)) {
    return Result.fail(failed(Words.ofJson(json) ?? "", json))
  }
  return Result.mapError(decode(json), (error) => malformed(data, error.message))
}

const interrupted = (message: string, cause?: unknown) =>
  new AgentError.StreamInterruptedError({ message, ...(cause !== undefined && { cause }) })

export const events = (options: { readonly maxEventSize: number }) =>
(
  bytes: Stream.Stream<Uint8Array, HttpClientError.HttpClientError | AgentError.TimeoutError>
): Stream.Stream<AdkEvent.Event, Reason> =>
  Stream.transformPull(Stream.decodeText(bytes), (pull) =>
    Effect.sync(() => {
      let parsed: Array<Frame> = []
      let failure: Reason | undefined
      let done = false
      const parser = HttpExchange.makeParser((event) => {
        if (event._tag === "Event") parsed.push(event)
      }, options)

      const feed = (text: string): void => {
        if (failure === undefined && parser.feed(text) !== undefined) {
          failure = new AgentError.ResponseTooLargeError({
            message: `an event is larger than ${options.maxEventSize} characters`,
            maxLength: options.maxEventSize
          })
        }
      }

      /** The events that have come, up to the first that says that the run failed. */
      const drain = (): ReadonlyArray<AdkEvent.Event> => {
        const found: Array<AdkEvent.Event> = []
        for (const frame of parsed) {
          const result = readFrame(frame)
          if (Result.isFailure(result)) {
            failure = result.failure
            break
          }
          if (result.success !== undefined) found.push(result.success)
        }
        parsed = []
        return found
      }

      /** A last event that lacks its blank line is taken where it is whole; half of one is what a cut leaves behind. */
      const end = (why?: Reason): typeof next => {
        done = true
        feed("\n\n")
        const whole = parsed.filter(({ data }) => Result.isSuccess(parse(data)))
        failure ??= why ?? (whole.length < parsed.length ? interrupted("the stream ended within an event") : undefined)
        parsed = whole
        const last = drain()
        return last.length > 0 ? Effect.succeed(last as Events) : next
      }

      type Events = Arr.NonEmptyReadonlyArray<AdkEvent.Event>
      const next: Effect.Effect<Events, Reason | Cause.Done> = Effect.suspend(() => {
        if (failure !== undefined) return Effect.fail(failure)
        if (done) return Cause.done()
        return Pull.matchEffect(pull, {
          onSuccess: (texts) => {
            for (const text of texts) feed(text)
            const found = drain()
            return found.length > 0 ? Effect.succeed(found as Events) : next
          },
          onDone: () => end(),
          onFailure: (cause) => {
            const found = Cause.findErrorOption(cause)
            if (found._tag === "None") return Effect.failCause(cause as Cause.Cause<never>)
            if (found.value._tag === "TimeoutError") return end(found.value)
            const lost = HttpExchange.connectionError(found.value)
            return end(interrupted(lost.message, lost.cause))
          }
        })
      })
      return next
    }))

/** An answer that should be a stream. */
export const notAStream = (type: string) =>
  new AgentError.MalformedResponseError({
    message: `not an event stream but ${type || "untyped"}`,
    dialect: "ADK",
    issue: `content-type ${type}`
  })
