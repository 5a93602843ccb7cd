import {
  Agent,
  AgentStream,
  Artifact,
  Credentials,
  Id,
  Message,
  Part,
  Protocol,
  Recognizer,
  Task,
  ToolCall
} from "@effect-a2a/core"
import { InProcessHttp } from "@effect-a2a/server"
import { AgentTest, Script, Wire } from "@effect-a2a/testing"
import { JsonRpc, JsonRpcServer } from "@effect-a2a/transport-jsonrpc"
import { Rest, RestServer } from "@effect-a2a/transport-rest"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { covers } from "../../../test/support/covers.ts"
import { recognizer } from "./marked.ts"

const thought = Part.text("hm", { metadata: { "x-thought": true } })
const call = Part.data({ id: "k", name: "search" }, { metadata: { "x-type": "x-call" } })
const plain = Part.text("42", { metadata: { other: true } })

const message = (...parts: ReadonlyArray<Part.Part>): Message.Message => ({
  _tag: "Message",
  messageId: Id.MessageId.make("m"),
  role: "agent",
  parts
})

const task = (...parts: ReadonlyArray<Part.Part>): Task.Task => ({
  _tag: "Task",
  id: Id.TaskId.make("t"),
  status: { state: "working", message: message(...parts) },
  artifacts: [Artifact.make(Id.ArtifactId.make("a"), parts)],
  history: [message(...parts)]
})

const marksOf = (parts: ReadonlyArray<Part.Part>): ReadonlyArray<string | undefined> =>
  parts.map(({ mark }) => mark?._tag)

describe("Recognizer", () => {
  it("marks the parts of all that a task holds", () => {
    const { artifacts, history, status } = Recognizer.apply([recognizer], task(thought, call, plain))
    for (const parts of [status.message!.parts, artifacts![0]!.parts, history![0]!.parts]) {
      assert.deepStrictEqual(marksOf(parts), ["Thought", "Call", undefined])
    }
  })

  it("marks updates, messages, and the requests and responses that contain them", () => {
    const { artifacts, id, status } = task(thought)
    const values = [
      Recognizer.apply([recognizer], { _tag: "StatusUpdate", taskId: id, status } as const).status.message,
      Recognizer.apply([recognizer], { _tag: "ArtifactUpdate", taskId: id, artifact: artifacts![0]! } as const)
        .artifact,
      Recognizer.apply([recognizer], message(thought)),
      Recognizer.apply([recognizer], { message: message(thought) }).message,
      Recognizer.apply([recognizer], { tasks: [task(thought)], nextPageToken: "" }).tasks[0]!.history![0]
    ]
    assert.deepStrictEqual(values.map((value) => marksOf(value!.parts)), values.map(() => ["Thought"]))
  })

  it("returns the same value if no part is recognized, or there are no recognizers", () => {
    for (const value of [task(plain), message(plain), { tasks: [task(plain)] }, { message: message(plain) }, null, 1]) {
      assert.strictEqual(Recognizer.apply([recognizer], value), value)
    }
    const recognizable = task(thought)
    assert.strictEqual(Recognizer.apply([], recognizable), recognizable)
    const marked = Recognizer.apply([recognizer], recognizable)
    assert.strictEqual(Recognizer.apply([recognizer], marked), marked)
  })

  it("lets the first recognizer that knows a part decide", () => {
    const other: Recognizer.Recognizer = () => ({ _tag: "Call", id: "1", name: "other", args: {} })
    assert.deepStrictEqual(marksOf([Recognizer.mark([recognizer, other], thought)]), ["Thought"])
    assert.deepStrictEqual(marksOf([Recognizer.mark([other, recognizer], thought)]), ["Call"])
  })

  it("takes a thought only from metadata that is true", () => {
    for (const metadata of [{}, { "x-thought": false }, { "x-thought": "true" }]) {
      assert.isFalse(Part.isThought(Recognizer.mark([recognizer], Part.text("hm", { metadata }))))
    }
    assert.isTrue(Part.isThought(Recognizer.mark([recognizer], thought)))
  })

  it.effect("layers add to each other", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* Recognizer.Current).length, 2)
    }).pipe(Effect.provide(Recognizer.layer(recognizer).pipe(Layer.provideMerge(Recognizer.layer(() => undefined))))))
})

