/**
 * An `HttpClient` whose requests go to routes in the same process, without a socket: routes, envelopes, SSE and codecs
 * are those of a server. Every exchange is recorded.
 *
 * ```ts
 * import { InProcessHttp } from "@effect-a2a/server"
 * import { Effect, Layer } from "effect"
 * import { HttpClient, HttpRouter, HttpServerResponse } from "effect/http"
 *
 * const app = HttpRouter.add("GET", "/hello", HttpServerResponse.text("Hello"))
 * const program = Effect.gen(function*() {
 *   const response = yield* HttpClient.get("http://agent.test/hello")
 *   return [yield* response.text, (yield* (yield* InProcessHttp.Tape).exchanges).length]
 * })
 * await Effect.runPromise(program.pipe(Effect.provide(InProcessHttp.layer(app)))) // => ["Hello", 1]
 * ```
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as HttpEffect from "effect/http/HttpEffect"
import * as HttpRouter from "effect/http/HttpRouter"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Layer from "effect/Layer"
import * as Scheduler from "effect/Scheduler"
import type * as Scope from "effect/Scope"
import * as Activity from "./internal/activity.ts"

/** One request and its response. `chunks` is the response body, in the pieces in which it was read. */
export interface Exchange {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly status: number
  readonly responseHeaders: Readonly<Record<string, string>>
  readonly chunks: ReadonlyArray<string>
}

/** The recording: the exchanges so far, in order of the requests, and whether there is anything more to come. */
export class Tape extends Context.Service<Tape, {
  readonly exchanges: Effect.Effect<ReadonlyArray<Exchange>>
  /**
   * Completes when no bytes are in flight and nobody has anything to do: all fibers of the application, and of the program
   * that this layer is provided to, wait for the clock, for each other, or for something outside of the process.
   */
  readonly settled: Effect.Effect<void>
}>()("@effect-a2a/server/InProcessHttp/Tape") {}

const recording = (chunks: Array<string>, note: () => void) => {
  const decoder = new TextDecoder()
  return new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform: (chunk, controller) => {
      note()
      chunks.push(decoder.decode(chunk, { stream: true }))
      controller.enqueue(chunk)
    },
    flush: note
  })
}

/** Builds an application with a new router, and returns the router and whether it has got routes. */
const build = Effect.fnUntraced(function*<E, R>(app: Layer.Layer<never, E, HttpRouter.HttpRouter | R>) {
  let isUsed = false
  const use = <A>(member: A): A => {
    isUsed = true
    return member
  }
  const router = Layer.effect(
    HttpRouter.HttpRouter,
    Effect.map(HttpRouter.make, (router) => ({
      ...router,
      prefixed: (prefix: string) => use(router).prefixed(prefix),
      get add() {
        return use(router.add)
      },
      get addAll() {
        return use(router.addAll)
      }
    }))
  )
  const context = yield* Layer.build(Layer.provideMerge(app, router))
  return [Context.get(context, HttpRouter.HttpRouter), isUsed] as const
})

/**
 * Serves an application apart from those around it. Layers are shared with them, routes are not: if they have been built
 * for another router already, they are built again.
 */
const serve = Effect.fnUntraced(function*<E, R>(app: Layer.Layer<never, E, HttpRouter.HttpRouter | R>) {
  const [shared, isUsed] = yield* build(app)
  const [router] = isUsed ? [shared] : yield* build(Layer.fresh(app))
  return HttpEffect.toWebHandlerWith<never, HttpServerRequest | Scope.Scope>(yield* Effect.context<never>())(
    router.asHttpEffect()
  )
})

/** Creates the client of an application of routes, and the {@link Tape} of its exchanges. */
export const layer = <E, R>(
  app: Layer.Layer<never, E, HttpRouter.HttpRouter | R>
): Layer.Layer<HttpClient.HttpClient | Tape, E, Exclude<R, HttpRouter.HttpRouter>> =>
  Layer.effectContext(Effect.gen(function*() {
    const { note, scheduler, settled } = yield* Activity.make
    const handler = yield* Effect.provideService(serve(app), Scheduler.Scheduler, scheduler)
    const exchanges: Array<Exchange> = []
    const client = HttpClient.make((request, _url, signal) =>
      Effect.gen(function*() {
        const web = yield* Effect.orDie(HttpClientRequest.toWeb(request, { signal }))
        const body = yield* Effect.promise(() => web.clone().text())
        note()
        const response = yield* Effect.promise(() => handler(web))
        note()
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
        const recorded = response.body === null ? null : response.body.pipeThrough(recording(chunks, note))
        return HttpClientResponse.fromWeb(request, new Response(recorded, response))
      })
    )
    return Context.make(HttpClient.HttpClient, client).pipe(
      Context.add(Tape, { exchanges: Effect.sync(() => [...exchanges]), settled }),
      Context.add(Scheduler.Scheduler, scheduler)
    )
  }))
