/**
 * From a URL or a card to a transport: where the card is, which of its interfaces is spoken to, and how long it may be
 * kept (specification §8).
 *
 * A card is looked for below the URL first, then below its origin; a URL that ends as a card's does is fetched as it is.
 * The first interface in the card's order whose binding and version are installed is taken: nothing is downgraded
 * behind the caller's back. Credentials go to the URL given and to the interface that its card names; where that is on
 * another origin, it must not be in a private network, see {@link AddressGuard}. For the credentials that a card asks for,
 * get it with {@link card}, and give it both to `Credentials.layerFromCard` and, as `agent`, to {@link layer}.
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
import * as AddressGuard from "./AddressGuard.ts"
import type * as AgentCard from "./AgentCard.ts"
import * as AgentError from "./AgentError.ts"
import { AgentTransport } from "./AgentTransport.ts"
import * as Credentials from "./Credentials.ts"
import * as HttpBinding from "./HttpBinding.ts"
import * as Card from "./internal/card/fetchCard.ts"
import * as Choice from "./internal/card/selectInterface.ts"
import * as Request from "./internal/http/request.ts"
import * as Failover from "./internal/transport/failover.ts"
import * as WithCard from "./internal/transport/withCard.ts"
import * as Operation from "./Operation.ts"
import * as Protocol from "./Protocol.ts"

/** `path`: where the card is, behind the URL; empty where the URL is the card's own. Nothing else is searched then. */
export interface CardOptions {
  readonly path?: string | undefined
}

export interface Options extends CardOptions {
  /** The agent's URL, its card's URL, or its card, which is trusted as if its URLs had been typed. */
  readonly agent: string | AgentCard.AgentCard
  readonly bindings: Arr.NonEmptyReadonlyArray<HttpBinding.HttpBinding>
  /** Default: 1.0 and 0.3. */
  readonly protocols?: Arr.NonEmptyReadonlyArray<Protocol.Protocol> | undefined
  /** Whether the next interface that fits is used while a connection to the one before cannot be had; default no. */
  readonly fallback?: boolean | undefined
  /** Origins in private networks that the card may lead to. */
  readonly allow?: ReadonlyArray<string> | undefined
}

type Failure = AgentError.AgentError
type Source = Effect.Effect<AgentCard.AgentCard, Failure>

/** One reader for the cards of all editions. */
const reader = Protocol.v1_0

const failing = (operation: string, target?: string) => (reason: AgentError.AgentErrorReason) =>
  new AgentError.AgentError({ operation, ...(target === undefined ? undefined : { target }), reason })

const source = Effect.fnUntraced(function*(
  url: string,
  protocol: Protocol.Protocol,
  path: string | undefined
): Effect.fn.Return<Source, Failure, HttpClient.HttpClient | Credentials.Credentials> {
  const base = yield* Effect.fromResult(Request.parseUrl(url)).pipe(Effect.mapError(failing("discover")))
  const { maxResponseSize } = yield* HttpBinding.CurrentLimits
  const peer = {
    base,
    target: { url, protocolBinding: "HTTP+JSON", protocolVersion: protocol.version },
    protocol,
    client: yield* HttpClient.HttpClient,
    credentials: yield* Credentials.Credentials,
    maxResponseSize
  }
  return Card.from(peer, Card.places(base, path)).pipe(
    Effect.mapError(failing(Operation.GetAgentCard._tag, Request.publicUrl(base)))
  )
})

/** The card of the agent at a URL, or the card at that URL. Its interfaces have absolute URLs. */
export const card = (
  url: string,
  options: CardOptions = {}
): Effect.Effect<AgentCard.AgentCard, Failure, HttpClient.HttpClient | Credentials.Credentials> =>
  Effect.flatten(source(url, reader, options.path))

/** A card from a document in hand, of any edition. */
export const fromJson = (document: unknown): Effect.Effect<AgentCard.AgentCard, Failure> =>
  Effect.fromResult(reader.agentCard.decode(document)).pipe(Effect.mapError((violations) => {
    const issue = AgentError.describe(violations)
    return AgentError.make("discover", "MalformedResponseError", {
      message: `the agent card cannot be read: ${issue}`,
      dialect: "A2A card",
      issue
    })
  }))

/**
 * The transport to an agent. Fails where there is no card, or none of its interfaces can be spoken to; its failures are
 * those of `GetAgentCard` and of `discover`. The card is asked for again when it may no longer be kept; one that was in
 * hand never is.
 */
export const make = Effect.fnUntraced(function*(options: Options): Effect.fn.Return<
  AgentTransport["Service"],
  Failure,
  HttpClient.HttpClient | Credentials.Credentials
> {
  const { agent, allow = [], bindings, fallback = false, path, protocols = [Protocol.v1_0, Protocol.v0_3] } = options
  const isUrl = typeof agent === "string"
  const current: Source = isUrl ? yield* source(agent, protocols[0], path) : Effect.succeed(agent)
  const card = yield* current
  const choices = yield* Effect.fromResult(Choice.choices(card, { bindings, protocols })).pipe(
    Effect.mapError(failing("discover"))
  )
  const named = isUrl ? [agent] : card.supportedInterfaces.map(({ url }) => url)
  const client = yield* AddressGuard.protect(yield* HttpClient.HttpClient, { allow: [...allow, ...named] })
  const transports = yield* Effect.forEach(
    fallback ? choices : Arr.of(choices[0]),
    ({ binding, protocol, target }) => HttpBinding.make(binding)({ url: target.url, protocol, tenant: target.tenant })
  ).pipe(
    Effect.provideService(HttpClient.HttpClient, client)
  )
  const [first, ...others] = transports as Arr.NonEmptyArray<AgentTransport["Service"]>
  return WithCard.over(current, card.capabilities)(others.reduce(Failover.orElse, first))
})

/** {@link make} as a layer. */
export const layer = (
  options: Options
): Layer.Layer<AgentTransport, Failure, HttpClient.HttpClient | Credentials.Credentials> =>
  Layer.effect(AgentTransport, make(options))
