/**
 * Decides how far the message of a failed send came: the only place that does. Tested in
 * `test/resilience/sendDelivery.test.ts`.
 */
import * as AgentError from "../../AgentError.ts"
import type * as Operation from "../../Operation.ts"
import { rows } from "./errorTable.ts"

type Reason = AgentError.AgentErrorReason

// codes of failures that happen before a request is written: address, connection, TLS handshake
const unsent = new Set<unknown>([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
  "ConnectionRefused",
  "FailedToOpenSocket",
  // of our own clients
  "ERR_NOT_SENT",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "ERR_SSL_WRONG_VERSION_NUMBER",
  "ERR_SSL_PACKET_LENGTH_TOO_LONG"
])
const unsentSyscalls = new Set<unknown>(["connect", "getaddrinfo"])
const unsentPattern = /^(?:CERT_|ERR_TLS_CERT_)/

// statuses of a gateway that may have forwarded the request, and received no usable response
const gatewayFailures = new Set<number | undefined>([408, 502, 504, 520, 522, 524])

/** True if the cause of a failed connection shows that no request was written. */
const isUnsent = (cause: unknown): boolean => {
  if (!(cause instanceof Error)) return false
  const { code, syscall } = cause as { readonly code?: unknown; readonly syscall?: unknown }
  return unsent.has(code) || unsentSyscalls.has(syscall) || unsentPattern.test(String(code)) ||
    (cause instanceof AggregateError && cause.errors.some(isUnsent))
}

const ofNetwork = (reason: AgentError.NetworkReason): AgentError.Delivery => {
  if (reason._tag === "StreamInterruptedError") return reason.taskId === undefined ? "unknown" : "delivered"
  if (reason._tag === "TimeoutError") return "unknown"
  // a redirect that is not followed is a response
  return reason.status !== undefined ? "refused" : isUnsent(reason.cause) ? "not-sent" : "unknown"
}

const deliveryOf = (reason: Reason): AgentError.Delivery => {
  switch (reason._tag) {
    case "ConnectionError":
    case "TimeoutError":
    case "StreamInterruptedError":
      return ofNetwork(reason)
    case "ServiceUnavailableError":
      return gatewayFailures.has(reason.status) ? "unknown" : "refused"
    // the agent failed while it was at work
    case "InternalError":
    case "InvalidAgentResponseError":
      return "unknown"
    case "UnknownError":
      return reason.status !== undefined && reason.status >= 400 && reason.status < 500 ? "refused" : "unknown"
  }
  const { origin } = rows[reason._tag]
  if (origin === "local") return "not-sent"
  if (origin === "task") return "delivered"
  return origin === "contract" ? "unknown" : "refused"
}

/** The reasons that have a `messageId`. */
const hasMessageId = (reason: Reason): reason is AgentError.NetworkReason | AgentError.ServiceUnavailableError =>
  rows[reason._tag].origin === "network" || reason._tag === "ServiceUnavailableError"

const withMessageId = (reason: Reason, request: object, fields: { readonly delivery: AgentError.Delivery }): Reason => {
  const { messageId } = (request as Operation.SendMessageRequest).message
  return AgentError.withFields(reason, {
    ...fields,
    isRetryable: false,
    message: `${reason.message}; the agent may have received message ${messageId}`,
    messageId
  } as Partial<AgentError.ReasonFields<"ConnectionError">>)
}

/**
 * Adds to the reason of a failed send how far its message came. A message that the agent may have received makes the
 * reason not retryable. `hasBegun`: an event has arrived. Reasons of other operations, and those that have a delivery
 * already, stay as they are.
 */
export const withDelivery = (
  operation: Operation.Any,
  request: object,
  reason: Reason,
  hasBegun: boolean
): Reason => {
  if (operation.kind !== "send" || reason.delivery !== undefined) return reason
  const delivery = hasBegun ? "delivered" : deliveryOf(reason)
  if (delivery === "unknown" && hasMessageId(reason)) return withMessageId(reason, request, { delivery })
  return AgentError.withFields(reason, {
    delivery,
    ...(delivery === "unknown" || delivery === "delivered" ? { isRetryable: false } : undefined)
  })
}
