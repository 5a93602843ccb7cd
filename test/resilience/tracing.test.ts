import { Agent, AgentTransport, Credentials, Operation } from "@effect-a2a/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Metric, Redacted, Stream, Tracer } from "effect"
import { HttpClient } from "effect/http"
import { covers } from "../support/covers.ts"
import { chunks, inEach, rest, talkTo } from "../support/peer.ts"
import * as Support from "./support.ts"

const { agent, contextId, fastForward, refusal, say, status, task, taskId, through } = Support
const { eventStream, peer, resumable } = through()

/** A tracer, and the spans that it was asked for. */
const makeTracer = () => {
  const spans: Array<Tracer.NativeSpan> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })
  return { spans, layer: Layer.succeed(Tracer.Tracer, tracer) }
}

const parentOf = (span: Tracer.NativeSpan) => span.parent._tag === "Some" ? span.parent.value.spanId : undefined
const frames = [task("submitted"), say("Hello"), status("completed")]

describe("traces", () => {
  it.effect(
    "have a span as long as the stream, a child for its request, and traceparent in the request",
    () =>
      inEach((combination) =>
        Effect.gen(function*() {
          const { eventStream, peer } = through(combination)
          const { layer, spans } = makeTracer()
          const { asked, layer: transport } = peer([eventStream(frames)])
          const open: Array<string> = []
          yield* Agent.stream("hi").pipe(
            Stream.runForEach(() => Effect.sync(() => open.push(spans[0]!.status._tag))),
            Effect.provide(agent(transport)),
            Effect.withSpan("mine"),
            Effect.provide(layer)
          )
          assert.deepStrictEqual(open, ["Started", "Started", "Started"])
          const [mine, call, request] = spans
          assert.deepStrictEqual(spans.map(({ name }) => name), ["mine", "a2a.SendStreamingMessage", "POST"])
          assert.strictEqual(parentOf(call!), mine!.spanId)
          assert.strictEqual(parentOf(request!), call!.spanId)
          assert.strictEqual(call!.status._tag, "Ended")
          assert.deepStrictEqual(Object.fromEntries(call!.attributes), {
            "server.address": "agent.test",
            "server.port": 443,
            "a2a.protocol.binding": combination.binding,
            "a2a.protocol.version": combination.protocol.version,
            "gen_ai.operation.name": "invoke_agent",
            "a2a.task.id": taskId,
            "a2a.context.id": contextId
          })
          assert.include(asked[0]!.headers.traceparent ?? "", request!.spanId)
        })
      ),
    covers("field:TRC-01")
  )

  it.effect("have one span for each connection of a resumed stream, below the caller's", () =>
    Effect.gen(function*() {
      const { layer, spans } = makeTracer()
      const { asked, layer: transport } = resumable([
        eventStream(frames.slice(0, 1), { end: "reset" }),
        eventStream(frames)
      ])
      yield* fastForward(
        Support.stream.pipe(Effect.provide(transport), Effect.withSpan("mine"), Effect.provide(layer))
      )
      assert.deepStrictEqual(spans.filter(({ name }) => name.startsWith("a2a.")).map(({ name }) => name), [
        "a2a.SendStreamingMessage",
        "a2a.SubscribeToTask"
      ])
      assert.isTrue(asked.every(({ headers }) => headers.traceparent!.includes(spans[0]!.traceId)))
      assert.isTrue(spans.every((span) => span.status._tag === "Ended"))
    }), covers("field:TRC-01"))

  it.effect("have no header without a tracer", () =>
    Effect.gen(function*() {
      const { asked, layer } = peer([eventStream(frames)])
      yield* Support.stream.pipe(Effect.provide(agent(layer)))
      assert.deepStrictEqual(Object.keys(asked[0]!.headers).filter((name) => /trace|b3/.test(name)), [])
    }), covers("field:TRC-01"))

  it.effect("contain no secret, whatever headers are recorded", () =>
    Effect.gen(function*() {
      for (
        const credentials of [
          Credentials.layerBearer(Redacted.make("s3cr3t")),
          Credentials.layerApiKey({ name: "X-My-Key", value: Redacted.make("s3cr3t") }),
          Credentials.layerApiKey({ name: "key", in: "query", value: Redacted.make("s3cr3t") }),
          Credentials.layerApiKey({ name: "key", in: "cookie", value: Redacted.make("s3cr3t") })
        ]
      ) {
        const { layer, spans } = makeTracer()
        const { asked, layer: transport } = talkTo(
          rest,
          (asked) =>
            asked.url.includes("card") ? chunks([], {}) : refusal(500, { "x-a2a-notification-token": "t0ken" })(),
          { credentials }
        )
        yield* Effect.flip(Agent.getTask(taskId)).pipe(
          Effect.provide(agent(transport)),
          Effect.provideService(HttpClient.TracerHeaderFilter, () => true),
          Effect.provide(layer)
        )
        assert.include(JSON.stringify(asked), "s3cr3t")
        const written = spans.map((
          span
        ) => [
          span.name,
          [...span.attributes],
          String(JSON.stringify(span.status, (_, value) => typeof value === "bigint" ? String(value) : value))
        ])
        assert.isAbove(spans.length, 1)
        assert.notMatch(JSON.stringify(written), /s3cr3t|t0ken/)
      }
    }), covers("field:SEC-04"))
})

