/**
 * Finds an agent's card and connects to one of its interfaces (A2A 1.0 §8).
 *
 * A card is looked for below the URL, then below its origin; a URL that ends like a card's is fetched as it is. The first
 * interface on the card whose binding and protocol version are installed is used: there is no fallback to an older
 * version. The card is fetched again when HTTP caching says that it may have changed.
 *
 * Credentials are sent to the origin of the given URL only. An interface on another origin is left out, or refused if
 * there is no other, unless `allow` lists its origin: whoever writes the card would choose where the secrets go. This
 * holds for a card from {@link card} too, or from `Agent.card`, that is passed as `agent`; a card that the program wrote or
 * read from a file is trusted. To present what a card requires, get it with {@link card} and pass it to both
 * `Credentials.layerFromCard` and, as `agent`, {@link layer}.
 *
 * With a `CardVerifier`, a card without a valid signature is refused before anything is sent to its interfaces.
 *
 * ```ts
 * import { Agent, Credentials, Discovery } from "@effect-a2a/core"
 * import { JsonRpc } from "@effect-a2a/transport-jsonrpc"
 * import { Rest } from "@effect-a2a/transport-rest"
 * import { Effect, Layer } from "effect"
 * import { FetchHttpClient } from "effect/http"
 *
 * const agent = Agent.layer.pipe(
 *   Layer.provide(Discovery.layer({ agent: "http://127.0.0.1:9", bindings: [Rest.binding, JsonRpc.binding] })),
 *   Layer.provide([Credentials.layerNone, FetchHttpClient.layer])
 * )
 * const refused = Agent.ask("Anybody there?").pipe(Effect.provide(agent), Effect.flip)
 * const error = await Effect.runPromise(refused)
 * error.operation // => "GetAgentCard"
 * ```
 *
 * @since 0.1.0
 */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type * as AgentCard from "./AgentCard.ts"
import * as AgentError from "./AgentError.ts"
import { AgentTransport } from "./AgentTransport.ts"
import * as CardVerifier from "./CardVerifier.ts"
import * as ClientProtocol from "./ClientProtocol.ts"
import * as Credentials from "./Credentials.ts"
import * as HttpBinding from "./HttpBinding.ts"
import * as HttpTransport from "./HttpTransport.ts"
import * as Card from "./internal/card/fetchCard.ts"
import * as Origins from "./internal/card/origins.ts"
import * as Choice from "./internal/card/selectInterface.ts"
import { publicUrl } from "./internal/errors/publicUrl.ts"
import * as Observe from "./internal/http/observe.ts"
import * as Request from "./internal/http/request.ts"
import * as Failover from "./internal/transport/failover.ts"
import * as WithCard from "./internal/transport/withCard.ts"
import * as Operation from "./Operation.ts"
import * as Timeouts from "./Timeouts.ts"

/** The place of a card. */
export interface CardOptions {
  /**
   * The path of the card below the URL; empty if the URL is the card's own. No other place is searched then. Default: the
   * well-known paths.
   */
  readonly path?: string | undefined
}

/** An agent, and the bindings and protocol versions to reach it by. */
export interface Options extends CardOptions {
  /** The agent's URL, its card's URL, or its card. */
  readonly agent: string | AgentCard.AgentCard
  /** The bindings that are installed, such as `Rest.binding`. */
  readonly bindings: Arr.NonEmptyReadonlyArray<HttpBinding.HttpBinding>
  /** The protocol versions that are installed. Default: 1.0 and 0.3. */
  readonly protocols?: Arr.NonEmptyReadonlyArray<ClientProtocol.ClientProtocol> | undefined
  /**
   * Uses the next compatible interface if no connection to the one before can be made. Default: false. An option and not
   * a decorator, because the other interfaces are known here only.
   */
  readonly fallback?: boolean | undefined
  /**
   * Further origins that the card may lead to, such as `https://api.agent.test`. The credentials go there, unless
   * `Credentials.layerOrigins` gives each origin others. Default: none.
   */
  readonly allow?: ReadonlyArray<string> | undefined
}

type Failure = AgentError.AgentError
type Source = Effect.Effect<AgentCard.AgentCard, Failure>

/** Reads the cards of all protocol versions. */
const reader = ClientProtocol.v1_0

const toError = (operation: string, target?: string) => (reason: AgentError.AgentErrorReason) =>
  new AgentError.AgentError({ operation, ...(target === undefined ? undefined : { target }), reason })

