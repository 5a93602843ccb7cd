/**
 * The one error of this SDK. {@link AgentError} has the operation and a `reason`. Every reason has `code` (the wire
 * word), `message`, `isRetryable`, and, if the peer sent them, `retryAfter`, `status` (HTTP) and `details`. Errors of sends
 * have `delivery`: how far the message came.
 *
 * `error.message` is for logs: it names the operation and the agent's URL. `error.reason.message` is for people.
 *
 * ```ts
 * import { AgentError } from "@effect-a2a/core"
 * import { Effect } from "effect"
 *
 * const refused = Effect.fail(AgentError.make("SendMessage", "QuotaExceededError", { message: "no credit left" }))
 * const handled = refused.pipe(
 *   Effect.catchReason("AgentError", "QuotaExceededError", (reason) => Effect.succeed(reason.message))
 * )
 * await Effect.runPromise(handled) // => "no credit left"
 * ```
 *
 * @since 0.1.0
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { dual } from "effect/Function"
import type { ProblemDetails } from "effect/http/ProblemDetails"
import * as Schema from "effect/Schema"
import * as Id from "./Id.ts"
import { callerRows } from "./internal/errors/callerTable.ts"
import { rows, type Tag, type TagOf } from "./internal/errors/errorTable.ts"
import { cut } from "./internal/errors/excerpt.ts"
import { publicUrl } from "./internal/errors/publicUrl.ts"
import * as Wait from "./internal/errors/wait.ts"
import * as Task from "./Task.ts"

/**
 * The place where a failure arose: `local` before any byte was sent, `network` on the way, `policy` at a gate in front
 * of the agent (authentication, quota, load), `agent` in the agent, `task` if the call succeeded and the task did not,
 * `contract` if a response breaks the protocol, `other` if the peer's words are unknown.
 */
export type Origin = "local" | "network" | "policy" | "agent" | "task" | "contract" | "other"

/**
 * How far the message of a failed send came. `not-sent`: no request was written. `refused`: the agent, or a gateway in
 * front of it, refused it unread. `unknown`: the agent may have received it and may act on it. `delivered`: the agent
 * has it; subscribe to its task instead of sending again.
 */
export const Delivery = Schema.Literals(["not-sent", "refused", "unknown", "delivered"]).annotate({
  identifier: "Delivery"
})
/** How far the message of a failed send came. */
export type Delivery = typeof Delivery.Type

const fields = (tag: Tag) => ({
  /** The wire word, such as `QUOTA_EXCEEDED`. */
  code: Schema.String.pipe(Schema.withConstructorDefault(Effect.succeed(rows[tag].word))),
  /** A text for people: of a longer one, the first 2,000 characters. */
  message: Schema.String,
  /** True if repeating the call is safe and may succeed later; false for a send whose message may have arrived. */
  isRetryable: Schema.Boolean.pipe(Schema.withConstructorDefault(Effect.succeed(rows[tag].isRetryable))),
  /** How far the message came, if the call was a send. */
  delivery: Schema.optionalKey(Delivery),
  /** The time that the peer asks to wait. */
  retryAfter: Schema.optionalKey(Schema.Duration),
  /** The HTTP status of the response. */
  status: Schema.optionalKey(Schema.Int),
  /** The peer's error: as it was sent, or the beginning of one that is longer than 4,000 characters. */
  details: Schema.optionalKey(Schema.Json)
})

/** Returns a class whose errors have short messages: many quote a peer, who may name a task in a million characters. */
const withShortMessages = <C>(Base: C): C =>
  class extends (Base as new(...args: ReadonlyArray<unknown>) => object) {
    constructor(fields: { readonly message: string }, ...rest: ReadonlyArray<unknown>) {
      super({ ...fields, message: cut(fields.message) }, ...rest)
    }
  } as C

/** Makes the class of a reason, with a qualified identifier and further members. */
const Reason = <Self>() =>
<const Name extends Tag, const Extra extends Schema.Struct.Fields = {}>(
  name: Name,
  extra?: Extra
) =>
  withShortMessages(
    Schema.TaggedError<Self>(`@effect-a2a/core/AgentError/${name}`)(name, {
      ...fields(name),
      ...extra as Extra
    })
  )

