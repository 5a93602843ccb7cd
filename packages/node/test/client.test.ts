import { NodeAgent, NodeAgentServer } from "@effect-a2a/node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { FetchHttpClient, HttpClient, HttpRouter, HttpServerResponse } from "effect/http"
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
})
