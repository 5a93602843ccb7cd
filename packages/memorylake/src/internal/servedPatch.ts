/**
 * MemoryLake's departures as its service writes and reads them, for stand-ins of the service. Tested in
 * `packages/memorylake/test/patch.test.ts`.
 */
import type * as AgentError from "@effect-a2a/core/AgentError"
import { isObject, type Metadata } from "@effect-a2a/core/Metadata"
import * as Protocol from "@effect-a2a/core/Protocol"
import * as Result from "effect/Result"
import { missingMessageId, patch } from "./patch.ts"

// refusals

/** The codes of the service's refusals, and their HTTP status. */
const statusOf: Readonly<Record<string, number>> = {
  INVALID_ARGUMENT: 400,
  STATE_NOT_READY: 400,
  ACTOR_INACTIVE: 400,
  UNAUTHENTICATED: 401,
  QUOTA_EXCEEDED: 402,
  ACCESS_DENIED: 403,
  NOT_FOUND: 404,
  RATE_LIMIT_EXCEEDED: 429,
  INTERNAL_ERROR: 500
}

const codeOf = (status: number) => status === 404 ? "NOT_FOUND" : status < 500 ? "INVALID_ARGUMENT" : "INTERNAL_ERROR"

const envelope = (message: string, error_code: string): Metadata => ({ success: false, message, error_code })

/** Returns the service's body for a refusal with one of its codes. */
const ofService = (failure: Protocol.WireFailure) => {
  const status = failure.reason === undefined || !Object.hasOwn(statusOf, failure.reason)
    ? undefined
    : statusOf[failure.reason]
  return status === undefined ? undefined : { status, body: envelope(failure.message, failure.reason!) }
}

// requests

type Violations = ReadonlyArray<AgentError.Violation>

/** Checks and completes the JSON of a request before its codec. */
type Review = (json: Metadata) => Result.Result<Metadata, Violations>

const onMessage = (review: Review): Review => (json) =>
  isObject(json.message)
    ? Result.map(review(json.message), (message) => ({ ...json, message }))
    : Result.succeed(json)

const has = (json: Metadata, ...spellings: ReadonlyArray<string>) =>
  spellings.some((spelling) => Object.hasOwn(json, spelling))

/** Adds an id to a message without one. */
const addMessageId = onMessage((message) =>
  Result.succeed(has(message, "messageId", "message_id") ? message : { ...message, messageId: missingMessageId })
)

/** Refuses bodies of the other protocol version. */
const without = (member: string, instead: string) =>
  onMessage((message) =>
    has(message, member)
      ? Result.fail([{ field: `message.${member}`, description: `not on this route: use ${instead}` }])
      : Result.succeed(message)
  )

/** Sets a member of the configuration that is missing. */
const withDefault = (value: Metadata, ...spellings: ReadonlyArray<string>): Review => (json) => {
  const configuration = isObject(json.configuration) ? json.configuration : {}
  return Result.succeed(
    has(configuration, ...spellings) ? json : { ...json, configuration: { ...configuration, ...value } }
  )
}

/** Over 0.3 REST, a missing `historyLength` means no history, and a missing `blocking` an answer at once. */
const withoutHistory = withDefault({ historyLength: 0 }, "historyLength", "history_length")
const withoutWaiting = withDefault({ blocking: false }, "blocking")

const reviewCodec = <A>(codec: Protocol.Codec<A> | undefined, reviews: ReadonlyArray<Review>) =>
  codec && {
    ...codec,
    decode: (json: unknown) =>
      isObject(json)
        ? reviews.reduce<Result.Result<Metadata, Violations>>(
          (json, review) => Result.flatMap(json, review),
          Result.succeed(json)
        )
          .pipe(Result.flatMap(codec.decode))
        : codec.decode(json)
  }

