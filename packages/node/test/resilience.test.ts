import { Agent, AgentStream, Credentials, HttpBinding } from "@effect-a2a/core"
import { NodeAgent } from "@effect-a2a/node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import * as Server from "../../../test/support/httpServer.ts"

const agent = (options: Parameters<typeof NodeAgent.layer>[0]) =>
  NodeAgent.layer(options).pipe(Layer.provide(Credentials.layerNone))

const card = (interfaces: ReadonlyArray<readonly [url: string, protocolBinding: string, protocolVersion: string]>) => ({
  name: "Greeter",
  description: "Greets",
  version: "1",
  supportedInterfaces: interfaces.map(([url, protocolBinding, protocolVersion]) => ({
    url,
    protocolBinding,
    protocolVersion
  })),
  capabilities: { streaming: true },
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: []
})

describe("NodeAgent.layer", () => {
  it.live("RES-01: takes a cut stream up again", () =>
    Effect.gen(function*() {
      const { asked, url } = yield* Server.make(Server.cutting)
      const said = yield* Agent.stream("hi").pipe(
        AgentStream.text,
        Stream.runCollect,
        Effect.provide(agent({ url }))
      )
      assert.strictEqual(said.join(""), "Hello you")
      assert.lengthOf(asked, 2)
    }).pipe(Effect.scoped))

  it.live("RETRY-01: repeats reads, and the first card, but no message", () =>
    Effect.gen(function*() {
      const failed = new Set<string>()
      const server = yield* Server.make((asked, response) => {
        if (!failed.has(asked.line)) {
          failed.add(asked.line)
          return Server.json(response, {}, 503)
        }
        return asked.line.includes(".well-known")
          ? Server.json(response, card([["/a2a", "HTTP+JSON", "1.0"]]))
          : Server.cutting(asked, response)
      })
      const [read, sent] = yield* Effect.gen(function*() {
        const { getTask, send } = yield* Agent.Agent
        return [yield* getTask("t-1" as never), yield* Effect.flip(send("hi"))] as const
      }).pipe(Effect.provide(agent({ agent: server.url })))
      assert.strictEqual(read.status.state, "completed")
      assert.strictEqual(sent.reason._tag, "ServiceUnavailableError")
      assert.deepStrictEqual(server.asked.map(({ line }) => line), [
        "GET /.well-known/agent-card.json",
        "GET /.well-known/agent-card.json",
        "GET /a2a/tasks/t-1",
        "GET /a2a/tasks/t-1",
        "POST /a2a/message:send"
      ])
    }).pipe(Effect.scoped))

  it.live("CARD-07: the first interface that can be spoken to; a card in hand is not asked for", () =>
    Effect.gen(function*() {
      const { asked, url } = yield* Server.make(Server.cutting)
      const interfaces = [[url, "GRPC", "1.0"], [`${url}/rest`, "http+json", "1.0"], [url, "JSONRPC", "0.3"]] as const
      yield* Agent.getTask("t-1" as never).pipe(Effect.provide(agent({ agent: card(interfaces) })))
      assert.deepStrictEqual(asked.map(({ line }) => line), ["GET /rest/tasks/t-1"])
    }).pipe(Effect.scoped))

  it.live("CAN-05: no limit of time but those that are given, which repeats do not prolong", () =>
    Effect.gen(function*() {
      const { url } = yield* Server.make(() => {})
      const start = performance.now()
      const { reason } = yield* Effect.flip(Agent.getTask("t-1" as never)).pipe(
        Effect.provide(agent({ url })),
        Effect.provideService(HttpBinding.CurrentTimeouts, { call: "300 millis" })
      )
      assert.strictEqual(reason._tag === "TimeoutError" && reason.phase, "call")
      assert.isBelow(performance.now() - start, 600)
    }).pipe(Effect.scoped))
})
