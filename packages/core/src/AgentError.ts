/**
 * What can go wrong: one error, {@link AgentError}, whose `reason` says why. Every reason has `code` (the wire word),
 * `message`, `isRetryable`, and, where the peer said so, `retryAfter`, `status` (HTTP) and `details` (its own words).
 *
 * ```ts
 * import { AgentError } from "@effect-a2a/core"
 * import { Effect } from "effect"
 *
 * const refused = Effect.fail(AgentError.make("SendMessage", "QuotaExceededError", { message: "no credit left" }))
 * const handled = refused.pipe(
 *   Effect.catchReason("AgentError", "QuotaExceededError", (reason) => Effect.succeed(reason.code))
 * )
 * await Effect.runPromise(handled) // => "QUOTA_EXCEEDED"
 * ```
 *
 * @since 0.1.0
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Id from "./Id.ts"
import { type Origin, rows, type Tag } from "./internal/errors/errorTable.ts"
import * as Task from "./Task.ts"

const fields = (tag: Tag) => ({
  /** The wire word, such as `QUOTA_EXCEEDED`. */
  code: Schema.String.pipe(Schema.withConstructorDefault(Effect.succeed(rows[tag].word))),
  message: Schema.String,
  /** Whether the same call may succeed later. A send is never repeated by itself all the same. */
  isRetryable: Schema.Boolean.pipe(Schema.withConstructorDefault(Effect.succeed(rows[tag].isRetryable))),
  /** How long the peer asks to wait. */
  retryAfter: Schema.optionalKey(Schema.Duration),
  /** The HTTP status. */
  status: Schema.optionalKey(Schema.Int),
  /** What the peer said beyond code and message. */
  details: Schema.optionalKey(Schema.Json)
})

/** A member of a request, as a path (`message.parts`), and what is wrong with it. */
export const Violation = Schema.Struct({ field: Schema.String, description: Schema.String })
export type Violation = typeof Violation.Type

/** Violations in one line. */
export const describe = (violations: ReadonlyArray<Violation>): string =>
  violations.map(({ description, field }) => field === "" ? description : `${field}: ${description}`).join("; ")

const violations = Schema.optionalKey(Schema.Array(Violation))

// local: refused before any byte was sent

/** The request cannot be sent as it is: `violations` name the members. */
export class InvalidRequestError extends Schema.TaggedError<InvalidRequestError>()("InvalidRequestError", {
  ...fields("InvalidRequestError"),
  violations
}) {}

/** The protocol edition has no such operation. */
export class OperationNotInProtocolError
  extends Schema.TaggedError<OperationNotInProtocolError>()("OperationNotInProtocolError", {
    ...fields("OperationNotInProtocolError"),
    protocolVersion: Schema.String
  })
{}

/** No interface of the card can be spoken to with what is installed. */
export class NoCompatibleInterfaceError
  extends Schema.TaggedError<NoCompatibleInterfaceError>()("NoCompatibleInterfaceError", {
    ...fields("NoCompatibleInterfaceError"),
    offered: Schema.Array(Schema.String),
    installed: Schema.Array(Schema.String)
  })
{}

/** The credentials could not be had. */
export class CredentialsUnavailableError extends Schema.TaggedError<CredentialsUnavailableError>()(
  "CredentialsUnavailableError",
  fields("CredentialsUnavailableError")
) {}

// network

/** The message whose fate is not known: the agent may have got it. Absent where it cannot have, and on other calls. */
const messageId = Schema.optionalKey(Id.MessageId)
const cause = Schema.optionalKey(Schema.Defect())

/** No answer: name not resolved, refused, reset before the answer began; or a redirect that is not followed. */
export class ConnectionError extends Schema.TaggedError<ConnectionError>()("ConnectionError", {
  ...fields("ConnectionError"),
  messageId,
  cause
}) {}

/** A limit of the caller's own passed: until the answer began, between two bytes, or of the whole call. */
export class TimeoutError extends Schema.TaggedError<TimeoutError>()("TimeoutError", {
  ...fields("TimeoutError"),
  messageId,
  phase: Schema.Literals(["headers", "silence", "call"])
}) {}

