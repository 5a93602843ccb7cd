import { Agent, Credentials, Protocol } from "@effect-a2a/core"
import { NodeAgent, NodeAgentServer } from "@effect-a2a/node"
import { CardServer } from "@effect-a2a/server"
import { AgentTest, Script } from "@effect-a2a/testing"
import { JsonRpcServer } from "@effect-a2a/transport-jsonrpc"
import { RestServer } from "@effect-a2a/transport-rest"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { covers } from "../../../test/support/covers.ts"

const path = "/agents/foo"
const protocols = [Protocol.v1_0, Protocol.v0_3] as const

/** An agent whose card lists one interface. */
const routes = (url: string, protocolBinding: string, protocolVersion: string) => {
  const card = { ...AgentTest.card, supportedInterfaces: [{ url, protocolBinding, protocolVersion }] }
  return Layer.mergeAll(
    RestServer.routes({ path, protocols }),
    JsonRpcServer.routes({ path, protocols }),
    CardServer.routes({ path, protocols })
  ).pipe(
    Layer.provide(AgentTest.layerWith({ card })),
    Layer.provide(Script.layer(Script.say("Hello")))
  )
}

const found = <A, E>(use: Effect.Effect<A, E, Agent.Agent>, ...one: Parameters<typeof routes>) =>
  Effect.flatMap(NodeAgentServer.url, (url) =>
    use.pipe(Effect.provide(Agent.layer.pipe(
      Layer.provide(NodeAgent.layerTransport({ agent: url + path })),
      Layer.provide([NodeAgent.layerClient, Credentials.layerNone])
    )))).pipe(Effect.provide(NodeAgentServer.layer({ routes: routes(...one), port: 0 })))

describe("NodeAgent.layerTransport", () => {
  for (const version of ["1.0", "0.3"]) {
    for (const binding of ["HTTP+JSON", "JSONRPC"]) {
      it.live(`discovers an agent below a path of this machine, ${version} ${binding}`, () =>
        found(
          Effect.gen(function*() {
            assert.strictEqual((yield* Agent.ask("hi")).text, "Hello")
            assert.isAbove((yield* Stream.runCollect(Agent.stream("hi"))).length, 2)
          }),
          path,
          binding,
          version
        ), covers("field:CARD-01"))
    }
  }

  it.live("does not follow a card to another origin on this machine", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(found(Agent.ask("hi"), "http://127.0.0.1:1/a2a", "HTTP+JSON", "1.0"))
      if (error._tag !== "AgentError") return assert.fail(error._tag)
      assert.strictEqual(error.reason._tag, "InvalidRequestError")
      assert.include(error.message, "names an interface on another origin, http://127.0.0.1:1")
    }))
})
