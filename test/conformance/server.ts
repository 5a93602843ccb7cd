// The server that the conformance suites test: `node test/conformance/server.ts 1.0|1.0.0|0.3`. Sends its origin to the
// process that forked it.
import { Protocol } from "@effect-a2a/core"
import { NodeAgent, NodeAgentServer } from "@effect-a2a/node"
import { AgentServer, CardServer, PushSender, PushStore } from "@effect-a2a/server"
import { JsonRpcServer } from "@effect-a2a/transport-jsonrpc"
import { RestServer } from "@effect-a2a/transport-rest"
import { type Array as Arr, Effect, Layer } from "effect"
import * as Executor from "./executor.ts"

const served: Readonly<Record<string, Arr.NonEmptyReadonlyArray<Protocol.Protocol>>> = {
  "1.0": [Protocol.v1_0],
  "1.0.0": [Protocol.v1_0_0],
  // the 0.3 suite finds its interfaces in the card of both
  "0.3": [Protocol.v0_3, Protocol.v1_0]
}

const line = process.argv[2] ?? "1.0"
const protocols = served[line]!

const card = {
  name: "Agent under test",
  description: "Does what the conformance suites ask for",
  provider: { organization: "effect-a2a", url: "https://example.com" },
  defaultInputModes: ["text/plain", "application/json", "*/*"],
  skills: [{ id: "test", name: "Test", description: "Does what the suites ask for", tags: ["test"] }]
}

// the 0.3 suite takes a server with an extended card for one that authenticates
const extendedCard = line === "0.3" ? {} : {
  extendedCard: Effect.succeed({
    ...card,
    description: "The same, for callers who ask",
    version: "1.0.0",
    supportedInterfaces: [],
    capabilities: { streaming: true, extendedAgentCard: true },
    defaultOutputModes: ["text/plain"]
  })
}
const agent = AgentServer.layerMemory({ card, ...extendedCard }).pipe(
  Layer.provide(Executor.layer(line === "0.3")),
  // the suites listen on this machine
  Layer.provide(PushSender.layer({ allow: "all" })),
  Layer.provide([PushStore.layerMemory(), NodeAgent.layerClient])
)

const routes = Layer.mergeAll(
  JsonRpcServer.routes({ path: "/rpc", protocols }),
  RestServer.routes({ path: "/rest", protocols }),
  CardServer.routes({ protocols })
).pipe(Layer.provide(agent))

const program = Effect.gen(function*() {
  process.send?.(yield* NodeAgentServer.url)
  return yield* Effect.never
})
Effect.runFork(Effect.provide(program, NodeAgentServer.layer({ routes, port: 0 })))
