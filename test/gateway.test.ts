/** A gateway: our routes over our client, between a client of 0.3 JSON-RPC and an agent of 1.0 REST. */
import * as Agent from "@effect-a2a/core/Agent"
import * as AgentError from "@effect-a2a/core/AgentError"
import * as AgentStream from "@effect-a2a/core/AgentStream"
import * as Id from "@effect-a2a/core/Id"
import * as Message from "@effect-a2a/core/Message"
import * as Part from "@effect-a2a/core/Part"
import * as Protocol from "@effect-a2a/core/Protocol"
import * as Recognizer from "@effect-a2a/core/Recognizer"
import * as StreamEvent from "@effect-a2a/core/StreamEvent"
import * as ToolCall from "@effect-a2a/core/ToolCall"
import * as AgentTest from "@effect-a2a/testing/AgentTest"
import * as Script from "@effect-a2a/testing/Script"
import * as Wire from "@effect-a2a/testing/Wire"
import * as JsonRpc from "@effect-a2a/transport-jsonrpc/JsonRpc"
import * as JsonRpcServer from "@effect-a2a/transport-jsonrpc/JsonRpcServer"
import * as Rest from "@effect-a2a/transport-rest/Rest"
import * as RestServer from "@effect-a2a/transport-rest/RestServer"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { covers } from "./support/covers.ts"

const reasons = {
  quota: AgentError.reason("QuotaExceededError", { message: "no credit left" }),
  argument: AgentError.reason("InvalidArgumentError", { message: "not like this" }),
  limit: AgentError.reason("RateLimitError", { message: "later", retryAfter: Duration.seconds(3) }),
  type: AgentError.reason("ContentTypeNotSupportedError", { message: "no pictures" }),
  unsupported: AgentError.reason("UnsupportedOperationError", { message: "not that" })
}

/** The agent at the far end; the message chooses what it does. */
const agent = AgentTest.layer.pipe(Layer.provide(Script.layer((turn) => {
  const text = Message.text(turn.message)
  if (Object.hasOwn(reasons, text)) return [Script.refuse(reasons[text as keyof typeof reasons])]
  switch (text) {
    case "fail":
      return [Script.say("So far"), Script.fail("The oven is cold")]
    case "ask":
      return [turn.task === undefined ? Script.askForInput("Which city?") : Script.say("Thanks")]
    case "begin and refuse":
      return [Script.say("So far"), Script.refuse(reasons.quota)]
    default:
      return [
        Script.think("hm"),
        Script.callTool({ id: "call_1", name: "web_search", args: { query: text, limit: 2 } }),
        Script.toolResult({ id: "call_1", name: "web_search", response: "{\"hits\":[1,2]}" }),
        Script.say("It is "),
        Script.say("Paris.")
      ]
  }
})))

/** The agent behind 1.0 REST, and that behind 0.3 JSON-RPC; the far tape is that of the REST side. */
class FarTape extends Context.Service<FarTape, Wire.Tape["Service"]>()("test/gateway/FarTape") {}

const layer = Layer.suspend(() => {
  let far: Wire.Tape["Service"] | undefined
  const behindRest = agent.pipe(
    Wire.through({ protocol: Protocol.v1_0, client: Rest.layer, server: RestServer.routes }),
    Layer.tap((context) => Effect.sync(() => far = Context.get(context, Wire.Tape)))
  )
  const gateway = behindRest.pipe(
    Wire.through({ protocol: Protocol.v0_3, client: JsonRpc.layer, server: JsonRpcServer.routes })
  )
  return Layer.effect(FarTape, Effect.sync(() => FarTape.of(far!))).pipe(
    Layer.provideMerge(Agent.layer.pipe(Layer.provideMerge(gateway)))
  )
})

const throughGateway = <E>(
  title: string,
  program: () => Effect.Effect<void, E, Layer.Success<typeof layer>>,
  options: ReturnType<typeof covers>
) => it.effect(title, () => Effect.provide(program(), layer), options)

const question = "What is the capital of France?"

const call = {
  id: "call_1",
  name: "web_search",
  args: { query: question, limit: 2 },
  outcome: { _tag: "Success", response: { hits: [1, 2] } }
} as const

const reasonOf = <A, R>(effect: Effect.Effect<A, AgentError.AgentError, R>) =>
  Effect.map(Effect.flip(effect), ({ reason }) => reason)

