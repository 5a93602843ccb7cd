/**
 * The true wire without a socket: routes, envelopes, SSE and codecs as they are, bytes in and bytes out, and a tape of
 * what crossed.
 *
 * @since 0.1.0
 */
import type * as AgentError from "@effect-a2a/core/AgentError"
import type { AgentTransport } from "@effect-a2a/core/AgentTransport"
import * as Credentials from "@effect-a2a/core/Credentials"
import type * as HttpBinding from "@effect-a2a/core/HttpBinding"
import type * as Protocol from "@effect-a2a/core/Protocol"
import type * as Arr from "effect/Array"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as HttpEffect from "effect/http/HttpEffect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as Layer from "effect/Layer"

/** One request and its answer; `chunks` are the answer's body as it was read. */
export interface Exchange {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly status: number
  readonly responseHeaders: Readonly<Record<string, string>>
  readonly chunks: ReadonlyArray<string>
}

/** What crossed the wire so far, in order. */
export class Tape extends Context.Service<Tape, {
  readonly exchanges: Effect.Effect<ReadonlyArray<Exchange>>
}>()("@effect-a2a/testing/Wire/Tape") {}

const recording = (chunks: Array<string>) => {
  const decoder = new TextDecoder()
  return new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform: (chunk, controller) => {
      chunks.push(decoder.decode(chunk, { stream: true }))
      controller.enqueue(chunk)
    }
  })
}

/** An `HttpClient` whose requests go to an application of routes in this process. */
export const layerHttp = <E, R>(
  app: Layer.Layer<never, E, HttpRouter.HttpRouter | R>
): Layer.Layer<HttpClient.HttpClient | Tape, E, Exclude<R, HttpRouter.HttpRouter>> =>
  Layer.effectContext(Effect.gen(function*() {
    const context = yield* Effect.context<never>()
    const served = yield* HttpRouter.toHttpEffect(app)
    // what a request needs beyond its scope, the routes' own layers provide
    const handler: (request: Request) => Promise<Response> = HttpEffect.toWebHandlerWith(context)(served as never)
    const exchanges: Array<Exchange> = []
    const client = HttpClient.make((request, _url, signal) =>
      Effect.gen(function*() {
        const web = yield* Effect.orDie(HttpClientRequest.toWeb(request, { signal }))
        const body = yield* Effect.promise(() => web.clone().text())
        const response = yield* Effect.promise(() => handler(web))
        const chunks: Array<string> = []
        exchanges.push({
          method: request.method,
          url: web.url,
          headers: Object.fromEntries(web.headers),
          body,
          status: response.status,
          responseHeaders: Object.fromEntries(response.headers),
          chunks
        })
        const recorded = response.body === null ? null : response.body.pipeThrough(recording(chunks))
        return HttpClientResponse.fromWeb(request, new Response(recorded, response))
      })
    )
    return Context.make(HttpClient.HttpClient, client).pipe(
      Context.add(Tape, { exchanges: Effect.sync(() => [...exchanges]) })
    )
  })) as never

/** One of the four combinations of edition and binding, both halves. */
export interface Cell {
  readonly protocol: Protocol.Protocol
  readonly client: HttpBinding.ClientLayer
  readonly server: (options: {
    readonly path: `/${string}`
    readonly protocols: Arr.NonEmptyReadonlyArray<Protocol.Protocol>
  }) => Layer.Layer<never, never, AgentTransport | HttpRouter.HttpRouter>
}

/**
 * A transport seen through the wire of one cell.
 *
 * ```ts
 * import { Agent, Protocol } from "@effect-a2a/core"
 * import { AgentTest, Script, Wire } from "@effect-a2a/testing"
 * import { JsonRpc, JsonRpcServer } from "@effect-a2a/transport-jsonrpc"
 * import { Effect, Layer } from "effect"
 *
 * const cell = { protocol: Protocol.v0_3, client: JsonRpc.layer, server: JsonRpcServer.routes }
 * const agent = Agent.layer.pipe(
 *   Layer.provideMerge(AgentTest.layer.pipe(Wire.through(cell))),
 *   Layer.provide(Script.layer(Script.say("Hello")))
 * )
 * const program = Effect.gen(function*() {
 *   const { text } = yield* Agent.ask("Hi")
 *   const [exchange] = yield* (yield* Wire.Tape).exchanges
 *   return [text, JSON.parse(exchange!.body).method]
 * })
 * await Effect.runPromise(program.pipe(Effect.provide(agent))) // => ["Hello", "message/send"]
 * ```
 */
export const through =
  (cell: Cell) =>
  <E, R>(self: Layer.Layer<AgentTransport, E, R>): Layer.Layer<AgentTransport | Tape, E | AgentError.AgentError, R> => {
    const path = "/agent"
    const app = cell.server({ path, protocols: [cell.protocol] }).pipe(Layer.provide(self))
    return cell.client({ url: `http://agent.test${path}`, protocol: cell.protocol }).pipe(
      Layer.provideMerge(layerHttp(app)),
      Layer.provide(Credentials.layerNone)
    ) as never
  }
