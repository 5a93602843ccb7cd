/**
 * The transport: what clients call and servers implement. It carries operation values, so everything between the two
 * (retries, resumption, gateways, recording, an agent in the same process) is a function from transport to transport.
 *
 * ```ts
 * import { AgentTransport, Operation } from "@effect-a2a/core"
 * import { Effect, Layer } from "effect"
 *
 * const target = { url: "https://echo.test", protocolBinding: "in-process", protocolVersion: "1.0" }
 * const agent = Layer.succeed(AgentTransport.AgentTransport, AgentTransport.fromHandlers(target, {})).pipe(
 *   AgentTransport.retry(),
 *   AgentTransport.resumable()
 * )
 * const list = Effect.flatMap(AgentTransport.AgentTransport, ({ call }) => call(Operation.ListTasks, {}))
 * const error = await Effect.runPromise(Effect.flip(list).pipe(Effect.provide(agent)))
 * error.code // => "UNSUPPORTED_OPERATION"
 * ```
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import type { CircuitBreaker, Outcome } from "effect/persistence/CircuitBreaker"
import type * as Schedule from "effect/Schedule"
import type * as AgentCard from "./AgentCard.ts"
import type { AgentError } from "./AgentError.ts"
import * as Breaker from "./internal/transport/breaker.ts"
import * as CancelOnInterrupt from "./internal/transport/cancelOnInterrupt.ts"
import * as Failover from "./internal/transport/failover.ts"
import * as Record from "./internal/transport/record.ts"
import * as Resume from "./internal/transport/resume.ts"
import * as Retry from "./internal/transport/retry.ts"
import * as WithCard from "./internal/transport/withCard.ts"
import * as Transport from "./Transport.ts"

/** The functions of a transport. */
export type Service = Transport.Transport

/** One function per operation, which fails with `E`. */
export type Handlers<E = Transport.Failure> = Transport.Handlers<E>

/** Functions around the handlers of a transport, by operation. */
export type Interceptors = Transport.Interceptors

/** Makes a transport from one function per operation; a missing one fails with `UnsupportedOperationError`. */
export const fromHandlers = Transport.fromHandlers

/** Refuses every operation on webhooks with the same reason, before anything is sent. */
export const refusePush = Transport.refusePush

/** The transport that an {@link Agent} calls. */
export class AgentTransport
  extends Context.Service<AgentTransport, Transport.Transport>()("@effect-a2a/core/AgentTransport")
{}

/** Changes a transport, given as a value or as a layer; a layer keeps its other services. */
export interface Decorator {
  <Self extends Transport.Transport | Layer.Layer<AgentTransport, unknown, unknown>>(self: Self): Self
}

/** Changes a transport, given as a value or as a layer, by an effect that may fail with `E2` and needs `R2`. */
export interface EffectDecorator<E2, R2> {
  <Self extends Transport.Transport | Layer.Layer<AgentTransport, unknown, unknown>>(
    self: Self
  ): Self extends Layer.Layer<infer A, infer E, infer R> ? Layer.Layer<A, E | E2, R | R2>
    : Effect.Effect<Transport.Transport, E2, R2>
}

/**
 * Makes a decorator from a function on transports, which may be effectful. The result takes a layer or a transport.
 *
 * ```ts
 * import { AgentTransport, Operation } from "@effect-a2a/core"
 * import { Effect } from "effect"
 *
 * const calls: Array<string> = []
 * const note = AgentTransport.transform((transport) => ({
 *   ...transport,
 *   call: (operation, request) => {
 *     calls.push(operation._tag)
 *     return transport.call(operation, request)
 *   }
 * }))
 * const target = { url: "https://agent.test", protocolBinding: "in-process", protocolVersion: "1.0" }
 * const agent = note(AgentTransport.fromHandlers(target, {}))
 * await Effect.runPromise(Effect.ignore(agent.call(Operation.ListTasks, {})))
 * calls // => ["ListTasks"]
 * ```
 */
export const transform: {
  (f: (self: Transport.Transport) => Transport.Transport): Decorator
  <E, R>(f: (self: Transport.Transport) => Effect.Effect<Transport.Transport, E, R>): EffectDecorator<E, R>
} = (
  f: (self: Transport.Transport) => Transport.Transport | Effect.Effect<Transport.Transport, unknown, unknown>
): any =>
(self: Transport.Transport | Layer.Layer<AgentTransport, unknown, unknown>) => {
  if (!Layer.isLayer(self)) return f(self as Transport.Transport)
  const made = Effect.flatMap(AgentTransport, (transport) => {
    const next = f(transport)
    return Effect.isEffect(next) ? next : Effect.succeed(next)
  })
  return Layer.effect(AgentTransport, made).pipe(Layer.provideMerge(self))
}

