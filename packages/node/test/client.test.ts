import { Agent, AgentTransport, Credentials, Operation } from "@effect-a2a/core"
import { NodeAgent, NodeAgentServer } from "@effect-a2a/node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { FetchHttpClient, HttpClient, HttpRouter, HttpServerResponse } from "effect/http"
import { covers } from "../../../test/support/covers.ts"
import * as Server from "../../../test/support/httpServer.ts"
import * as Client from "../src/internal/client.ts"

const routes = HttpRouter.add("GET", "/hello", HttpServerResponse.text("hi"))

const hello = Effect.gen(function*() {
  const response = yield* HttpClient.get(`${yield* NodeAgentServer.url}/hello`)
  return yield* response.text
})

/** Counts the calls of `fetch`. */
const counting = () => {
  const urls: Array<string> = []
  const fetch: typeof globalThis.fetch = (input, init) => {
    urls.push(String(input))
    return globalThis.fetch(input, init)
  }
  return { urls, layer: Layer.succeed(FetchHttpClient.Fetch, fetch) }
}

describe("NodeAgent.layerClient", () => {
  it.live("speaks by undici", () => {
    const { layer, urls } = counting()
    return Effect.gen(function*() {
      assert.strictEqual(yield* hello, "hi")
      assert.lengthOf(urls, 0)
    }).pipe(Effect.provide([NodeAgent.layerClient, NodeAgentServer.layer({ routes, port: 0 }), layer]))
  })

  it.live("falls back to fetch if undici is incomplete, as on Bun", () => {
    const { layer, urls } = counting()
    const client = Client.fromUndici({ Agent: class {} })
    return Effect.gen(function*() {
      assert.strictEqual(yield* hello, "hi")
      assert.lengthOf(urls, 1)
    }).pipe(Effect.provide([client, NodeAgentServer.layer({ routes, port: 0 }), layer]))
  })

  it.live("refuses calls after its layer was closed, and says so", () =>
    Effect.gen(function*() {
      const { asked, url } = yield* Server.make(Server.cutting)
      const client = NodeAgent.layer({ url }).pipe(Layer.provide(Credentials.layerNone))
      const agent = yield* Effect.provide(Agent.Agent, client)
      const plain = NodeAgent.layerTransport({ url }).pipe(
        Layer.provide([Credentials.layerNone, NodeAgent.layerClient])
      )
      const transport = yield* Effect.provide(AgentTransport.AgentTransport, plain)
      const made = yield* Effect.provide(Agent.make, plain)
      const errors = yield* Effect.all([
        Effect.flip(agent.send("hi")),
        Effect.flip(agent.ask("hi")),
        Effect.flip(Stream.runDrain(agent.stream("hi"))),
        Effect.flip(made.send("hi")),
        Effect.flip(transport.call(Operation.ListTasks, {}))
      ])
      assert.deepStrictEqual(
        errors.map(({ delivery }) => delivery),
        ["not-sent", "not-sent", "not-sent", "not-sent", undefined]
      )
      for (const { isRetryable, reason } of errors) {
        assert.strictEqual(reason._tag, "ConnectionError")
        assert.match(reason.message, /^the layer of the HTTP client is closed: /)
        assert.isFalse(isRetryable)
      }
      assert.lengthOf(asked, 0)
    }).pipe(Effect.scoped), covers("field:N2-47"))
})
