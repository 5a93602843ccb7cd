/**
 * Faults of a network, made on purpose: a layer over any `HttpClient` that loses, cuts, stalls, delays, refuses and
 * repeats, by chance from a seed. The same seed over the same requests makes the same faults.
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
 *   Layer.provideMerge(Wire.layerHttp(app).pipe(Fault.layer({ seed: 7, kinds: ["busy"], rate: 1 })))
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
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"

/**
 * `lost`: the request arrives, its answer does not. `busy`: 503 with `Retry-After`, `expired`: 401; neither arrives.
 * `cut`: the answer ends cleanly at any byte. `reset`: with an error. `stall`: nothing more comes, and no end.
 * `duplicate`: events that hold a message come twice. `delay`: the answer begins late. `split`: it comes in small pieces.
 */
export const kinds = ["lost", "busy", "expired", "cut", "reset", "stall", "duplicate", "delay", "split"] as const
export type Kind = typeof kinds[number]

/**
 * `rate`: how many of the requests go wrong (default 0.5); `kinds`: in which ways (default: all). `reach`: within how many
 * bytes of an answer it is cut (default 2000). `wait`: the longest delay and what `busy` asks for (default 1 second).
 */
export interface Options {
  readonly seed: number
  readonly rate?: number | undefined
  readonly kinds?: Arr.NonEmptyReadonlyArray<Kind> | undefined
  readonly reach?: number | undefined
  readonly wait?: Duration.Input | undefined
}

/** What has been done so far: how often each, how many requests there were, and how many answers are still open. */
export class Faults extends Context.Service<Faults, {
  readonly counts: Effect.Effect<Readonly<Record<Kind | "requests" | "open", number>>>
}>()("@effect-a2a/testing/Fault/Faults") {}

/** Numbers from 0 to 1, the same for the same seed. */
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

/** As Node.js tells of it: a platform's error, which the client turns into one of its own. */
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

/** Frames are known by their blank line; what is no event stream has none. */
const duplicated = (self: Bytes): Bytes =>
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

const lost = (request: HttpClientRequest.HttpClientRequest) =>
  Effect.fail(
    new HttpClientError.HttpClientError({
      reason: new HttpClientError.TransportError({
        request,
        cause: Object.assign(new Error("socket hang up"), { code: "ECONNRESET" })
      })
    })
  )

/** Makes the faults of an `HttpClient`. */
export const layer =
  ({ kinds: chosen = kinds, rate = 0.5, reach = 2000, seed, wait = "1 second" }: Options) =>
  <E, R>(self: Layer.Layer<HttpClient.HttpClient, E, R>): Layer.Layer<HttpClient.HttpClient | Faults, E, R> =>
    Layer.effectContext(Effect.gen(function*() {
      const client = yield* HttpClient.HttpClient
      const next = random(seed)
      const counts = {
        ...Object.fromEntries(kinds.map((kind) => [kind, 0])) as Record<Kind, number>,
        requests: 0,
        open: 0
      }
      const seconds = Math.ceil(Duration.toSeconds(Duration.fromInputUnsafe(wait)))

      const refused = (
        request: HttpClientRequest.HttpClientRequest,
        status: number,
        header: readonly [string, string]
      ) =>
        Effect.succeed(HttpClientResponse.fromWeb(request, new Response("not now", { status, headers: [[...header]] })))

      /** The answer with its body changed, and counted as long as it is open. */
      const changed = (request: HttpClientRequest.HttpClientRequest, change: (self: Bytes) => Bytes) =>
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

      const failing = (kind: Kind, request: HttpClientRequest.HttpClientRequest) => {
        switch (kind) {
          case "lost":
            return Effect.flatMap(
              client.execute(request),
              (response) => Effect.andThen(Effect.scoped(Stream.toPull(response.stream)), lost(request))
            )
          case "busy":
            return refused(request, 503, ["retry-after", String(seconds)])
          case "expired":
            return refused(request, 401, ["www-authenticate", "Bearer error=\"invalid_token\""])
          case "cut":
            return changed(request, cutAt(Math.floor(next() * reach), Cause.done() as End))
          case "reset":
            return changed(request, cutAt(Math.floor(next() * reach), reset))
          case "stall":
            return changed(request, cutAt(Math.floor(next() * reach), Effect.never))
          case "duplicate":
            return changed(request, duplicated)
          case "delay":
            return Effect.delay(
              changed(request, (bytes) => bytes),
              Duration.times(Duration.fromInputUnsafe(wait), next())
            )
          case "split":
            return changed(request, split(next))
        }
      }

      const faulty = HttpClient.make((request) =>
        Effect.suspend(() => {
          counts.requests++
          if (next() >= rate) return changed(request, (bytes) => bytes)
          const kind = chosen[Math.floor(next() * chosen.length)]!
          counts[kind]++
          return failing(kind, request)
        })
      )
      return Context.make(HttpClient.HttpClient, faulty).pipe(
        Context.add(Faults, { counts: Effect.sync(() => ({ ...counts })) })
      )
    })).pipe(Layer.provide(self))
