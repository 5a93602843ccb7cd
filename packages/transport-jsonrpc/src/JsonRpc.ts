/**
 * The client of the JSON-RPC 2.0 binding (A2A 1.0 §9).
 *
 * ```ts
 * import { Agent, Credentials } from "@effect-a2a/core"
 * import { AgentTest, Script, Wire } from "@effect-a2a/testing"
 * import { JsonRpc, JsonRpcServer } from "@effect-a2a/transport-jsonrpc"
 * import { Effect, Layer } from "effect"
 *
 * const routes = JsonRpcServer.routes({ path: "/rpc" }).pipe(
 *   Layer.provide(AgentTest.layer),
 *   Layer.provide(Script.layer(Script.say("Hello")))
 * )
 * const agent = Agent.layer.pipe(
 *   Layer.provide(JsonRpc.layer({ url: "http://agent.test/rpc" })),
 *   Layer.provideMerge(Wire.layerHttp(routes)), // or FetchHttpClient.layer
 *   Layer.provide(Credentials.layerNone)
 * )
 * const program = Effect.gen(function*() {
 *   const { text } = yield* Agent.ask("Hi")
 *   const [exchange] = yield* (yield* Wire.Tape).exchanges
 *   return [text, JSON.parse(exchange?.body ?? "").method]
 * })
 * await Effect.runPromise(program.pipe(Effect.provide(agent))) // => ["Hello", "SendMessage"]
 * ```
 *
 * @since 0.1.0
 */
import type * as HttpBinding from "@effect-a2a/core/HttpBinding"
import * as HttpPeer from "@effect-a2a/core/HttpPeer"
import * as HttpTransport from "@effect-a2a/core/HttpTransport"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Envelope from "./internal/envelope.ts"

/** Writes an id, which a peer may make of anything. */
const describe = (id: unknown): string =>
  JSON.stringify(typeof id === "object" && id !== null ? "an object" : HttpPeer.snippet(String(id), 100))

/** The response belongs to another request, so that its result is not delivered. */
const wrongId = (expected: string, actual: unknown) => ({
  message: `the response is for request ${describe(actual)}, expected ${JSON.stringify(expected)}`,
  isMalformed: true
})

/** The binding: `POST` to one endpoint; the method names the operation. */
export const binding: HttpBinding.HttpBinding = {
  protocolBinding: "JSONRPC",
  dialect: (protocol) => protocol.jsonRpc.dialect,
  accept: () => "application/json",
  toRequests: ({ body, id, operation, protocol }) => {
    const method = protocol.jsonRpc.methods[operation._tag]
    return method === undefined
      ? []
      : [{ method: "POST", path: "", query: [], body: Envelope.request(id, method, body) }]
  },
  fromResponse: ({ body, event, id, protocol, status }) => {
    if (Predicate.isReadonlyObject(body) && body.jsonrpc === "2.0") {
      if (body.error !== undefined && body.error !== null) {
        return Result.fail(protocol.jsonRpc.failure.decode(body.error))
      }
      if ("result" in body) return body.id === id ? Result.succeed(body.result) : Result.fail(wrongId(id, body.id))
    }
    // gateways in front of an agent answer without an envelope
    const failure = protocol.http.failure.decode(body)
    if (failure !== undefined) return Result.fail(failure)
    return Result.fail(
      status >= 400
        ? { message: `HTTP ${status}`, details: body as Schema.Json }
        : {
          message: event === "error" ? "the stream ended with an error" : "the response is not a JSON-RPC response",
          isMalformed: true,
          details: body as Schema.Json
        }
    )
  }
}

/** Creates the transport to an agent's JSON-RPC interface. Fails if the URL is invalid. */
export const layer: HttpTransport.ClientLayer = (options) => HttpTransport.layer({ binding, ...options })

/**
 * Creates the transport from configuration: `A2A_URL`, `A2A_PROTOCOL` (`1.0`, the default, or `0.3`) and `A2A_TENANT`,
 * unless the options say otherwise. Fails if there is no URL or it is invalid.
 */
export const layerConfig = (
  options: Partial<HttpTransport.Options> = {}
): ReturnType<typeof HttpTransport.layerConfig> => HttpTransport.layerConfig({ ...options, binding })
