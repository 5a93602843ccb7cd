/**
 * Serves the public agent card at its well-known path (A2A 1.0 §8.2). The card is that of the `AgentTransport`; if it
 * names no interfaces, it lists those that the application serves.
 *
 * ```ts
 * import { Agent, Credentials } from "@effect-a2a/core"
 * import { AgentExecutor, AgentServer, CardServer } from "@effect-a2a/server"
 * import { Wire } from "@effect-a2a/testing"
 * import { Rest, RestServer } from "@effect-a2a/transport-rest"
 * import { Effect, Layer, Stream } from "effect"
 *
 * const routes = Layer.mergeAll(RestServer.routes({ path: "/a2a" }), CardServer.routes({ path: "/a2a" })).pipe(
 *   Layer.provide(AgentServer.layerMemory({ card: { name: "Greeter", description: "Greets" } })),
 *   Layer.provide(AgentExecutor.layer(() => Stream.make("Hello")))
 * )
 * const agent = Agent.layer.pipe(
 *   Layer.provide(Rest.layer({ url: "http://agent.test/a2a" })),
 *   Layer.provide([Wire.layerHttp(routes), Credentials.layerNone])
 * )
 * const card = await Effect.runPromise(Agent.card.pipe(Effect.provide(agent)))
 * card.supportedInterfaces[0] // => { url: "http://agent.test/a2a", protocolBinding: "HTTP+JSON", protocolVersion: "1.0" }
 * ```
 *
 * @since 0.1.0
 */
import type * as AgentCard from "@effect-a2a/core/AgentCard"
import { type AgentErrorReason, reason } from "@effect-a2a/core/AgentError"
import { AgentTransport } from "@effect-a2a/core/AgentTransport"
import * as Operation from "@effect-a2a/core/Operation"
import * as PublicOrigin from "@effect-a2a/core/PublicOrigin"
import { ServedInterfaces } from "@effect-a2a/core/ServedInterfaces"
import * as Served from "@effect-a2a/core/ServedInterfaces"
import * as ServerHandler from "@effect-a2a/core/ServerHandler"
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Hash from "effect/Hash"
import * as HttpRouter from "effect/http/HttpRouter"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"

/** The agent's path (default: the root) and the versions in which its card is written (default: 1.0 and 0.3). */
export interface Options extends ServerHandler.RouteOptions {
  /** For how long clients may use the card without asking again. Default: 1 hour. */
  readonly maxAge?: Duration.Input | undefined
  /**
   * Signs the card as it is sent, such as `CardSignature.makeSigner` of `@effect-a2a/signatures`. URLs that are paths are
   * then completed if `PublicOrigin` names the origin: otherwise whoever asks would choose the origin that is signed.
   */
  readonly sign?: ((card: AgentCard.AgentCard) => Effect.Effect<AgentCard.AgentCard, AgentErrorReason>) | undefined
  /**
   * Makes the card of one request, such as that of a tenant, from the agent's, whose interfaces are listed and may still be
   * paths. It can read `HttpServerRequest` and `HttpRouter.params`; a failure is the response. Shared caches do not keep such
   * a card. What the server enforces, such as required extensions and security schemes, stays that of the agent's card.
   * Default: everybody gets the agent's card.
   */
  readonly forRequest?:
    | ((card: AgentCard.AgentCard) => Effect.Effect<AgentCard.AgentCard, AgentErrorReason, HttpRouter.Provided>)
    | undefined
  /** The headers that `forRequest` reads beside `Host`, for the `Vary` of the response. Default: none. */
  readonly vary?: ReadonlyArray<string> | undefined
}

const placeOf = (path: Options["path"] = "/") =>
  `${path === "/" ? "" : path}/.well-known/agent-card.json` as `/${string}`

/** Completes URLs that are paths by the origin under which clients reach the server. */
const resolveUrls = (card: AgentCard.AgentCard, origin: string | undefined): AgentCard.AgentCard => ({
  ...card,
  supportedInterfaces: card.supportedInterfaces.map((one) =>
    // the root without a slash, since clients append paths
    origin !== undefined && one.url.startsWith("/") ? { ...one, url: one.url === "/" ? origin : origin + one.url } : one
  )
})

/** A request that never crossed a socket has a whole URL and no `Host`. */
const originOf = (self: PublicOrigin.PublicOrigin, { headers, originalUrl }: HttpServerRequest): string =>
  self.of(headers.host === undefined ? { ...headers, host: URL.parse(originalUrl)?.host ?? "localhost" } : headers) ??
    "http://localhost"

