/** A MemoryLake agent whose service is a function (`respond.ts`), in each of the four combinations. */
import * as Agent from "@effect-a2a/core/Agent"
import * as Credentials from "@effect-a2a/core/Credentials"
import type * as HttpBinding from "@effect-a2a/core/HttpBinding"
import * as Protocol from "@effect-a2a/core/Protocol"
import * as MemoryLake from "@effect-a2a/memorylake/MemoryLake"
import * as JsonRpc from "@effect-a2a/transport-jsonrpc/JsonRpc"
import * as Rest from "@effect-a2a/transport-rest/Rest"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { type Asked, respond } from "./respond.ts"

export interface Combination {
  readonly name: string
  readonly binding: HttpBinding.HttpBinding
  readonly protocol: Protocol.Protocol
}

export const rest1_0 = { name: "1.0 REST", binding: Rest.binding, protocol: Protocol.v1_0 }
export const rpc1_0 = { name: "1.0 JSON-RPC", binding: JsonRpc.binding, protocol: Protocol.v1_0 }
export const rest0_3 = { name: "0.3 REST", binding: Rest.binding, protocol: Protocol.v0_3 }
export const rpc0_3 = { name: "0.3 JSON-RPC", binding: JsonRpc.binding, protocol: Protocol.v0_3 }

const address = {
  workspaceId: "ws-8001856949ad4f6a5b6226f415ffa877",
  agentId: "agent-f8bf71ab17ed8eccad8c0e8ae708273f"
}
export const baseUrl =
  "https://app.memorylake.cn/openapi/memorylake/api/v3/workspaces/ws-8001856949ad4f6a5b6226f415ffa877/agents/agent-f8bf71ab17ed8eccad8c0e8ae708273f/a2a"

/** An agent in one of the combinations, and a peer that responds with `answer`. */
export const through = ({ binding, protocol }: Combination, answer: (asked: Asked) => Response) => {
  const { asked, layer } = respond(answer)
  const agent = Agent.layer.pipe(
    Layer.provide(MemoryLake.layer({ ...address, binding, protocol })),
    Layer.provide([layer, Credentials.layerBearer(Redacted.make("sk_xxxxxx"))])
  )
  return { asked, agent }
}
