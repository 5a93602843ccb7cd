/**
 * Builds transports from plain options: a URL with the names of a binding and a protocol version, or an agent to be
 * discovered. `NodeAgent` and `BrowserAgent` are made of it; use it for another runtime or for bindings of your own.
 *
 * ```ts
 * import { AgentTransport, Connector, Credentials, Protocol } from "@effect-a2a/core"
 * import { JsonRpc } from "@effect-a2a/transport-jsonrpc"
 * import { Rest } from "@effect-a2a/transport-rest"
 * import { Effect, Layer } from "effect"
 * import { FetchHttpClient } from "effect/http"
 *
 * const installed: Connector.Installed<"rest" | "jsonrpc", "1.0" | "0.3"> = {
 *   bindings: { rest: Rest.binding, jsonrpc: JsonRpc.binding },
 *   protocols: { "1.0": Protocol.v1_0, "0.3": Protocol.v0_3 }
 * }
 * const transport = Connector.layerTransport(installed, { url: "https://agent.test/rpc", binding: "jsonrpc" })
 * const target = Effect.map(AgentTransport.AgentTransport, ({ target }) => target).pipe(
 *   Effect.provide(Layer.provide(transport, [Credentials.layerNone, FetchHttpClient.layer]))
 * )
 * await Effect.runPromise(target)
 * // => { url: "https://agent.test/rpc", protocolBinding: "JSONRPC", protocolVersion: "1.0" }
 * ```
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type { HttpClient } from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Agent from "./Agent.ts"
import { AgentError } from "./AgentError.ts"
import * as AgentTransport from "./AgentTransport.ts"
import type * as ClientProtocol from "./ClientProtocol.ts"
import type { Credentials } from "./Credentials.ts"
import * as Discovery from "./Discovery.ts"
import type * as HttpBinding from "./HttpBinding.ts"
import * as HttpTransport from "./HttpTransport.ts"
import * as Timeouts from "./Timeouts.ts"

/** The bindings and the protocol versions of a program, by name and in order of preference. */
export interface Installed<Binding extends string, Version extends string> {
  readonly bindings: { readonly [_ in Binding]: HttpBinding.HttpBinding }
  readonly protocols: { readonly [_ in Version]: ClientProtocol.ClientProtocol }
}

/** An interface at a known URL. Defaults: the first installed binding and the first installed protocol version. */
export interface Options<Binding extends string, Version extends string>
  extends Omit<HttpTransport.Options, "protocol">
{
  readonly binding?: Binding | undefined
  readonly protocol?: Version | ClientProtocol.ClientProtocol | undefined
}

/** An agent that is found by its URL, by its card's URL, or by its card. */
export interface DiscoveryOptions extends Omit<Discovery.Options, "bindings"> {
  /** Default: all installed bindings. */
  readonly bindings?: Discovery.Options["bindings"] | undefined
  /** The policy of retries for the first card. Default: up to three retries, with back-off. */
  readonly policy?: AgentTransport.Policy | undefined
}

/** The tag of the agent, for a program with several agents. */
export interface Tagged<Self> {
  /** A class of `Agent.Tag`. Default: `Agent.Agent`. */
  readonly tag?: { readonly layer: Layer.Layer<Self, never, AgentTransport.AgentTransport> } | undefined
}

const all = <K extends string, A>(values: { readonly [_ in K]: A }) => Object.values<A>(values) as [A, ...Array<A>]

/**
 * Creates the transport to the agent: `{ url }` is used as the options say, `{ agent }` is discovered, see `Discovery`.
 * Fails if the URL is invalid, if no card is found, or if none of the card's interfaces is installed.
 */
export const layerTransport = <Binding extends string, Version extends string>(
  installed: Installed<Binding, Version>,
  options: Options<Binding, Version> | DiscoveryOptions
): Layer.Layer<AgentTransport.AgentTransport, AgentError, HttpClient | Credentials> => {
  if (!("url" in options)) {
    const {
      bindings = all(installed.bindings),
      policy = AgentTransport.backoff(3),
      protocols = all(installed.protocols),
      ...rest
    } = options
    return Layer.effect(
      AgentTransport.AgentTransport,
      Effect.retry(Discovery.make({ ...rest, bindings, protocols }), AgentTransport.respectRetryAfter(policy)).pipe(
        Timeouts.withTotal,
        Effect.mapError((error) =>
          error._tag === "TimeoutError" ? new AgentError({ operation: "discover", reason: error }) : error
        )
      )
    )
  }
  const { binding: name, protocol: version = all(installed.protocols)[0], ...rest } = options
  const binding = name === undefined ? all(installed.bindings)[0] : installed.bindings[name]
  const protocol = typeof version === "object" ? version : installed.protocols[version]
  return HttpTransport.layer({ ...rest, binding, protocol })
}

/** Creates the agent of the tag over a transport. */
export const layerAgent = <Self, E, R>(
  { tag }: Tagged<Self>,
  transport: Layer.Layer<AgentTransport.AgentTransport, E, R>
): Layer.Layer<Self, E, R> =>
  Layer.provide((tag?.layer ?? Agent.layer) as Layer.Layer<Self, never, AgentTransport.AgentTransport>, transport)