/** A member of a request, as a path (`message.parts`), and the rule that it breaks. */
export class Violation extends Schema.Opaque<Violation>()(
  Schema.Struct({ field: Schema.String, description: Schema.String }).annotate({ identifier: "Violation" })
) {}

/** Formats violations as one line. */
export const describe = (violations: ReadonlyArray<Violation>): string =>
  violations.map(({ description, field }) => field === "" ? description : `${field}: ${description}`).join("; ")

const violations = Schema.optionalKey(Schema.Array(Violation))

// local

/** Raised before sending, if the request is invalid; `violations` names the members to correct. */
export class InvalidRequestError extends Reason<InvalidRequestError>()("InvalidRequestError", { violations }) {}

/** Raised before sending, if the protocol version lacks the operation; use an interface of another version. */
export class OperationNotInProtocolError
  extends Reason<OperationNotInProtocolError>()("OperationNotInProtocolError", { protocolVersion: Schema.String })
{}

/** Raised if no installed binding and version fits an interface of the card; install one of `offered`. */
export class NoCompatibleInterfaceError extends Reason<NoCompatibleInterfaceError>()("NoCompatibleInterfaceError", {
  offered: Schema.Array(Schema.String),
  installed: Schema.Array(Schema.String)
}) {}

/**
 * Raised if a verifier is installed (`CardVerifier`) and a card has no valid signature; nothing was sent to its
 * interfaces. `problem`: the card is `unsigned`, no trusted key is named by its signatures (`unknown-key`), or all are
 * `invalid`.
 */
export class UntrustedCardError extends Reason<UntrustedCardError>()("UntrustedCardError", {
  problem: Schema.Literals(["unsigned", "unknown-key", "invalid"])
}) {}

/** Raised before sending, if the credentials could not be obtained; look at their source. */
export class CredentialsUnavailableError extends Reason<CredentialsUnavailableError>()("CredentialsUnavailableError") {}

// network

/** The message that the agent may have received without a response; absent if it cannot have, and on other calls. */
const messageId = Schema.optionalKey(Id.MessageId)
const cause = Schema.optionalKey(Schema.Defect())

/**
 * Raised if there is no response: the host was not found, refused or reset the connection, or redirected to a place
 * that is not followed. With a `messageId`, ask the agent before sending again.
 */
export class ConnectionError extends Reason<ConnectionError>()("ConnectionError", { messageId, cause }) {}

/**
 * Raised if one of the caller's own time limits passed; `phase` says which. Not to be confused with the `TimeoutError`
 * of `Effect.timeout`, which stands bare in the error channel.
 */
export class TimeoutError
  extends Reason<TimeoutError>()("TimeoutError", { messageId, phase: Schema.Literals(["response", "idle", "total"]) })
{}

/**
 * Raised if a stream ended before the task settled. With a `taskId`, subscribe to the task, unless `isResumable` is false:
 * then the agent sends nothing further. Default of `isResumable`: true.
 */
export class StreamInterruptedError extends Reason<StreamInterruptedError>()("StreamInterruptedError", {
  isResumable: Schema.Boolean.pipe(Schema.withConstructorDefault(Effect.succeed(true))),
  taskId: Schema.optionalKey(Id.TaskId),
  messageId,
  cause
}) {}

// policy

/** Raised on HTTP 401: the credentials are missing or refused; `challenge` is the `WWW-Authenticate` header. */
export class UnauthenticatedError
  extends Reason<UnauthenticatedError>()("UnauthenticatedError", { challenge: Schema.optionalKey(Schema.String) })
{}

/**
 * Raised on HTTP 403: the credentials are valid and do not allow the call; `challenge` is the `WWW-Authenticate` header,
 * which may name the scope that is missing.
 */
