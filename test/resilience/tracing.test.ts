import {
  Agent,
  AgentTransport,
  Artifact,
  Credentials,
  Discovery,
  Id,
  Operation,
  Part,
  Recognizer,
  StreamEvent,
  Telemetry
} from "@effect-a2a/core"
import { Rest } from "@effect-a2a/transport-rest"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Metric, Redacted, Stream, Tracer } from "effect"
import { HttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import { covers } from "../support/covers.ts"
import { chunks, inEach, respond, rest, sendJson, talkTo } from "../support/peer.ts"
import { makeTracer } from "../support/spans.ts"
import * as Support from "./support.ts"

const { agent, contextId, fastForward, refusal, say, status, task, taskId, through } = Support
const { eventStream, peer, resumable, taskResponse } = through()

/** The layer of a tracer, and the spans that it was asked for. */
const makeTracing = () => {
  const { spans, tracer } = makeTracer()
  return { spans, layer: Layer.succeed(Tracer.Tracer, tracer) }
}

const errorOf = (span: Tracer.NativeSpan) => span.attributes.get("error.type")

const isRed = ({ status }: Tracer.NativeSpan) => status._tag === "Ended" && Exit.isFailure(status.exit)

const printable = (_: string, value: unknown) => typeof value === "bigint" ? String(value) : value

const parentOf = (span: Tracer.NativeSpan) => span.parent._tag === "Some" ? span.parent.value.spanId : undefined
const frames = [task("submitted"), say("Hello"), status("completed")]

describe("traces", () => {
  it.effect(
    "have a span as long as the stream, a child for its request, and traceparent in the request",
    () =>
      inEach((combination) =>
        Effect.gen(function*() {
          const { eventStream, peer } = through(combination)
          const { layer, spans } = makeTracing()
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
            "a2a.method.name": "SendStreamingMessage",
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.conversation.id": contextId,
            "a2a.task.id": taskId,
            "a2a.task.state": "TASK_STATE_COMPLETED"
          })
          assert.deepStrictEqual(call!.events.map(([name]) => name), ["a2a.first_byte"])
          assert.include(asked[0]!.headers.traceparent ?? "", request!.spanId)
        })
      ),
    covers("field:TRC-01")
  )

  it.effect("have one span for each connection of a resumed stream, below the caller's", () =>
    Effect.gen(function*() {
      const { layer, spans } = makeTracing()
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
      assert.deepStrictEqual(spans[0]!.events.map(([name, , attributes]) => [name, attributes]), [
        ["a2a.resume", { "a2a.task.id": taskId, "a2a.resume.attempt": 1 }]
      ])
      assert.deepStrictEqual(spans.map(errorOf), [undefined, "STREAM_INTERRUPTED", undefined, undefined, undefined])
      assert.deepStrictEqual(spans.map(isRed), [false, true, false, false, false])
    }), covers("field:TRC-01"))

  it.effect("are red if the task failed, was canceled or rejected, however it is asked for", () =>
    inEach((combination) =>
      Effect.gen(function*() {
        const { eventStream, json, peer } = through(combination)
        for (const state of ["failed", "canceled", "rejected"] as const) {
          const code = `TASK_STATE_${state.toUpperCase()}`
          const { layer, spans } = makeTracing()
          const responses = [
            eventStream([task("submitted"), say("Half"), status(state, "out of luck")]),
            eventStream([task("working"), { ...status("completed"), taskId: Id.TaskId.make("t-2") }, status(state)]),
            eventStream([task(state)])
          ]
          for (const response of responses) {
            yield* Effect.exit(Stream.runDrain(Agent.stream("hi"))).pipe(
              Effect.provide([agent(peer([response]).layer), layer])
            )
          }
          yield* Effect.flip(Stream.runDrain(Agent.subscribe(taskId))).pipe(
            Effect.provide([agent(peer([responses[0]!]).layer), layer])
          )
          yield* Effect.flip(Agent.ask("hi")).pipe(
            Effect.provide([agent(peer([json(sendJson(combination, state))]).layer), layer])
          )
          const calls = spans.filter(({ name }) => name.startsWith("a2a."))
          assert.lengthOf(calls, 5)
          for (const call of calls) {
            assert.deepStrictEqual([errorOf(call), call.attributes.get("a2a.task.state")], [code, code], call.name)
            assert.isTrue(isRed(call), call.name)
          }
          assert.notInclude(JSON.stringify(calls, printable), "out of luck")
        }
      })
    ))

  it.effect("are not red if a task is only read or canceled", () =>
    Effect.gen(function*() {
      const { layer, spans } = makeTracing()
      const calls = Effect.gen(function*() {
        yield* Agent.getTask(taskId)
        yield* Agent.cancel(taskId)
      })
      yield* calls.pipe(
        Effect.provide([agent(peer([taskResponse("canceled")]).layer), layer])
      )
      const own = spans.filter(({ name }) => name.startsWith("a2a."))
      assert.deepStrictEqual(
        own.map((span) => [span.name, isRed(span), errorOf(span), span.attributes.get("a2a.task.state")]),
        [
          ["a2a.GetTask", false, undefined, "TASK_STATE_CANCELED"],
          ["a2a.CancelTask", false, undefined, "TASK_STATE_CANCELED"]
        ]
      )
    }))

  it.effect("are not red if the reader of a stream has enough", () =>
    Effect.gen(function*() {
      const { layer, spans } = makeTracing()
      yield* Agent.stream("hi").pipe(
        Stream.take(1),
        Stream.runDrain,
        Effect.provide([agent(peer([eventStream([task("submitted"), say("A")], { end: "open" })]).layer), layer])
      )
      assert.deepStrictEqual(spans.map((span) => [span.status._tag, isRed(span)]), [["Ended", false], ["Ended", false]])
    }))

  it.effect("name the code of a refusal", () =>
    Effect.gen(function*() {
      const { layer, spans } = makeTracing()
      for (const status of [401, 429, 503]) {
        yield* Effect.flip(Agent.ask("hi")).pipe(
          Effect.provide([agent(peer([refusal(status)]).layer), layer])
        )
      }
      assert.deepStrictEqual(spans.filter(({ name }) => name.startsWith("a2a.")).map(errorOf), [
        "UNAUTHENTICATED",
        "RATE_LIMIT_EXCEEDED",
        "SERVICE_UNAVAILABLE"
      ])
    }))

  it.effect("have an event for each tool call, once, without its arguments", () =>
    Effect.gen(function*() {
      const { layer, spans } = makeTracing()
      const call = (id: string, name: string) =>
        Part.data({ id, name, args: { query: "s3cr3t" } }, { metadata: { kind: "call" } })
      const recognizer = Recognizer.fromMetadata({ thought: "thought", type: "kind", call: "call", result: "result" })
      const working = (parts: ReadonlyArray<Part.Part>, messageId: string) =>
        StreamEvent.statusUpdate({
          taskId,
          contextId,
          status: {
            state: "working",
            message: { _tag: "Message", messageId: Id.MessageId.make(messageId), role: "agent", parts }
          }
        })
      const events = [
        task("submitted"),
        working([call("c-1", "search"), call("c-2", "search")], "m-1"),
        working([call("c-1", "search")], "m-2"),
        { ...working([call("c-9", "foreign")], "m-3"), taskId: Id.TaskId.make("t-2") },
        StreamEvent.artifactUpdate({
          taskId,
          contextId,
          artifact: Artifact.make(Id.ArtifactId.make("a"), [call("c-3", "book")])
        }),
        status("completed")
      ]
      yield* Support.stream.pipe(
        Effect.provide([
          agent(peer([eventStream(events)]).layer.pipe(Layer.provide(Recognizer.layer(recognizer)))),
          layer
        ])
      )
      assert.deepStrictEqual(spans[0]!.events.map(([name, , attributes]) => [name, ...Object.values(attributes)]), [
        ["a2a.first_byte"],
        ["a2a.tool_call", "search", "c-1"],
        ["a2a.tool_call", "search", "c-2"],
        ["a2a.tool_call", "book", "c-3"]
      ])
      assert.notInclude(JSON.stringify([...spans[0]!.attributes, ...spans[0]!.events], printable), "s3cr3t")
    }))

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
        const { layer, spans } = makeTracing()
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
          String(JSON.stringify(span.status, printable))
        ])
        assert.isAbove(spans.length, 1)
        assert.notMatch(JSON.stringify(written), /s3cr3t|t0ken/)
      }
    }), covers("field:SEC-04"))
})

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
const cardResponse = () => new Response(JSON.stringify(card), { headers: { "content-type": "application/json" } })

