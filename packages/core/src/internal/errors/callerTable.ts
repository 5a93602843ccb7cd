/**
 * The HTTP status and a short text of each reason, for callers of a program that called an agent. Apart from the error
 * table, so that pages, which answer nobody, do not load it. Tested in `packages/core/test/agentError.test.ts`.
 */
import type { Tag } from "./errorTable.ts"

export const callerRows = {
  InvalidRequestError: { status: 400, title: "the request is invalid" },
  OperationNotInProtocolError: { status: 501, title: "the agent's protocol version lacks the operation" },
  NoCompatibleInterfaceError: { status: 502, title: "the agent offers no compatible interface" },
  UntrustedCardError: { status: 502, title: "the agent's card is not trusted" },
  CredentialsUnavailableError: { status: 500, title: "the credentials for the agent are unavailable" },
  ConnectionError: { status: 502, title: "the agent could not be reached" },
  TimeoutError: { status: 504, title: "the agent took too long" },
  StreamInterruptedError: { status: 502, title: "the connection to the agent dropped" },
  UnauthenticatedError: { status: 502, title: "the agent did not accept the credentials" },
  AccessDeniedError: { status: 403, title: "the agent denied access" },
  RateLimitError: { status: 429, title: "too many requests" },
  QuotaExceededError: { status: 402, title: "the quota is used up" },
  ServiceUnavailableError: { status: 503, title: "the agent is unavailable" },
  InvalidArgumentError: { status: 400, title: "the agent did not accept an argument" },
  NotFoundError: { status: 404, title: "not found" },
  StateNotReadyError: { status: 409, title: "the agent is not ready for the caller" },
  ActorInactiveError: { status: 403, title: "the caller's actor is inactive" },
  TaskNotFoundError: { status: 404, title: "task not found" },
  TaskNotCancelableError: { status: 409, title: "the task can no longer be canceled" },
  PushNotificationNotSupportedError: { status: 501, title: "the agent sends no push notifications" },
  UnsupportedOperationError: { status: 501, title: "the agent does not support the operation" },
  ContentTypeNotSupportedError: { status: 415, title: "the agent does not support the content type" },
  InvalidAgentResponseError: { status: 502, title: "the agent produced an invalid response" },
  ExtendedAgentCardNotConfiguredError: { status: 501, title: "the agent has no extended card" },
  ExtensionSupportRequiredError: { status: 502, title: "the agent requires an extension" },
  VersionNotSupportedError: { status: 502, title: "the agent does not support the protocol version" },
  InvalidParamsError: { status: 400, title: "the agent found the request invalid" },
  MethodNotFoundError: { status: 501, title: "the agent lacks the method" },
  InternalError: { status: 502, title: "the agent failed" },
  TaskFailedError: { status: 502, title: "the task failed" },
  TaskCanceledError: { status: 409, title: "the task was canceled" },
  TaskRejectedError: { status: 422, title: "the agent rejected the task" },
  MalformedResponseError: { status: 502, title: "the agent's response is malformed" },
  ResponseTooLargeError: { status: 502, title: "the agent's response is too large" },
  UnknownError: { status: 502, title: "the agent refused" }
} as const satisfies Readonly<Record<Tag, { readonly status: number; readonly title: string }>>