export class AccessDeniedError
  extends Reason<AccessDeniedError>()("AccessDeniedError", { challenge: Schema.optionalKey(Schema.String) })
{}

/** Raised on HTTP 429: too many requests; wait for `retryAfter`. */
export class RateLimitError extends Reason<RateLimitError>()("RateLimitError") {}

/** Raised on HTTP 402: the quota or the credit is used up; waiting does not help. */
export class QuotaExceededError extends Reason<QuotaExceededError>()("QuotaExceededError") {}

/**
 * Raised if the agent, or a gateway in front of it, is overloaded or down (HTTP 408, 502, 503, 504 and the like); try
 * later. With a `messageId`, ask the agent before sending again.
 */
export class ServiceUnavailableError
  extends Reason<ServiceUnavailableError>()("ServiceUnavailableError", { messageId })
{}

// agent

/** Raised if the agent does not accept an argument, or not in the present state of the conversation. */
export class InvalidArgumentError extends Reason<InvalidArgumentError>()("InvalidArgumentError") {}

/** Raised if there is nothing under the URL or id; check the agent's URL. */
export class NotFoundError extends Reason<NotFoundError>()("NotFoundError") {}

/** Raised if the caller is not set up with the agent yet. */
export class StateNotReadyError extends Reason<StateNotReadyError>()("StateNotReadyError") {}

/** Raised if the actor that the caller stands for was deactivated or deleted. */
export class ActorInactiveError extends Reason<ActorInactiveError>()("ActorInactiveError") {}

/** Raised if the task does not exist, was forgotten, or belongs to another caller. */
export class TaskNotFoundError extends Reason<TaskNotFoundError>()("TaskNotFoundError") {}

/** Raised if the task is in a terminal state, or the agent cannot cancel. */
export class TaskNotCancelableError extends Reason<TaskNotCancelableError>()("TaskNotCancelableError") {}

/** Raised by the agent, or by its card before sending, if it sends no push notifications; stream or poll instead. */
export class PushNotificationNotSupportedError
  extends Reason<PushNotificationNotSupportedError>()("PushNotificationNotSupportedError")
{}

/** Raised if the agent does not support the operation, or not for this task. */
export class UnsupportedOperationError extends Reason<UnsupportedOperationError>()("UnsupportedOperationError") {}

/** Raised if the agent does not accept the media type of a part; its card lists those it does. */
export class ContentTypeNotSupportedError
  extends Reason<ContentTypeNotSupportedError>()("ContentTypeNotSupportedError")
{}

/** Raised if the agent itself says that it produced something the protocol does not allow. */
export class InvalidAgentResponseError extends Reason<InvalidAgentResponseError>()("InvalidAgentResponseError") {}

/** Raised if the agent has no card for authenticated callers; use its public card. */
export class ExtendedAgentCardNotConfiguredError
  extends Reason<ExtendedAgentCardNotConfiguredError>()("ExtendedAgentCardNotConfiguredError")
{}

/** Raised if the agent requires an extension that the request does not name. */
export class ExtensionSupportRequiredError
  extends Reason<ExtensionSupportRequiredError>()("ExtensionSupportRequiredError")
{}

/** Raised if the peer does not speak the protocol version; use one of `supportedVersions`. */
export class VersionNotSupportedError extends Reason<VersionNotSupportedError>()("VersionNotSupportedError", {
  supportedVersions: Schema.optionalKey(Schema.Array(Schema.String))
}) {}

/** Raised if the peer finds the request malformed; `violations` names the members if the peer did. */
export class InvalidParamsError extends Reason<InvalidParamsError>()("InvalidParamsError", { violations }) {}

/** Raised if the peer does not know the method or the route. */
export class MethodNotFoundError extends Reason<MethodNotFoundError>()("MethodNotFoundError") {}

/** Raised if the agent failed for a reason that it does not give. */
export class InternalError extends Reason<InternalError>()("InternalError") {}

// task

/** Raised by `Agent` if the call succeeded and the task failed; the message is the agent's. */
export class TaskFailedError extends Reason<TaskFailedError>()("TaskFailedError", { task: Task.Task }) {}

