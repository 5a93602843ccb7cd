/**
 * Injects faults of a network into any `HttpClient`: responses that are lost, cut, reset, stalled, delayed, refused,
 * duplicated or split, at random from a seed. The same seed over the same requests injects the same faults.
 *
 * ```ts
 * import { Agent, AgentTransport, Credentials, Protocol } from "@effect-a2a/core"
 * import { AgentTest, Fault, Script, Wire } from "@effect-a2a/testing"
 * import { Rest, RestServer } from "@effect-a2a/transport-rest"
 * import { Effect, Layer } from "effect"
 *
 * const app = RestServer.routes({ path: "/agent", protocols: [Protocol.v1_0] }).pipe(
 *   Layer.provide(AgentTest.layer),
 *   Layer.provide(Script.layer(Script.say("Hello ")))
 * )
 * const agent = Agent.layer.pipe(
 *   Layer.provide(Rest.layer({ url: "http://agent.test/agent" }).pipe(AgentTransport.retry())),
 *   Layer.provide(Credentials.layerNone),
 *   Layer.provideMerge(Fault.inject(Wire.layerHttp(app), { seed: 7, kinds: ["busy"], rate: 1 }))
 * )
 * const program = Effect.gen(function*() {
 *   const { reason } = yield* Effect.flip(Agent.ask("Hi"))
 *   return [reason._tag, (yield* (yield* Fault.Faults).counts).busy]
 * })
 * await Effect.runPromise(program.pipe(Effect.provide(agent))) // => ["ServiceUnavailableError", 1]
 * ```
 *
 * @since 0.1.0
 */
import type * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { dual, identity } from "effect/Function"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"

/**
 * The kinds of faults. `lost`: the request arrives, its response does not. `busy` and `expired`: the request does not
 * arrive, the response is 503 with `Retry-After` or 401. `cut`: the response ends at some byte without an error. `reset`:
 * with one. `stall`: it neither continues nor ends. `duplicate`: events with a message come twice. `delay`: the response
 * begins late. `split`: it comes in small pieces.
 */
export const kinds = ["lost", "busy", "expired", "cut", "reset", "stall", "duplicate", "delay", "split"] as const
/** One of {@link kinds}. */
export type Kind = typeof kinds[number]

/**
 * Options of {@link inject}. `rate`: the share of requests with a fault, from 0 to 1 (default 0.5). `kinds`: the faults to
 * choose from (default all). `reach`: the number of bytes within which a response is cut (default 2000). `wait`: the
 * longest delay, and the `Retry-After` of `busy` (default 1 second).
 */
export interface Options {
  readonly seed: number
  readonly rate?: number | undefined
  readonly kinds?: Arr.NonEmptyReadonlyArray<Kind> | undefined
  readonly reach?: number | undefined
  readonly wait?: Duration.Input | undefined
}

/** The number of faults of each kind so far, of requests, and of responses that are still open. */
export class Faults extends Context.Service<Faults, {
  readonly counts: Effect.Effect<Readonly<Record<Kind | "requests" | "open", number>>>
}>()("@effect-a2a/testing/Fault/Faults") {}

/** Creates a generator of numbers from 0 to 1, the same for the same seed. */
export const random = (seed: number): () => number => {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000
  }
}

type Bytes = Stream.Stream<Uint8Array, unknown>
type End = Effect.Effect<never, unknown>

/** A platform's error, as from Node.js; the HTTP client wraps it. */
const reset: Effect.Effect<never, unknown> = Effect.fail<unknown>(new Error("ECONNRESET"))

const cutAt = (bytes: number, end: End) => (self: Bytes): Bytes =>
  Stream.transformPull(self, (pull) =>
    Effect.sync(() => {
      let left = bytes
      return Effect.suspend(() =>
        left <= 0 ?
          end :
          Effect.flatMap(pull, (chunks): Effect.Effect<Arr.NonEmptyReadonlyArray<Uint8Array>, unknown> => {
            const kept: Array<Uint8Array> = []
            for (const chunk of chunks) {
              if (left > 0) kept.push(chunk.subarray(0, left))
              left -= chunk.length
            }
            return Effect.succeed(kept as unknown as Arr.NonEmptyReadonlyArray<Uint8Array>)
          })
      ) as never
    }))

/** Frames end with a blank line; other bodies have none. */
const duplicate = (self: Bytes): Bytes =>
  self.pipe(
    Stream.decodeText,
    Stream.mapAccum(() => "", (rest, text: string) => {
      const frames = `${rest}${text}`.split(/(?<=\n\n)/)
      const last = frames.at(-1)!.endsWith("\n\n") ? "" : frames.pop()!
      const isMessage = (frame: string) => frame.includes("\"messageId\"") && /statusUpdate|status-update/.test(frame)
      return [last, [frames.map((frame) => isMessage(frame) ? frame + frame : frame).join("")]] as const
    }, { onHalt: (rest) => [rest] }),
    Stream.filter((text) => text !== ""),
    Stream.encodeText
  )

