/**
 * The seam: what a client uses and a server implements. Two methods over operation values, so that everything between
 * the two (retries, gateways, recording, an agent in the same process) is a function from layer to layer.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as AgentCard from "./AgentCard.ts"
import * as Resume from "./internal/transport/resume.ts"
import * as Retry from "./internal/transport/retry.ts"
import * as WithCard from "./internal/transport/withCard.ts"
import type { Transport } from "./Transport.ts"

/**
 * `target` is the interface that is spoken to. `call` answers once, `stream` answers with events and succeeds only
 * after a settled state or a message. At this seam a failed task is a value; {@link AgentError} is a failed call.
 */
export class AgentTransport extends Context.Service<AgentTransport, Transport>()("@effect-a2a/core/AgentTransport") {}

/**
 * Changes a transport: every decorator is made with this.
 *
 * ```ts
 * import { AgentTransport } from "@effect-a2a/core"
 *
 * const logged = AgentTransport.transform((transport) => ({
 *   ...transport,
 *   call: (operation, request) => transport.call(operation, request)
 * }))
 * typeof logged // => "function"
 * ```
 */
export const transform =
  (f: (self: AgentTransport["Service"]) => AgentTransport["Service"]) =>
  <E, R>(self: Layer.Layer<AgentTransport, E, R>): Layer.Layer<AgentTransport, E, R> =>
    Layer.effect(AgentTransport, Effect.map(AgentTransport, f)).pipe(Layer.provide(self))

/** How long to wait before another attempt, and how often; a peer's `Retry-After` is always waited for. */
export type Policy = Retry.Policy

/** 250 ms, doubled each time up to 10 s, jittered. */
export const backoff: (times: number) => Policy = Retry.backoff

/** A policy for effects of one's own: only where another attempt may do better, and after what the peer asked for. */
export const polite: (policy: Policy) => Policy = Retry.polite

/**
 * Repeats what may be repeated blindly: reads, cancels, and subscriptions that failed before their first event. Sends
 * are never repeated by this.
 *
 * ```ts
 * import { AgentTransport } from "@effect-a2a/core"
 * import { Rest } from "@effect-a2a/transport-rest"
 * import { Layer } from "effect"
 *
 * const transport = Rest.layer({ url: "https://agent.test" }).pipe(
 *   AgentTransport.retry(AgentTransport.backoff(3)),
 *   AgentTransport.resumable()
 * )
 * Layer.isLayer(transport) // => true
 * ```
 */
export const retry = (policy: Policy = backoff(3)) => transform(Retry.over(policy, ({ idempotent }) => idempotent))

/**
 * Repeats sends too, with the same `messageId`: for agents that know a repeated message again. With others a message may
 * be acted upon twice.
 */
export const retrySends = (policy: Policy = backoff(3)) =>
  transform(Retry.over(policy, ({ _tag }) => _tag.startsWith("Send")))

/** A dropped stream is being taken up again. */
export type Resumed = Resume.Resumed

/** Told of each attempt to take a stream up again; does nothing unless provided. */
export const CurrentResumptionObserver = Context.Reference<(resumed: Resumed) => Effect.Effect<void>>(
  "@effect-a2a/core/AgentTransport/CurrentResumptionObserver",
  { defaultValue: () => () => Effect.void }
)

/**
 * Takes streams that drop before their task has settled up again, by subscribing to the task, and tells nothing twice:
 * peers that begin with the task and peers that tell everything from the start are told apart by their first event.
 * `policy` (default: five attempts with back-off) starts anew with each new event and after ten good seconds; what the
 * peer asks to wait is waited, up to five minutes. A task that ended meanwhile is read. A stream whose task is not known
 * yet, or cannot be had any more, ends in `StreamInterruptedError`; a silent one drops as `HttpBinding.CurrentTimeouts`
 * says.
 */
export const resumable = (policy: Policy = backoff(5)) => transform(Resume.over(policy, CurrentResumptionObserver))

/**
 * For an agent whose card is in hand: it answers `GetAgentCard`; push notifications and the extended card are refused
 * locally where it does not declare them; and where it does not say that the agent streams, a streamed send is one that
 * waits, whose answer is the whole stream.
 */
export const withCard = (card: AgentCard.AgentCard) => transform(WithCard.over(Effect.succeed(card), card.capabilities))