/** A stream ended before a terminal or interrupted state. With a `taskId` it can be taken up again. */
export class StreamInterruptedError extends Schema.TaggedError<StreamInterruptedError>()("StreamInterruptedError", {
  ...fields("StreamInterruptedError"),
  taskId: Schema.optionalKey(Id.TaskId),
  messageId,
  cause
}) {}

// policy

/** HTTP 401. `challenge` is the `WWW-Authenticate` header. */
export class UnauthenticatedError extends Schema.TaggedError<UnauthenticatedError>()("UnauthenticatedError", {
  ...fields("UnauthenticatedError"),
  challenge: Schema.optionalKey(Schema.String)
}) {}

export class AccessDeniedError
  extends Schema.TaggedError<AccessDeniedError>()("AccessDeniedError", fields("AccessDeniedError"))
{}

export class RateLimitError extends Schema.TaggedError<RateLimitError>()("RateLimitError", fields("RateLimitError")) {}

export class QuotaExceededError
  extends Schema.TaggedError<QuotaExceededError>()("QuotaExceededError", fields("QuotaExceededError"))
{}

export class ServiceUnavailableError extends Schema.TaggedError<ServiceUnavailableError>()("ServiceUnavailableError", {
  ...fields("ServiceUnavailableError"),
  messageId
}) {}

// agent

/** The service does not accept an argument, or not in the present state of the conversation. */
export class InvalidArgumentError
  extends Schema.TaggedError<InvalidArgumentError>()("InvalidArgumentError", fields("InvalidArgumentError"))
{}

export class NotFoundError extends Schema.TaggedError<NotFoundError>()("NotFoundError", fields("NotFoundError")) {}

/** MemoryLake: the caller has no actor in the workspace yet. */
export class StateNotReadyError
  extends Schema.TaggedError<StateNotReadyError>()("StateNotReadyError", fields("StateNotReadyError"))
{}

/** MemoryLake: the actor was deleted. */
export class ActorInactiveError
  extends Schema.TaggedError<ActorInactiveError>()("ActorInactiveError", fields("ActorInactiveError"))
{}

export class TaskNotFoundError
  extends Schema.TaggedError<TaskNotFoundError>()("TaskNotFoundError", fields("TaskNotFoundError"))
{}

export class TaskNotCancelableError
  extends Schema.TaggedError<TaskNotCancelableError>()("TaskNotCancelableError", fields("TaskNotCancelableError"))
{}

/** Told by the peer, or by its card before any byte was sent. */
export class PushNotificationNotSupportedError extends Schema.TaggedError<PushNotificationNotSupportedError>()(
  "PushNotificationNotSupportedError",
  fields("PushNotificationNotSupportedError")
) {}

export class UnsupportedOperationError extends Schema.TaggedError<UnsupportedOperationError>()(
  "UnsupportedOperationError",
  fields("UnsupportedOperationError")
) {}

export class ContentTypeNotSupportedError extends Schema.TaggedError<ContentTypeNotSupportedError>()(
  "ContentTypeNotSupportedError",
  fields("ContentTypeNotSupportedError")
) {}

/** The agent produced something the protocol does not allow. */
export class InvalidAgentResponseError extends Schema.TaggedError<InvalidAgentResponseError>()(
  "InvalidAgentResponseError",
  fields("InvalidAgentResponseError")
) {}

export class ExtendedAgentCardNotConfiguredError extends Schema.TaggedError<ExtendedAgentCardNotConfiguredError>()(
  "ExtendedAgentCardNotConfiguredError",
  fields("ExtendedAgentCardNotConfiguredError")
) {}

export class ExtensionSupportRequiredError extends Schema.TaggedError<ExtensionSupportRequiredError>()(
  "ExtensionSupportRequiredError",
  fields("ExtensionSupportRequiredError")
) {}

/** The peer does not speak the version; `supportedVersions` are those it says it does. Nothing is tried with another. */
export class VersionNotSupportedError
  extends Schema.TaggedError<VersionNotSupportedError>()("VersionNotSupportedError", {
    ...fields("VersionNotSupportedError"),
    supportedVersions: Schema.optionalKey(Schema.Array(Schema.String))
  })
{}

/** The peer found the request malformed: `violations` name the members where it said which. */
export class InvalidParamsError extends Schema.TaggedError<InvalidParamsError>()("InvalidParamsError", {
  ...fields("InvalidParamsError"),
  violations
}) {}

