/** Several ways to the same agent: the next one where a connection cannot be had. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { AgentError } from "../../AgentError.ts"
import type { Transport } from "../../Transport.ts"

/** No message can have arrived, and another address may do better. */
const isUnreached = ({ reason }: AgentError): boolean =>
  reason._tag === "ConnectionError" && reason.isRetryable && reason.messageId === undefined

export const orElse = (self: Transport, next: Transport): Transport => ({
  ...self,
  call: (operation, request) =>
    Effect.catchIf(self.call(operation, request), isUnreached, () => next.call(operation, request)),
  stream: (operation, request) =>
    Stream.catchIf(self.stream(operation, request), isUnreached, () => next.stream(operation, request))
})
