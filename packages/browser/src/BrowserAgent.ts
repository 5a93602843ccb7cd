/**
 * An agent spoken to from a browser: any transport over the browser's own fetch.
 *
 * ```ts
 * import { Credentials } from "@effect-a2a/core"
 * import { BrowserAgent } from "@effect-a2a/browser"
 * import { Layer } from "effect"
 *
 * const agent = BrowserAgent.layer({ url: "https://agent.test/a2a" }).pipe(Layer.provide(Credentials.layerNone))
 * Layer.isLayer(agent) // => true
 * ```
 *
 * @since 0.1.0
 */
import * as Agent from "@effect-a2a/core/Agent"
import type { AgentError } from "@effect-a2a/core/AgentError"
import type { Credentials } from "@effect-a2a/core/Credentials"
import type * as HttpBinding from "@effect-a2a/core/HttpBinding"
import * as JsonRpc from "@effect-a2a/transport-jsonrpc/JsonRpc"
import * as Rest from "@effect-a2a/transport-rest/Rest"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"

/** Where the agent is, and how it is spoken to (default: REST). */
export interface Options extends HttpBinding.Options {
  readonly binding?: "rest" | "jsonrpc" | undefined
}

/** Trace headers stay out: for them a browser asks permission first, which agents seldom give. */
const layerClient = Layer.effect(
  HttpClient.HttpClient,
  Effect.map(
    HttpClient.HttpClient,
    HttpClient.transform((effect) => Effect.provideService(effect, HttpClient.TracerPropagationEnabled, false))
  )
).pipe(Layer.provide(FetchHttpClient.layer))

/** The client over fetch. Fails where the URL is none. */
export const layer = (options: Options): Layer.Layer<Agent.Agent, AgentError, Credentials> => {
  const client = options.binding === "jsonrpc" ? JsonRpc.layer : Rest.layer
  return Agent.layer.pipe(Layer.provide(client(options)), Layer.provide(layerClient))
}
