import { Agent, AgentStream } from "@effect-a2a/core"
import { AgentTest } from "@effect-a2a/testing"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Schema, Stream } from "effect"
import { LanguageModel, Tool, Toolkit } from "effect/ai"
import * as AiExecutor from "../src/AiExecutor.ts"

const toolkit = Toolkit.make(
  Tool.make("forecast", { parameters: Schema.Struct({ city: Schema.String }), success: Schema.String })
)
const handlers = toolkit.toLayer({ forecast: ({ city }) => Effect.succeed(`${city}: clear`) })
const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } }
const model = Layer.effect(
  LanguageModel.LanguageModel,
  LanguageModel.make({
    generateText: () => Effect.succeed([]),
    streamText: () =>
      Stream.fromIterable(
        [
          { type: "reasoning-start", id: "r" },
          { type: "reasoning-delta", id: "r", delta: "Hm." },
          { type: "reasoning-end", id: "r" },
          { type: "tool-call", id: "c", name: "forecast", params: { city: "Lisbon" } },
          { type: "text-start", id: "t" },
          { type: "text-delta", id: "t", delta: "Clear" },
          { type: "text-delta", id: "t", delta: " skies." },
          { type: "text-end", id: "t" },
          { type: "finish", reason: "stop", usage }
        ] as never
      )
  })
)
const agent = Agent.layer.pipe(
  Layer.provide(AgentTest.layer),
  Layer.provide(Layer.unwrap(Effect.flatMap(toolkit, (toolkit) => AiExecutor.layer(toolkit, "Be brief")))),
  Layer.provide([model, handlers])
)

it.effect("a chat with tools is an agent", () =>
  Effect.gen(function*() {
    const answer = yield* AgentStream.answer(Agent.stream("Lisbon?"))
    assert.deepStrictEqual([answer.state, answer.text], ["completed", "Clear skies."])
    assert.deepStrictEqual(
      answer.toolCalls.map(({ name, outcome }) => [name, outcome]),
      [["forecast", { _tag: "Success", response: "Lisbon: clear" }]]
    )
  }).pipe(Effect.provide(agent)))
