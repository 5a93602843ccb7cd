/**
 * The seam: what a client uses and a server implements. Two methods over operation values, so that everything between
 * the two (retries, gateways, recording, an agent in the same process) is a function from layer to layer.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Stream from "effect/Stream"
import type * as AgentCard from "./AgentCard.ts"
import type { AgentError } from "./AgentError.ts"
import type * as Operation from "./Operation.ts"

/**
 * `target` is the interface that is spoken to. `call` answers once, `stream` answers with events and succeeds only
 * after a settled state or a message. At this seam a failed task is a value; {@link AgentError} is a failed call.
 */
export class AgentTransport extends Context.Service<AgentTransport, {
  readonly target: AgentCard.AgentInterface
  readonly call: <Op extends Operation.Unary>(
    operation: Op,
    request: Operation.Request<Op>
  ) => Effect.Effect<Operation.Success<Op>, AgentError>
  readonly stream: <Op extends Operation.Streaming>(
    operation: Op,
    request: Operation.Request<Op>
  ) => Stream.Stream<Operation.Success<Op>, AgentError>
}>()("@effect-a2a/core/AgentTransport") {}

/**
 * Changes a transport: every decorator is made with this.
 *
 * ```ts
 * import { AgentTransport } from "@effect-a2a/core"
 *
 * const logged = AgentTransport.transform((transport) => ({
 *   ...transport,
 *   call: (operation, request) => transport.call(operation, request)
 * }))
 * typeof logged // => "function"
 * ```
 */
export const transform =
  (f: (self: AgentTransport["Service"]) => AgentTransport["Service"]) =>
  <E, R>(self: Layer.Layer<AgentTransport, E, R>): Layer.Layer<AgentTransport, E, R> =>
    Layer.effect(AgentTransport, Effect.map(AgentTransport, f)).pipe(Layer.provide(self))
