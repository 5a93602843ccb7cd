import { Agent, Credentials, Protocol } from "@effect-a2a/core"
import { NodeAgent, NodeAgentServer } from "@effect-a2a/node"
import { AgentTest, Script } from "@effect-a2a/testing"
import { JsonRpcServer } from "@effect-a2a/transport-jsonrpc"
import { RestServer } from "@effect-a2a/transport-rest"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Stream } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { covers } from "../../../test/support/covers.ts"

const protocols = [Protocol.v1_0, Protocol.v0_3] as const

const agentRoutes = Layer.mergeAll(
  RestServer.routes({ path: "/a2a", protocols }),
  JsonRpcServer.routes({ path: "/a2a", protocols })
).pipe(Layer.provide(AgentTest.layer), Layer.provide(Script.layer(Script.say("Hello"))))

class Search extends Agent.Tag<Search>()("test/Search") {}
class Writer extends Agent.Tag<Writer>()("test/Writer") {}

const served = <A, E, R>(routes: Layer.Layer<never, never, R>, use: (url: string) => Effect.Effect<A, E>) =>
  Effect.flatMap(NodeAgentServer.url, use).pipe(Effect.provide(NodeAgentServer.layer({ routes, port: 0 })))

describe("NodeAgent", () => {
  for (const protocol of ["1.0", "0.3"] as const) {
    for (const binding of ["rest", "jsonrpc"] as const) {
      it.live(
        `asks and streams over a socket, ${protocol} ${binding}`,
        () =>
          served(agentRoutes, (url) =>
            Effect.gen(function*() {
              assert.strictEqual((yield* Agent.ask("hi")).text, "Hello")
              const events = yield* Stream.runCollect(Agent.stream("hi"))
              assert.isAbove(events.length, 2)
            }).pipe(
              Effect.provide(
                NodeAgent.layer({ url: `${url}/a2a`, protocol, binding }).pipe(Layer.provide(Credentials.layerNone))
              )
            )),
        covers("SDK-05", "ML-03")
      )
    }
  }

  /** Refuses every request, and repeats its path and its token. */
  const refusing = HttpRouter.add("*", "/*", (request) =>
    Effect.succeed(
      HttpServerResponse.jsonUnsafe({ error: { message: `${request.url} ${request.headers.authorization}` } }, {
        status: 400
      })
    ))

  /** The refusal of an agent that is configured by the provider. */
  const refusal = (provider: ConfigProvider.ConfigProvider) =>
    Agent.ask("hi").pipe(
      Effect.provide(NodeAgent.layerConfig().pipe(Layer.provide(ConfigProvider.layer(provider)))),
      Effect.flip,
      Effect.map((error) => error._tag === "AgentError" ? error.reason.message : error._tag)
    )

  it.live("layerConfig reads URL and token from the configuration", () =>
    served(refusing, (url) =>
      Effect.gen(function*() {
        const provider = ConfigProvider.fromEnvRecord({ A2A_URL: url, A2A_TOKEN: "t-1" })
        assert.strictEqual(yield* refusal(provider), "/message:send Bearer t-1")
        assert.strictEqual(yield* refusal(ConfigProvider.fromEnvRecord({ A2A_TOKEN: "t-1" })), "ConfigError")
      })))

  it.live("layerConfig creates agents under tags", () =>
    served(refusing, (url) =>
      Effect.gen(function*() {
        const provider = ConfigProvider.fromEnvRecord({
          SEARCH_A2A_URL: `${url}/search`,
          WRITER_A2A_URL: `${url}/writer`
        })
        const nested = (name: string) => ConfigProvider.layer(ConfigProvider.nested(provider, name))
        const agents = Layer.merge(
          NodeAgent.layerConfig({ tag: Search }).pipe(Layer.provide(nested("SEARCH"))),
          NodeAgent.layerConfig({ tag: Writer }).pipe(Layer.provide(nested("WRITER")))
        )
        const errors = yield* Effect.all([Effect.flip(Search.ask("hi")), Effect.flip(Writer.ask("hi"))]).pipe(
          Effect.provide(agents)
        )
        assert.deepStrictEqual(errors.map(({ target }) => target), [`${url}/search`, `${url}/writer`])
      })))

  it.live("layerConfig configures two agents by nested providers", () =>
    served(refusing, (url) =>
      Effect.gen(function*() {
        const provider = ConfigProvider.fromEnvRecord({
          SEARCH_A2A_URL: `${url}/search`,
          SEARCH_A2A_TOKEN: "t-1",
          WRITER_A2A_URL: `${url}/writer`,
          WRITER_A2A_TOKEN: "t-2"
        })
        assert.strictEqual(
          yield* refusal(ConfigProvider.nested(provider, "SEARCH")),
          "/search/message:send Bearer t-1"
        )
        assert.strictEqual(
          yield* refusal(ConfigProvider.nested(provider, "WRITER")),
          "/writer/message:send Bearer t-2"
        )
      })))
})
