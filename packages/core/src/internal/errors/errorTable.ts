/**
 * Every reason a peer can give, in all the vocabularies it may be given in: one row, read in both directions.
 * Sources: A2A specification §5.4 (codes of 1.0.1), google.rpc.Code, JSON-RPC 2.0 §5.1, MemoryLake's page.
 */

/** Who or what a reason comes from. */
export type Origin = "local" | "network" | "policy" | "agent" | "task" | "contract" | "other"

export interface Row {
  /** The wire word: `ErrorInfo.reason`, or a vendor's error code. */
  readonly word: string
  readonly origin: Origin
  readonly isRetryable: boolean
  /** Absent where HTTP alone says it, whatever the binding. */
  readonly jsonRpc?: number
  readonly http: number
  /** The google.rpc code name. */
  readonly status: string
}

const agent = (word: string, jsonRpc: number, http: number, status: string): Row => ({
  word,
  jsonRpc,
  http,
  status,
  origin: "agent",
  isRetryable: false
})
const policy = (word: string, http: number, status: string, isRetryable: boolean): Row => ({
  word,
  http,
  status,
  origin: "policy",
  isRetryable
})
/** Made on this side; when a server has to pass one on, it is an internal error to its caller. */
const made = (word: string, origin: Origin, isRetryable = false): Row => ({
  word,
  origin,
  isRetryable,
  jsonRpc: -32603,
  http: 500,
  status: "INTERNAL"
})

export const rows = {
  InvalidRequestError: { ...agent("INVALID_REQUEST", -32600, 400, "INVALID_ARGUMENT"), origin: "local" },
  OperationNotInProtocolError: {
    ...agent("OPERATION_NOT_IN_PROTOCOL", -32601, 404, "UNIMPLEMENTED"),
    origin: "local"
  },
  NoCompatibleInterfaceError: made("NO_COMPATIBLE_INTERFACE", "local"),
  CredentialsUnavailableError: made("CREDENTIALS_UNAVAILABLE", "local"),
  ConnectionError: made("CONNECTION", "network", true),
  TimeoutError: made("TIMEOUT", "network", true),
  StreamInterruptedError: made("STREAM_INTERRUPTED", "network", true),
  UnauthenticatedError: policy("UNAUTHENTICATED", 401, "UNAUTHENTICATED", false),
  AccessDeniedError: policy("ACCESS_DENIED", 403, "PERMISSION_DENIED", false),
  RateLimitError: policy("RATE_LIMIT_EXCEEDED", 429, "RESOURCE_EXHAUSTED", true),
  QuotaExceededError: policy("QUOTA_EXCEEDED", 402, "RESOURCE_EXHAUSTED", false),
  ServiceUnavailableError: policy("SERVICE_UNAVAILABLE", 503, "UNAVAILABLE", true),
  InvalidArgumentError: agent("INVALID_ARGUMENT", -32602, 400, "INVALID_ARGUMENT"),
  NotFoundError: agent("NOT_FOUND", -32001, 404, "NOT_FOUND"),
  StateNotReadyError: agent("STATE_NOT_READY", -32602, 400, "FAILED_PRECONDITION"),
  ActorInactiveError: agent("ACTOR_INACTIVE", -32602, 400, "FAILED_PRECONDITION"),
  TaskNotFoundError: agent("TASK_NOT_FOUND", -32001, 404, "NOT_FOUND"),
  TaskNotCancelableError: agent("TASK_NOT_CANCELABLE", -32002, 400, "FAILED_PRECONDITION"),
  PushNotificationNotSupportedError: agent("PUSH_NOTIFICATION_NOT_SUPPORTED", -32003, 400, "FAILED_PRECONDITION"),
  UnsupportedOperationError: agent("UNSUPPORTED_OPERATION", -32004, 400, "FAILED_PRECONDITION"),
  ContentTypeNotSupportedError: agent("CONTENT_TYPE_NOT_SUPPORTED", -32005, 400, "INVALID_ARGUMENT"),
  InvalidAgentResponseError: agent("INVALID_AGENT_RESPONSE", -32006, 500, "INTERNAL"),
  ExtendedAgentCardNotConfiguredError: agent(
    "EXTENDED_AGENT_CARD_NOT_CONFIGURED",
    -32007,
    400,
    "FAILED_PRECONDITION"
  ),
  ExtensionSupportRequiredError: agent("EXTENSION_SUPPORT_REQUIRED", -32008, 400, "FAILED_PRECONDITION"),
  VersionNotSupportedError: agent("VERSION_NOT_SUPPORTED", -32009, 400, "FAILED_PRECONDITION"),
  InvalidParamsError: agent("INVALID_PARAMS", -32602, 400, "INVALID_ARGUMENT"),
  MethodNotFoundError: agent("METHOD_NOT_FOUND", -32601, 404, "NOT_FOUND"),
  InternalError: agent("INTERNAL_ERROR", -32603, 500, "INTERNAL"),
  TaskFailedError: made("TASK_STATE_FAILED", "task"),
  TaskCanceledError: made("TASK_STATE_CANCELED", "task"),
  TaskRejectedError: made("TASK_STATE_REJECTED", "task"),
  MalformedResponseError: made("MALFORMED_RESPONSE", "contract"),
  EventTooLargeError: made("EVENT_TOO_LARGE", "contract"),
  UnknownError: made("UNKNOWN", "other")
} as const satisfies Record<string, Row>

export type Tag = keyof typeof rows

const entries = Object.entries(rows) as ReadonlyArray<[Tag, Row]>
const fromPeer = entries.filter(([, row]) => row.origin === "policy" || row.origin === "agent")

/** By wire word. The second list holds words that mean the same. */
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

/** By JSON-RPC code; the specification's names win over the general ones that share a code. */
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

/** By HTTP status, when nothing else is said. `ofTask`: the request named a task. */
export const byStatus = (status: number, ofTask: boolean): Tag => {
  switch (status) {
    case 400:
    case 422:
      return "InvalidArgumentError"
    case 401:
      return "UnauthenticatedError"
    case 402:
      return "QuotaExceededError"
    case 403:
      return "AccessDeniedError"
    case 404:
      return ofTask ? "TaskNotFoundError" : "NotFoundError"
    case 405:
    case 501:
      return "MethodNotFoundError"
    case 415:
      return "ContentTypeNotSupportedError"
    case 429:
      return "RateLimitError"
    case 408:
    case 502:
    case 503:
    case 504:
    // what gateways in front of a service say of it
    case 520:
    case 521:
    case 522:
    case 523:
    case 524:
    case 529:
      return "ServiceUnavailableError"
    default:
      return status >= 500 ? "InternalError" : "UnknownError"
  }
}