/** Raised by `Agent` if the call succeeded and the task was canceled. */
export class TaskCanceledError extends Reason<TaskCanceledError>()("TaskCanceledError", { task: Task.Task }) {}

/** Raised by `Agent` if the call succeeded and the agent rejected the task. */
export class TaskRejectedError extends Reason<TaskRejectedError>()("TaskRejectedError", { task: Task.Task }) {}

// contract

/**
 * Raised if a response cannot be read in the `dialect`; `issue` names the place in the document. `url` (without what may
 * be secret) and `contentType` say what responded, and `snippet` how a body begins that is not JSON, such as that of a
 * login page.
 */
export class MalformedResponseError extends Reason<MalformedResponseError>()("MalformedResponseError", {
  dialect: Schema.String,
  issue: Schema.String,
  url: Schema.optionalKey(Schema.String),
  contentType: Schema.optionalKey(Schema.String),
  snippet: Schema.optionalKey(Schema.String)
}) {}

/** Raised if an event or a response is longer than `maxLength`, in characters; raise the limit if it is meant. */
export class ResponseTooLargeError
  extends Reason<ResponseTooLargeError>()("ResponseTooLargeError", { maxLength: Schema.Int })
{}

// other

/** Raised on a refusal in words that this SDK does not know; `status`, `code` and `details` keep them. */
export class UnknownError extends Reason<UnknownError>()("UnknownError") {}

const reasons = {
  InvalidRequestError,
  OperationNotInProtocolError,
  NoCompatibleInterfaceError,
  UntrustedCardError,
  CredentialsUnavailableError,
  ConnectionError,
  TimeoutError,
  StreamInterruptedError,
  UnauthenticatedError,
  AccessDeniedError,
  RateLimitError,
  QuotaExceededError,
  ServiceUnavailableError,
  InvalidArgumentError,
  NotFoundError,
  StateNotReadyError,
  ActorInactiveError,
  TaskNotFoundError,
  TaskNotCancelableError,
  PushNotificationNotSupportedError,
  UnsupportedOperationError,
  ContentTypeNotSupportedError,
  InvalidAgentResponseError,
  ExtendedAgentCardNotConfiguredError,
  ExtensionSupportRequiredError,
  VersionNotSupportedError,
  InvalidParamsError,
  MethodNotFoundError,
  InternalError,
  TaskFailedError,
  TaskCanceledError,
  TaskRejectedError,
  MalformedResponseError,
  ResponseTooLargeError,
  UnknownError
} satisfies Record<Tag, unknown>
type Reasons = typeof reasons

type Fields = { readonly [T in Tag]: ConstructorParameters<Reasons[T]>[0] }
type Instances = { readonly [T in Tag]: InstanceType<Reasons[T]> }

const constructors: { readonly [T in Tag]: new(fields: Fields[T]) => Instances[T] } = reasons

/** Any reason. */
export const AgentErrorReason = Schema.Union(Object.values(reasons)).annotate({ identifier: "AgentErrorReason" })
/** Any reason. */
export type AgentErrorReason = Instances[Tag]

/** The reasons of an origin. */
export type ReasonOf<O extends Origin> = Instances[TagOf<O>]
/** The reasons that are raised before any byte is sent. */
export type LocalReason = ReasonOf<"local">
/** The reasons of the connection. */
export type NetworkReason = ReasonOf<"network">
/** The reasons of a gate in front of the agent: authentication, quota, load. */
export type PolicyReason = ReasonOf<"policy">
/** The reasons that the agent gives. */
export type AgentReason = ReasonOf<"agent">
/** The reasons of a task that did not succeed, although the call did. */
export type TaskReason = ReasonOf<"task">
/** The reasons of a response that breaks the protocol. */
export type ContractReason = ReasonOf<"contract">
/** The reason for words that this SDK does not know. */
export type OtherReason = ReasonOf<"other">

