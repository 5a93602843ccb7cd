/**
 * A client for agents in a page or a worker: the browser's `fetch`, retries, and streams that resume when the network or
 * the page is back. The credentials are a requirement; see `BrowserCredentials`.
 *
 * ```ts
 * import { Agent, Credentials } from "@effect-a2a/core"
 * import { BrowserAgent } from "@effect-a2a/browser"
 * import { Effect, Layer } from "effect"
 *
 * const agent = BrowserAgent.layer({ url: "http://127.0.0.1:9/a2a" }).pipe(Layer.provide(Credentials.layerNone))
 * const program = Agent.ask("Anybody there?").pipe(
 *   Effect.catchReason("AgentError", "ConnectionError", (reason) => Effect.succeed(reason.code)),
 *   Effect.provide(agent)
 * )
 * await Effect.runPromise(program) // => "CONNECTION"
 * ```
 *
 * @since 0.1.0
 */
import * as Agent from "@effect-a2a/core/Agent"
import * as AgentError from "@effect-a2a/core/AgentError"
import * as AgentTransport from "@effect-a2a/core/AgentTransport"
import * as ClientProtocol from "@effect-a2a/core/ClientProtocol"
import * as Connector from "@effect-a2a/core/Connector"
import type { Credentials } from "@effect-a2a/core/Credentials"
import * as AdkRecognizer from "@effect-a2a/transport-adk/AdkRecognizer"
import * as JsonRpc from "@effect-a2a/transport-jsonrpc/JsonRpc"
import * as Rest from "@effect-a2a/transport-rest/Rest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { CurrentOrigin, CurrentPage } from "./Page.ts"

/** The installed bindings by name. */
export const bindings = { rest: Rest.binding, jsonrpc: JsonRpc.binding } as const

/** The name of an installed binding. */
export type Binding = keyof typeof bindings

/** The installed protocol versions. */
export const protocols = { "1.0": ClientProtocol.v1_0, "0.3": ClientProtocol.v0_3 } as const

/** An installed protocol version. */
export type Version = keyof typeof protocols

/**
 * An interface at a known URL, or at a path of the page's origin such as `/api/a2a`. Defaults: REST and protocol version
 * 1.0.
 */
export interface Options extends Connector.Options<Binding, Version> {}

/**
 * An agent to be discovered by its URL, by a path of the page's origin, or by its card. Defaults: all bindings and
 * protocol versions; the first card is retried three times, as {@link wakeful} does.
 */
export interface DiscoveryOptions extends Connector.DiscoveryOptions {}

/**
 * Provides `fetch` without trace headers: browsers ask the agent's permission for them, which few agents give. Comes with
 * `AdkRecognizer.layer`.
 */
export const layerClient: Layer.Layer<HttpClient.HttpClient> = Layer.effect(
  HttpClient.HttpClient,
  Effect.map(
    HttpClient.HttpClient,
    HttpClient.transform((effect) => Effect.provideService(effect, HttpClient.TracerPropagationEnabled, false))
  )
).pipe(Layer.provide(FetchHttpClient.layer), Layer.merge(AdkRecognizer.layer))

/** The interval between attempts while the browser reports no network, which it does by mistake at times. */
const offlineInterval = Duration.seconds(30)

/**
 * Makes the next attempt as soon as the network or the page is back, if that is before it is due. While there is no
 * network, attempts are at least 30 seconds apart. A `Retry-After` of the peer is respected.
 */
export const wakeful = (policy: AgentTransport.Policy): AgentTransport.Policy =>
  Schedule.modifyDelay(policy, ({ duration, input }) =>
    Effect.gen(function*() {
      // there will be no next attempt, which is decided after the wait
      if (!input.isRetryable) return Duration.zero
      const page = yield* CurrentPage
      yield* (yield* page.isOnline)
        ? Effect.raceFirst(Effect.sleep(duration), page.next("online", "visible", "show"))
        : Effect.raceFirst(Effect.sleep(Duration.max(duration, offlineInterval)), page.next("online"))
      return Duration.zero
    }))

