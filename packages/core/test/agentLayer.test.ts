import * as Agent from "@effect-a2a/core/Agent"
import { AgentTransport } from "@effect-a2a/core/AgentTransport"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"

const agent = (name: string) =>
  Agent.layer.pipe(Layer.provide(Layer.succeed(AgentTransport, {
    target: { url: "https://agent.test", protocolBinding: "HTTP+JSON", protocolVersion: "1.0" },
    call: () => Effect.succeed({ name }) as never,
    stream: () => Stream.empty
  })))

const name = Effect.map(Agent.card, (card) => card.name)

describe("Agent.layer", () => {
  it.effect("one agent within the reach of another is itself", () =>
    Effect.gen(function*() {
      const inner = Effect.provide(name, agent("inner"))
      assert.deepStrictEqual(yield* Effect.provide(Effect.all([name, inner]), agent("outer")), ["outer", "inner"])
    }))
})