/** A failed call: `operation` names it, `target` is the agent's URL (see {@link toTarget}), `reason` says why. */
export class AgentError extends Schema.TaggedError<AgentError>("@effect-a2a/core/AgentError")("AgentError", {
  operation: Schema.String,
  target: Schema.optionalKey(Schema.String),
  reason: AgentErrorReason
}) {
  override readonly cause = this.reason

  /** A text for logs: operation, URL, the reason's message and its code. */
  override get message(): string {
    const where = this.target === undefined ? "" : ` at ${this.target}`
    return `${this.operation}${where}: ${this.reason.message} (${this.reason.code})`
  }

  /** The wire word of the reason, such as `QUOTA_EXCEEDED`. */
  get code(): string {
    return this.reason.code
  }

  /** The place where the failure arose. */
  get origin(): Origin {
    return rows[this.reason._tag].origin
  }

  /** True if repeating the call is safe and may succeed later; false for a send whose message may have arrived. */
  get isRetryable(): boolean {
    return this.reason.isRetryable
  }

  /** How far the message came, if the call was a send. */
  get delivery(): Delivery | undefined {
    return this.reason.delivery
  }

  /** The time that the peer asks to wait. */
  get retryAfter(): Duration.Duration | undefined {
    return this.reason.retryAfter
  }
}

/** Returns true if the value is an `AgentError`. */
export const isAgentError = Schema.is(AgentError)

/** The fields of a reason; `retryAfter` is anything that is a duration, such as `"2 seconds"`. */
export type ReasonFields<T extends Tag> = {
  readonly [K in keyof Fields[T]]: K extends "retryAfter" ? Duration.Input : Fields[T][K]
}

/** Creates a reason from its tag and fields. */
export const reason = <const T extends Tag>(tag: T, fields: ReasonFields<T>): Instances[T] => {
  const { retryAfter }: { readonly retryAfter?: Duration.Input } = fields
  const given = retryAfter === undefined ? fields : { ...fields, retryAfter: Duration.fromInputUnsafe(retryAfter) }
  return new constructors[tag](given as Fields[T])
}

/** Creates an error from an operation's name and its reason's tag and fields. */
export const make = <const T extends Tag>(operation: string, tag: T, fields: ReasonFields<T>): AgentError =>
  new AgentError({ operation, reason: reason(tag, fields) })

/** Returns the URL of an agent as `target` has it: without user name and password, query and fragment. */
export const toTarget: (url: string | URL) => string = publicUrl

/**
 * Returns a copy of a reason with some fields replaced. To be used instead of a spread, which loses an error's message
 * and cause.
 */
export const withFields: {
  <R extends AgentErrorReason>(fields: Partial<ReasonFields<R["_tag"]>>): (self: R) => R
  <R extends AgentErrorReason>(self: R, fields: Partial<ReasonFields<R["_tag"]>>): R
} = /*#__PURE__*/ dual(2, <R extends AgentErrorReason>(self: R, fields: Partial<ReasonFields<R["_tag"]>>): R => {
  const { cause, message, ...rest } = { ...self, message: self.message, cause: self.cause }
  const given = { ...rest, message, ...(cause === undefined ? undefined : { cause }), ...fields }
  return reason(self._tag, given as ReasonFields<R["_tag"]>) as R
})

/**
 * Returns an error with another reason, for decorators of transports; operation and target stay.
 *
 * ```ts
 * import { AgentError } from "@effect-a2a/core"
 *
 * const error = AgentError.make("GetTask", "NotFoundError", { message: "nothing here" })
 * const named = AgentError.mapReason(error, (reason) => AgentError.withFields(reason, { message: "no agent here" }))
 * named.message // => "GetTask: no agent here (NOT_FOUND)"
 * ```
 */
export const mapReason: {
  (f: (reason: AgentErrorReason) => AgentErrorReason): (self: AgentError) => AgentError
  (self: AgentError, f: (reason: AgentErrorReason) => AgentErrorReason): AgentError
} = /*#__PURE__*/ dual(
  2,
  ({ operation, reason, target }: AgentError, f: (reason: AgentErrorReason) => AgentErrorReason) =>
    new AgentError({ operation, ...(target === undefined ? undefined : { target }), reason: f(reason) })
)

