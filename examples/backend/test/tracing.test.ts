// The spans of one question: our agent, the fan-out, the remote agents.
import { Agent, Credentials, Discovery } from "@effect-a2a/core"
import { Script, Wire } from "@effect-a2a/testing"
import { JsonRpc } from "@effect-a2a/transport-jsonrpc"
import { Rest, RestServer } from "@effect-a2a/transport-rest"
import { assert, it } from "@effect/vitest"
import { Effect, Exit, Layer, Stream, Tracer } from "effect"
import * as A2aAgent from "../src/A2aAgent.ts"
import { Travel } from "../src/Agents.ts"
import { app, lakeWith, scripted } from "./support.ts"

const travel = Travel.layer.pipe(
  Layer.provide(Rest.layer({ url: "http://travel.test" })),
  Layer.provide([
    Credentials.layerNone,
    Wire.layerHttp(RestServer.routes().pipe(Layer.provide(scripted(Script.say("by train")))))
  ])
)
const agent = Agent.layer.pipe(
  Layer.provide(Discovery.layer({ agent: "http://orchestrator.test", bindings: [JsonRpc.binding] })),
  Layer.provide([
    Credentials.layerNone,
    Wire.layerHttp(A2aAgent.routes.pipe(Layer.provide(app({ lake: lakeWith("sk_quota"), travel }))))
  ])
)

/** A tracer that keeps the spans. */
const recording = () => {
  const spans: Array<Tracer.NativeSpan> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })
  return { spans, tracer }
}

const hasFailed = ({ status }: Tracer.NativeSpan) => status._tag === "Ended" && Exit.isFailure(status.exit)

it.effect("a question to all agents is one trace, in which a refusal is red", () => {
  const { spans, tracer } = recording()
  return Effect.gen(function*() {
    yield* Stream.runDrain(Agent.stream("hello")).pipe(Effect.provide(agent), Effect.withSpan("question"))
    assert.strictEqual(new Set(spans.map(({ traceId }) => traceId)).size, 1)
    const calls = spans.filter(({ attributes }) => attributes.get("gen_ai.operation.name") === "invoke_agent")
    assert.sameMembers(
      calls.map(({ attributes }) => attributes.get("server.address")),
      ["orchestrator.test", "memorylake.test", "travel.test", "adk.test"]
    )
    assert.deepStrictEqual(
      calls.filter(hasFailed).map(({ attributes }) => [attributes.get("server.address"), attributes.get("error.type")]),
      [["memorylake.test", "QUOTA_EXCEEDED"]]
    )
    // ours, the travel agent's, and the spare's in this process
    assert.strictEqual(spans.filter(({ name }) => name === "a2a.execute").length, 3)
  }).pipe(Effect.withTracer(tracer))
})
