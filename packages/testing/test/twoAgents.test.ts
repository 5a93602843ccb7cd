import { Agent } from "@effect-a2a/core"
import { AgentTest, Script } from "@effect-a2a/testing"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { covers } from "../../../test/support/covers.ts"

class First extends Context.Service<First, Agent.Service>()("test/First") {}
class Second extends Context.Service<Second, Agent.Service>()("test/Second") {}

const scripted = (text: string) => AgentTest.layerWith().pipe(Layer.provide(Script.layer(Script.say(text))))

describe("several agents in one application", () => {
  it.effect("answer with their own scripts if each has a layer", () =>
    Effect.gen(function*() {
      const first = yield* First
      const second = yield* Second
      assert.deepStrictEqual([(yield* first.ask("Hi")).text, (yield* second.ask("Hi")).text], ["one", "two"])
    }).pipe(Effect.provide(Layer.mergeAll(
      Layer.effect(First, Agent.make).pipe(Layer.provide(scripted("one"))),
      Layer.effect(Second, Agent.make).pipe(Layer.provide(scripted("two")))
    ))), covers("SDK-03"))
})
