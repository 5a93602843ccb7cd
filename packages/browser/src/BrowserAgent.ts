/**
 * An agent spoken to from a page or a worker, batteries included: the browser's own fetch, retries, and streams that are
 * taken up again when the network or the page is back. What to present to the agent stays a requirement; see
 * `BrowserCredentials`.
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
import * as AgentError from "@effect-a2a/core/AgentError"
import * as AgentTransport from "@effect-a2a/core/AgentTransport"
import type { Credentials } from "@effect-a2a/core/Credentials"
import * as Discovery from "@effect-a2a/core/Discovery"
import * as HttpBinding from "@effect-a2a/core/HttpBinding"
import * as Protocol from "@effect-a2a/core/Protocol"
import * as JsonRpc from "@effect-a2a/transport-jsonrpc/JsonRpc"
import * as Rest from "@effect-a2a/transport-rest/Rest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { CurrentPage } from "./Page.ts"

/** The bindings by the name they have here. */
export const bindings = { rest: Rest.binding, jsonrpc: JsonRpc.binding } as const
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
 * An agent that is found by its URL, by its card's, or by its card; both bindings are installed unless others are given.
 * `policy`: how the first card is asked for again where it cannot be had; by default up to three times, {@link wakeful}.
 */
export interface DiscoveryOptions extends Omit<Discovery.Options, "bindings"> {
  readonly bindings?: Discovery.Options["bindings"] | undefined
  readonly policy?: AgentTransport.Policy | undefined
}

/** fetch. Trace headers stay out: for them a browser asks permission first, which agents seldom give. */
export const layerClient: Layer.Layer<HttpClient.HttpClient> = Layer.effect(
  HttpClient.HttpClient,
  Effect.map(
    HttpClient.HttpClient,
    HttpClient.transform((effect) => Effect.provideService(effect, HttpClient.TracerPropagationEnabled, false))
  )
).pipe(Layer.provide(FetchHttpClient.layer))

/** A browser may say that there is no network where there is one. */
const doubt = Duration.seconds(30)

/**
 * Waits no longer than there is reason to: the next attempt is made as soon as there is a network again, or the page is
 * seen again; and while there is none, attempts are half a minute apart. What the peer asks to wait is waited.
 */
export const wakeful = (policy: AgentTransport.Policy): AgentTransport.Policy =>
  Schedule.modifyDelay(policy, ({ duration }) =>
    Effect.gen(function*() {
      const page = yield* CurrentPage
      yield* (yield* page.isOnline)
        ? Effect.raceFirst(Effect.sleep(duration), page.next("online", "visible", "show"))
        : Effect.raceFirst(Effect.sleep(Duration.max(duration, doubt)), page.next("online"))
      return Duration.zero
    }))

const reads = wakeful(AgentTransport.backoff(3))

/** The transport, for decorators and for agents of one's own making. */
export const layerTransport = (
  options: Options | DiscoveryOptions
): Layer.Layer<AgentTransport.AgentTransport, AgentError.AgentError, HttpClient.HttpClient | Credentials> => {
  if (!("url" in options)) {
    const { bindings: installed = [Rest.binding, JsonRpc.binding], policy = reads, ...rest } = options
    return Layer.effect(
      AgentTransport.AgentTransport,
      Effect.retry(Discovery.make({ ...rest, bindings: installed }), AgentTransport.polite(policy))
    )
  }
  const { binding = "rest", protocol = "1.0", ...rest } = options
  return HttpBinding.layer(bindings[binding])({
    ...rest,
    protocol: typeof protocol === "string" ? protocols[protocol] : protocol
  })
}

/**
 * Lets go of streams when the page is left, so that the browser can keep the page as it is; {@link resilient} takes them
 * up again when it is back. Without it the browser does as it likes, which is to close both the page and its streams.
 */
export const dropOnHide = AgentTransport.transform((transport) => ({
  ...transport,
  stream: (operation, request) =>
    Stream.interruptWhen(
      transport.stream(operation, request),
      Effect.gen(function*() {
        const page = yield* CurrentPage
        yield* page.next("hide")
        return yield* new AgentError.AgentError({
          operation: operation._tag,
          target: transport.target.url.replace(/[?#][^]*$/, ""),
          reason: new AgentError.StreamInterruptedError({ message: "the page was left", isRetryable: true })
        })
      })
    )
}))

/**
 * What {@link layer} does for a transport: reads, cancels and cards repeated up to three times, sends never; dropped
 * streams taken up again, up to twenty times in a row; both {@link wakeful}.
 */
export const resilient = <E, R>(
  transport: Layer.Layer<AgentTransport.AgentTransport, E, R>
): Layer.Layer<AgentTransport.AgentTransport, E, R> =>
  transport.pipe(
    AgentTransport.retry(reads),
    AgentTransport.resumable(wakeful(AgentTransport.backoff(20)))
  )

/**
 * The client over a transport that is at hand, such as `Rest.layer({ url })` or `MemoryLake.layer(Rest.layer)(address)`:
 * {@link resilient}, and over {@link layerClient}. A bundle holds no other binding then.
 *
 * ```ts
 * import { Credentials } from "@effect-a2a/core"
 * import { BrowserAgent } from "@effect-a2a/browser"
 * import { Rest } from "@effect-a2a/transport-rest"
 * import { Layer } from "effect"
 *
 * const agent = BrowserAgent.layerOver(Rest.layer({ url: "https://agent.test/a2a" }).pipe(BrowserAgent.dropOnHide)).pipe(
 *   Layer.provide(Credentials.layerNone)
 * )
 * Layer.isLayer(agent) // => true
 * ```
 */
export const layerOver = <E, R>(
  transport: Layer.Layer<AgentTransport.AgentTransport, E, R>
): Layer.Layer<Agent.Agent, E, Exclude<R, HttpClient.HttpClient>> =>
  Agent.layer.pipe(Layer.provide(resilient(transport)), Layer.provide(layerClient))

/**
 * The client: `{ url }` is spoken to as the options say, `{ agent }` is discovered. As {@link layerOver}, with
 * {@link dropOnHide}. Fails where the URL is none, or no card or interface is found. No limit of time: provide
 * `HttpBinding.CurrentTimeouts`, with a `silence` above what the agent needs to think.
 */
export const layer = (
  options: Options | DiscoveryOptions
): Layer.Layer<Agent.Agent, AgentError.AgentError, Credentials> => layerOver(dropOnHide(layerTransport(options)))
