import { Agent } from "@effect-a2a/core"
import { AgentTest, Script } from "@effect-a2a/testing"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"

class First extends Context.Service<First, Agent.Service>()("test/First") {}
class Second extends Context.Service<Second, Agent.Service>()("test/Second") {}

const scripted = (text: string) => AgentTest.layer.pipe(Layer.provide(Script.layer(Script.say(text))))

describe("several agents in one application", () => {
  it.effect("SDK-03: each is its own, though both stand on the same layers", () =>
    Effect.gen(function*() {
      const first = yield* First
      const second = yield* Second
      assert.deepStrictEqual([(yield* first.ask("Hi")).text, (yield* second.ask("Hi")).text], ["one", "two"])
    }).pipe(Effect.provide(Layer.mergeAll(
      Layer.effect(First, Agent.make).pipe(Layer.provide(scripted("one"))),
      Layer.effect(Second, Agent.make).pipe(Layer.provide(scripted("two")))
    ))))
})
