/**
 * An agent from Node.js, batteries included: binding, edition, HTTP client, retries and resumption in one layer. What to
 * present to the agent stays a requirement, since only the caller knows; see {@link NodeCredentials}.
 *
 * Give `{ url }` for an interface that is known, or `{ agent }` for one to be found by its card; see {@link layer} for
 * what either comes with.
 *
 * ```ts
 * import { Agent, Credentials } from "@effect-a2a/core"
 * import { NodeAgent } from "@effect-a2a/node"
 * import { Effect, Layer } from "effect"
 *
 * const Concierge = NodeAgent.layer({ url: "http://127.0.0.1:9/a2a", protocol: "0.3", binding: "jsonrpc" }).pipe(
 *   Layer.provide(Credentials.layerNone)
 * )
 * const refused = Agent.ask("Anybody there?").pipe(
 *   Effect.catchReason("AgentError", "ConnectionError", (reason) => Effect.succeed(reason.code)),
 *   Effect.provide(Concierge)
 * )
 * await Effect.runPromise(refused) // => "CONNECTION"
 * ```
 *
 * @since 0.1.0
 */
import * as Agent from "@effect-a2a/core/Agent"
import type * as AgentError from "@effect-a2a/core/AgentError"
import * as AgentTransport from "@effect-a2a/core/AgentTransport"
import type { Credentials } from "@effect-a2a/core/Credentials"
import * as Discovery from "@effect-a2a/core/Discovery"
import * as HttpBinding from "@effect-a2a/core/HttpBinding"
import * as Protocol from "@effect-a2a/core/Protocol"
import * as JsonRpc from "@effect-a2a/transport-jsonrpc/JsonRpc"
import * as Rest from "@effect-a2a/transport-rest/Rest"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import type { HttpClient } from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as NodeAddressGuard from "./NodeAddressGuard.ts"
import * as NodeCredentials from "./NodeCredentials.ts"

/** The bindings by the name they have here. */
export const bindings = { rest: Rest.binding, jsonrpc: JsonRpc.binding } as const satisfies {
  readonly [name: string]: HttpBinding.HttpBinding
}
export type Binding = keyof typeof bindings

/** The editions by version. */
export const protocols = { "1.0": Protocol.v1_0, "0.3": Protocol.v0_3 } as const
export type Version = keyof typeof protocols

/** Where the agent is and how it is spoken to: 1.0 over REST unless said otherwise. */
export interface Options extends Omit<HttpBinding.Options, "protocol"> {
  readonly binding?: Binding | undefined
  readonly protocol?: Version | Protocol.Protocol | undefined
}

/**
 * undici without its time limits: its 300 s for the head of an answer and between two bytes of it would cut off agents
 * that think for longer (CAN-02). Limits are the caller's to set.
 */
export const layerClient: Layer.Layer<HttpClient> = NodeHttpClient.layerUndiciNoDispatcher.pipe(
  Layer.provide(
    Layer.effect(
      NodeHttpClient.Dispatcher,
      Effect.map(
        NodeHttpClient.makeDispatcher,
        (dispatcher) =>
          dispatcher.compose((dispatch) => (options, handler) =>
            dispatch({ ...options, headersTimeout: 0, bodyTimeout: 0 }, handler)
          )
      )
    )
  )
)

/** The transport, for decorators and for agents of one's own making. */
export const layerTransport = (
  { binding = "rest", protocol = "1.0", ...options }: Options
): Layer.Layer<AgentTransport.AgentTransport, AgentError.AgentError, HttpClient | Credentials> =>
  HttpBinding.layer(bindings[binding])({
    ...options,
    protocol: typeof protocol === "string" ? protocols[protocol] : protocol
  })

/**
 * Both bindings are installed unless others are given. `policy`: how the first card is asked for again where it cannot be
 * had; by default not at all.
 */
export interface DiscoveryOptions extends Omit<Discovery.Options, "bindings"> {
  readonly bindings?: Discovery.Options["bindings"] | undefined
  readonly policy?: AgentTransport.Policy | undefined
}

/**
 * The transport to an agent that is found by its URL, by its card's, or by its card; see `Discovery.layer`. Names of
 * hosts that a card leads to are resolved before anything is sent there, and refused in private networks.
 */
export const layerDiscovery = (
  {
    bindings: installed = Object.values(bindings) as [HttpBinding.HttpBinding],
    policy = AgentTransport.backoff(0),
    ...options
  }: DiscoveryOptions
): Layer.Layer<AgentTransport.AgentTransport, AgentError.AgentError, HttpClient | Credentials> =>
  Layer.effect(
    AgentTransport.AgentTransport,
    Effect.retry(Discovery.make({ ...options, bindings: installed }), AgentTransport.polite(policy))
  ).pipe(Layer.provide(NodeAddressGuard.layerResolver))

/**
 * The client, over {@link layerClient}: `{ url }` is spoken to as the options say, `{ agent }` is discovered. Fails where
 * the URL is none, or no card or interface is found.
 *
 * Comes with: reads, cancels and the first card repeated up to three times, sends never (`AgentTransport.retry`); dropped
 * streams taken up again (`AgentTransport.resumable`); what a card leads to kept out of private networks, while what the
 * user named is never refused. No limit of time but undici's ten seconds to connect: provide
 * `HttpBinding.CurrentTimeouts`, with a `silence` above what the agent needs to think. For other policies, decorate
 * {@link layerTransport} or {@link layerDiscovery} by hand.
 */
export const layer = (
  options: Options | DiscoveryOptions
): Layer.Layer<Agent.Agent, AgentError.AgentError, Credentials> =>
  Agent.layer.pipe(
    Layer.provide(
      ("url" in options
        ? layerTransport(options)
        : layerDiscovery({ policy: AgentTransport.backoff(3), ...options })).pipe(
          AgentTransport.retry(),
          AgentTransport.resumable()
        )
    ),
    Layer.provide(layerClient)
  )

/** {@link layer} from the environment: `A2A_URL` unless a URL is given, credentials as `NodeCredentials.layerEnv`. */
export const layerConfig = (
  options: Partial<Options> & NodeCredentials.EnvOptions = {}
): Layer.Layer<Agent.Agent, AgentError.AgentError | Config.ConfigError> =>
  Layer.unwrap(
    Effect.map(
      options.url === undefined ? Config.NonEmptyString("A2A_URL") : Effect.succeed(options.url),
      (url) => layer({ ...options, url })
    )
  ).pipe(Layer.provide(NodeCredentials.layerEnv(options)))
