/**
 * The client of the HTTP+JSON binding (A2A 1.0 §11).
 *
 * ```ts
 * import { Agent, Credentials } from "@effect-a2a/core"
 * import { AgentTest, Script, Wire } from "@effect-a2a/testing"
 * import { Rest, RestServer } from "@effect-a2a/transport-rest"
 * import { Effect, Layer } from "effect"
 *
 * const routes = RestServer.routes({ path: "/a2a" }).pipe(
 *   Layer.provide(AgentTest.layer),
 *   Layer.provide(Script.layer(Script.say("Hello")))
 * )
 * const agent = Agent.layer.pipe(
 *   Layer.provide(Rest.layer({ url: "http://agent.test/a2a" })),
 *   Layer.provideMerge(Wire.layerHttp(routes)), // or FetchHttpClient.layer
 *   Layer.provide(Credentials.layerNone)
 * )
 * const program = Effect.gen(function*() {
 *   const { text } = yield* Agent.ask("Hi")
 *   const [exchange] = yield* (yield* Wire.Tape).exchanges
 *   return [text, exchange?.method, exchange?.url]
 * })
 * await Effect.runPromise(program.pipe(Effect.provide(agent)))
 * // => ["Hello", "POST", "http://agent.test/a2a/message:send"]
 * ```
 *
 * @since 0.1.0
 */
import type * as HttpBinding from "@effect-a2a/core/HttpBinding"
import * as HttpTransport from "@effect-a2a/core/HttpTransport"
import type * as Protocol from "@effect-a2a/core/Protocol"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { encodeSegment, expand } from "./internal/template.ts"

/** Takes the tenant out of a request if the protocol version has it in the path (A2A 1.0 §11.3). */
const splitTenant = (body: Schema.Json, isSegment: boolean | undefined) => {
  const { tenant, ...rest } = body as { readonly [name: string]: Schema.Json }
  return isSegment === true && typeof tenant === "string"
    ? { segment: `/${encodeSegment(tenant)}`, rest }
    : { segment: "", rest: body }
}

/** The binding: operations as methods and paths, messages as bodies without an envelope. */
export const binding: HttpBinding.HttpBinding = {
  protocolBinding: "HTTP+JSON",
  dialect: (protocol) => protocol.rest.dialect,
  accept: ({ rest }) =>
    rest.contentType === "application/json" ? rest.contentType : `${rest.contentType}, application/json`,
  toRequests: ({ body, operation, protocol: { rest } }) => {
    const tenant = splitTenant(body, rest.tenantSegment)
    const routes: ReadonlyArray<Protocol.Route> = rest.routes[operation._tag] ?? []
    return routes.map((route) => {
      const request = expand(route, rest.prefix ?? "", tenant.rest)
      return { ...request, path: tenant.segment + request.path, ...(rest.prefix && { prefix: rest.prefix }) }
    })
  },
  fromResponse: ({ body, event, protocol, status }) => {
    const failure = protocol.http.failure.decode(body)
    if (failure !== undefined) return Result.fail(failure)
    return status >= 400 || event === "error"
      ? Result.fail({
        message: status >= 400 ? `HTTP ${status}` : "the stream ended with an error",
        details: body as Schema.Json
      })
      : Result.succeed(body)
  }
}

/** Creates the transport to an agent's REST interface. Fails if the URL is invalid. */
export const layer: HttpTransport.ClientLayer = (options) => HttpTransport.layer({ binding, ...options })

/**
 * Creates the transport from configuration: `A2A_URL`, `A2A_PROTOCOL` (`1.0`, the default, or `0.3`) and `A2A_TENANT`,
 * unless the options say otherwise. Fails if there is no URL or it is invalid.
 */
export const layerConfig = (
  options: Partial<HttpTransport.Options> = {}
): ReturnType<typeof HttpTransport.layerConfig> => HttpTransport.layerConfig({ ...options, binding })