export class MethodNotFoundError
  extends Schema.TaggedError<MethodNotFoundError>()("MethodNotFoundError", fields("MethodNotFoundError"))
{}

export class InternalError extends Schema.TaggedError<InternalError>()("InternalError", fields("InternalError")) {}

// task: the call went well, the task did not

export class TaskFailedError extends Schema.TaggedError<TaskFailedError>()("TaskFailedError", {
  ...fields("TaskFailedError"),
  task: Task.Task
}) {}

export class TaskCanceledError extends Schema.TaggedError<TaskCanceledError>()("TaskCanceledError", {
  ...fields("TaskCanceledError"),
  task: Task.Task
}) {}

export class TaskRejectedError extends Schema.TaggedError<TaskRejectedError>()("TaskRejectedError", {
  ...fields("TaskRejectedError"),
  task: Task.Task
}) {}

// contract

/** An answer that cannot be read. `issue` says where in the document. */
export class MalformedResponseError extends Schema.TaggedError<MalformedResponseError>()("MalformedResponseError", {
  ...fields("MalformedResponseError"),
  dialect: Schema.String,
  issue: Schema.String
}) {}

/** An event, or an answer that is no stream, larger than `maxBytes`. */
export class EventTooLargeError extends Schema.TaggedError<EventTooLargeError>()("EventTooLargeError", {
  ...fields("EventTooLargeError"),
  maxBytes: Schema.Int
}) {}

/** A refusal in words this SDK does not know; `status`, `code` and `details` keep them. */
export class UnknownError extends Schema.TaggedError<UnknownError>()("UnknownError", fields("UnknownError")) {}

const reasons = {
  InvalidRequestError,
  OperationNotInProtocolError,
  NoCompatibleInterfaceError,
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
  EventTooLargeError,
  UnknownError
}
type Reasons = typeof reasons

export const AgentErrorReason = Schema.Union(Object.values(reasons))
export type AgentErrorReason = InstanceType<Reasons[keyof Reasons]>

/** A call failed: `operation` says which, `target` where (an URL without its query), `reason` why. */
export class AgentError extends Schema.TaggedError<AgentError>("@effect-a2a/core/AgentError")("AgentError", {
  operation: Schema.String,
  target: Schema.optionalKey(Schema.String),
  reason: AgentErrorReason
}) {
  override readonly cause = this.reason

  override get message(): string {
    const where = this.target === undefined ? "" : ` at ${this.target}`
    return `${this.operation}${where}: ${this.reason.message} (${this.reason.code})`
  }

  get code(): string {
    return this.reason.code
  }

  /** `local` before any byte was sent; `task` where the call went well and the task did not. */
  get origin(): Origin {
    return rows[this.reason._tag].origin
  }

  get isRetryable(): boolean {
    return this.reason.isRetryable
  }

  get retryAfter(): Duration.Duration | undefined {
    return this.reason.retryAfter
  }
}

/** A reason by its tag, for when the tag comes from a table. */
export const reason = <const T extends keyof Reasons>(
  tag: T,
  fields: ConstructorParameters<Reasons[T]>[0]
): InstanceType<Reasons[T]> => new (reasons[tag] as any)(fields)

/** An error from its reason's tag and fields. */
export const make = <const T extends keyof Reasons>(
  operation: string,
  tag: T,
  fields: ConstructorParameters<Reasons[T]>[0]
): AgentError => new AgentError({ operation, reason: reason(tag, fields) })

const unsuccessful = {
  failed: ["TaskFailedError", "the task failed"],
  canceled: ["TaskCanceledError", "the task was canceled"],
  rejected: ["TaskRejectedError", "the agent rejected the task"]
} as const

/** Why a task counts as a failure of the call, if it does: failed, canceled and rejected ones do. */
export const fromTask = (task: Task.Task): AgentErrorReason | undefined => {
  const { state } = task.status
  if (state !== "failed" && state !== "canceled" && state !== "rejected") return undefined
  const [tag, otherwise] = unsuccessful[state]
  return reason(tag, { message: Task.statusText(task) || otherwise, task })
}

export const isAgentError = Schema.is(AgentError)