it.effect("spans have the agent's name once its card was read", () =>
  Effect.gen(function*() {
    const { layer, spans } = makeTracing()
    const { layer: transport } = talkTo(rest, (asked) => asked.url.includes("card") ? cardResponse() : refusal(503)())
    yield* Effect.gen(function*() {
      const { call, stream } = yield* AgentTransport.AgentTransport
      yield* Effect.flip(call(Operation.GetTask, { id: taskId }))
      yield* call(Operation.GetAgentCard, {})
      yield* Effect.flip(call(Operation.GetTask, { id: taskId }))
      yield* Effect.flip(Stream.runDrain(stream(Operation.SubscribeToTask, { id: taskId })))
    }).pipe(Effect.provide([transport, layer]))
    const calls = spans.filter(({ name }) => name.startsWith("a2a."))
    assert.deepStrictEqual(calls.map((span) => span.attributes.get("gen_ai.agent.name")), [
      undefined,
      "Concierge",
      "Concierge",
      "Concierge"
    ])
    assert.deepStrictEqual(calls.map((span) => span.attributes.get("a2a.task.id")), [taskId, undefined, taskId, taskId])
  }))

describe("discovery", () => {
  const discover = (agent: Discovery.Options["agent"], answer: Parameters<typeof respond>[0]) =>
    Effect.gen(function*() {
      const { layer, spans } = makeTracing()
      const exit = yield* Discovery.make({ agent, bindings: [Rest.binding] }).pipe(
        Effect.flatMap(({ call }) => call(Operation.GetTask, { id: taskId })),
        Effect.provide([respond(answer).layer, Credentials.layerNone, layer]),
        Effect.exit
      )
      const nameOfParent = (span: Tracer.NativeSpan) => spans.find(({ spanId }) => spanId === parentOf(span))?.name
      return {
        exit,
        spans: spans.map((span) => [nameOfParent(span), span.name, errorOf(span)]),
        names: spans.map((span) => span.attributes.get("gen_ai.agent.name"))
      }
    })

  it.effect("is a span above that of the card, and names the agent of the calls that follow", () =>
    Effect.gen(function*() {
      const { exit, names, spans } = yield* discover(
        "https://agent.test/a2a",
        (asked) =>
          asked.url.includes("card")
            ? cardResponse()
            : new Response(JSON.stringify({ id: "t-1", status: { state: "TASK_STATE_WORKING" } }), {
              headers: { "content-type": "application/json" }
            })
      )
      assert.isTrue(Exit.isSuccess(exit))
      assert.deepStrictEqual(spans, [
        [undefined, "a2a.discover", undefined],
        ["a2a.discover", "a2a.GetAgentCard", undefined],
        ["a2a.GetAgentCard", "GET", undefined],
        [undefined, "a2a.GetTask", undefined],
        ["a2a.GetTask", "GET", undefined]
      ])
      assert.deepStrictEqual(names, [undefined, "Concierge", undefined, "Concierge", undefined])
    }))

  it.effect("is red, with the code, if there is no card or no interface that fits", () =>
    Effect.gen(function*() {
      const missing = yield* discover("https://agent.test/a2a", refusal(403))
      assert.deepStrictEqual(missing.spans.slice(0, 2), [
        [undefined, "a2a.discover", "ACCESS_DENIED"],
        ["a2a.discover", "a2a.GetAgentCard", "ACCESS_DENIED"]
      ])
      const foreign = { ...card, supportedInterfaces: [{ ...card.supportedInterfaces[0]!, protocolBinding: "GRPC" }] }
      const { spans } = yield* discover(foreign, refusal(403))
      assert.deepStrictEqual(spans, [[undefined, "a2a.discover", "NO_COMPATIBLE_INTERFACE"]])
    }))
})

