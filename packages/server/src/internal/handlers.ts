/** Stands in for `AgentTransport.fromHandlers` until core has it. */
import type * as AgentCard from "@effect-a2a/core/AgentCard"
import { AgentError, type AgentErrorReason, reason } from "@effect-a2a/core/AgentError"
import { AgentTransport } from "@effect-a2a/core/AgentTransport"
import type * as Operation from "@effect-a2a/core/Operation"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

type Of<K extends Operation.Tag> = Operation.All[K] extends Operation.Streaming ? (
    request: Operation.Request<Operation.All[K]>
  ) => Stream.Stream<Operation.Success<Operation.All[K]>, AgentErrorReason>
  : (
    request: Operation.Request<Operation.All[K]>
  ) => Effect.Effect<Operation.Success<Operation.All[K]>, AgentErrorReason>

type Handlers = { readonly [K in Operation.Tag]: Of<K> } & {
  readonly GetAgentCard: () => Effect.Effect<AgentCard.AgentCard>
}

export const fromHandlers = (target: AgentCard.AgentInterface, handlers: Handlers): AgentTransport["Service"] => {
  const all = new Proxy(handlers as any, {
    get: (target, tag: string) =>
      target[tag] ?? (() => Effect.fail(reason("MethodNotFoundError", { message: `no operation ${tag}` })))
  })
  const fail = (operation: Operation.Any) => (reason: AgentErrorReason) =>
    new AgentError({ operation: operation._tag, reason })
  return AgentTransport.of({
    target,
    call: (operation, request) => Effect.mapError(all[operation._tag](request), fail(operation) as never) as never,
    stream: (operation, request) => Stream.mapError(all[operation._tag](request), fail(operation) as never) as never
  })
}
