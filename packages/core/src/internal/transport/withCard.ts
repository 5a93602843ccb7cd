/** A transport whose agent is known by its card. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type * as AgentCard from "../../AgentCard.ts"
import * as AgentError from "../../AgentError.ts"
import * as Operation from "../../Operation.ts"
import type { Transport } from "../../Transport.ts"
import { oneAnswer } from "./singleEvent.ts"

/** A send that waits for its task. */
const patient = (request: Operation.SendMessageRequest): Operation.SendMessageRequest => {
  const { returnImmediately, ...configuration } = request.configuration ?? {}
  return returnImmediately === undefined ? request : { ...request, configuration }
}

/** What the card says that the agent does not do is not asked for. */
const undeclared = (
  operation: Operation.Any,
  request: unknown,
  { extendedAgentCard, pushNotifications }: AgentCard.AgentCapabilities
): AgentError.AgentErrorReason | undefined => {
  const isPush = operation._tag.includes("TaskPushNotificationConfig") ||
    (request as Partial<Operation.SendMessageRequest>).configuration?.taskPushNotificationConfig !== undefined
  if (isPush && pushNotifications !== true) {
    return new AgentError.PushNotificationNotSupportedError({
      message: "the agent's card says that it has no push notifications"
    })
  }
  return operation._tag === Operation.GetExtendedAgentCard._tag && extendedAgentCard !== true
    ? new AgentError.UnsupportedOperationError({ message: "the agent's card says that it has no extended card" })
    : undefined
}

/**
 * `card` answers for the agent, and what `capabilities` do not declare is refused before any byte is sent. An agent that
 * does not stream is sent the message and waited for, and its answer is the whole stream (STR-07).
 */
export const over =
  (card: Effect.Effect<AgentCard.AgentCard, AgentError.AgentError>, capabilities: AgentCard.AgentCapabilities) =>
  (self: Transport): Transport => {
    const failing = (operation: Operation.Any) => (reason: AgentError.AgentErrorReason) =>
      new AgentError.AgentError({ operation: operation._tag, target: self.target.url, reason })

    const call: Transport["call"] = (operation, request) => {
      if (operation._tag === Operation.GetAgentCard._tag) return card as never
      const reason = undeclared(operation, request, capabilities)
      return reason === undefined ? self.call(operation, request) : Effect.fail(failing(operation)(reason))
    }

    return {
      ...self,
      call,
      stream: (operation, request) => {
        const isSend = operation._tag === Operation.SendStreamingMessage._tag
        if (isSend && capabilities.streaming !== true) {
          return Stream.unwrap(Effect.map(
            call(Operation.SendMessage, patient(request as Operation.SendMessageRequest)),
            (answer) => Stream.mapError(oneAnswer(answer), failing(operation))
          )) as never
        }
        const reason = undeclared(operation, request, capabilities)
        return reason === undefined ? self.stream(operation, request) : Stream.fail(failing(operation)(reason))
      }
    }
  }
