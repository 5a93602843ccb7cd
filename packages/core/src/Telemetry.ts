/**
 * Spans and metrics of calls to agents, with the names of OpenTelemetry's conventions. Spans are made wherever a tracer is
 * installed or a span is open, except in browsers; metrics where {@link layer} is. `node` includes it. A page without it
 * has neither, and contains no code for them.
 *
 * ```ts
 * import { Agent, Telemetry, Protocol } from "@effect-a2a/core"
 * import { AgentTest, Script, Wire } from "@effect-a2a/testing"
 * import { Rest, RestServer } from "@effect-a2a/transport-rest"
 * import { Effect, Layer, Metric } from "effect"
 *
 * const wire = Wire.through({ protocol: Protocol.v1_0, client: Rest.layer, server: RestServer.routes })
 * const agent = Agent.layer.pipe(
 *   Layer.provide(wire(AgentTest.layer)),
 *   Layer.provide([Script.layer(Script.say("Hello")), Telemetry.layer])
 * )
 * const program = Agent.ask("Hi").pipe(
 *   Effect.andThen(Metric.snapshot),
 *   Effect.map((all) => all.map(({ attributes, id }) => [id, attributes?.["gen_ai.operation.name"]])),
 *   Effect.provide(agent),
 *   Effect.provideService(Metric.MetricRegistry, new Map())
 * )
 * await Effect.runPromise(program) // => [["gen_ai.client.operation.duration", "invoke_agent"]]
 * ```
 *
 * @since 0.1.0
 * @stability unstable
 */
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import { make } from "./internal/http/observation.ts"
import { Current } from "./internal/http/observe.ts"
import { protoStates } from "./internal/protocol/enums.ts"
import type { TaskState } from "./TaskState.ts"

/** Returns the name of a state as the conventions write it, such as `TASK_STATE_INPUT_REQUIRED`. */
export const stateName = (state: TaskState): string => protoStates[state]

/** 10 ms, doubled up to 82 s. */
const boundaries = Metric.exponentialBoundaries({ start: 0.01, factor: 2, count: 15 })

/**
 * The seconds that calls took, streams until their end. Attributes: `gen_ai.operation.name` (`invoke_agent` for messages,
 * otherwise the operation), `a2a.method.name`, `server.address`, `server.port`, and `error.type` if the call failed or its
 * task did not succeed: the code of the failure.
 */
export const duration: Metric.Histogram<number> = Metric.histogram("gen_ai.client.operation.duration", {
  description: "Duration of calls to agents, in seconds",
  boundaries
})

/** The seconds until the first event of a stream arrived, with the attributes of {@link duration}. */
export const timeToFirstChunk: Metric.Histogram<number> = Metric.histogram(
  "gen_ai.client.operation.time_to_first_chunk",
  { description: "Time to the first event of a stream, in seconds", boundaries }
)

/**
 * Measures the calls of all transports made above this layer, and traces them in browsers too, whose servers then have to
 * allow the header `traceparent`.
 */
export const layer: Layer.Layer<never> = /*#__PURE__*/ Layer.sync(
  Current,
  () =>
    make({
      first: (seconds, attributes) => Metric.update(Metric.withAttributes(timeToFirstChunk, attributes), seconds),
      end: (seconds, attributes) => Metric.update(Metric.withAttributes(duration, attributes), seconds)
    })
)