const combinations = [
  { title: "1.0 REST", protocol: Protocol.v1_0, client: Rest.layer, server: RestServer.routes },
  { title: "0.3 REST", protocol: Protocol.v0_3, client: Rest.layer, server: RestServer.routes },
  { title: "1.0 JSON-RPC", protocol: Protocol.v1_0, client: JsonRpc.layer, server: JsonRpcServer.routes },
  { title: "0.3 JSON-RPC", protocol: Protocol.v0_3, client: JsonRpc.layer, server: JsonRpcServer.routes }
]

const script = Script.layer((turn) => [
  Script.file(Part.url(String(ToolCall.collect(turn.message.parts).length))),
  Script.think("Six by seven."),
  Script.callTool({ id: "m", name: "multiply" }),
  Script.say("42")
])

for (const { client, protocol, server, title } of combinations) {
  describe(`marks over ${title}`, () => {
    const agent = (recognizers: { readonly protocol: boolean; readonly context: boolean }) => {
      const patched = recognizers.protocol
        ? Protocol.override(protocol, { recognizers: [recognizer] })
        : protocol
      const routes = server({ path: "/a2a", protocols: [patched] }).pipe(
        Layer.provide(AgentTest.layer),
        Layer.provide(script)
      )
      return Agent.layer.pipe(
        Layer.provide(client({ url: "http://agent.test/a2a", protocol: patched })),
        Layer.provideMerge(InProcessHttp.layer(routes)),
        Layer.provide(Credentials.layerNone),
        Layer.provide(recognizers.context ? Recognizer.layer(Script.recognizer, recognizer) : Layer.empty)
      )
    }

    const turn = Effect.gen(function*() {
      const events = yield* Stream.runCollect(Agent.stream([call, "What is 6 by 7?"]))
      const parts = events.flatMap((event) => event._tag === "StatusUpdate" ? event.status.message?.parts ?? [] : [])
      return {
        calls: yield* Stream.runCollect(AgentStream.toolCalls(Stream.fromIterable(events))),
        received: parts.find((part) => part._tag === "Url")?.url,
        marks: marksOf(parts)
      }
    })

    it.effect("are set by the recognizers around the transport and the routes, and never sent", () =>
      Effect.gen(function*() {
        const { calls, marks, received } = yield* turn
        assert.strictEqual(received, "1")
        assert.deepStrictEqual(marks, [undefined, "Thought", "Call"])
        assert.deepStrictEqual(calls.at(-1), { _tag: "Call", id: "m", name: "multiply", args: {} })
        for (const exchange of yield* (yield* Wire.Tape).exchanges) {
          assert.notInclude(JSON.stringify(exchange), "mark")
        }
      }).pipe(Effect.provide(agent({ protocol: false, context: true }))))

    it.effect("are set by the recognizers of the protocol", () =>
      Effect.map(turn, ({ received }) => assert.strictEqual(received, "1")).pipe(
        Effect.provide(agent({ protocol: true, context: false }))
      ))

    it.effect("are absent without recognizers", () =>
      Effect.map(turn, ({ marks, received }) => {
        assert.strictEqual(received, "0")
        assert.deepStrictEqual(marks, [undefined, undefined, undefined])
      }).pipe(Effect.provide(agent({ protocol: false, context: false }))))
  })
}

describe("texts", () => {
  it.effect("leave thoughts out alike, in messages, statuses and artifacts", () =>
    Effect.gen(function*() {
      const answer = yield* Agent.ask("hi")
      const { artifacts, history, status } = answer.task!
      assert.deepStrictEqual(
        [
          Task.statusText(answer.task!),
          Message.text(status.message!),
          Artifact.text(artifacts![0]!),
          Task.text(answer.task!),
          answer.text,
          Part.joinText(history?.[0]?.parts ?? [])
        ],
        ["42", "42", "42", "42", "42", "hi"]
      )
      assert.include(JSON.stringify(yield* (yield* Wire.Tape).exchanges), "secret musing")
    }).pipe(Effect.provide(
      Agent.layer.pipe(
        Layer.provideMerge(
          AgentTest.layer.pipe(
            Wire.through({ protocol: Protocol.v1_0, client: Rest.layer, server: RestServer.routes })
          )
        ),
        Layer.provide(Script.layer(
          Script.artifact({ parts: [Part.text("secret musing", { metadata: { adk_thought: true } }), "42"] }),
          Script.become("completed", [Part.text("secret musing", { metadata: { adk_thought: true } }), "42"])
        ))
      )
    )), covers("field:N2-35"))
})
