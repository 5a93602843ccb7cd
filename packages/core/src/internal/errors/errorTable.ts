/**
 * The table of reasons: each row holds the word and the code of one reason, and is read in both directions. HTTP statuses
 * are in `servedTable.ts` and `callerTable.ts`. Sources: A2A 1.0.1 §5.4, JSON-RPC 2.0 §5.1. Tested in `test/errors`.
 */

/** The place where a failure arose. */
export type Origin = "local" | "network" | "policy" | "agent" | "task" | "contract" | "other"

/** A row without what follows from its tag. */
interface Entry<O extends Origin = Origin> {
  readonly origin: O
  readonly isRetryable: boolean
  /** Absent if the HTTP status alone carries the reason, whatever the binding. */
  readonly jsonRpc?: number
  /** Absent: the tag in capitals. */
  readonly word?: string
}

export interface Row extends Entry {
  /** The wire word: `ErrorInfo.reason`, or an error code of the agent. */
  readonly word: string
}

const agentRow = (jsonRpc: number): Entry<"agent"> => ({ jsonRpc, origin: "agent", isRetryable: false })

const policyRow = (isRetryable: boolean): Entry<"policy"> => ({ origin: "policy", isRetryable })

/** Raised on this side; a server that passes one on reports an internal error. */
const ownRow = <const O extends Origin>(origin: O, isRetryable: boolean): Entry<O> => ({
  origin,
  isRetryable,
  jsonRpc: -32603
})

const table = {
  InvalidRequestError: { ...agentRow(-32600), origin: "local" },
  OperationNotInProtocolError: { ...agentRow(-32601), origin: "local" },
  NoCompatibleInterfaceError: ownRow("local", false),
  UntrustedCardError: ownRow("local", false),
  CredentialsUnavailableError: ownRow("local", false),
  ConnectionError: ownRow("network", true),
  TimeoutError: ownRow("network", true),
  StreamInterruptedError: ownRow("network", true),
  UnauthenticatedError: policyRow(false),
  AccessDeniedError: policyRow(false),
  RateLimitError: { ...policyRow(true), word: "RATE_LIMIT_EXCEEDED" },
  QuotaExceededError: policyRow(false),
  ServiceUnavailableError: policyRow(true),
  InvalidArgumentError: agentRow(-32602),
  NotFoundError: agentRow(-32001),
  StateNotReadyError: agentRow(-32602),
  ActorInactiveError: agentRow(-32602),
  TaskNotFoundError: agentRow(-32001),
  TaskNotCancelableError: agentRow(-32002),
  PushNotificationNotSupportedError: agentRow(-32003),
  UnsupportedOperationError: agentRow(-32004),
  ContentTypeNotSupportedError: agentRow(-32005),
  InvalidAgentResponseError: agentRow(-32006),
  ExtendedAgentCardNotConfiguredError: agentRow(-32007),
  ExtensionSupportRequiredError: agentRow(-32008),
  VersionNotSupportedError: agentRow(-32009),
  InvalidParamsError: agentRow(-32602),
  MethodNotFoundError: agentRow(-32601),
  InternalError: { ...agentRow(-32603), word: "INTERNAL_ERROR" },
  TaskFailedError: { ...ownRow("task", false), word: "TASK_STATE_FAILED" },
  TaskCanceledError: { ...ownRow("task", false), word: "TASK_STATE_CANCELED" },
  TaskRejectedError: { ...ownRow("task", false), word: "TASK_STATE_REJECTED" },
  MalformedResponseError: ownRow("contract", false),
  ResponseTooLargeError: ownRow("contract", false),
  UnknownError: ownRow("other", false)
} as const satisfies Record<string, Entry>

export type Tag = keyof typeof table

/** The tags whose rows have one of the origins. */
export type TagOf<O extends Origin> = { [T in Tag]: (typeof table)[T]["origin"] extends O ? T : never }[Tag]

/** Converts `TaskNotFoundError` to `TASK_NOT_FOUND`. */
export const toWord = (tag: string): string =>
  tag.replace(/Error$/, "").replace(/([a-z])([A-Z])/g, "$1_$2").toUpperCase()

const entries = Object.entries(table) as ReadonlyArray<[Tag, Entry]>

export const rows = Object.fromEntries(
  entries.map(([tag, entry]): [Tag, Row] => [tag, { ...entry, word: entry.word ?? toWord(tag) }])
) as Readonly<Record<Tag, Row>>

const fromPeer = (Object.entries(rows) as ReadonlyArray<[Tag, Row]>).filter(([, { origin }]) =>
  origin === "policy" || origin === "agent"
)

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
  // not in the specification; written by a2a-go 2 and by our server, with the HTTP status in them
  [-31401, "UnauthenticatedError"],
  [-31403, "AccessDeniedError"],
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
