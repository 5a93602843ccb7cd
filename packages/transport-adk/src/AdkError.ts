/**
 * What can go wrong with an ADK server (ADK-06): one error, whose `reason` says why and keeps the server's words. Reasons
 * that have nothing to do with ADK (no connection, a limit of time, a malformed answer …) are those of `AgentError`.
 *
 * ```ts
 * import { AdkError } from "@effect-a2a/transport-adk"
 * import { Effect } from "effect"
 *
 * const reason = new AdkError.SessionNotFoundError({ message: "Session not found: s-1", status: 404 })
 * const lost = Effect.fail(new AdkError.AdkError({ operation: "run", reason }))
 * const handled = lost.pipe(
 *   Effect.catchReason("AdkError", "SessionNotFoundError", (reason) => Effect.succeed(reason.status))
 * )
 * await Effect.runPromise(handled) // => 404
 * AdkError.toAgentError(new AdkError.AdkError({ operation: "run", reason })).reason._tag // => "NotFoundError"
 * ```
 *
 * @since 0.1.0
 */
import * as AgentError from "@effect-a2a/core/AgentError"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Event } from "./AdkEvent.ts"
import { looseStruct } from "./internal/schema/looseStruct.ts"

const fields = {
  /** The server's words, without markup and stack traces. */
  message: Schema.String,
  /** Whether the same call may succeed later. Nothing is repeated by itself, and a run least of all (ADK-07). */
  isRetryable: Schema.Boolean.pipe(Schema.withConstructorDefault(Effect.succeed(false))),
  /** The HTTP status; absent in the middle of a stream. */
  status: Schema.optionalKey(Schema.Int),
  retryAfter: Schema.optionalKey(Schema.Duration),
  /** The whole body, or frame, where it is JSON. */
  details: Schema.optionalKey(Schema.Json)
}

/** Which session was meant. */
const session = {
  appName: Schema.optionalKey(Schema.String),
  userId: Schema.optionalKey(Schema.String),
  sessionId: Schema.optionalKey(Schema.String)
}

/** No such session: never made, deleted, of another application or user, or lost with the server's memory. */
export class SessionNotFoundError extends Schema.TaggedError<SessionNotFoundError>()("SessionNotFoundError", {
  ...fields,
  ...session
}) {}

/** A session with the chosen id is already there. */
export class SessionExistsError extends Schema.TaggedError<SessionExistsError>()("SessionExistsError", {
  ...fields,
  ...session
}) {}

/** No such application, or it cannot be loaded. */
export class AppNotFoundError extends Schema.TaggedError<AppNotFoundError>()("AppNotFoundError", {
  ...fields,
  ...session
}) {}

/** The request names no application, and the server has no default one. */
export class AppNameRequiredError extends Schema.TaggedError<AppNameRequiredError>()("AppNameRequiredError", fields) {}

export class ArtifactNotFoundError
  extends Schema.TaggedError<ArtifactNotFoundError>()("ArtifactNotFoundError", fields)
{}

/** One thing that the server found wrong with a request; unknown members are kept. */
export const Issue = looseStruct({
  loc: Schema.Array(Schema.Union([Schema.String, Schema.Finite])),
  msg: Schema.String,
  type: Schema.String,
  input: Schema.Json,
  ctx: Schema.JsonObject
})
export type Issue = typeof Issue.Type

/** HTTP 422: `issues` is the server's list. */
export class ValidationFailedError extends Schema.TaggedError<ValidationFailedError>()("ValidationFailedError", {
  ...fields,
  issues: Schema.Array(Issue)
}) {}

/** Any other refusal of what was asked. */
export class BadRequestError extends Schema.TaggedError<BadRequestError>()("BadRequestError", fields) {}

/** The server has no such route: another language or an older version than the operation needs. */
export class RouteUnsupportedError
  extends Schema.TaggedError<RouteUnsupportedError>()("RouteUnsupportedError", fields)
{}

/** The agent threw (HTTP 500). `events` is what it had said until then, where the server tells. */
export class AgentFailedError extends Schema.TaggedError<AgentFailedError>()("AgentFailedError", {
  ...fields,
  events: Schema.Array(Event)
}) {}

