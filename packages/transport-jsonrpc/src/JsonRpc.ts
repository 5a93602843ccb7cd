/**
 * The JSON-RPC 2.0 binding, client half (specification §9).
 *
 * ```ts
 * import { Agent, Credentials, Protocol } from "@effect-a2a/core"
 * import { JsonRpc } from "@effect-a2a/transport-jsonrpc"
 * import { Layer } from "effect"
 * import { FetchHttpClient } from "effect/http"
 *
 * const Concierge = Agent.layer.pipe(
 *   Layer.provide(JsonRpc.layer({ url: "https://agent.test/rpc", protocol: Protocol.v1_0 })),
 *   Layer.provide([Credentials.layerNone, FetchHttpClient.layer])
 * )
 * Layer.isLayer(Concierge) // => true
 * ```
 *
 * @since 0.1.0
 */
import * as HttpBinding from "@effect-a2a/core/HttpBinding"
import type * as Operation from "@effect-a2a/core/Operation"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Envelope from "./internal/envelope.ts"

/** An answer to somebody else is a fault of the peer; its result is not delivered. */
const foreign = (asked: string, answered: unknown) => ({
  message: `the answer is to request ${JSON.stringify(answered)}, not to ${JSON.stringify(asked)}`,
  isMalformed: true
})

/** One endpoint; the method says what is meant. */
export const binding: HttpBinding.HttpBinding = {
  protocolBinding: "JSONRPC",
  dialect: (protocol) => protocol.jsonRpc.dialect,
  accept: () => "application/json",
  frame: ({ body, id, operation, protocol }) => {
    const method = protocol.jsonRpc.methods[operation._tag as Operation.Tag]
    return method === undefined
      ? []
      : [{ method: "POST", path: "", query: [], body: Envelope.request(id, method, body) }]
  },
  unframe: ({ body, event, id, protocol, status }) => {
    if (Envelope.isObject(body) && body.jsonrpc === "2.0") {
      if (body.error !== undefined && body.error !== null) {
        return Result.fail(protocol.jsonRpc.failure.decode(body.error))
      }
      if ("result" in body) return body.id === id ? Result.succeed(body.result) : Result.fail(foreign(id, body.id))
    }
    // what stands before the agent answers in its own words: gateways, and MemoryLake's refusals (ML-35)
    const failure = protocol.rest.failure.decode(body)
    if (failure !== undefined) return Result.fail(failure)
    return Result.fail(
      status >= 400
        ? { message: `HTTP ${status}`, details: body as Schema.Json }
        : {
          message: event === "error" ? "the stream ended with an error" : "the answer is no JSON-RPC response",
          isMalformed: true,
          details: body as Schema.Json
        }
    )
  }
}

/** A transport to an agent's JSON-RPC interface. */
export const layer: HttpBinding.ClientLayer = HttpBinding.layer(binding)
