/**
 * Serves routes on Node.js: a listener, a bound on request bodies, and a shutdown that does not wait for streams.
 *
 * ```ts
 * import { NodeAgentServer } from "@effect-a2a/node"
 * import { Effect } from "effect"
 * import { HttpRouter, HttpServerResponse } from "effect/http"
 *
 * const routes = HttpRouter.add("GET", "/hello", HttpServerResponse.text("hi"))
 * const program = Effect.gen(function*() {
 *   const url = yield* NodeAgentServer.url
 *   return yield* Effect.promise(() => fetch(`${url}/hello`).then((response) => response.text()))
 * })
 * await Effect.runPromise(program.pipe(Effect.provide(NodeAgentServer.layer({ routes, port: 0 })))) // => "hi"
 * ```
 *
 * @since 0.1.0
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as ByteSize from "effect/ByteSize"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { MaxBodySize } from "effect/http/HttpIncomingMessage"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { createServer } from "node:http"

/**
 * `port` 0 takes a free one, see {@link url}. `host`: default `127.0.0.1`, reachable from this machine only.
 * `maxBodySize`: of a request, default 16 MiB. `shutdown`: how long requests under way may take once the layer is
 * released, default one second; event streams end at once.
 */
export interface Options<E, R> {
  readonly routes: Layer.Layer<never, E, R>
  readonly port: number
  readonly host?: string | undefined
  readonly maxBodySize?: ByteSize.Input | undefined
  readonly shutdown?: Duration.Input | undefined
}

/** Where the server listens, such as `http://127.0.0.1:4000`. */
export const url: Effect.Effect<string, never, HttpServer.HttpServer> = HttpServer.addressFormattedWith(Effect.succeed)

/**
 * Ends event streams when the latch opens. `connection: close`, since a connection that is kept alive would hold the
 * shutdown after its stream has ended.
 */
const draining = (latch: Latch.Latch) =>
  HttpRouter.middleware(
    (effect) =>
      Effect.map(effect, (response) => {
        const { body } = response
        return body._tag === "Stream" && body.contentType?.startsWith("text/event-stream") === true
          ? HttpServerResponse.stream(Stream.interruptWhen(body.stream, latch.await), {
            status: response.status,
            contentType: body.contentType,
            headers: { ...response.headers, connection: "close" }
          })
          : response
      }),
    { global: true }
  )

/** Listens and serves until it is released. Fails where the port is taken. */
export const layer = <E, R>(
  { host = "127.0.0.1", maxBodySize = "16 MiB", port, routes, shutdown = "1 second" }: Options<E, R>
) =>
  Layer.unwrap(Effect.sync(() => {
    const latch = Latch.makeUnsafe(false)
    const server = createServer()
    // released in this order: streams end, the server stops within `shutdown`, what is left is cut
    const drain = Layer.effectDiscard(Effect.addFinalizer(() => latch.open))
    const cut = Layer.effectDiscard(Effect.addFinalizer(() => Effect.sync(() => server.closeAllConnections())))
    return drain.pipe(
      Layer.provideMerge(
        HttpRouter.serve(Layer.merge(routes, draining(latch)), { disableLogger: true, disableListenLog: true })
      ),
      Layer.provide(Layer.succeed(MaxBodySize, ByteSize.fromInputUnsafe(maxBodySize))),
      Layer.provideMerge(cut),
      Layer.provideMerge(NodeHttpServer.layerServer(() => server, { host, port, gracefulShutdownTimeout: shutdown }))
    )
  }))
