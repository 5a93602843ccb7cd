/**
 * Errors of an ADK server: one error whose `reason` says why and keeps the server's message. Reasons that are not specific
 * to ADK (connection, timeout, malformed response …) are those of `AgentError`.
 *
 * ```ts
 * import { AdkError } from "@effect-a2a/transport-adk"
 * import { Effect } from "effect"
 *
 * const reason = new AdkError.SessionNotFoundError({ message: "Session not found: s-1", status: 404 })
 * const run = Effect.fail(new AdkError.AdkError({ operation: "run", reason }))
 * const handled = run.pipe(
 *   Effect.catchReason("AdkError", "SessionNotFoundError", (reason) => Effect.succeed(reason.status))
 * )
 * await Effect.runPromise(handled) // => 404
 * AdkError.toAgentError(new AdkError.AdkError({ operation: "run", reason })).reason._tag // => "NotFoundError"
 * ```
 *
 * @since 0.1.0
 */
import * as AgentError from "@effect-a2a/core/AgentError"
import * as HttpPeer from "@effect-a2a/core/HttpPeer"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Event } from "./AdkEvent.ts"
import { looseStruct } from "./internal/schema/looseStruct.ts"

const fields = {
  /** The server's message, without markup and stack traces. */
  message: Schema.String,
  /** `true` if the same call may succeed later. Default: `false`. Runs are never retryable. */
  isRetryable: Schema.Boolean.pipe(Schema.withConstructorDefault(Effect.succeed(false))),
  /** The HTTP status. Absent if the failure arrived within a stream. */
  status: Schema.optionalKey(Schema.Int),
  /** The delay that the server asks for. */
  retryAfter: Schema.optionalKey(Schema.Duration),
  /** The whole body or frame, if it is JSON. */
  details: Schema.optionalKey(Schema.Json)
}

/** The session of the request. */
const session = {
  appName: Schema.optionalKey(Schema.String),
  userId: Schema.optionalKey(Schema.String),
  sessionId: Schema.optionalKey(Schema.String)
}

/** The session does not exist: never created, deleted, of another application or user, or lost on a restart. */
export class SessionNotFoundError extends Schema.TaggedError<SessionNotFoundError>()("SessionNotFoundError", {
  ...fields,
  ...session
}) {}

/** A session with the chosen id exists. */
export class SessionExistsError extends Schema.TaggedError<SessionExistsError>()("SessionExistsError", {
  ...fields,
  ...session
}) {}

/** The application does not exist or cannot be loaded. */
export class AppNotFoundError extends Schema.TaggedError<AppNotFoundError>()("AppNotFoundError", {
  ...fields,
  ...session
}) {}

/** The request names no application, and the server has no default one. Set `appName`. */
export class AppNameRequiredError extends Schema.TaggedError<AppNameRequiredError>()("AppNameRequiredError", fields) {}

/** The artifact does not exist. */
export class ArtifactNotFoundError
  extends Schema.TaggedError<ArtifactNotFoundError>()("ArtifactNotFoundError", fields)
{}

/** A violation found by the server. Unknown members are kept. */
export const Issue = looseStruct({
  loc: Schema.Array(Schema.Union([Schema.String, Schema.Finite])),
  msg: Schema.String,
  type: Schema.String,
  input: Schema.Json,
  ctx: Schema.JsonObject
}).annotate({ identifier: "AdkIssue" })
export type Issue = typeof Issue.Type

/** The server found the request invalid (HTTP 422). */
export class ValidationFailedError extends Schema.TaggedError<ValidationFailedError>()("ValidationFailedError", {
  ...fields,
  issues: Schema.Array(Issue)
}) {}

/** The server refused the request for another reason (HTTP 4xx). */
export class BadRequestError extends Schema.TaggedError<BadRequestError>()("BadRequestError", fields) {}

/** The server lacks the route: it is written in another language or older than the operation requires. */
export class RouteUnsupportedError
  extends Schema.TaggedError<RouteUnsupportedError>()("RouteUnsupportedError", fields)
{}

/** The agent threw (HTTP 500). `events` are those before the failure, if the server sends them. */
export class AgentFailedError extends Schema.TaggedError<AgentFailedError>()("AgentFailedError", {
  ...fields,
  events: Schema.Array(Event)
}) {}

/** The agent threw during a stream. Earlier events of the stream remain valid and are in the session. */
export class StreamError extends Schema.TaggedError<StreamError>()("StreamError", {
  ...fields,
  /** The exception's class, if the server sends it. */
  type: Schema.optionalKey(Schema.String)
}) {}

/** A proxy in front of the server denied access, or the application must not be called (HTTP 401, 403). */
export class DeniedError extends Schema.TaggedError<DeniedError>()("DeniedError", {
  ...fields,
  /** The `WWW-Authenticate` header. */
  challenge: Schema.optionalKey(Schema.String)
}) {}

/** A server on a loopback address refused the `Host` or `Origin` header, as behind a tunnel or in a container. */
export class GuardRefusedError extends Schema.TaggedError<GuardRefusedError>()("GuardRefusedError", fields) {}

/** The request is too large (HTTP 413). */
export class TooLargeError extends Schema.TaggedError<TooLargeError>()("TooLargeError", fields) {}

/** The server, or a proxy in front of it, could not answer (HTTP 408, 429, 5xx). */
export class UpstreamError extends Schema.TaggedError<UpstreamError>()("UpstreamError", fields) {}