const withReviews = (
  dialect: Protocol.Dialect,
  reviews: { readonly send: ReadonlyArray<Review>; readonly stream: ReadonlyArray<Review> }
): Protocol.Dialect => {
  const SendMessage = reviewCodec(dialect.request.SendMessage, reviews.send)
  const SendStreamingMessage = reviewCodec(dialect.request.SendStreamingMessage, reviews.stream)
  return {
    ...dialect,
    request: {
      ...dialect.request,
      ...(SendMessage && { SendMessage }),
      ...(SendStreamingMessage && { SendStreamingMessage })
    }
  }
}

/** Removes the timestamp, which the result of Get over 0.3 REST does not have. */
const withoutTimestamp = <A>(codec: Protocol.Codec<A>): Protocol.Codec<A> => ({
  ...codec,
  encode: (value) =>
    Result.map(codec.encode(value), (json) => {
      if (!isObject(json) || !isObject(json.status)) return json
      const { timestamp: _, ...status } = json.status
      return { ...json, status }
    })
})

const legacyRest = (dialect: Protocol.Dialect): Protocol.Dialect => {
  const patched = withReviews(dialect, {
    send: [without("parts", "content"), addMessageId, withoutHistory, withoutWaiting],
    stream: [without("parts", "content"), addMessageId]
  })
  const { GetTask } = dialect.success
  return GetTask === undefined
    ? patched
    : { ...patched, success: { ...patched.success, GetTask: withoutTimestamp(GetTask) } }
}

const current = (dialect: Protocol.Dialect): Protocol.Dialect => {
  const reviews = [without("content", "parts"), addMessageId]
  return withReviews(dialect, { send: reviews, stream: reviews })
}

const legacyJsonRpc = (dialect: Protocol.Dialect): Protocol.Dialect =>
  withReviews(dialect, { send: [addMessageId], stream: [addMessageId] })

// protocol versions

/** The departures of one protocol version. */
interface Deviation {
  readonly rest: (dialect: Protocol.Dialect) => Protocol.Dialect
  readonly jsonRpc: (dialect: Protocol.Dialect) => Protocol.Dialect
  /** The JSON-RPC code of all errors, if there is only one. The reason is then in `data` alone. */
  readonly onlyCode?: number
}

const deviations: Readonly<Record<string, Deviation>> = {
  "1.0": { rest: current, jsonRpc: current },
  "0.3": { rest: legacyRest, jsonRpc: legacyJsonRpc, onlyCode: -32603 }
}

const restEncode: Protocol.FailureCodec["encode"] = (refusal) => {
  const own = ofService(refusal)
  if (own !== undefined) return own
  const { body, status } = Protocol.v1_0.http.failure.encode(refusal)
  return { status, body: envelope(JSON.stringify(body), codeOf(status)) }
}

const jsonRpcEncode = (
  encode: Protocol.ErrorCodec["encode"],
  onlyCode: number | undefined
): Protocol.ErrorCodec["encode"] =>
(refusal) => {
  const own = ofService(refusal)
  return own !== undefined && own.status < 500
    ? { _tag: "Response", ...own }
    : encode(onlyCode === undefined ? refusal : { ...refusal, code: onlyCode })
}

/** Patches both halves of a protocol version. */
export const servedPatch = <V extends string>(self: Protocol.Protocol<V>): Protocol.Protocol<V> => {
  const { jsonRpc, onlyCode, rest } = deviations[self.version] ?? deviations["1.0"]!
  const client = patch(self)
  return Protocol.override(self, {
    versionRequired: false,
    recognizers: client.recognizers,
    extensionsHeader: client.extensionsHeader,
    rest: { ...client.rest, dialect: rest(self.rest.dialect) },
    http: { failure: { ...client.http.failure, encode: restEncode } },
    jsonRpc: {
      ...client.jsonRpc,
      dialect: jsonRpc(self.jsonRpc.dialect),
      failure: { ...client.jsonRpc.failure, encode: jsonRpcEncode(self.jsonRpc.failure.encode, onlyCode) }
    }
  })
}
