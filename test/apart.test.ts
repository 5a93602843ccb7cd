/** Emulators and wires inside the layers of a served application. */
import { Agent, Credentials, Protocol } from "@effect-a2a/core"
import { AdkEmulator, AdkScript, MemoryLakeEmulator } from "@effect-a2a/emulators"
import { NodeAgentServer } from "@effect-a2a/node"
import { AgentExecutor } from "@effect-a2a/server"
import { AgentTest, Script, Wire } from "@effect-a2a/testing"
import { JsonRpc, JsonRpcServer } from "@effect-a2a/transport-jsonrpc"
import { Rest, RestServer } from "@effect-a2a/transport-rest"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Stream } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { covers } from "./support/covers.ts"

class Lake extends Context.Service<Lake, Agent.Service>()("test/Lake") {}
class OtherLake extends Context.Service<OtherLake, Agent.Service>()("test/OtherLake") {}
class Weather extends Context.Service<Weather, Agent.Service>()("test/Weather") {}
class Echo extends Context.Service<Echo, Agent.Service>()("test/Echo") {}
class Scripted extends Context.Service<Scripted, Agent.Service>()("test/Scripted") {}
class Other extends Context.Service<Other, Agent.Service>()("test/Other") {}

const as = <Self>(tag: Context.Key<Self, Agent.Service>, agent: Layer.Layer<Agent.Agent, unknown>) =>
  Layer.effect(tag, Agent.Agent).pipe(Layer.provide(agent), Layer.orDie)

const rest = { protocol: Protocol.v1_0, client: Rest.layer, server: RestServer.routes }
const jsonRpc = { protocol: Protocol.v0_3, client: JsonRpc.layer, server: JsonRpcServer.routes }

/** Agents behind wires of two bindings, each with a script. */
const wired = (combination: Wire.Combination, text: string) =>
  Agent.layer.pipe(
    Layer.provide(AgentTest.layer.pipe(Wire.through(combination))),
    Layer.provide(Script.layer(Script.say(text)))
  )

const agents = Layer.mergeAll(
  as(Lake, MemoryLakeEmulator.layer()),
  as(OtherLake, MemoryLakeEmulator.layer({ protocol: Protocol.v0_3 })),
  as(Weather, AdkEmulator.layer({ agent: () => [AdkScript.say("Sunny.")] })),
  as(Echo, AdkEmulator.layer({ agent: ({ text }) => [AdkScript.say(text)], flavour: "javascript" })),
  as(Scripted, wired(rest, "one")),
  as(Other, wired(jsonRpc, "two"))
)

/** An application with a route that asks all agents. */
const app = HttpRouter.use((router) =>
  Effect.gen(function*() {
    const asked = yield* Effect.all([Lake, OtherLake, Weather, Echo, Scripted, Other])
    yield* router.add(
      "GET",
      "/ask",
      Effect.forEach(asked, (agent) => Effect.map(agent.ask("Hello"), ({ state, text }) => [state, text])).pipe(
        Effect.map((answers) => HttpServerResponse.jsonUnsafe(answers)),
        Effect.orDie
      )
    )
  })
).pipe(Layer.provide(agents))

const fetched = (path: string, init?: RequestInit) =>
  Effect.gen(function*() {
    const url = yield* NodeAgentServer.url
    return yield* Effect.promise(async () => {
      const response = await fetch(`${url}${path}`, init)
      return [response.status, await response.text()] as const
    })
  })

const foreign: ReadonlyArray<readonly [method: string, path: string]> = [
  ["GET", "/nothing-here"],
  ["OPTIONS", "/ask"],
  ["GET", "/list-apps"],
  ["POST", "/run"],
  ["GET", "/health"],
  ["POST", "/agent"],
  ["POST", "/agent/message:send"],
  ["GET", "/openapi/memorylake/api/v3/workspaces/ws-demo/agents/agent-demo/.well-known/agent-card.json"]
]

/** Answers of the six agents to an application on a port. */
const expectApart = Effect.gen(function*() {
  const [status, body] = yield* fetched("/ask")
  assert.strictEqual(status, 200)
  const [lake, otherLake, ...others] = JSON.parse(body)
  assert.deepStrictEqual(others.map(([, text]: [string, string]) => text), ["Sunny.", "Hello", "one", "two"])
  assert.deepStrictEqual([lake[0], otherLake[0]], ["completed", "completed"])
  for (const [method, path] of foreign) {
    const [status, text] = yield* fetched(path, { method })
    assert.deepStrictEqual([path, status, text], [path, 404, ""])
  }
})

