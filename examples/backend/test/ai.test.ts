import { Agent } from "@effect-a2a/core"
import { MemoryLakeEmulator } from "@effect-a2a/emulators"
import { AgentTest, Script, Wire } from "@effect-a2a/testing"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { Chat, LanguageModel, McpProtocol, McpTest, ResponseIdTracker, Toolkit } from "effect/ai"
import * as Ai from "../src/Ai.ts"

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } }
const finish = { type: "finish", reason: "tool-calls", usage } as const

/** A model that calls the tool it is given. */
const calling = (name: string, message: string) =>
  Layer.effect(
    LanguageModel.LanguageModel,
    LanguageModel.make({
      generateText: () =>
        Effect.succeed([{ type: "tool-call", id: "call-1", name, params: { message } }, finish as never]),
      streamText: () =>
        Stream.make({ type: "tool-call" as const, id: "call-1", name, params: { message } }, finish as never)
    })
  )

const toolkit = Toolkit.make(Ai.tool("ask_lake", "Knows what the company knows"))
const handlers = toolkit.toLayer(Effect.map(Ai.handler, (ask_lake) => ({ ask_lake }))).pipe(
  Layer.provide(MemoryLakeEmulator.layer())
)

it.effect("an agent is a typed tool of a model", () =>
  Effect.gen(function*() {
    const { toolResults } = yield* LanguageModel.generateText({ prompt: "?", toolkit })
    assert.deepStrictEqual(toolResults[0]!.result, { state: "completed", text: "Paris is the capital of France." })
  }).pipe(Effect.provide([calling("ask_lake", "What is the capital of France?"), handlers])))

it.effect("the text so far is a preliminary result of the tool", () =>
  Effect.gen(function*() {
    const parts = yield* Stream.runCollect(LanguageModel.streamText({ prompt: "?", toolkit }))
    const results = parts.flatMap((part) =>
      part.type === "tool-result" ? [[part.preliminary, (part.result as { text: string }).text]] : []
    )
    assert.deepStrictEqual(results.at(-1), [false, "Paris is the capital of France."])
    assert.isAbove(results.length, 1)
  }).pipe(Effect.provide([calling("ask_lake", "What is the capital of France?"), handlers])))

it.effect("a failure is a result that the model can read", () =>
  Effect.gen(function*() {
    const { toolResults } = yield* LanguageModel.generateText({ prompt: "?", toolkit })
    assert.strictEqual(toolResults[0]!.isFailure, true)
    assert.strictEqual((toolResults[0]!.encodedResult as { code: string }).code, "QUOTA_EXCEEDED")
  }).pipe(Effect.provide([calling("ask_lake", "refuse with QUOTA_EXCEEDED"), handlers])))

it.effect("an agent is the language model of a chat", () =>
  Effect.gen(function*() {
    const chat = yield* Chat.empty
    const one = yield* chat.generateText({ prompt: "What is the capital of France?" })
    const two = yield* chat.generateText({ prompt: "And of Spain?" })
    const parts = yield* Stream.runCollect(chat.streamText({ prompt: "Once more?" }))
    assert.deepStrictEqual([one.text, two.text], ["Paris is the capital of France.", "You asked: And of Spain?"])
    assert.strictEqual(parts.map((part) => part.type).join(), "text-start,text-delta,text-delta,text-end,finish")
    const tape = yield* Wire.Tape
    const [first, second, third] = (yield* tape.exchanges).map(({ body }) => JSON.parse(body).message.contextId)
    assert.isUndefined(first)
    assert.isString(second)
    assert.strictEqual(second, third)
  }).pipe(
    Effect.provideServiceEffect(ResponseIdTracker.ResponseIdTracker, ResponseIdTracker.make), // one for each chat
    Effect.provide(Ai.layer("lake").pipe(Layer.provideMerge(MemoryLakeEmulator.layer())))
  ))

it.effect("the skills of an agent are tools of an MCP server", () =>
  Effect.gen(function*() {
    const client = yield* McpTest.makeClient(Ai.mcp, { protocols: [McpProtocol.v2025_06_18] })
    const { tools } = yield* client.listTools()
    const result = yield* client.callTool({ name: tools[0]!.name, arguments: { message: "hi" } })
    assert.deepStrictEqual(tools.map(({ name }) => name), ["test_agent_script"])
    assert.deepStrictEqual(result.structuredContent, { state: "completed", text: "Hello" })
  }).pipe(Effect.provide(Agent.layer.pipe(
    Layer.provide(AgentTest.layer),
    Layer.provide(Script.layer(Script.say("Hello")))
  ))))
