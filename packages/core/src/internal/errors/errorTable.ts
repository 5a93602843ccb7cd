/**
 * The table of reasons: each row holds the words and numbers of one reason in all vocabularies, and is read in both
 * directions. Sources: A2A 1.0.1 §5.4, google.rpc.Code, JSON-RPC 2.0 §5.1. Tested in `test/errors`.
 */

/** The place where a failure arose. */
export type Origin = "local" | "network" | "policy" | "agent" | "task" | "contract" | "other"

export interface Row<O extends Origin = Origin> {
  /** The wire word: `ErrorInfo.reason`, or an error code of the agent. */
  readonly word: string
  readonly origin: O
  readonly isRetryable: boolean
  /** Absent if the HTTP status alone carries the reason, whatever the binding. */
  readonly jsonRpc?: number
  readonly http: number
  /** The google.rpc code name. */
  readonly status: string
  /** The HTTP status for callers of a program that called the agent. */
  readonly callerStatus: number
  /** A short text for people, without a capital. */
  readonly title: string
}

const agentRow = (
  word: string,
  jsonRpc: number,
  http: number,
  status: string,
  callerStatus: number,
  title: string
): Row<"agent"> => ({ word, jsonRpc, http, status, callerStatus, title, origin: "agent", isRetryable: false })

const policyRow = (
  word: string,
  http: number,
  status: string,
  isRetryable: boolean,
  callerStatus: number,
  title: string
): Row<"policy"> => ({ word, http, status, callerStatus, title, origin: "policy", isRetryable })

/** Raised on this side; a server that passes one on reports an internal error. */
const ownRow = <const O extends Origin>(
  word: string,
  origin: O,
  isRetryable: boolean,
  callerStatus: number,
  title: string
): Row<O> => ({
  word,
  origin,
  isRetryable,
  jsonRpc: -32603,
  http: 500,
  status: "INTERNAL",
  callerStatus,
  title
})

const precondition = "FAILED_PRECONDITION"

export const rows = {
  InvalidRequestError: {
    ...agentRow("INVALID_REQUEST", -32600, 400, "INVALID_ARGUMENT", 400, "the request is invalid"),
    origin: "local"
  },
  OperationNotInProtocolError: {
    ...agentRow(
      "OPERATION_NOT_IN_PROTOCOL",
      -32601,
      404,
      "UNIMPLEMENTED",
      501,
      "the agent's protocol version lacks the operation"
    ),
    origin: "local"
  },
  NoCompatibleInterfaceError: ownRow(
    "NO_COMPATIBLE_INTERFACE",
    "local",
    false,
    502,
    "the agent offers no compatible interface"
  ),
  CredentialsUnavailableError: ownRow(
    "CREDENTIALS_UNAVAILABLE",
    "local",
    false,
    500,
    "the credentials for the agent are unavailable"
  ),
  ConnectionError: ownRow("CONNECTION", "network", true, 502, "the agent could not be reached"),
  TimeoutError: ownRow("TIMEOUT", "network", true, 504, "the agent took too long"),
  StreamInterruptedError: ownRow("STREAM_INTERRUPTED", "network", true, 502, "the connection to the agent dropped"),
  UnauthenticatedError: policyRow(
    "UNAUTHENTICATED",
    401,
    "UNAUTHENTICATED",
    false,
    502,
    "the agent did not accept the credentials"
  ),
  AccessDeniedError: policyRow("ACCESS_DENIED", 403, "PERMISSION_DENIED", false, 403, "the agent denied access"),
  RateLimitError: policyRow("RATE_LIMIT_EXCEEDED", 429, "RESOURCE_EXHAUSTED", true, 429, "too many requests"),
  QuotaExceededError: policyRow("QUOTA_EXCEEDED", 402, "RESOURCE_EXHAUSTED", false, 402, "the quota is used up"),
  ServiceUnavailableError: policyRow("SERVICE_UNAVAILABLE", 503, "UNAVAILABLE", true, 503, "the agent is unavailable"),
  InvalidArgumentError: agentRow(
    "INVALID_ARGUMENT",
    -32602,
    400,
    "INVALID_ARGUMENT",
    400,
    "the agent did not accept an argument"
  ),
  NotFoundError: agentRow("NOT_FOUND", -32001, 404, "NOT_FOUND", 404, "not found"),
  StateNotReadyError: agentRow(
    "STATE_NOT_READY",
    -32602,
    400,
    precondition,
    409,
    "the agent is not ready for the caller"
  ),
  ActorInactiveError: agentRow("ACTOR_INACTIVE", -32602, 400, precondition, 403, "the caller's actor is inactive"),
  TaskNotFoundError: agentRow("TASK_NOT_FOUND", -32001, 404, "NOT_FOUND", 404, "task not found"),
  TaskNotCancelableError: agentRow(
    "TASK_NOT_CANCELABLE",
    -32002,
    400,
    precondition,
    409,
    "the task can no longer be canceled"
  ),
  PushNotificationNotSupportedError: agentRow(
    "PUSH_NOTIFICATION_NOT_SUPPORTED",
    -32003,
    400,
    precondition,
    501,
    "the agent sends no push notifications"
  ),
  UnsupportedOperationError: agentRow(
    "UNSUPPORTED_OPERATION",
    -32004,
    400,
    precondition,
    501,
    "the agent does not support the operation"
  ),
  ContentTypeNotSupportedError: agentRow(
    "CONTENT_TYPE_NOT_SUPPORTED",
    -32005,
    400,
    "INVALID_ARGUMENT",
    415,
    "the agent does not support the content type"
  ),
  InvalidAgentResponseError: agentRow(
    "INVALID_AGENT_RESPONSE",
    -32006,
    500,
    "INTERNAL",
    502,
    "the agent produced an invalid response"
  ),
  ExtendedAgentCardNotConfiguredError: agentRow(
    "EXTENDED_AGENT_CARD_NOT_CONFIGURED",
    -32007,
    400,
    precondition,
    501,
    "the agent has no extended card"
  ),
  ExtensionSupportRequiredError: agentRow(
    "EXTENSION_SUPPORT_REQUIRED",
    -32008,
    400,
    precondition,
    502,
    "the agent requires an extension"
  ),
  VersionNotSupportedError: agentRow(
    "VERSION_NOT_SUPPORTED",
    -32009,
    400,
    precondition,
    502,
    "the agent does not support the protocol version"
  ),
  InvalidParamsError: agentRow(
    "INVALID_PARAMS",
    -32602,
    400,
    "INVALID_ARGUMENT",
    400,
    "the agent found the request invalid"
  ),
  MethodNotFoundError: agentRow("METHOD_NOT_FOUND", -32601, 404, "NOT_FOUND", 501, "the agent lacks the method"),
  InternalError: agentRow("INTERNAL_ERROR", -32603, 500, "INTERNAL", 502, "the agent failed"),
  TaskFailedError: ownRow("TASK_STATE_FAILED", "task", false, 502, "the task failed"),
  TaskCanceledError: ownRow("TASK_STATE_CANCELED", "task", false, 409, "the task was canceled"),
  TaskRejectedError: ownRow("TASK_STATE_REJECTED", "task", false, 422, "the agent rejected the task"),
  MalformedResponseError: ownRow("MALFORMED_RESPONSE", "contract", false, 502, "the agent's response is malformed"),
  ResponseTooLargeError: ownRow("RESPONSE_TOO_LARGE", "contract", false, 502, "the agent's response is too large"),
  UnknownError: ownRow("UNKNOWN", "other", false, 502, "the agent refused")
} as const satisfies Record<string, Row>

