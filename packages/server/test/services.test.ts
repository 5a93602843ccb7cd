import { Agent, Message, Task } from "@effect-a2a/core"
import { AgentExecutor, AgentServer, Caller } from "@effect-a2a/server"
import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer, Stream } from "effect"
import { covers } from "../../../test/support/covers.ts"
import { card, send } from "./support.ts"

class Name extends Context.Service<Name, string>()("test/Name") {}

const words = Effect.gen(function*() {
  const caller = yield* Caller.Current
  return `${yield* Name} and ${caller?.id}`
})

const executions: Readonly<Record<string, () => AgentExecutor.Execution<Name>>> = {
  stream: () => Stream.fromEffect(words),
  effect: () => words
}

for (const [kind, execute] of Object.entries(executions)) {
  it.effect(`an executor that returns a ${kind} has the services of its layer and the caller of its turn`, () => {
    const agent = AgentServer.layerMemory({ card }).pipe(
      Layer.provide(AgentExecutor.layer(execute)),
      Layer.provide(Layer.succeed(Name, "the layer's")),
      Layer.provide(Layer.succeed(Caller.Current, { id: "nobody" }))
    )
    return Effect.gen(function*() {
      const result = yield* send("hi").pipe(
        Effect.provideService(Name, "the caller's"),
        Effect.provideService(Caller.Current, { id: "ada" })
      )
      const text = result._tag === "Task" ? Task.text(result) : Message.text(result)
      assert.strictEqual(text, "the layer's and ada")
    }).pipe(Effect.provide(agent))
  })
}

it.effect("an agent whose layer was closed refuses messages, and says so", () =>
  Effect.gen(function*() {
    let turns = 0
    const transport = AgentServer.layerMemory({ card }).pipe(Layer.provide(AgentExecutor.layer(() => {
      turns++
      return Stream.make("hi")
    })))
    const agent = yield* Effect.provide(Agent.make, transport)
    const errors = yield* Effect.all([
      Effect.flip(agent.send("hi")),
      Effect.flip(agent.ask("hi")),
      Effect.flip(Stream.runDrain(agent.stream("hi")))
    ])
    for (const error of errors) {
      assert.match(error.reason.message, /^the layer of the agent is closed: /)
      assert.deepStrictEqual([error.delivery, error.isRetryable], ["refused", false])
    }
    assert.strictEqual(turns, 0)
  }), covers("field:N2-47"))