describe("a gateway from 0.3 JSON-RPC to 1.0 REST", () => {
  throughGateway("a send crosses both wires in the dialect of each", () =>
    Effect.gen(function*() {
      const messageId = Id.MessageId.make("msg-1")
      const metadata = { memorylake: { skipMemory: true } }
      const bytes = new Uint8Array([0, 255])
      const answer = yield* Agent.ask([question, Part.raw(bytes, { mediaType: "image/png" })], { messageId, metadata })
      assert.strictEqual(answer.state, "completed")
      assert.strictEqual(answer.text, "It is Paris.")
      const [near] = yield* (yield* Wire.Tape).exchanges
      const [far] = yield* (yield* FarTape).exchanges
      const asked = JSON.parse(near!.body)
      assert.strictEqual(asked.method, "message/send")
      assert.strictEqual(asked.params.message.kind, "message")
      assert.strictEqual(far!.url, "http://agent.test/agent/message:send")
      assert.strictEqual(far!.headers["a2a-version"], "1.0")
      assert.deepStrictEqual(JSON.parse(far!.body).message, {
        messageId: "msg-1",
        role: "ROLE_USER",
        parts: [{ text: question }, { raw: "AP8=", mediaType: "image/png" }]
      })
      assert.deepStrictEqual(JSON.parse(far!.body).metadata, metadata)
    }), covers("SDK-03"))

  throughGateway(
    "a stream keeps its order, its chunks, thoughts and tool calls with their metadata",
    () =>
      Effect.gen(function*() {
        const events = yield* Stream.runCollect(Agent.stream(question))
        assert.deepStrictEqual(
          events.map((event) => StreamEvent.state(event) ?? event._tag),
          ["submitted", "working", "working", "working", "working", "ArtifactUpdate", "ArtifactUpdate", "completed"]
        )
        const said = events.flatMap((event) => event._tag === "StatusUpdate" ? event.status.message?.parts ?? [] : [])
        const expected: ReadonlyArray<Part.Part> = [
          Part.text("hm", { metadata: { adk_thought: true } }),
          Part.data({ id: "call_1", name: "web_search", args: { query: question, limit: 2 } }, {
            metadata: { adk_type: "function_call" }
          }),
          Part.data({ id: "call_1", name: "web_search", response: "{\"hits\":[1,2]}" }, {
            metadata: { adk_type: "function_response" }
          })
        ]
        assert.deepStrictEqual(said, expected.map((part) => Recognizer.mark([Script.recognizer], part)))
        assert.deepStrictEqual(ToolCall.collect(said), [call])
        const answer = yield* AgentStream.answer(Agent.stream(question))
        assert.strictEqual(answer.text, "It is Paris.")
        assert.deepStrictEqual(answer.toolCalls, [call])
      }),
    covers("ML-24")
  )

  throughGateway("an error keeps its reason, sent and streamed", () =>
    Effect.gen(function*() {
      for (const [name, { _tag, message }] of Object.entries(reasons)) {
        const sent = yield* reasonOf(Agent.send(name))
        assert.deepStrictEqual([sent._tag, sent.message], [_tag, message])
        const streamed = yield* reasonOf(Stream.runDrain(Agent.stream(name)))
        assert.deepStrictEqual([streamed._tag, streamed.message], [_tag, message])
      }
    }), covers("SDK-02"))

  throughGateway("an error within a stream comes after the events before it", () =>
    Effect.gen(function*() {
      const heard: Array<string> = []
      const reason = yield* reasonOf(
        Agent.stream("begin and refuse").pipe(
          Stream.runForEach((event) => Effect.sync(() => heard.push(event._tag)))
        )
      )
      assert.strictEqual(reason._tag, "QuotaExceededError")
      assert.include(heard, "ArtifactUpdate")
    }), covers("SDK-02"))

  throughGateway(
    "a failed task stays a failed task, and an unknown task is not found",
    () =>
      Effect.gen(function*() {
        const failed = yield* reasonOf(Agent.send("fail"))
        assert.deepStrictEqual([failed._tag, failed.message], ["TaskFailedError", "The oven is cold"])
        const agent = yield* Agent.Agent
        const unknown = Id.TaskId.make("no-such-task")
        assert.strictEqual((yield* reasonOf(agent.getTask(unknown)))._tag, "TaskNotFoundError")
        assert.strictEqual((yield* reasonOf(Stream.runDrain(agent.subscribe(unknown))))._tag, "TaskNotFoundError")
        const done = yield* Agent.ask(question)
        assert.strictEqual((yield* reasonOf(agent.cancel(done.taskId!)))._tag, "TaskNotCancelableError")
        assert.strictEqual((yield* agent.getTask(done.taskId!)).status.state, "completed")
      }),
    covers("SDK-02")
  )

  throughGateway("a question and the reply to it are turns of one task", () =>
    Effect.gen(function*() {
      const asked = yield* Agent.ask("ask")
      assert.deepStrictEqual([asked.state, asked.question], ["input-required", "Which city?"])
      const answered = yield* Agent.ask("ask", { taskId: asked.taskId!, contextId: asked.contextId! })
      assert.deepStrictEqual([answered.taskId, answered.text], [asked.taskId, "Thanks"])
    }), covers("SDK-03"))
})