const split = (next: () => number) => (self: Bytes): Bytes =>
  Stream.mapArray(self, (chunks): Arr.NonEmptyReadonlyArray<Uint8Array> => {
    const pieces: Array<Uint8Array> = []
    for (const chunk of chunks) {
      for (let at = 0; at < chunk.length;) {
        const size = 1 + Math.floor(next() * 64)
        pieces.push(chunk.subarray(at, at += size))
      }
    }
    return pieces as unknown as Arr.NonEmptyReadonlyArray<Uint8Array>
  }).pipe(Stream.rechunk(1))

const lose = (request: HttpClientRequest.HttpClientRequest) =>
  Effect.fail(
    new HttpClientError.HttpClientError({
      reason: new HttpClientError.TransportError({
        request,
        cause: Object.assign(new Error("socket hang up"), { code: "ECONNRESET" })
      })
    })
  )

/** The state of a faulty client. */
interface Faulty {
  readonly client: HttpClient.HttpClient
  readonly reach: number
  readonly wait: Duration.Duration
  readonly next: () => number
  readonly counts: Record<Kind | "requests" | "open", number>
}

const refuse = (
  request: HttpClientRequest.HttpClientRequest,
  status: number,
  header: readonly [string, string]
) => Effect.succeed(HttpClientResponse.fromWeb(request, new Response("not now", { status, headers: [[...header]] })))

/** Executes a request and changes the body of its response. The response is counted as long as it is open. */
const execute = (
  { client, counts }: Faulty,
  request: HttpClientRequest.HttpClientRequest,
  change: (self: Bytes) => Bytes
) =>
  Effect.flatMap(client.execute(request), (response) =>
    Effect.map(Effect.context<never>(), (context) => {
      const body = Stream.suspend(() => {
        counts.open++
        return change(response.stream)
      }).pipe(Stream.ensuring(Effect.sync(() => counts.open--)))
      const web = Stream.toReadableStreamWith(body, context) as ReadableStream<Uint8Array<ArrayBuffer>>
      const isEmpty = response.status === 204 || request.method === "HEAD"
      return HttpClientResponse.fromWeb(
        request,
        new Response(isEmpty ? null : web, { status: response.status, headers: response.headers })
      )
    }))

const fail = (self: Faulty, kind: Kind, request: HttpClientRequest.HttpClientRequest) => {
  const { client, next, reach, wait } = self
  switch (kind) {
    case "lost":
      return Effect.flatMap(
        client.execute(request),
        (response) => Effect.andThen(Effect.scoped(Stream.toPull(response.stream)), lose(request))
      )
    case "busy":
      return refuse(request, 503, ["retry-after", String(Math.ceil(Duration.toSeconds(wait)))])
    case "expired":
      return refuse(request, 401, ["www-authenticate", "Bearer error=\"invalid_token\""])
    case "cut":
      return execute(self, request, cutAt(Math.floor(next() * reach), Cause.done() as End))
    case "reset":
      return execute(self, request, cutAt(Math.floor(next() * reach), reset))
    case "stall":
      return execute(self, request, cutAt(Math.floor(next() * reach), Effect.never))
    case "duplicate":
      return execute(self, request, duplicate)
    case "delay":
      return Effect.delay(execute(self, request, identity), Duration.times(wait, next()))
    case "split":
      return execute(self, request, split(next))
  }
}

const make = (client: HttpClient.HttpClient, options: Options) => {
  const { kinds: chosen = kinds, rate = 0.5, reach = 2000, seed, wait = "1 second" } = options
  const self: Faulty = {
    client,
    reach,
    wait: Duration.fromInputUnsafe(wait),
    next: random(seed),
    counts: {
      ...Object.fromEntries(kinds.map((kind) => [kind, 0])) as Record<Kind, number>,
      requests: 0,
      open: 0
    }
  }
  const faulty = HttpClient.make((request) =>
    Effect.suspend(() => {
      self.counts.requests++
      if (self.next() >= rate) return execute(self, request, identity)
      const kind = chosen[Math.floor(self.next() * chosen.length)]!
      self.counts[kind]++
      return fail(self, kind, request)
    })
  )
  return Context.make(HttpClient.HttpClient, faulty).pipe(
    Context.add(Faults, { counts: Effect.sync(() => ({ ...self.counts })) })
  )
}

/** Injects faults into the HTTP client of a layer, which keeps its other services, and counts them in {@link Faults}. */
export const inject: {
  (options: Options): <A, E, R>(
    self: Layer.Layer<A, E, R>
  ) => Layer.Layer<A | Faults, E, R | Exclude<HttpClient.HttpClient, A>>
  <A, E, R>(
    self: Layer.Layer<A, E, R>,
    options: Options
  ): Layer.Layer<A | Faults, E, R | Exclude<HttpClient.HttpClient, A>>
} = dual(
  2,
  <A, E, R>(self: Layer.Layer<A, E, R>, options: Options) =>
    Layer.effectContext(Effect.map(HttpClient.HttpClient, (client) => make(client, options))).pipe(
      Layer.provideMerge(self)
    )
)