describe("metrics", () => {
  const measured = Effect.map(
    Metric.snapshot,
    (all) =>
      all.filter(({ id }) => id.startsWith("gen_ai")).map(({ attributes, id, state }) => [
        id.replace("gen_ai.client.operation.", ""),
        attributes?.["a2a.method.name"],
        attributes?.["gen_ai.operation.name"],
        attributes?.["error.type"],
        "sum" in state && "count" in state ? [state.count, state.sum] : undefined
      ])
  )

  const withRegistry = <A, E, R>(self: Effect.Effect<A, E, R>) =>
    Effect.provideService(self, Metric.MetricRegistry, new Map())

  it.effect("count calls and their time, by operation and code of failure", () =>
    Effect.gen(function*() {
      const { layer } = peer([
        taskResponse("working"),
        taskResponse("failed"),
        refusal(503),
        eventStream([task("submitted"), status("failed")]),
        eventStream(frames)
      ])
      yield* Effect.gen(function*() {
        yield* Agent.getTask(taskId)
        yield* Agent.getTask(taskId)
        yield* Effect.flip(Agent.getTask(taskId))
        yield* Effect.flip(Stream.runDrain(Agent.stream("hi")))
        yield* Agent.stream("hi").pipe(Stream.tap(() => TestClock.adjust("2 seconds")), Stream.runDrain)
        assert.sameDeepMembers(yield* measured, [
          ["duration", "GetTask", "GetTask", undefined, [2, 0]],
          ["duration", "GetTask", "GetTask", "SERVICE_UNAVAILABLE", [1, 0]],
          ["duration", "SendStreamingMessage", "invoke_agent", "TASK_STATE_FAILED", [1, 0]],
          ["duration", "SendStreamingMessage", "invoke_agent", undefined, [1, 6]],
          ["time_to_first_chunk", "SendStreamingMessage", "invoke_agent", undefined, [2, 0]]
        ])
      }).pipe(Effect.provide(agent(Layer.provide(layer, Telemetry.layer))), withRegistry)
    }))

  it.effect("are absent without their layer", () =>
    Effect.gen(function*() {
      yield* Support.stream.pipe(Effect.provide(agent(peer([eventStream(frames)]).layer)))
      assert.deepStrictEqual(yield* measured, [])
    }).pipe(withRegistry))
})