/** Reasons that are specific to ADK. */
const adkReasons = {
  SessionNotFoundError,
  SessionExistsError,
  AppNotFoundError,
  AppNameRequiredError,
  ArtifactNotFoundError,
  ValidationFailedError,
  BadRequestError,
  RouteUnsupportedError,
  AgentFailedError,
  StreamError,
  DeniedError,
  GuardRefusedError,
  TooLargeError,
  UpstreamError
}
type Specific = InstanceType<(typeof adkReasons)[keyof typeof adkReasons]>

/** Reasons that every HTTP client has. */
const sharedReasons = {
  InvalidRequestError: AgentError.InvalidRequestError,
  CredentialsUnavailableError: AgentError.CredentialsUnavailableError,
  ConnectionError: AgentError.ConnectionError,
  TimeoutError: AgentError.TimeoutError,
  StreamInterruptedError: AgentError.StreamInterruptedError,
  MalformedResponseError: AgentError.MalformedResponseError,
  ResponseTooLargeError: AgentError.ResponseTooLargeError
}
type Shared = InstanceType<(typeof sharedReasons)[keyof typeof sharedReasons]>

/** The reason of an {@link AdkError}. */
export const AdkErrorReason = Schema.Union(Object.values({ ...adkReasons, ...sharedReasons })).annotate({
  identifier: "AdkErrorReason"
})
export type AdkErrorReason = Specific | Shared

/** A call failed. `operation` is the client's method, `target` the server's URL without query, `reason` the cause. */
export class AdkError extends Schema.TaggedError<AdkError>("@effect-a2a/transport-adk/AdkError")("AdkError", {
  operation: Schema.String,
  target: Schema.optionalKey(Schema.String),
  reason: AdkErrorReason
}) {
  override readonly cause = this.reason

  override get message(): string {
    const at = this.target === undefined ? "" : ` at ${this.target}`
    return `${this.operation}${at}: ${this.reason.message} (${this.reason._tag})`
  }

  /** `true` if the same call may succeed later. */
  get isRetryable(): boolean {
    return this.reason.isRetryable
  }
}

const isShared = (reason: AgentError.AgentErrorReason): reason is Shared => reason._tag in sharedReasons

/**
 * Converts a failure that happened before the server answered: of the connection, or of any kind while credentials were
 * obtained.
 */
export const fromAgentReason = (reason: AgentError.AgentErrorReason): Shared =>
  isShared(reason) ? reason : new AgentError.CredentialsUnavailableError({
    message: `could not obtain credentials: ${reason.message}`,
    isRetryable: reason.isRetryable
  })

/**
 * Adds to the error of a run how far its message came. A run that the server may have begun is not retryable: running it
 * again repeats what the agent did.
 */
export const withDelivery = (self: AdkError): AdkError => {
  const { operation, reason, target } = self
  if (isSpecific(reason)) return self
  const delivery = HttpPeer.toDelivery(reason)
  const isSafe = delivery === "not-sent" || delivery === "refused"
  return new AdkError({
    operation,
    ...(target !== undefined && { target }),
    reason: AgentError.withFields(reason, { delivery, isRetryable: isSafe && reason.isRetryable })
  })
}

/** Returns `true` for an {@link AdkError}. */
export const isAdkError = Schema.is(AdkError)

// -----------------------------------------------------------------------------
// conversion to reasons of A2A
// -----------------------------------------------------------------------------

const tags = {
  SessionNotFoundError: "NotFoundError",
  SessionExistsError: "InvalidArgumentError",
  AppNotFoundError: "NotFoundError",
  AppNameRequiredError: "InvalidArgumentError",
  ArtifactNotFoundError: "NotFoundError",
  ValidationFailedError: "InvalidParamsError",
  BadRequestError: "InvalidArgumentError",
  RouteUnsupportedError: "UnsupportedOperationError",
  AgentFailedError: "InternalError",
  StreamError: "InternalError",
  DeniedError: "AccessDeniedError",
  GuardRefusedError: "AccessDeniedError",
  TooLargeError: "InvalidArgumentError",
  UpstreamError: "ServiceUnavailableError"
} as const satisfies Record<Specific["_tag"], AgentError.AgentErrorReason["_tag"]>

const isSpecific = (reason: AdkErrorReason): reason is Specific => reason._tag in adkReasons

const tagOf = (reason: Specific) => {
  if (reason.status === 401) return "UnauthenticatedError"
  return reason.status === 429 ? "RateLimitError" : tags[reason._tag]
}

/** Converts the server's issues to A2A's violations. */
export const violations = ({ issues }: ValidationFailedError): ReadonlyArray<AgentError.Violation> =>
  issues.map(({ loc = [], msg = "" }) => ({
    field: loc.filter((at, i) => i > 0 || at !== "body").join("."),
    description: msg
  }))

const toAgentReason = (reason: Specific): AgentError.AgentErrorReason => {
  const { details, isRetryable, message, retryAfter, status } = reason
  return AgentError.reason(tagOf(reason), {
    message,
    isRetryable,
    ...(status !== undefined && { status }),
    ...(retryAfter !== undefined && { retryAfter }),
    ...(details !== undefined && { details }),
    ...(reason._tag === "ValidationFailedError" && { violations: violations(reason) }),
    ...(reason._tag === "DeniedError" && reason.challenge !== undefined && { challenge: reason.challenge })
  })
}

/** Converts an error to the one that an A2A transport fails with. */
export const toAgentError = ({ operation, reason, target }: AdkError): AgentError.AgentError =>
  new AgentError.AgentError({
    operation,
    ...(target !== undefined && { target }),
    reason: isSpecific(reason) ? toAgentReason(reason) : reason
  })
