/** Tries another interface of the same agent if the first cannot be reached. Tested in `test/discovery`. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { AgentError } from "../../AgentError.ts"
import type { Transport } from "../../Transport.ts"

/** True if no message can have been delivered and another address may work. */
const isUnreached = ({ reason }: AgentError): boolean => reason._tag === "ConnectionError" && reason.isRetryable

export const orElse = (self: Transport, next: Transport): Transport => ({
  ...self,
  call: (operation, request) =>
    Effect.catchIf(self.call(operation, request), isUnreached, () => next.call(operation, request)),
  stream: (operation, request) =>
    Stream.catchIf(self.stream(operation, request), isUnreached, () => next.stream(operation, request))
})