/**
 * Puts functions around single operations; the others are passed on. `next` is the original.
 */
export const intercept = (interceptors: Transport.Interceptors): Decorator =>
  transform(Transport.intercept(interceptors))

/** The waits between attempts, and their number. A peer's `Retry-After` (up to five minutes) is always respected. */
export type Policy = Schedule.Schedule<unknown, AgentError>

/** Waits 250 ms, doubled each time up to 10 s, jittered; at most `times` times. */
export const backoff: (times: number) => Policy = Retry.backoff

/**
 * Wraps a policy for `Effect.retry` around your own calls: it stops at errors that are not retryable, such as a send whose
 * message may have arrived, and waits at least as long as the peer's `Retry-After`.
 */
export const respectRetryAfter: (policy: Policy) => Policy = Retry.respectRetryAfter

/**
 * Retries idempotent operations: reads, cancels, and subscriptions that failed before their first event. Sends are never
 * retried. Default: three more attempts with {@link backoff}.
 */
export const retry = (policy: Policy = backoff(3)): Decorator => transform(Retry.retryReads(policy))

/**
 * Retries sends, with the same `messageId`, even if the agent may have received the message (`delivery` is `unknown`): a
 * second booking, a second payment is the risk. Only for agents that recognise a repeated `messageId`, or whose work may
 * be done twice. A stream is not sent again after its first event. Default: three more attempts with {@link backoff}.
 */
export const retrySends = (policy: Policy = backoff(3)): Decorator => transform(Retry.retrySends(policy))

/** An attempt to resume a stream: of which task, and how many in a row. */
export interface ResumeAttempt extends Resume.ResumeAttempt {}

/** Called on every attempt to resume a stream. Default: does nothing. */
export const CurrentOnResume = Context.Reference<(attempt: ResumeAttempt) => Effect.Effect<void>>(
  "@effect-a2a/core/AgentTransport/CurrentOnResume",
  { defaultValue: () => () => Effect.void }
)

/**
 * Resumes streams that drop before their task has settled, by subscribing to the task; no event is emitted twice. Peers
 * that begin with a snapshot and peers that replay are recognised by their first event. `policy` (default: five
 * attempts with {@link backoff}) starts anew with each new event and after a connection of ten seconds. A task that
 * ended in the meantime is read. A stream fails with `StreamInterruptedError` if its task is not known yet or cannot be
 * retrieved. The idle timeout (`Timeouts.CurrentTimeouts`) counts as a drop.
 */
export const resumable = (policy: Policy = backoff(5)): Decorator => transform(Resume.resume(policy, CurrentOnResume))

/** Options of {@link breaker}. */
export interface BreakerOptions {
  /** The key of the circuit; agents with the same key share one. Default: the agent's URL without its query. */
  readonly key?: string | undefined
}

/**
 * Puts a `CircuitBreaker` of `effect/persistence` around every call and stream. A stream counts when it ends: as a success
 * at its end, as a failure if it fails, as nothing if it is left early. Failures are those of {@link toOutcome}. While the
 * circuit is open, calls fail at once with `ServiceUnavailableError`, code `CIRCUIT_OPEN`, the `retryAfter` of the circuit
 * and, for sends, `delivery` `not-sent`.
 *
 * ```ts
 * import { AgentError, AgentTransport, Operation } from "@effect-a2a/core"
 * import { Duration, Effect, Layer } from "effect"
 * import { CircuitBreaker } from "effect/persistence"
 *
 * const target = { url: "https://agent.test", protocolBinding: "in-process", protocolVersion: "1.0" }
 * const agent = AgentTransport.fromHandlers(target, {
 *   ListTasks: () => Effect.fail(AgentError.reason("ConnectionError", { message: "connection refused" }))
 * })
 * const breakers = CircuitBreaker.layer({
 *   tripPolicy: CircuitBreaker.consecutive(2),
 *   openDuration: "30 seconds"
 * }).pipe(Layer.provide(CircuitBreaker.layerStoreMemory()))
 * const program = Effect.gen(function*() {
 *   const { call } = yield* AgentTransport.breaker()(agent)
 *   const list = Effect.flip(call(Operation.ListTasks, {}))
 *   const errors = [yield* list, yield* list, yield* list]
 *   return errors.map(({ code, retryAfter }) => [code, retryAfter && Math.ceil(Duration.toSeconds(retryAfter))])
 * })
 * await Effect.runPromise(program.pipe(Effect.provide(breakers)))
 * // => [["CONNECTION", undefined], ["CONNECTION", undefined], ["CIRCUIT_OPEN", 30]]
 * ```
 */
