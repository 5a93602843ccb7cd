/** The shape of the seam, for what is written over it. */
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type * as AgentCard from "./AgentCard.ts"
import type { AgentError } from "./AgentError.ts"
import type * as Operation from "./Operation.ts"

export interface Transport {
  readonly target: AgentCard.AgentInterface
  readonly call: <Op extends Operation.Unary>(
    operation: Op,
    request: Operation.Request<Op>
  ) => Effect.Effect<Operation.Success<Op>, AgentError>
  readonly stream: <Op extends Operation.Streaming>(
    operation: Op,
    request: Operation.Request<Op>
  ) => Stream.Stream<Operation.Success<Op>, AgentError>
}
