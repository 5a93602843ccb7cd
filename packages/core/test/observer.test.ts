import { Agent, Credentials, Telemetry } from "@effect-a2a/core"
import { Rest } from "@effect-a2a/transport-rest"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Metric, Tracer } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { Current } from "../src/internal/http/observe.ts"
import * as Installed from "../src/internal/http/observer/installed.ts"
import * as None from "../src/internal/http/observer/none.ts"

/** Asks an agent within a span. Returns the names of the spans, the trace headers, and the metrics. */
const ask = (telemetry: Layer.Layer<never>, platform: typeof None.observer) =>
  Effect.gen(function*() {
    const spans: Array<string> = []
    const headers: Array<string> = []
    const tracer = Tracer.make({
      span: (options) => {
        spans.push(options.name)
        return new Tracer.NativeSpan(options)
      }
    })
    const http = HttpClient.make((request) => {
      headers.push(...Object.keys(request.headers).filter((name) => /trace|b3/.test(name)))
      const message = { messageId: "m-1", role: "ROLE_AGENT", parts: [{ text: "Hello" }] }
      return Effect.succeed(HttpClientResponse.fromWeb(request, Response.json({ message })))
    })
    const agent = Agent.layer.pipe(
      Layer.provide(Rest.layer({ url: "https://agent.test" })),
      Layer.provide([telemetry, Credentials.layerNone, Layer.succeed(HttpClient.HttpClient, http)])
    )
    yield* Agent.ask("Hi").pipe(Effect.withSpan("mine"), Effect.provide(agent), Effect.withTracer(tracer))
    const metrics = yield* Metric.snapshot
    return { spans, headers, metrics: metrics.map(({ id }) => id) }
  }).pipe(
    Effect.provideService(Current, platform),
    Effect.provideService(Metric.MetricRegistry, new Map())
  )

const spans = ["mine", "a2a.SendMessage", "POST"]
const metrics = ["gen_ai.client.operation.duration"]

describe("calls are observed", () => {
  it.effect("in a page: not at all, so that servers need not allow trace headers", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* ask(Layer.empty, None.observer), { spans: ["mine"], headers: [], metrics: [] })
    }))

  it.effect("in a page that installs them: by spans and metrics", () =>
    Effect.gen(function*() {
      const { headers, ...seen } = yield* ask(Telemetry.layer, None.observer)
      assert.deepStrictEqual(seen, { spans, metrics })
      assert.include(headers, "traceparent")
    }))

  it.effect("elsewhere: by spans", () =>
    Effect.gen(function*() {
      const { headers, ...seen } = yield* ask(Layer.empty, Installed.observer)
      assert.deepStrictEqual(seen, { spans, metrics: [] })
      assert.include(headers, "traceparent")
    }))
})
