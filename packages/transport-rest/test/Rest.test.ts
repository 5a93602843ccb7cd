import { AgentTransport, Credentials, Protocol } from "@effect-a2a/core"
import { Rest } from "@effect-a2a/transport-rest"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer } from "effect"
import { FetchHttpClient } from "effect/http"

const targetOf = (env: Record<string, string>, options?: Parameters<typeof Rest.layerConfig>[0]) =>
  Effect.map(AgentTransport.AgentTransport, ({ target }) => target).pipe(
    Effect.provide(
      Rest.layerConfig(options).pipe(
        Layer.provide([
          Credentials.layerNone,
          FetchHttpClient.layer,
          ConfigProvider.layer(ConfigProvider.fromEnvRecord(env))
        ])
      )
    )
  )

describe("Rest.layerConfig", () => {
  it.effect("reads URL, protocol version and tenant", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* targetOf({ A2A_URL: "https://agent.test" }), {
        url: "https://agent.test",
        protocolBinding: "HTTP+JSON",
        protocolVersion: "1.0"
      })
      const env = { A2A_URL: "https://agent.test", A2A_PROTOCOL: "0.3", A2A_TENANT: "acme" }
      assert.deepStrictEqual(yield* targetOf(env), {
        url: "https://agent.test",
        protocolBinding: "HTTP+JSON",
        protocolVersion: "0.3",
        tenant: "acme"
      })
    }))

  it.effect("prefers the options", () =>
    Effect.gen(function*() {
      const env = { A2A_URL: "https://agent.test", A2A_PROTOCOL: "0.3" }
      const target = yield* targetOf(env, { url: "https://other.test", protocol: Protocol.v1_0 })
      assert.deepStrictEqual([target.url, target.protocolVersion], ["https://other.test", "1.0"])
    }))

  it.effect("fails without a URL, and for an unknown protocol version", () =>
    Effect.gen(function*() {
      const missing = yield* Effect.flip(targetOf({}))
      assert.deepStrictEqual([missing._tag, missing.message.includes("A2A_URL")], ["ConfigError", true])
      const unknown = yield* Effect.flip(targetOf({ A2A_URL: "https://agent.test", A2A_PROTOCOL: "2.0" }))
      assert.deepStrictEqual([unknown._tag, unknown.message.includes("A2A_PROTOCOL")], ["ConfigError", true])
    }))
})
