/** The four remote agents, each under its own tag, and where configuration says that they are. */
import { Agent, AgentTransport, Credentials } from "@effect-a2a/core"
import { MemoryLake } from "@effect-a2a/memorylake"
import { NodeAgent, NodeCredentials } from "@effect-a2a/node"
import { Adk } from "@effect-a2a/transport-adk"
import { Rest } from "@effect-a2a/transport-rest"
import { Config, ConfigProvider, Effect, Layer } from "effect"
import { CircuitBreaker } from "effect/persistence"

/** Knows what the company knows: MemoryLake, REST 1.0. */
export class Lake extends Agent.Tag<Lake>()("backend/Lake") {}

/** Answers instead of the lake when its credit is used up: a second agent of the same kind. */
export class SpareLake extends Agent.Tag<SpareLake>()("backend/SpareLake") {}

/** Plans journeys: any A2A agent, found by its card. */
export class Travel extends Agent.Tag<Travel>()("backend/Travel") {}

/** Knows the weather: an ADK server. */
export class Weather extends Agent.Tag<Weather>()("backend/Weather") {}

/** Reads the variables of a layer under a prefix, such as `LAKE_MEMORYLAKE_AGENT`. */
const nested = (prefix: string) => <A, E, R>(self: Layer.Layer<A, E, R>) =>
  Layer.provide(self, ConfigProvider.layer(Effect.map(ConfigProvider.ConfigProvider, ConfigProvider.nested(prefix))))

/** Guards a transport: reads are retried, streams are resumed, an agent that fails gets a rest, tasks do not outlive us. */
export const guarded = (key: string) => <E, R>(self: Layer.Layer<AgentTransport.AgentTransport, E, R>) =>
  self.pipe(
    AgentTransport.retry(),
    AgentTransport.resumable(),
    AgentTransport.breaker({ key }),
    AgentTransport.cancelOnInterrupt()
  )

const lake = (name: string) => MemoryLake.layerConfig({ binding: Rest.binding }).pipe(nested(name), guarded(name))

const travel = Layer.unwrap(
  Effect.map(Config.NonEmptyString("A2A_URL"), (agent) => NodeAgent.layerTransport({ agent }))
).pipe(Layer.provide(NodeCredentials.layerEnv()), nested("TRAVEL"), guarded("TRAVEL"))

const weather = Layer.unwrap(
  Effect.map(
    Config.all({ url: Config.NonEmptyString("URL"), appName: Config.NonEmptyString("APP") }),
    (options) => Adk.layer(options)
  )
).pipe(Layer.provide(Credentials.layerNone), nested("WEATHER"), guarded("WEATHER"))

/** A circuit for each agent: open for 30 seconds after three failures in a row. */
export const breakers = CircuitBreaker.layer({
  tripPolicy: CircuitBreaker.consecutive(3),
  openDuration: "30 seconds"
}).pipe(Layer.provide(CircuitBreaker.layerStoreMemory()))

/** All agents, over any HTTP client. */
export const layer = Layer.mergeAll(
  Lake.layer.pipe(Layer.provide(lake("LAKE"))),
  SpareLake.layer.pipe(Layer.provide(lake("SPARE"))),
  Travel.layer.pipe(Layer.provide(travel)),
  Weather.layer.pipe(Layer.provide(weather))
).pipe(Layer.provide(breakers))

/** All agents, over the HTTP client of Node.js. */
export const layerNode = layer.pipe(Layer.provide(NodeAgent.layerClient))