/** A function for each origin, each with the origin's own reasons. */
export type OriginCases = { readonly [O in Origin]: (reason: ReasonOf<O>) => unknown }

/**
 * Applies the function of the error's origin to its reason, and returns its result.
 *
 * ```ts
 * import { AgentError } from "@effect-a2a/core"
 *
 * const advice = AgentError.matchOrigin({
 *   local: (reason) => `correct the program: ${reason.message}`,
 *   network: () => "try again",
 *   policy: (reason) => reason._tag === "QuotaExceededError" ? "buy more" : "ask for access",
 *   agent: (reason) => reason.message,
 *   task: (reason) => `task ${reason.task.id} did not succeed`,
 *   contract: () => "report a bug to the agent's developers",
 *   other: (reason) => reason.code
 * })
 * advice(AgentError.make("SendMessage", "QuotaExceededError", { message: "no credit left" })) // => "buy more"
 * ```
 */
export const matchOrigin: {
  <const Cases extends OriginCases>(cases: Cases): (self: AgentError) => ReturnType<Cases[Origin]>
  <const Cases extends OriginCases>(self: AgentError, cases: Cases): ReturnType<Cases[Origin]>
} = /*#__PURE__*/ dual(
  2,
  (self: AgentError, cases: { readonly [O in Origin]: (reason: any) => unknown }) => cases[self.origin](self.reason)
)

/**
 * Returns the HTTP status with which a program that called an agent answers its own caller: 400 for requests that the
 * agent does not accept, 402 and 429 for quota and rate, 404 for tasks that do not exist, 504 for a timeout, 502 for
 * most else. Credentials that the agent refused are the program's, hence 502 and not 401. `docs/errors.md` lists all.
 */
export const httpStatus = (reason: AgentErrorReason): number => callerRows[reason._tag].status

/**
 * Converts an error to the problem details (RFC 9457) for a program's own callers: status, title, code, `retryAfter` in
 * seconds, violations, and `detail`, the reason's message, unless the status is 500 or more. Neither the agent's URL
 * nor `details` of the peer are part of it. `ProblemDetails.toResponse` of `effect/http` makes a response of it.
 *
 * ```ts
 * import { AgentError } from "@effect-a2a/core"
 *
 * const error = AgentError.make("SendMessage", "RateLimitError", { message: "slow down", retryAfter: "2 seconds" })
 * const { retryAfter, status, title } = AgentError.toProblemDetails(error)
 * const problem = [status, title, retryAfter]
 * problem // => [429, "Too many requests", 2]
 * ```
 */
export const toProblemDetails = ({ reason }: AgentError): ProblemDetails => {
  const { status, title } = callerRows[reason._tag]
  const isTask = rows[reason._tag].origin === "task"
  return {
    type: "about:blank",
    status,
    title: `${title.charAt(0).toUpperCase()}${title.slice(1)}`,
    ...(status < 500 || isTask ? { detail: reason.message } : undefined),
    code: reason.code,
    ...(reason.retryAfter === undefined ? undefined : { retryAfter: Math.ceil(Wait.toSeconds(reason.retryAfter)) }),
    ...("violations" in reason && reason.violations !== undefined ? { violations: reason.violations } : undefined)
  }
}

const unsuccessful = {
  failed: ["TaskFailedError", "the task failed"],
  canceled: ["TaskCanceledError", "the task was canceled"],
  rejected: ["TaskRejectedError", "the agent rejected the task"]
} as const

/** Returns the reason if the task counts as a failure of the call: if it failed, was canceled or was rejected. */
export const fromTask = (task: Task.Task): TaskReason | undefined => {
  const { state } = task.status
  if (state !== "failed" && state !== "canceled" && state !== "rejected") return undefined
  const [tag, otherwise] = unsuccessful[state]
  return reason(tag, { message: Task.statusText(task) || otherwise, task, delivery: "delivered" })
}
