/**
 * Serves routes on Node.js: listens on a port, limits request bodies, and shuts down without waiting for event streams.
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
import * as ServerHandler from "@effect-a2a/core/ServerHandler"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as ByteSize from "effect/ByteSize"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { MaxBodySize } from "effect/http/HttpIncomingMessage"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { createServer } from "node:http"
import { limitBodies } from "./internal/bodies.ts"
import { closeStalled } from "./internal/stalled.ts"

/** The routes, where to listen, and the limits. */
export interface Options<E, R> {
  readonly routes: Layer.Layer<never, E, R>
  /** 0 takes a free port, see {@link url}. */
  readonly port: number
  /** Default: `127.0.0.1`, which only this machine can reach. */
  readonly host?: string | undefined
  /** The largest request body; default: 16 MiB. */
  readonly maxBodySize?: ByteSize.Input | undefined
  /** The bytes of large request bodies that are received at the same time; others get 503. Default: 64 MiB. */
  readonly maxBodiesSize?: ByteSize.Input | undefined
  /** The number of connections; others are closed at once. Default: 4,000. */
  readonly maxConnections?: number | undefined
  /** The time in which the head of a request must arrive. Default: 10 seconds. */
  readonly headTimeout?: Duration.Input | undefined
  /** The time in which a whole request must arrive. Default: one minute. Responses and event streams may take longer. */
  readonly requestTimeout?: Duration.Input | undefined
  /** The time after which the connection of a client is closed that reads nothing of a response. Default: 30 seconds. */
  readonly stallTimeout?: Duration.Input | undefined
  /**
   * The time that running requests have when the layer is released; default: one second. Sends and streams of agents end at
   * once, with `ServiceUnavailableError`.
   */
  readonly shutdown?: Duration.Input | undefined
}

/** The URL that the server listens on, such as `http://127.0.0.1:4000`. */
export const url: Effect.Effect<string, never, HttpServer.HttpServer> = HttpServer.addressFormattedWith(Effect.succeed)

// for the last event of an agent's stream
const farewell = Duration.millis(200)

/**
 * Refuses sends and ends event streams when the latch opens. Streams have `connection: close`: a connection that is kept
 * alive would delay the shutdown after its stream has ended.
 */
const endStreams = (latch: Latch.Latch) =>
  HttpRouter.middleware(
    (effect) =>
      effect.pipe(
        Effect.map((response) => {
          const { body } = response
          return body._tag === "Stream" && body.contentType?.startsWith("text/event-stream") === true
            ? HttpServerResponse.stream(
              Stream.interruptWhen(body.stream, Effect.andThen(latch.await, Effect.sleep(farewell))),
              {
                status: response.status,
                contentType: body.contentType,
                headers: { ...response.headers, connection: "close" }
              }
            )
            : response
        }),
        Effect.provideService(ServerHandler.CurrentDrain, latch.await)
      ),
    { global: true }
  )

const toBytes = (size: ByteSize.Input | undefined, mebibytes: number): number =>
  size === undefined ? mebibytes * 1024 * 1024 : ByteSize.toNumberUnsafe(ByteSize.fromInputUnsafe(size))

const toDuration = (input: Duration.Input | undefined, seconds: number): Duration.Duration =>
  input === undefined ? Duration.seconds(seconds) : Duration.fromInputUnsafe(input)

/** Creates Node's server with limits of time and number. It answers 408 to requests that take too long to arrive. */
const makeServer = <E, R>({ headTimeout, maxConnections = 4000, requestTimeout }: Options<E, R>) => {
  const request = Duration.toMillis(toDuration(requestTimeout, 60))
  const head = Math.min(Duration.toMillis(toDuration(headTimeout, 10)), request)
  const server = createServer({
    headersTimeout: head,
    requestTimeout: request,
    connectionsCheckingInterval: Math.max(Math.min(head / 4, 1000), 10)
  })
  server.maxConnections = maxConnections
  return server
}

/**
 * Listens and serves until the layer is released. Routes may need what an `HttpApi` needs (files, paths, ETags): Node's
 * are provided. Fails with a `ServeError` if the port is taken.
 */
export const layer = <E, R>(options: Options<E, R>) =>
  Layer.unwrap(Effect.sync(() => {
    const { host = "127.0.0.1", port, routes, shutdown = "1 second" } = options
    const maxBodySize = toBytes(options.maxBodySize, 16)
    const latch = Latch.makeUnsafe(false)
    const server = makeServer(options)
    // released in this order: streams end, the server stops within `shutdown`, what is left is cut
    const drain = Layer.effectDiscard(Effect.addFinalizer(() => latch.open))
    const cut = Layer.effectDiscard(Effect.addFinalizer(() => Effect.sync(() => server.closeAllConnections())))
    const stalled = Layer.effectDiscard(closeStalled(server, toDuration(options.stallTimeout, 30)))
    const bodies = limitBodies(toBytes(options.maxBodiesSize, 64), maxBodySize)
    // a new router, also inside the layers of another server
    const app = Layer.mergeAll(routes, endStreams(latch), bodies).pipe(
      Layer.provideMerge(Layer.fresh(HttpRouter.layer))
    )
    return drain.pipe(
      Layer.provide(HttpRouter.serve(app, { disableLogger: true, disableListenLog: true })),
      Layer.provide(Layer.succeed(MaxBodySize, ByteSize.bytes(maxBodySize))),
      Layer.provideMerge(Layer.merge(cut, stalled)),
      Layer.provide(NodeHttpServer.layerHttpServices),
      Layer.provideMerge(NodeHttpServer.layerServer(() => server, { host, port, gracefulShutdownTimeout: shutdown }))
    )
  }))
