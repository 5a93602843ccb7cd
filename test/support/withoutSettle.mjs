// A send whose task is returned early, in a process that cannot load the module that waits for it. Prints the failures of
// two sends as JSON; the module can be loaded by the third, whose task is printed.
import { registerHooks } from "node:module"

let refusals = 2
registerHooks({
  resolve: (specifier, { parentURL = "", ...context }, next) => {
    if (specifier.endsWith("/settle.ts") && parentURL.endsWith("/Agent.ts") && refusals-- > 0) {
      throw new TypeError("Failed to fetch dynamically imported module")
    }
    return next(specifier, { parentURL, ...context })
  }
})

const { Agent, AgentTransport, Id } = await import("@effect-a2a/core")
const { Effect, Layer } = await import("effect")

const task = (state) => ({ _tag: "Task", id: Id.TaskId.make("t-1"), status: { state } })
const target = { url: "https://agent.test", protocolBinding: "in-process", protocolVersion: "1.0" }
const transport = AgentTransport.fromHandlers(target, {
  SendMessage: () => Effect.succeed(task("working")),
  GetTask: () => Effect.succeed(task("completed"))
})
const agent = Agent.layer.pipe(Layer.provide(Layer.succeed(AgentTransport.AgentTransport, transport)))
const send = Effect.provide(Agent.send("hi"), agent)
const failure = Effect.map(
  Effect.flip(send),
  ({ message, reason }) => ({ message, ...reason, cause: String(reason.cause) })
)

const failures = [await Effect.runPromise(failure), await Effect.runPromise(failure)]
console.log(JSON.stringify([...failures, await Effect.runPromise(send)]))
