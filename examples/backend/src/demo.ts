/** Everything over sockets: stand-ins for the agents, the backend, a request of a browser, and one of an A2A client. */
import { Agent, AgentStream, Credentials, Protocol } from "@effect-a2a/core"
import { AdkEmulator, MemoryLakeEmulator } from "@effect-a2a/emulators"
import { NodeAgent, NodeAgentServer } from "@effect-a2a/node"
import { AgentServer, CardServer } from "@effect-a2a/server"
import { Script } from "@effect-a2a/testing"
import { JsonRpcServer } from "@effect-a2a/transport-jsonrpc"
import { ConfigProvider, Console, Effect, Layer } from "effect"
import type { HttpServer } from "effect/http"
import { Persistence } from "effect/persistence"
import * as A2aAgent from "./A2aAgent.ts"
import * as Agents from "./Agents.ts"
import * as Api from "./Api.ts"
import { Orchestrator } from "./Orchestrator.ts"

const travel = Layer.mergeAll(
  JsonRpcServer.routes({ path: "/travel", protocols: [Protocol.v0_3] }),
  CardServer.routes({ path: "/travel", protocols: [Protocol.v0_3] })
).pipe(
  Layer.provide(AgentServer.layerMemory({ card: { name: "Travel", description: "Plans journeys" } })),
  Layer.provide(Script.layer(Script.say("Take "), Script.wait("100 millis"), Script.say("the train.")))
)

/** Listens until the scope closes, and returns the URL. */
const listen = <E>(server: Layer.Layer<HttpServer.HttpServer, E>) =>
  Effect.flatMap(Layer.build(server), (context) => Effect.provideContext(NodeAgentServer.url, context))

/** The configuration of the backend. The lake's credit is used up, so that the spare answers. */
const configuration = (urls: { readonly lake: string; readonly travel: string; readonly weather: string }) => {
  const { agentId, host, workspaceId } = MemoryLakeEmulator.address(urls.lake)
  const lake = { MEMORYLAKE_HOST: host, MEMORYLAKE_WORKSPACE: workspaceId, MEMORYLAKE_AGENT: agentId }
  return ConfigProvider.layer(ConfigProvider.fromUnknown({
    LAKE: { ...lake, MEMORYLAKE_API_KEY: "sk_quota" },
    SPARE: { ...lake, MEMORYLAKE_API_KEY: MemoryLakeEmulator.apiKey },
    TRAVEL: { A2A_URL: `${urls.travel}/travel`, A2A_TOKEN: "secret" },
    WEATHER: { URL: urls.weather, APP: AdkEmulator.appName }
  }))
}

/** Returns what a browser and an A2A client receive. */
export const demo = Effect.gen(function*() {
  const urls = yield* Effect.all({
    lake: listen(NodeAgentServer.layer({ routes: MemoryLakeEmulator.routes, port: 0 })),
    travel: listen(NodeAgentServer.layer({ routes: travel, port: 0 })),
    weather: listen(NodeAgentServer.layer({ routes: AdkEmulator.routes(), port: 0 }))
  })
  const routes = Layer.mergeAll(Api.routes, A2aAgent.routes).pipe(
    Layer.provide(Orchestrator.layer),
    Layer.provide([Agents.layerNode, Persistence.layerBackingMemory]),
    Layer.provide(configuration(urls))
  )
  const backend = yield* listen(NodeAgentServer.layer({ routes, port: 0 }))
  const question = "What is the capital of France?"
  const page = yield* Effect.promise(() =>
    fetch(`${backend}/stream?user=ana&question=${encodeURIComponent(question)}`).then((response) => response.text())
  )
  const client = NodeAgent.layer({ agent: backend }).pipe(Layer.provide(Credentials.layerNone))
  const answer = yield* AgentStream.answer(Agent.stream("hello")).pipe(Effect.provide(client))
  return { page, artifacts: answer.artifacts.map(({ name }) => name), text: answer.text }
}).pipe(Effect.scoped)

if (import.meta.main) {
  await Effect.runPromise(
    Effect.flatMap(
      demo,
      ({ page, text }) => Console.log(`to a browser:\n\n${page.replaceAll("\n\n", "\n")}\nto an A2A client:\n\n${text}`)
    )
  )
}