export const breaker = ({ key }: BreakerOptions = {}): EffectDecorator<never, CircuitBreaker> =>
  transform((transport: Transport.Transport) => Breaker.make(transport, key))

/**
 * Classifies the exit of a call for a `CircuitBreaker`. Failures: the network's, 5xx, responses that break the protocol.
 * Ignored: refusals that concern the caller, such as invalid arguments, credentials, quota and rate, and interruptions.
 */
export const toOutcome: (exit: Exit.Exit<unknown, AgentError>) => Outcome = Breaker.toOutcome

/** Options of {@link cancelOnInterrupt}. */
export interface CancelOptions {
  /** The time for the cancellation, and for the task's id if it is not known yet. Default: 5 seconds each. */
  readonly within?: Duration.Input | undefined
}

/**
 * Cancels the task of a send that is left before its end: by an interruption (`Effect.race`, `Effect.timeout`, a closed
 * scope), by a consumer that takes only some events of a stream or fails, or by the `total` timeout. The cancellation runs
 * in the background and changes nothing for the caller; a layer waits for it when it is closed. Nothing is canceled if the
 * task has settled, if the stream ended or failed by itself, and by leaving `subscribe` or `waitFor`.
 *
 * `send` and `ask` go by stream if the agent has streams, since a unary call reveals its task only at its end; they still
 * return where a unary call does. Put it over {@link resumable} and {@link withCard}.
 *
 * ```ts
 * import { Agent, AgentTransport } from "@effect-a2a/core"
 * import { AgentTest, Script } from "@effect-a2a/testing"
 * import { Effect, Layer, Stream } from "effect"
 *
 * const transport = AgentTest.layer.pipe(AgentTransport.cancelOnInterrupt())
 * const agent = Agent.layer.pipe(
 *   Layer.provideMerge(transport),
 *   Layer.provide(Script.layer(Script.wait("1 hour"), Script.say("late")))
 * )
 * const program = Effect.gen(function*() {
 *   yield* Agent.ask("Think about it").pipe(Effect.timeoutOption("10 millis"))
 *   yield* Effect.sleep("10 millis")
 *   return yield* Stream.runCollect(Agent.listTasks())
 * })
 * const tasks = await Effect.runPromise(program.pipe(Effect.provide(agent)))
 * tasks.map((task) => task.status.state) // => ["canceled"]
 * ```
 */
export const cancelOnInterrupt = ({ within = "5 seconds" }: CancelOptions = {}): Decorator => {
  const decorate = (background: CancelOnInterrupt.Background) => (transport: Transport.Transport) =>
    CancelOnInterrupt.decorate({ transport, within, background })
  const awaited = transform((transport: Transport.Transport) =>
    Effect.map(CancelOnInterrupt.makeAwaited, (background) => decorate(background)(transport))
  )
  return (self: any): any => Layer.isLayer(self) ? awaited(self) : decorate(CancelOnInterrupt.detach)(self)
}

/**
 * Uses a card: it answers `GetAgentCard`; push notifications and the extended card are refused locally if it does not
 * declare them; and if it does not declare streaming, a streaming send becomes a waiting send that emits its result.
 */
export const withCard = (card: AgentCard.AgentCard): Decorator =>
  transform(WithCard.withCard(Effect.succeed(card), card.capabilities))

/**
 * What passed a transport: a request, one of its results (each event of a stream), or its failure. `call` numbers the
 * calls of a transport, from 1.
 */
export type Entry = Transport.Entry

/**
 * Reports every request, every result and every failure that passes, in order, before the caller gets it. Of a stream each
 * event is a result.
 *
 * ```ts
 * import { AgentTransport, Operation } from "@effect-a2a/core"
 * import { Effect } from "effect"
 *
 * const entries: Array<string> = []
 * const target = { url: "https://agent.test", protocolBinding: "in-process", protocolVersion: "1.0" }
 * const agent = AgentTransport.record(({ _tag, operation }) =>
 *   Effect.sync(() => void entries.push(`${operation} ${_tag}`))
 * )(AgentTransport.fromHandlers(target, {}))
 * await Effect.runPromise(Effect.ignore(agent.call(Operation.ListTasks, {})))
 * entries // => ["ListTasks Request", "ListTasks Failure"]
 * ```
 */
export const record = (report: (entry: Entry) => Effect.Effect<void>): Decorator => transform(Record.record(report))

/** Calls `next` if the agent cannot be reached and the message was certainly not delivered. */
export const failover = (next: Transport.Transport): Decorator => transform((self) => Failover.orElse(self, next))
