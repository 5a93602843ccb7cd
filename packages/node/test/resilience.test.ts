import { Agent, AgentStream, Credentials, Timeouts } from "@effect-a2a/core"
import { NodeAgent } from "@effect-a2a/node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { covers } from "../../../test/support/covers.ts"
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
  it.live("resumes a dropped stream", () =>
    Effect.gen(function*() {
      const { asked, url } = yield* Server.make(Server.cutting)
      const said = yield* Agent.stream("hi").pipe(
        AgentStream.text,
        Stream.runCollect,
        Effect.provide(agent({ url }))
      )
      assert.strictEqual(said.join(""), "Hello you")
      assert.lengthOf(asked, 2)
    }).pipe(Effect.scoped), covers("field:RES-01"))

  it.live("retries reads and the first card, but no message", () =>
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
    }).pipe(Effect.scoped), covers("field:RETRY-01"))

  it.live("uses the first usable interface of a given card without fetching it", () =>
    Effect.gen(function*() {
      const { asked, url } = yield* Server.make(Server.cutting)
      const interfaces = [[url, "GRPC", "1.0"], [`${url}/rest`, "http+json", "1.0"], [url, "JSONRPC", "0.3"]] as const
      yield* Agent.getTask("t-1" as never).pipe(Effect.provide(agent({ agent: card(interfaces) })))
      assert.deepStrictEqual(asked.map(({ line }) => line), ["GET /rest/tasks/t-1"])
    }).pipe(Effect.scoped), covers("field:CARD-07"))

  it.live("limits all attempts together by the total timeout", () =>
    Effect.gen(function*() {
      const { url } = yield* Server.make(() => {})
      const start = performance.now()
      const { reason } = yield* Effect.flip(Agent.getTask("t-1" as never)).pipe(
        Effect.provide(agent({ url })),
        Effect.provideService(Timeouts.CurrentTimeouts, { total: "300 millis" })
      )
      assert.strictEqual(reason._tag === "TimeoutError" && reason.phase, "total")
      assert.isBelow(performance.now() - start, 600)
    }).pipe(Effect.scoped), covers("field:CAN-05"))
})