const reads = wakeful(AgentTransport.backoff(3))

/** Completes a path by the page's origin. `//host` and `/\host` stay as they are: they lead to another host. */
const complete = Effect.fnUntraced(function*(url: string): Effect.fn.Return<string, AgentError.AgentError> {
  if (!/^\/(?![/\\])/.test(url)) return url
  const origin = yield* CurrentOrigin
  if (origin !== undefined) return origin + url
  const path = url.replace(/[?#].*$/s, "")
  return yield* AgentError.make("connect", "InvalidRequestError", {
    message: `"${path}" is a path of the page's origin, and there is no page here: use an absolute http(s) URL`,
    violations: [{ field: "url", description: "an absolute http or https URL" }]
  })
})

const completeOptions = (
  options: Options | DiscoveryOptions
): Effect.Effect<Options | DiscoveryOptions, AgentError.AgentError> => {
  if ("url" in options) return Effect.map(complete(options.url), (url) => ({ ...options, url }))
  const { agent } = options
  return typeof agent === "string"
    ? Effect.map(complete(agent), (agent) => ({ policy: reads, ...options, agent }))
    : Effect.succeed({ policy: reads, ...options })
}

/**
 * Creates the transport alone, for decorators of your choice. Fails if the URL is invalid, if it is a path and there is
 * no page, or if no card or no usable interface is found.
 */
export const layerTransport = (
  options: Options | DiscoveryOptions
): Layer.Layer<AgentTransport.AgentTransport, AgentError.AgentError, HttpClient.HttpClient | Credentials> =>
  Layer.unwrap(
    Effect.map(completeOptions(options), (options) => Connector.layerTransport({ bindings, protocols }, options))
  )

/** Fails when the user leaves the page. */
const leave = Effect.gen(function*() {
  const page = yield* CurrentPage
  yield* page.next("hide")
  return yield* new AgentError.StreamInterruptedError({ message: "the page was left" })
})

/**
 * Drops streams when the user leaves the page, so that the browser can keep the page in its back/forward cache;
 * {@link resilient} resumes them when the user comes back. Without it the browser may close the page and its streams.
 */
export const dropOnHide = AgentTransport.intercept({
  SendStreamingMessage: (request, next) => Stream.interruptWhen(next(request), leave),
  SubscribeToTask: (request, next) => Stream.interruptWhen(next(request), leave)
})

/**
 * Retries reads, cancellations and cards up to three times, messages never, and resumes dropped streams, up to 20 times
 * in a row; both as {@link wakeful} does. Part of {@link layer}.
 */
export const resilient = <E, R>(
  transport: Layer.Layer<AgentTransport.AgentTransport, E, R>
): Layer.Layer<AgentTransport.AgentTransport, E, R> =>
  transport.pipe(
    AgentTransport.retry(reads),
    AgentTransport.resumable(wakeful(AgentTransport.backoff(20)))
  )

/**
 * Creates the client over the given transport, {@link resilient} and over {@link layerClient}. A bundle then contains
 * only the binding of that transport, such as `Rest.layer({ url })`.
 */
export const layerOver = <E, R>(
  transport: Layer.Layer<AgentTransport.AgentTransport, E, R>
): Layer.Layer<Agent.Agent, E, Exclude<R, HttpClient.HttpClient>> =>
  Agent.layer.pipe(Layer.provide(resilient(transport)), Layer.provide(layerClient))

/**
 * Creates the client: {@link layerOver} a transport with {@link dropOnHide}; for several agents, under a `tag`. There is no time limit unless
 * `Timeouts.CurrentTimeouts` is provided, with an `idle` longer than the agent thinks. Fails if the URL is invalid, or if
 * no card or no usable interface is found.
 */
export const layer = <Self = Agent.Agent>(
  { tag, ...options }: (Options | DiscoveryOptions) & Connector.Tagged<Self>
): Layer.Layer<Self, AgentError.AgentError, Credentials> =>
  Connector.layerAgent({ tag }, resilient(dropOnHide(layerTransport(options)))).pipe(Layer.provide(layerClient))
