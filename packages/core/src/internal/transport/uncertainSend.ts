/** Marks the failures of a send after which the agent may have received the message. Tested in `test/field`. */
import * as AgentError from "../../AgentError.ts"
import type * as Operation from "../../Operation.ts"

// codes of failures that happen before a request is written
const unsent = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
  // of our own clients
  "ERR_NOT_SENT"
])

// statuses of a gateway that forwarded the request and received no usable response
const gatewayFailures = new Set<number | undefined>([408, 502, 504, 524])

const codes = (cause: unknown): ReadonlyArray<unknown> => {
  if (!(cause instanceof Error)) return []
  const code = "code" in cause ? [cause.code] : []
  return cause instanceof AggregateError ? [...code, ...cause.errors.flatMap(codes)] : code
}

/** The reasons that have a `messageId`. */
type Uncertain = AgentError.NetworkReason | AgentError.ServiceUnavailableError

const mayBeDelivered = (reason: AgentError.AgentErrorReason): reason is Uncertain => {
  switch (reason._tag) {
    case "ConnectionError":
      return reason.status === undefined && !codes(reason.cause).some((code) => unsent.has(String(code)))
    case "TimeoutError":
      return true
    case "StreamInterruptedError":
      return reason.taskId === undefined
    case "ServiceUnavailableError":
      return gatewayFailures.has(reason.status)
    default:
      return false
  }
}

/** Adds the message id to the reason if the operation sends a message that the agent may have received. */
export const markUncertain = (
  operation: Operation.Any,
  request: object,
  reason: AgentError.AgentErrorReason
): AgentError.AgentErrorReason => {
  if (operation.kind !== "send" || !mayBeDelivered(reason)) return reason
  const { messageId } = (request as Operation.SendMessageRequest).message
  return AgentError.withFields(reason, {
    message: `${reason.message}; the agent may have received message ${messageId}; it was not retried`,
    messageId
  })
}