/** Routes that an application serves, and reaches by a wire too. */
const routes = RestServer.routes({ path: "/agent", protocols: [Protocol.v1_0] }).pipe(
  Layer.provide(AgentTest.layer),
  Layer.provide(Script.layer(Script.say("Hi")))
)

const sameRoutes = HttpRouter.use((router) =>
  Effect.gen(function*() {
    const agent = yield* Scripted
    const answer = Effect.map(agent.ask("Hello"), ({ state, text }) => HttpServerResponse.jsonUnsafe([state, text]))
    yield* router.add("GET", "/asked", Effect.orDie(answer))
  })
).pipe(
  Layer.provide(as(
    Scripted,
    Agent.layer.pipe(
      Layer.provide(Rest.layer({ url: "http://agent.test/agent" })),
      Layer.provide([Wire.layerHttp(routes), Credentials.layerNone])
    )
  )),
  Layer.provideMerge(routes)
)

class Inner extends Context.Service<Inner, string>()("test/Inner") {}

/** An application that starts another server. */
const outer = HttpRouter.use((router) =>
  Effect.flatMap(Inner, (url) => router.add("GET", "/outer", HttpServerResponse.text(url)))
).pipe(
  Layer.provide(Layer.effect(Inner, NodeAgentServer.url)),
  Layer.provide(NodeAgentServer.layer({
    routes: HttpRouter.add("GET", "/inner", HttpServerResponse.text("inner")),
    port: 0
  })),
  Layer.orDie
)

/** An agent that asks two others. */
const delegating = Layer.effect(
  AgentExecutor.AgentExecutor,
  Effect.gen(function*() {
    const agents = yield* Effect.all([Weather, Scripted])
    const texts = Effect.forEach(agents, (agent) => Effect.map(agent.ask("Hello"), ({ text }) => text))
    return {
      execute: () => Stream.fromEffect(Effect.orDie(Effect.map(texts, (texts) => texts.join(" "))))
    }
  })
)

describe("emulators and wires inside a served application", () => {
  it.live(
    "work side by side, and none of their routes is on the application's port",
    () => expectApart.pipe(Effect.provide(NodeAgentServer.layer({ routes: app, port: 0 }))),
    covers("field:N2-60")
  )

  it.live(
    "are apart from an application that serves the same routes",
    () =>
      Effect.gen(function*() {
        yield* Effect.forEach([1, 2], () =>
          Effect.gen(function*() {
            const [status, body] = yield* fetched("/asked")
            assert.deepStrictEqual([status, JSON.parse(body)], [200, ["completed", "Hi"]])
          }))
        const [served] = yield* fetched("/agent/message:send", { method: "POST", body: "{}" })
        assert.strictEqual(served, 400)
      }).pipe(Effect.provide(NodeAgentServer.layer({ routes: sameRoutes, port: 0 }))),
    covers("field:N2-60")
  )

  it.live("and servers on other ports do not share a router", () =>
    Effect.gen(function*() {
      const [, inner] = yield* fetched("/outer")
      const outer = yield* NodeAgentServer.url
      const statuses = yield* Effect.forEach(
        [`${inner}/inner`, `${inner}/outer`, `${outer}/inner`],
        (url) => Effect.promise(() => fetch(url).then(({ status }) => status))
      )
      assert.deepStrictEqual(statuses, [200, 404, 404])
    }).pipe(Effect.provide(NodeAgentServer.layer({ routes: outer, port: 0 }))), covers("field:N2-60"))

  it.live("work inside a wire", () =>
    Effect.gen(function*() {
      const { text } = yield* Agent.ask("Hello")
      assert.strictEqual(text, "Sunny. one")
    }).pipe(Effect.provide(
      Agent.layer.pipe(
        Layer.provide(AgentTest.layer.pipe(Wire.through(rest))),
        Layer.provide(delegating),
        Layer.provide(agents)
      )
    )), covers("field:N2-60"))
})
