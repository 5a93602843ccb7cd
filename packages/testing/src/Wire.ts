/**
 * Runs client and server over HTTP messages in memory: the real routes, envelopes, SSE and codecs, without a socket, and a
 * tape of all exchanges.
 *
 * @since 0.1.0
 */
import type * as AgentError from "@effect-a2a/core/AgentError"
import type { AgentTransport } from "@effect-a2a/core/AgentTransport"
import * as Credentials from "@effect-a2a/core/Credentials"
import type * as HttpTransport from "@effect-a2a/core/HttpTransport"
import type * as Protocol from "@effect-a2a/core/Protocol"
import * as Recognizer from "@effect-a2a/core/Recognizer"
import * as InProcessHttp from "@effect-a2a/server/InProcessHttp"
import type * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import type { HttpClient } from "effect/http/HttpClient"
import type * as HttpRouter from "effect/http/HttpRouter"
import * as Layer from "effect/Layer"
import * as Script from "./Script.ts"

/** The record of all exchanges. */
export const Tape = InProcessHttp.Tape
/** The record of all exchanges. */
export type Tape = InProcessHttp.Tape
/** A request and its response. */
export type Exchange = InProcessHttp.Exchange

/**
 * Completes when the wire is silent: no bytes are in flight, and client and server wait for the clock or for each other.
 * `TestClock` moves only what waits already, so a test forks a call, lets the wire settle and then moves the clock. A
 * program that never waits never settles.
 *
 * ```ts
 * import { Agent, Protocol } from "@effect-a2a/core"
 * import { AgentTest, Script, Wire } from "@effect-a2a/testing"
 * import { Rest, RestServer } from "@effect-a2a/transport-rest"
 * import { Effect, Fiber, Layer } from "effect"
 * import { TestClock } from "effect/testing"
 *
 * const agent = Agent.layer.pipe(
 *   Layer.provideMerge(AgentTest.layer.pipe(
 *     Wire.through({ protocol: Protocol.v1_0, client: Rest.layer, server: RestServer.routes })
 *   )),
 *   Layer.provide(Script.layer(Script.wait("1 minute"), Script.say("At last"))),
 *   Layer.provideMerge(TestClock.layer())
 * )
 * const program = Effect.gen(function*() {
 *   const fiber = yield* Effect.forkChild(Agent.ask("Hi"))
 *   yield* Wire.settled
 *   yield* TestClock.adjust("1 minute")
 *   return (yield* Fiber.join(fiber)).text
 * })
 * await Effect.runPromise(program.pipe(Effect.provide(agent))) // => "At last"
 * ```
 */
export const settled: Effect.Effect<void, never, Tape> = Effect.flatMap(Tape, ({ settled }) => settled)

const recognizer = Recognizer.layer(Script.recognizer)

/**
 * Serves routes to an HTTP client in this process: requests and responses are bytes, and {@link Tape} records them.
 * Thoughts and tool calls that a {@link Script} reports are recognized on both sides.
 */
export const layerHttp = <E, R>(
  routes: Layer.Layer<never, E, R>
): Layer.Layer<HttpClient | Tape, E, Exclude<R, HttpRouter.HttpRouter>> =>
  InProcessHttp.layer(routes.pipe(Layer.provide(recognizer))).pipe(Layer.merge(recognizer))

/** A protocol version and both halves of a binding. */
export interface Combination {
  readonly protocol: Protocol.Protocol
  readonly client: HttpTransport.ClientLayer
  readonly server: (options: {
    readonly path: `/${string}`
    readonly protocols: Arr.NonEmptyReadonlyArray<Protocol.Protocol>
  }) => Layer.Layer<never, never, AgentTransport | HttpRouter.HttpRouter>
}

/**
 * Serves a transport and returns the transport of its client, in one combination.
 *
 * ```ts
 * import { Agent, Protocol } from "@effect-a2a/core"
 * import { AgentTest, Script, Wire } from "@effect-a2a/testing"
 * import { JsonRpc, JsonRpcServer } from "@effect-a2a/transport-jsonrpc"
 * import { Effect, Layer } from "effect"
 *
 * const combination = { protocol: Protocol.v0_3, client: JsonRpc.layer, server: JsonRpcServer.routes }
 * const agent = Agent.layer.pipe(
 *   Layer.provideMerge(AgentTest.layer.pipe(Wire.through(combination))),
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
export const through = ({ client, protocol, server }: Combination) =>
<E, R>(
  self: Layer.Layer<AgentTransport, E, R>
): Layer.Layer<AgentTransport | Tape, E | AgentError.AgentError, Exclude<R, HttpRouter.HttpRouter>> => {
  const path = "/agent"
  const app = server({ path, protocols: [protocol] }).pipe(Layer.provide(self))
  return client({ url: `http://agent.test${path}`, protocol }).pipe(
    Layer.provideMerge(layerHttp(app)),
    Layer.provide(Credentials.layerNone)
  )
}
