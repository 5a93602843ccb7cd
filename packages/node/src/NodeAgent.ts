/**
 * A client for agents on Node.js: bindings, protocol versions, HTTP client, retries and resumption in one layer. The
 * credentials are a requirement, since only the caller knows them; see {@link NodeCredentials}.
 *
 * `{ url }` names an interface that is known, `{ agent }` an agent to be discovered by its card; see {@link layer} for
 * the defaults of both.
 *
 * ```ts
 * import { Agent, Credentials } from "@effect-a2a/core"
 * import { NodeAgent } from "@effect-a2a/node"
 * import { Effect, Layer } from "effect"
 *
 * const Concierge = NodeAgent.layer({ url: "http://127.0.0.1:9/a2a", protocol: "0.3", binding: "jsonrpc" }).pipe(
 *   Layer.provide(Credentials.layerNone)
 * )
 * const program = Agent.ask("Anybody there?").pipe(
 *   Effect.catchReason("AgentError", "ConnectionError", (reason) => Effect.succeed(reason.code)),
 *   Effect.provide(Concierge)
 * )
 * await Effect.runPromise(program) // => "CONNECTION"
 * ```
 *
 * @since 0.1.0
 */
import type * as Agent from "@effect-a2a/core/Agent"
import type * as AgentError from "@effect-a2a/core/AgentError"
import * as AgentTransport from "@effect-a2a/core/AgentTransport"
import * as Connector from "@effect-a2a/core/Connector"
import type { Credentials } from "@effect-a2a/core/Credentials"
import * as Protocol from "@effect-a2a/core/Protocol"
import * as Telemetry from "@effect-a2a/core/Telemetry"
import * as AdkRecognizer from "@effect-a2a/transport-adk/AdkRecognizer"
import * as JsonRpc from "@effect-a2a/transport-jsonrpc/JsonRpc"
import * as Rest from "@effect-a2a/transport-rest/Rest"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import type { HttpClient } from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Client from "./internal/client.ts"
import * as NodeCredentials from "./NodeCredentials.ts"

/** The installed bindings by name. */
export const bindings = { rest: Rest.binding, jsonrpc: JsonRpc.binding } as const

/** The name of an installed binding. */
export type Binding = keyof typeof bindings

/** The installed protocol versions. */
export const protocols = { "1.0": Protocol.v1_0, "0.3": Protocol.v0_3 } as const

/** An installed protocol version. */
export type Version = keyof typeof protocols

/** An interface at a known URL. Defaults: REST and protocol version 1.0. */
export interface Options extends Connector.Options<Binding, Version> {}

/** An agent to be discovered. Defaults: all bindings and protocol versions; the first card is retried three times. */
export interface DiscoveryOptions extends Connector.DiscoveryOptions {}

/**
 * Provides an HTTP client over undici without its time limits: they would interrupt agents that think for more than five
 * minutes. Limits are for the caller to set, see `Timeouts`. It decodes `gzip`, `br` and `deflate`, and goes through the
 * proxies of `NodeProxy`. After the layer was closed, requests fail with a `ConnectionError` that says so. On Bun, whose
 * undici is incomplete, it is `fetch`. Comes with `AdkRecognizer.layer` and `Telemetry.layer`.
 */
export const layerClient: Layer.Layer<HttpClient> = Layer.mergeAll(Client.layer, AdkRecognizer.layer, Telemetry.layer)

/**
 * Creates the transport alone, for decorators of your choice. Fails if the URL is invalid, or if no card or no usable
 * interface is found.
 */
export const layerTransport = (
  options: Options | DiscoveryOptions
): Layer.Layer<AgentTransport.AgentTransport, AgentError.AgentError, HttpClient | Credentials> =>
  Connector.layerTransport({ bindings, protocols }, options)

/**
 * Creates the client over {@link layerClient}. Fails if the URL is invalid, or if no card or no usable interface is found.
 *
 * Reads, cancellations and the first card are retried up to three times, messages never (`AgentTransport.retry`). Dropped
 * streams are resumed (`AgentTransport.resumable`). A discovered card cannot lead to another origin, see
 * `Discovery`. The only time limit is undici's ten seconds to connect: provide `Timeouts.CurrentTimeouts` for others,
 * with an `idle` longer than the agent thinks. For other policies decorate {@link layerTransport}.
 *
 * A program with several agents gives each a tag:
 *
 * ```ts
 * import { Agent, Credentials } from "@effect-a2a/core"
 * import { NodeAgent } from "@effect-a2a/node"
 * import { Effect, Layer } from "effect"
 *
 * class Weather extends Agent.Tag<Weather>()("app/Weather") {}
 * class Travel extends Agent.Tag<Travel>()("app/Travel") {}
 *
 * const agents = Layer.mergeAll(
 *   NodeAgent.layer({ url: "http://127.0.0.1:9/weather", tag: Weather }),
 *   NodeAgent.layer({ url: "http://127.0.0.1:9/travel", tag: Travel })
 * ).pipe(Layer.provide(Credentials.layerNone))
 * const failures = Effect.all([Effect.flip(Weather.ask("Lisbon?")), Effect.flip(Travel.ask("To Lisbon?"))])
 * const errors = await Effect.runPromise(Effect.provide(failures, agents))
 * errors.map((error) => error.target) // => ["http://127.0.0.1:9/weather", "http://127.0.0.1:9/travel"]
 * ```
 */
export const layer = <Self = Agent.Agent>(
  { tag, ...options }: (Options | DiscoveryOptions) & Connector.Tagged<Self>
): Layer.Layer<Self, AgentError.AgentError, Credentials> =>
  Connector.layerAgent({ tag }, layerTransport(options).pipe(AgentTransport.retry(), AgentTransport.resumable())).pipe(
    Layer.provide(layerClient)
  )

/**
 * Creates the client from configuration: the URL is `A2A_URL` unless it is given, the credentials are those of
 * `NodeCredentials.layerEnv`. Several agents are configured by tags and `ConfigProvider.nested`: nested under `SEARCH`, the
 * URL is `SEARCH_A2A_URL`. Fails with a `ConfigError` if there is no URL.
 */
export const layerConfig = <Self = Agent.Agent>(
  options: Partial<Options> & NodeCredentials.EnvOptions & Connector.Tagged<Self> = {}
): Layer.Layer<Self, AgentError.AgentError | Config.ConfigError> =>
  Layer.unwrap(
    Effect.map(
      options.url === undefined ? Config.NonEmptyString("A2A_URL") : Effect.succeed(options.url),
      (url) => layer({ ...options, url })
    )
  ).pipe(Layer.provide(NodeCredentials.layerEnv(options)))
