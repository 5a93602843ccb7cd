/** Whether a message that got no answer may have arrived all the same. */
import * as AgentError from "../../AgentError.ts"
import type * as Operation from "../../Operation.ts"

/** What happens before a request is written. */
const unsent = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT"
])

/** What a gateway says that has passed a request on and got no answer in time, or none that it could read. */
const gaveUp = new Set<number | undefined>([408, 502, 504, 524])

const codes = (cause: unknown): ReadonlyArray<unknown> => {
  if (!(cause instanceof Error)) return []
  const code = "code" in cause ? [cause.code] : []
  return cause instanceof AggregateError ? [...code, ...cause.errors.flatMap(codes)] : code
}

const mayHaveArrived = (reason: AgentError.AgentErrorReason): boolean => {
  switch (reason._tag) {
    case "ConnectionError":
      return reason.status === undefined && !codes(reason.cause).some((code) => unsent.has(String(code)))
    case "TimeoutError":
      return true
    case "StreamInterruptedError":
      return reason.taskId === undefined
    case "ServiceUnavailableError":
      return gaveUp.has(reason.status)
    default:
      return false
  }
}

const says = (messageId: string) =>
  `; outcome unknown: the agent may have got the message ${messageId}, which is not sent again by itself`

/** A reason that says so, where a message was sent. */
export const unknown = (
  operation: Operation.Any,
  request: unknown,
  reason: AgentError.AgentErrorReason
): AgentError.AgentErrorReason => {
  if (!operation._tag.startsWith("Send") || !mayHaveArrived(reason)) return reason
  const { messageId } = (request as Operation.SendMessageRequest).message
  // an error's message and cause do not come along by themselves
  const { _tag, cause, message, ...fields } = reason as AgentError.ConnectionError
  return AgentError.reason(_tag, {
    ...fields,
    ...(cause === undefined ? undefined : { cause }),
    message: `${message}${says(messageId)}`,
    messageId
  })
}
