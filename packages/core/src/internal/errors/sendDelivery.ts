/**
 * Decides how far the message of a failed send came: the only place that does. Tested in
 * `test/resilience/sendDelivery.test.ts`.
 */
import { isUnsent } from "#unsent"
import * as AgentError from "../../AgentError.ts"
import type * as Operation from "../../Operation.ts"
import { rows } from "./errorTable.ts"

type Reason = AgentError.AgentErrorReason

// statuses of a gateway that may have forwarded the request, and received no usable response
const gatewayFailures = new Set<number | undefined>([408, 502, 504, 520, 522, 524])

/** True for the status of a gateway that may have forwarded the request. */
export const isGatewayFailure = (status: number): boolean => gatewayFailures.has(status)

const ofNetwork = (reason: AgentError.NetworkReason): AgentError.Delivery => {
  if (reason._tag === "StreamInterruptedError") return reason.taskId === undefined ? "unknown" : "delivered"
  if (reason._tag === "TimeoutError") return "unknown"
  // a redirect that is not followed is a response
  return reason.status !== undefined ? "refused" : isUnsent(reason.cause) ? "not-sent" : "unknown"
}

/** Returns how far a message came whose send failed before its first event. */
export const toDelivery = (reason: Reason): AgentError.Delivery => {
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
 * reason not retryable. `hasBegun`: an event has arrived. Reasons of other operations stay as they are.
 */
export const withDelivery = (
  operation: Operation.Any,
  request: object,
  reason: Reason,
  hasBegun: boolean
): Reason => {
  if (operation.kind !== "send") return reason
  const delivery = hasBegun ? "delivered" : reason.delivery ?? toDelivery(reason)
  if (delivery === "unknown" && hasMessageId(reason) && reason.messageId === undefined) {
    return withMessageId(reason, request, { delivery })
  }
  if (delivery === reason.delivery) return reason
  return AgentError.withFields(reason, {
    delivery,
    ...(delivery === "unknown" || delivery === "delivered" ? { isRetryable: false } : undefined)
  })
}
