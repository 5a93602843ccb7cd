/** A transport whose agent is described by a card. Tested in `test/engine/card.test.ts`. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type * as AgentCard from "../../AgentCard.ts"
import * as AgentError from "../../AgentError.ts"
import * as Operation from "../../Operation.ts"
import * as Transport from "../../Transport.ts"
import * as SingleEvent from "./singleEvent.ts"

/** Makes a send wait for its task. */
const waiting = (request: Operation.SendMessageRequest): Operation.SendMessageRequest => {
  const { returnImmediately, ...configuration } = request.configuration ?? {}
  return returnImmediately === undefined ? request : { ...request, configuration }
}

const noPush = new AgentError.PushNotificationNotSupportedError({
  message: "the agent's card declares no push notifications"
})

const noStreaming = new AgentError.UnsupportedOperationError({ message: "the agent's card declares no streaming" })

const noExtendedCard = new AgentError.UnsupportedOperationError({
  message: "the agent's card declares no extended card"
})

const wantsPush = ({ configuration }: Operation.SendMessageRequest) =>
  configuration?.taskPushNotificationConfig !== undefined

/**
 * Answers `GetAgentCard` with `card` and refuses, before any byte is sent, what `capabilities` do not declare. If the
 * agent does not stream, a streaming send is a waiting send whose result is the whole stream.
 */
export const withCard = (
  card: Effect.Effect<AgentCard.AgentCard, AgentError.AgentError>,
  { extendedAgentCard, pushNotifications, streaming }: AgentCard.AgentCapabilities
): (self: Transport.Transport) => Transport.Transport => {
  const refusesPush = (request: Operation.SendMessageRequest) => pushNotifications !== true && wantsPush(request)
  return (self) =>
    Transport.intercept({
      ...(pushNotifications === true ? undefined : Transport.refusePush(noPush)),
      GetAgentCard: () => card,
      GetExtendedAgentCard: (request, next) => extendedAgentCard === true ? next(request) : Effect.fail(noExtendedCard),
      SendMessage: (request, next) => refusesPush(request) ? Effect.fail(noPush) : next(request),
      SendStreamingMessage: (request, next) => {
        if (refusesPush(request)) return Stream.fail(noPush)
        if (streaming === true) return next(request)
        return Stream.unwrap(Effect.gen(function*() {
          if (yield* SingleEvent.CurrentIsWhole) return yield* noStreaming
          return SingleEvent.singleEvent(yield* self.call(Operation.SendMessage, waiting(request)))
        }))
      }
    })(self)
}
