/** The four combinations of protocol version and binding. */
import * as Protocol from "@effect-a2a/core/Protocol"
import * as JsonRpc from "@effect-a2a/transport-jsonrpc/JsonRpc"
import * as Rest from "@effect-a2a/transport-rest/Rest"

const bindings = [
  { binding: "HTTP+JSON", path: "/rest", client: Rest.layer, http: Rest.binding },
  { binding: "JSONRPC", path: "/rpc", client: JsonRpc.layer, http: JsonRpc.binding }
] as const

export const combinations = [Protocol.v1_0, Protocol.v0_3].flatMap((protocol) =>
  bindings.map((one) => ({ ...one, protocol, name: `${protocol.version} ${one.binding}` }))
)
export type Combination = (typeof combinations)[number]