const source = Effect.fnUntraced(function*(
  url: string,
  protocol: ClientProtocol.ClientProtocol,
  path: string | undefined
): Effect.fn.Return<Source, Failure, HttpClient.HttpClient | Credentials.Credentials> {
  const base = yield* Effect.fromResult(Request.parseBase(url)).pipe(Effect.mapError(toError("discover")))
  const { maxResponseSize } = yield* HttpBinding.CurrentLimits
  const peer = {
    base,
    target: { url, protocolBinding: "HTTP+JSON", protocolVersion: protocol.version },
    protocol,
    client: yield* HttpClient.HttpClient,
    credentials: yield* Credentials.Credentials,
    maxResponseSize
  }
  const observed = Observe.agent(yield* Observe.Current, peer)
  return Card.from(peer, Card.places(base, path), yield* CardVerifier.Current).pipe(
    Timeouts.withTotal,
    Effect.mapError(toError(Operation.GetAgentCard._tag, publicUrl(base))),
    observed.within,
    observed.call(Operation.GetAgentCard, {})
  )
})

/**
 * Fetches the card of the agent at a URL, or the card at that URL. The URLs of its interfaces are made absolute. Fails
 * with the errors of `GetAgentCard`.
 */
export const card = (
  url: string,
  options: CardOptions = {}
): Effect.Effect<AgentCard.AgentCard, Failure, HttpClient.HttpClient | Credentials.Credentials> =>
  Effect.flatten(source(url, reader, options.path))

/**
 * Returns the origin of an interface that is refused: the card was fetched from another origin, and `allow` does not list
 * it. Returns `undefined` for interfaces that may be used.
 *
 * ```ts
 * import { Credentials, Discovery } from "@effect-a2a/core"
 * import { Effect, Layer } from "effect"
 * import { HttpClient, HttpClientResponse } from "effect/http"
 *
 * const supportedInterfaces = ["https://agent.test/a2a", "https://evil.test/a2a"].map((url) =>
 *   ({ url, protocolBinding: "HTTP+JSON", protocolVersion: "1.0" }))
 * const http = Layer.succeed(HttpClient.HttpClient, HttpClient.make((request) =>
 *   Effect.succeed(HttpClientResponse.fromWeb(request, Response.json({ name: "Agent", supportedInterfaces })))))
 * const fetched = Discovery.card("https://agent.test").pipe(Effect.provide([http, Credentials.layerNone]))
 * const card = await Effect.runPromise(fetched)
 * card.supportedInterfaces.map((one) => Discovery.foreignOrigin(one)) // => [undefined, "https://evil.test"]
 * ```
 */
export const foreignOrigin: (
  target: AgentCard.AgentInterface,
  allow?: ReadonlyArray<string>
) => string | undefined = Origins.foreign

const decode = (document: unknown) =>
  Effect.fromResult(reader.agentCard.decode(document)).pipe(Effect.mapError((violations) => {
    const issue = AgentError.describe(violations)
    return new AgentError.MalformedResponseError({
      message: `invalid agent card: ${issue}`,
      dialect: "A2A card",
      issue
    })
  }))

/**
 * Reads a card of any protocol version from a JSON document. Fails with `MalformedResponseError`, and with the errors of
 * `CardVerifier.Current` if there is a verifier.
 */
export const fromJson = (document: unknown): Effect.Effect<AgentCard.AgentCard, Failure> =>
  Effect.gen(function*() {
    const verifier = yield* CardVerifier.Current
    const card = yield* decode(document)
    return verifier === undefined ? card : yield* decode(yield* verifier.verify(document, {}))
  }).pipe(Effect.mapError(toError("discover")))

/**
 * Connects to an agent. Fails with the errors of `GetAgentCard` if there is no card, and with
 * `NoCompatibleInterfaceError` if no interface is compatible. A card that was given as `agent` is never fetched.
 */
export const make = /*#__PURE__*/ Effect.fnUntraced(
  function*(options: Options): Effect.fn.Return<
    AgentTransport["Service"],
    Failure,
    HttpClient.HttpClient | Credentials.Credentials
  > {
    const {
      agent,
      allow = [],
      bindings,
      fallback = false,
      path,
      protocols = [ClientProtocol.v1_0, ClientProtocol.v0_3]
    } = options
    const isUrl = typeof agent === "string"
    const current: Source = isUrl ? yield* source(agent, protocols[0], path) : Effect.succeed(agent)
    const card = yield* current
    const choices = yield* Effect.fromResult(
      Result.flatMap(
        Choice.compatibleInterfaces(card, { bindings, protocols }),
        (all) => Origins.choose(all, allow)
      )
    ).pipe(Effect.mapError(toError("discover")))
    const transports = yield* Effect.forEach(
      fallback ? choices : Arr.of(choices[0]),
      ({ binding, protocol, target }) =>
        HttpTransport.make({ binding, url: target.url, protocol, tenant: target.tenant, agentName: card.name })
    )
    const [first, ...others] = transports
    return WithCard.withCard(current, card.capabilities)(others.reduce(Failover.orElse, first))
  },
  Observe.withSpan("a2a.discover")
)

/** Connects to an agent as {@link make} does. */
export const layer = (
  options: Options
): Layer.Layer<AgentTransport, Failure, HttpClient.HttpClient | Credentials.Credentials> =>
  Layer.effect(AgentTransport, make(options))
