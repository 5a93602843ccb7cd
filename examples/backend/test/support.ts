/** The application over stand-ins for its agents. */
import type { AgentError } from "@effect-a2a/core"
import { AdkEmulator, MemoryLakeEmulator } from "@effect-a2a/emulators"
import { AgentTest, Script } from "@effect-a2a/testing"
import { ConfigProvider, Layer, Redacted } from "effect"
import { Persistence } from "effect/persistence"
import { Lake, SpareLake, Travel, Weather } from "../src/Agents.ts"
import { Orchestrator } from "../src/Orchestrator.ts"

/** A scripted agent in this process. */
export const scripted = (...steps: ReadonlyArray<Script.Step>) =>
  AgentTest.layerWith().pipe(Layer.provide(Script.layer(...steps)))

/** The emulated MemoryLake as the lake. Its key decides whether it answers or refuses. */
export const lakeWith = (apiKey: string) =>
  Lake.layer.pipe(Layer.provide(MemoryLakeEmulator.layerTransport({ apiKey: Redacted.make(apiKey) })))

/** The emulated ADK server, and the tape of its wire. */
export const adk = AdkEmulator.layerTransport()

const quiet = {
  lake: Lake.layer.pipe(Layer.provide(scripted(Script.say("lake")))),
  spare: SpareLake.layer.pipe(Layer.provide(scripted(Script.say("spare")))),
  travel: Travel.layer.pipe(Layer.provide(scripted(Script.say("travel")))),
  weather: Weather.layer.pipe(Layer.provide(adk))
}

/** Layers of agents to use instead of those that answer with their name. */
export interface Over {
  readonly lake?: Layer.Layer<Lake, AgentError.AgentError>
  readonly spare?: Layer.Layer<SpareLake, AgentError.AgentError>
  readonly travel?: Layer.Layer<Travel, AgentError.AgentError>
  readonly weather?: Layer.Layer<Weather, AgentError.AgentError>
}

/** The orchestrator over agents that answer with their name, and the weather of the emulated ADK server. */
export const app = (over: Over = {}) => {
  const { lake, spare, travel, weather } = { ...quiet, ...over }
  return Orchestrator.layer.pipe(
    Layer.provide([lake, spare, travel, weather, Persistence.layerBackingMemory]),
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown({})))
  )
}
