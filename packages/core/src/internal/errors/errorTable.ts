/**
 * The table of reasons: each row holds the word and the code of one reason, and is read in both directions. HTTP statuses
 * are in `servedTable.ts` and `callerTable.ts`. Sources: A2A 1.0.1 §5.4, JSON-RPC 2.0 §5.1. Tested in `test/errors`.
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
}

const agentRow = (word: string, jsonRpc: number): Row<"agent"> => ({
  word,
  jsonRpc,
  origin: "agent",
  isRetryable: false
})

const policyRow = (word: string, isRetryable: boolean): Row<"policy"> => ({
  word,
  origin: "policy",
  isRetryable
})

/** Raised on this side; a server that passes one on reports an internal error. */
const ownRow = <const O extends Origin>(word: string, origin: O, isRetryable: boolean): Row<O> => ({
  word,
  origin,
  isRetryable,
  jsonRpc: -32603
})

export const rows = {
  InvalidRequestError: { ...agentRow("INVALID_REQUEST", -32600), origin: "local" },
  OperationNotInProtocolError: { ...agentRow("OPERATION_NOT_IN_PROTOCOL", -32601), origin: "local" },
  NoCompatibleInterfaceError: ownRow("NO_COMPATIBLE_INTERFACE", "local", false),
  CredentialsUnavailableError: ownRow("CREDENTIALS_UNAVAILABLE", "local", false),
  ConnectionError: ownRow("CONNECTION", "network", true),
  TimeoutError: ownRow("TIMEOUT", "network", true),
  StreamInterruptedError: ownRow("STREAM_INTERRUPTED", "network", true),
  UnauthenticatedError: policyRow("UNAUTHENTICATED", false),
  AccessDeniedError: policyRow("ACCESS_DENIED", false),
  RateLimitError: policyRow("RATE_LIMIT_EXCEEDED", true),
  QuotaExceededError: policyRow("QUOTA_EXCEEDED", false),
  ServiceUnavailableError: policyRow("SERVICE_UNAVAILABLE", true),
  InvalidArgumentError: agentRow("INVALID_ARGUMENT", -32602),
  NotFoundError: agentRow("NOT_FOUND", -32001),
  StateNotReadyError: agentRow("STATE_NOT_READY", -32602),
  ActorInactiveError: agentRow("ACTOR_INACTIVE", -32602),
  TaskNotFoundError: agentRow("TASK_NOT_FOUND", -32001),
  TaskNotCancelableError: agentRow("TASK_NOT_CANCELABLE", -32002),
  PushNotificationNotSupportedError: agentRow("PUSH_NOTIFICATION_NOT_SUPPORTED", -32003),
  UnsupportedOperationError: agentRow("UNSUPPORTED_OPERATION", -32004),
  ContentTypeNotSupportedError: agentRow("CONTENT_TYPE_NOT_SUPPORTED", -32005),
  InvalidAgentResponseError: agentRow("INVALID_AGENT_RESPONSE", -32006),
  ExtendedAgentCardNotConfiguredError: agentRow("EXTENDED_AGENT_CARD_NOT_CONFIGURED", -32007),
  ExtensionSupportRequiredError: agentRow("EXTENSION_SUPPORT_REQUIRED", -32008),
  VersionNotSupportedError: agentRow("VERSION_NOT_SUPPORTED", -32009),
  InvalidParamsError: agentRow("INVALID_PARAMS", -32602),
  MethodNotFoundError: agentRow("METHOD_NOT_FOUND", -32601),
  InternalError: agentRow("INTERNAL_ERROR", -32603),
  TaskFailedError: ownRow("TASK_STATE_FAILED", "task", false),
  TaskCanceledError: ownRow("TASK_STATE_CANCELED", "task", false),
  TaskRejectedError: ownRow("TASK_STATE_REJECTED", "task", false),
  MalformedResponseError: ownRow("MALFORMED_RESPONSE", "contract", false),
  ResponseTooLargeError: ownRow("RESPONSE_TOO_LARGE", "contract", false),
  UnknownError: ownRow("UNKNOWN", "other", false)
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
