/** Serves the API and the agent on port 4000: `node src/main.ts`, with the variables that `Agents.ts` reads. */
import { NodeAgentServer } from "@effect-a2a/node"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import { OtlpSerialization, OtlpTracer } from "effect/observability"
import { KeyValueStore, Persistence } from "effect/persistence"
import * as A2aAgent from "./A2aAgent.ts"
import * as Agents from "./Agents.ts"
import * as Api from "./Api.ts"
import { Orchestrator } from "./Orchestrator.ts"

/** Conversations outlive the process in files. */
const store = Persistence.layerBackingKvs.pipe(
  Layer.provide(KeyValueStore.layerFileSystem("conversations")),
  Layer.provide(NodeServices.layer)
)

const routes = Layer.mergeAll(Api.routes, A2aAgent.routes).pipe(
  Layer.provide(Orchestrator.layer),
  Layer.provide([Agents.layerNode, store])
)

const traces = OtlpTracer.layer({
  url: "http://127.0.0.1:4318/v1/traces",
  resource: { serviceName: "orchestrator" }
}).pipe(Layer.provide([OtlpSerialization.layerJson, FetchHttpClient.layer]))

NodeAgentServer.layer({ routes, port: 4000 }).pipe(Layer.provide(traces), Layer.launch, NodeRuntime.runMain)