/** The times at which cards were served first, by their tags; the latest hundred. */
const makeTimes = () => {
  const times = new Map<string, string>()
  return (etag: string, now: number): string => {
    const time = times.get(etag) ?? DateTime.toDateUtc(DateTime.makeUnsafe(now)).toUTCString()
    times.set(etag, time)
    for (const oldest of times.size > 100 ? times.keys() : []) {
      times.delete(oldest)
      break
    }
    return time
  }
}

/** Returns true if the client has this card: a weak match in its list, or `*`; without a list by its time (RFC 9110 §13.1). */
const isCurrent = (headers: HttpServerRequest["headers"], etag: string, modified: string): boolean => {
  const { "if-modified-since": since, "if-none-match": match } = headers
  return match === undefined
    ? since !== undefined && Date.parse(modified) <= Date.parse(since)
    : match.trim() === "*" || match.match(/"[^"]*"/g)?.includes(etag.replace("W/", "")) === true
}

/** A card that cannot be signed is not the fault of whoever asks for it. */
const toFailure = (failure: AgentErrorReason) =>
  ServerHandler.fromReason(
    failure._tag === "InvalidRequestError" ? reason("InternalError", { message: failure.message }) : failure
  )

/**
 * Adds `GET {path}/.well-known/agent-card.json`. The card is written in the version that the request names
 * (`A2A-Version`), otherwise in the first one; clients revalidate it by its `ETag`, or by the time at which this server had
 * it first. URLs that are paths are completed by `PublicOrigin.Current`.
 */
export const routes = (options: Options = {}): Layer.Layer<never, never, AgentTransport | HttpRouter.HttpRouter> =>
  Layer.effectDiscard(Effect.gen(function*() {
    const transport = yield* AgentTransport
    const router = yield* HttpRouter.HttpRouter
    const served = yield* ServedInterfaces
    const publicOrigin = yield* PublicOrigin.Current
    const clock = yield* Clock.Clock
    const timeOf = makeTimes()
    const { forRequest = Effect.succeed, path, protocols = ServerHandler.protocols, sign = Effect.succeed } = options
    // what is signed is not chosen by whoever asks for the card
    const completes = options.sign === undefined || publicOrigin.isTrusted
    const place = placeOf(path)
    const maxAge = Math.floor(Duration.toSeconds(options.maxAge ?? Duration.hours(1)))
    const caching = {
      "cache-control": `${options.forRequest === undefined ? "public" : "private"}, max-age=${maxAge}`,
      vary: ["A2A-Version", ...publicOrigin.headers, ...options.vary ?? []].join(", ")
    }

    const readCard = Effect.gen(function*() {
      const card = yield* Effect.mapError(transport.call(Operation.GetAgentCard, {}), (error) => error.reason)
      return yield* forRequest(
        card.supportedInterfaces.length > 0 ? card : { ...card, supportedInterfaces: yield* served.of(transport) }
      )
    })

    const admit = ServerHandler.admit(place)
    const respond = (request: HttpServerRequest) => {
      const requested = ServerHandler.readVersion(request)
      const protocol = protocols.find(({ version }) => version === requested) ?? protocols[0]
      return admit(request).pipe(
        Effect.andThen(Effect.mapError(readCard, ServerHandler.fromReason)),
        Effect.map((card) => resolveUrls(card, completes ? originOf(publicOrigin, request) : undefined)),
        Effect.flatMap((card) => Effect.mapError(sign(card), toFailure)),
        Effect.flatMap((card) => Effect.fromResult(protocol.agentCard.encode(card)).pipe(Effect.orDie)),
        Effect.map((card) => {
          const text = JSON.stringify(card)
          const etag = `W/"${(Hash.string(text) >>> 0).toString(36)}-${text.length}"`
          const modified = timeOf(etag, clock.currentTimeMillisUnsafe())
          const headers = { ...caching, etag, "last-modified": modified }
          return isCurrent(request.headers, etag, modified)
            ? HttpServerResponse.empty({ status: 304, headers })
            : HttpServerResponse.text(text, { contentType: "application/json", headers })
        }),
        ServerHandler.catchToResponse((failure) => {
          const { body, status } = protocol.http.failure.encode(failure)
          return HttpServerResponse.jsonUnsafe(body, { status, headers: ServerHandler.toHeaders(failure) })
        })
      )
    }

    yield* router.add("GET", place, respond)
  })).pipe(
    Layer.provide(Served.layer),
    Layer.merge(ServerHandler.layerAllow(placeOf(options.path), ["GET", "HEAD"]))
  )