it.effect("spans have the agent's name once its card was read, and calls and errors are counted", () =>
  Effect.gen(function*() {
    const { layer, spans } = makeTracer()
    const card = {
      name: "Concierge",
      description: "",
      version: "1",
      supportedInterfaces: [{ url: "https://agent.test/a2a", protocolBinding: "HTTP+JSON", protocolVersion: "1.0" }],
      capabilities: {},
      defaultInputModes: [],
      defaultOutputModes: [],
      skills: []
    }
    const { layer: transport } = talkTo(rest, (asked) =>
      asked.url.includes("card")
        ? new Response(JSON.stringify(card), { headers: { "content-type": "application/json" } })
        : refusal(503)())
    const counts = Effect.map(
      Metric.snapshot,
      (all) =>
        all.filter(({ id }) => id.startsWith("a2a_client")).map(({ attributes, id, state }) => [
          id,
          attributes?.["a2a.operation"],
          attributes?.["error.type"],
          "count" in state ? state.count : undefined
        ])
    )
    yield* Effect.gen(function*() {
      const { call, stream } = yield* AgentTransport.AgentTransport
      yield* call(Operation.GetAgentCard, {})
      yield* Effect.flip(call(Operation.GetTask, { id: taskId }))
      yield* Effect.flip(call(Operation.GetTask, { id: taskId }))
      yield* Effect.flip(Stream.runDrain(stream(Operation.SubscribeToTask, { id: taskId })))
      assert.deepStrictEqual(
        spans.filter(({ name }) => name.startsWith("a2a.")).map((span) => span.attributes.get("gen_ai.agent.name")),
        [undefined, "Concierge", "Concierge", "Concierge"]
      )
      assert.deepStrictEqual(
        spans.filter(({ name }) => name === "a2a.GetTask").map((span) => span.attributes.get("a2a.task.id")),
        [taskId, taskId]
      )
      const all = yield* counts
      assert.deepInclude(all, ["a2a_client_calls_total", "GetTask", undefined, 2])
      assert.deepInclude(all, ["a2a_client_errors_total", "GetTask", "ServiceUnavailableError", 2])
      assert.deepInclude(all, ["a2a_client_errors_total", "SubscribeToTask", "ServiceUnavailableError", 1])
    }).pipe(
      Effect.provide(transport.pipe(Layer.provideMerge(layer))),
      Effect.provideService(Metric.MetricRegistry, new Map())
    )
  }))