export type Tag = keyof typeof rows

/** The tags whose rows have one of the origins. */
export type TagOf<O extends Origin> = { [T in Tag]: (typeof rows)[T]["origin"] extends O ? T : never }[Tag]

const isFromPeer = ([, row]: [Tag, Row]): boolean => row.origin === "policy" || row.origin === "agent"
const fromPeer = (Object.entries(rows) as ReadonlyArray<[Tag, Row]>).filter(isFromPeer)

/** Tags by wire word; below the rows' own words are synonyms. */
export const byWord: ReadonlyMap<string, Tag> = new Map([
  ...fromPeer.map(([tag, row]) => [row.word, tag] as const),
  ["INTERNAL", "InternalError"],
  ["INVALID_REQUEST", "InvalidParamsError"],
  ["OPERATION_NOT_IN_PROTOCOL", "MethodNotFoundError"],
  ["PARSE_ERROR", "InvalidParamsError"],
  ["PERMISSION_DENIED", "AccessDeniedError"],
  ["RESOURCE_EXHAUSTED", "RateLimitError"],
  ["UNAUTHORIZED", "UnauthenticatedError"],
  ["UNAVAILABLE", "ServiceUnavailableError"],
  ["AUTHENTICATED_EXTENDED_CARD_NOT_CONFIGURED", "ExtendedAgentCardNotConfiguredError"]
])

/** Tags by JSON-RPC code; the specification's names win over the general ones that share a code. */
export const byCode: ReadonlyMap<number, Tag> = new Map([
  [-32700, "InvalidParamsError"],
  [-32600, "InvalidParamsError"],
  [-32601, "MethodNotFoundError"],
  [-32602, "InvalidParamsError"],
  [-32603, "InternalError"],
  ...fromPeer.flatMap(([tag, row]) =>
    row.jsonRpc !== undefined && row.jsonRpc > -32100 && row.jsonRpc <= -32001 && tag !== "NotFoundError"
      ? [[row.jsonRpc, tag] as const]
      : []
  )
])

/**
 * Tags by HTTP status, for peers that say nothing else. The last ones are those of gateways in front of a service
 * (Cloudflare's 520 to 524, 529 for overload).
 */
const byHttpStatus: ReadonlyMap<number, Tag> = new Map<number, Tag>([
  [400, "InvalidArgumentError"],
  [401, "UnauthenticatedError"],
  [402, "QuotaExceededError"],
  [403, "AccessDeniedError"],
  [404, "NotFoundError"],
  [405, "MethodNotFoundError"],
  [415, "ContentTypeNotSupportedError"],
  [422, "InvalidArgumentError"],
  [429, "RateLimitError"],
  [501, "MethodNotFoundError"],
  ...[408, 502, 503, 504, 520, 521, 522, 523, 524, 529].map((status) => [status, "ServiceUnavailableError"] as const)
])

/** Returns the tag for an HTTP status. `ofTask`: the request named a task, so that "not found" means the task. */
export const byStatus = (status: number, ofTask: boolean): Tag =>
  status === 404 && ofTask
    ? "TaskNotFoundError"
    : byHttpStatus.get(status) ?? (status >= 500 ? "InternalError" : "UnknownError")