/** The agent threw in the middle of a stream; what the stream gave before stands, and is in the session. */
export class StreamError extends Schema.TaggedError<StreamError>()("StreamError", {
  ...fields,
  /** The exception's class, where the server tells. */
  type: Schema.optionalKey(Schema.String)
}) {}

/** HTTP 401 or 403, from what stands before the server, or an application that must not be called. */
export class DeniedError extends Schema.TaggedError<DeniedError>()("DeniedError", {
  ...fields,
  /** The `WWW-Authenticate` header. */
  challenge: Schema.optionalKey(Schema.String)
}) {}

/** A server bound to a loopback address refuses another `Host` or `Origin`, as behind a tunnel or in a container. */
export class GuardRefusedError extends Schema.TaggedError<GuardRefusedError>()("GuardRefusedError", fields) {}

/** HTTP 413. */
export class TooLargeError extends Schema.TaggedError<TooLargeError>()("TooLargeError", fields) {}

/** The server, or what stands before it, could not answer (5xx, 429). */
export class UpstreamError extends Schema.TaggedError<UpstreamError>()("UpstreamError", fields) {}

/** Reasons of ADK's own. */
const own = {
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
type Own = InstanceType<(typeof own)[keyof typeof own]>

/** Reasons that every client over HTTP has. */
const shared = {
  InvalidRequestError: AgentError.InvalidRequestError,
  CredentialsUnavailableError: AgentError.CredentialsUnavailableError,
  ConnectionError: AgentError.ConnectionError,
  TimeoutError: AgentError.TimeoutError,
  StreamInterruptedError: AgentError.StreamInterruptedError,
  MalformedResponseError: AgentError.MalformedResponseError,
  ResponseTooLargeError: AgentError.ResponseTooLargeError
}
type Shared = InstanceType<(typeof shared)[keyof typeof shared]>

export const AdkErrorReason = Schema.Union(Object.values({ ...own, ...shared }))
export type AdkErrorReason = Own | Shared

/** A call failed: `operation` says which, `target` where (an URL without its query), `reason` why. */
export class AdkError extends Schema.TaggedError<AdkError>("@effect-a2a/transport-adk/AdkError")("AdkError", {
  operation: Schema.String,
  target: Schema.optionalKey(Schema.String),
  reason: AdkErrorReason
}) {
  override readonly cause = this.reason

  override get message(): string {
    const where = this.target === undefined ? "" : ` at ${this.target}`
    return `${this.operation}${where}: ${this.reason.message} (${this.reason._tag})`
  }

  get isRetryable(): boolean {
    return this.reason.isRetryable
  }
}

const isShared = (reason: AgentError.AgentErrorReason): reason is Shared => reason._tag in shared

/** What went wrong before the server said anything: with the connection, or in any way where credentials are had from. */
export const fromAgentReason = (reason: AgentError.AgentErrorReason): Shared =>
  isShared(reason) ? reason : new AgentError.CredentialsUnavailableError({
    message: `the credentials could not be had: ${reason.message}`,
    isRetryable: reason.isRetryable
  })

export const isAdkError = Schema.is(AdkError)

// -----------------------------------------------------------------------------
// in A2A's words
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
} as const satisfies Record<Own["_tag"], AgentError.AgentErrorReason["_tag"]>

const isOwn = (reason: AdkErrorReason): reason is Own => reason._tag in own

const tagOf = (reason: Own) => {
  if (reason.status === 401) return "UnauthenticatedError"
  return reason.status === 429 ? "RateLimitError" : tags[reason._tag]
}

/** What the server found wrong, as members and descriptions. */
export const violations = ({ issues }: ValidationFailedError): ReadonlyArray<AgentError.Violation> =>
  issues.map(({ loc = [], msg = "" }) => ({
    field: loc.filter((at, i) => i > 0 || at !== "body").join("."),
    description: msg
  }))

const translate = (reason: Own): AgentError.AgentErrorReason => {
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

/** The same failure in the words of an A2A transport. */
export const toAgentError = ({ operation, reason, target }: AdkError): AgentError.AgentError =>
  new AgentError.AgentError({
    operation,
    ...(target !== undefined && { target }),
    reason: isOwn(reason) ? translate(reason) : reason
  })
