/** A transport whose agent is known by its card. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type * as AgentCard from "../AgentCard.ts"
import * as AgentError from "../AgentError.ts"
import * as Operation from "../Operation.ts"
import { oneAnswer } from "./oneAnswer.ts"
import type { Transport } from "./transport.ts"

/** A send that waits for its task. */
const patient = (request: Operation.SendMessageRequest): Operation.SendMessageRequest => {
  const { returnImmediately, ...configuration } = request.configuration ?? {}
  return returnImmediately === undefined ? request : { ...request, configuration }
}

/**
 * `card` answers for the agent. One that does not stream is sent the message and waited for, and its answer is the whole
 * stream (STR-07).
 */
export const over =
  (card: Effect.Effect<AgentCard.AgentCard, AgentError.AgentError>, { streaming }: AgentCard.AgentCapabilities) =>
  (self: Transport): Transport => ({
    ...self,
    call: (operation, request) =>
      operation._tag === Operation.GetAgentCard._tag ? card as never : self.call(operation, request),
    stream: (operation, request) =>
      streaming === true || operation._tag !== Operation.SendStreamingMessage._tag
        ? self.stream(operation, request)
        : Stream.unwrap(
          Effect.map(
            self.call(Operation.SendMessage, patient(request as Operation.SendMessageRequest)),
            (answer) =>
              Stream.mapError(oneAnswer(answer), (reason) =>
                new AgentError.AgentError({ operation: operation._tag, target: self.target.url, reason }))
          )
        ) as never
  })
