/**
 * The public agent card at its well-known place (specification §8.2), from whatever answers `GetAgentCard`.
 *
 * ```ts
 * import { Agent, Credentials, Protocol } from "@effect-a2a/core"
 * import { CardServer } from "@effect-a2a/server"
 * import { AgentTest, Script, Wire } from "@effect-a2a/testing"
 * import { Rest } from "@effect-a2a/transport-rest"
 * import { Effect, Layer } from "effect"
 *
 * const routes = CardServer.routes({ path: "/a2a", protocols: [Protocol.v1_0] }).pipe(
 *   Layer.provide(AgentTest.layer),
 *   Layer.provide(Script.layer(Script.say("Hello")))
 * )
 * const agent = Agent.layer.pipe(
 *   Layer.provide(Rest.layer({ url: "http://agent.test/a2a" })),
 *   Layer.provide([Wire.layerHttp(routes), Credentials.layerNone])
 * )
 * const card = await Effect.runPromise(Agent.card.pipe(Effect.provide(agent)))
 * card.capabilities.pushNotifications // => false
 * ```
 *
 * @since 0.1.0
 */
import type * as AgentCard from "@effect-a2a/core/AgentCard"
import { AgentTransport } from "@effect-a2a/core/AgentTransport"
import * as HttpServing from "@effect-a2a/core/HttpServing"
import * as Operation from "@effect-a2a/core/Operation"
import type * as Protocol from "@effect-a2a/core/Protocol"
import type * as Arr from "effect/Array"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Hash from "effect/Hash"
import * as HttpRouter from "effect/http/HttpRouter"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"

/** Where the agent is mounted, the editions its card is written in, and for how long it may be kept (default 1 hour). */
export interface Options {
  readonly path?: `/${string}` | undefined
  readonly protocols: Arr.NonEmptyReadonlyArray<Protocol.Protocol>
  readonly maxAge?: Duration.Input | undefined
}

/** A card may name its interfaces by path alone: they are where the card was asked for. */
const located = (card: AgentCard.AgentCard, { headers }: HttpServerRequest.HttpServerRequest): AgentCard.AgentCard => {
  const origin = `${headers["x-forwarded-proto"] ?? "http"}://${headers.host ?? "localhost"}`
  return {
    ...card,
    supportedInterfaces: card.supportedInterfaces.map((one) =>
      one.url.startsWith("/") ? { ...one, url: origin + one.url } : one
    )
  }
}

/** Whether a client has it already: any in its list, compared weakly, or `*` (RFC 9110 §13.1.2). */
const isKnown = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch?.trim() === "*" || ifNoneMatch?.match(/"[^"]*"/g)?.includes(etag.replace("W/", "")) === true

/**
 * `GET {path}/.well-known/agent-card.json`, in the edition whose version is asked for, else the first; revalidated by
 * `ETag`.
 */
export const routes = (options: Options): Layer.Layer<never, never, AgentTransport | HttpRouter.HttpRouter> =>
  Layer.effectDiscard(Effect.gen(function*() {
    const transport = yield* AgentTransport
    const router = yield* HttpRouter.HttpRouter
    const maxAge = Math.floor(Duration.toSeconds(options.maxAge ?? Duration.hours(1)))

    const respond = Effect.fnUntraced(function*(request: HttpServerRequest.HttpServerRequest) {
      const named = HttpServing.version(request)
      const protocol = options.protocols.find(({ version }) => version === named) ?? options.protocols[0]
      const card = yield* transport.call(Operation.GetAgentCard, {}).pipe(
        Effect.mapError((error) => HttpServing.refusal(error.reason)),
        Effect.flatMap((card) =>
          Effect.fromResult(protocol.agentCard.encode(located(card, request))).pipe(Effect.orDie)
        ),
        Effect.result
      )
      if (card._tag === "Failure") {
        const { body, status } = protocol.rest.failure.encode(card.failure)
        return HttpServerResponse.jsonUnsafe(body, { status })
      }
      const text = JSON.stringify(card.success)
      const headers = {
        "cache-control": `public, max-age=${maxAge}`,
        etag: `W/"${(Hash.string(text) >>> 0).toString(36)}-${text.length}"`,
        vary: "A2A-Version"
      }
      return isKnown(request.headers["if-none-match"], headers.etag)
        ? HttpServerResponse.empty({ status: 304, headers })
        : HttpServerResponse.text(text, { contentType: "application/json", headers })
    })

    yield* router.add("GET", `${options.path ?? ""}/.well-known/agent-card.json`, respond)
  }))
