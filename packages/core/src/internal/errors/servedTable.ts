/**
 * The HTTP status and the google.rpc code name by which a server reports each reason. Apart from the error table, so that
 * clients do not load it. Sources: A2A 1.0.1 §5.4, google.rpc.Code. Tested in `test/errors`.
 */
import type { Tag } from "./errorTable.ts"

export interface ServedRow {
  readonly http: number
  /** The google.rpc code name. */
  readonly status: string
}

const row = (http: number, status: string): ServedRow => ({ http, status })
const precondition = "FAILED_PRECONDITION"
/** Raised on this side; a server that passes one on reports an internal error. */
const internal = row(500, "INTERNAL")

export const servedRows: Readonly<Record<Tag, ServedRow>> = {
  InvalidRequestError: row(400, "INVALID_ARGUMENT"),
  OperationNotInProtocolError: row(404, "UNIMPLEMENTED"),
  NoCompatibleInterfaceError: internal,
  UntrustedCardError: internal,
  CredentialsUnavailableError: internal,
  ConnectionError: internal,
  TimeoutError: internal,
  StreamInterruptedError: internal,
  UnauthenticatedError: row(401, "UNAUTHENTICATED"),
  AccessDeniedError: row(403, "PERMISSION_DENIED"),
  RateLimitError: row(429, "RESOURCE_EXHAUSTED"),
  QuotaExceededError: row(402, "RESOURCE_EXHAUSTED"),
  ServiceUnavailableError: row(503, "UNAVAILABLE"),
  InvalidArgumentError: row(400, "INVALID_ARGUMENT"),
  NotFoundError: row(404, "NOT_FOUND"),
  StateNotReadyError: row(400, precondition),
  ActorInactiveError: row(400, precondition),
  TaskNotFoundError: row(404, "NOT_FOUND"),
  TaskNotCancelableError: row(400, precondition),
  PushNotificationNotSupportedError: row(400, precondition),
  UnsupportedOperationError: row(400, precondition),
  ContentTypeNotSupportedError: row(400, "INVALID_ARGUMENT"),
  InvalidAgentResponseError: internal,
  ExtendedAgentCardNotConfiguredError: row(400, precondition),
  ExtensionSupportRequiredError: row(400, precondition),
  VersionNotSupportedError: row(400, precondition),
  InvalidParamsError: row(400, "INVALID_ARGUMENT"),
  MethodNotFoundError: row(404, "NOT_FOUND"),
  InternalError: internal,
  TaskFailedError: internal,
  TaskCanceledError: internal,
  TaskRejectedError: internal,
  MalformedResponseError: internal,
  ResponseTooLargeError: internal,
  UnknownError: internal
}
