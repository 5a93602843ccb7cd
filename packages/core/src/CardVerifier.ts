/**
 * Verifies agent cards when they are received, before anything is read from them (A2A 1.0 §8.4). `@effect-a2a/signatures`
 * has the verifier of signatures; a verifier of your own may check a list of known cards instead.
 *
 * ```ts
 * import { AgentError, CardVerifier, Discovery } from "@effect-a2a/core"
 * import { Effect, Predicate } from "effect"
 *
 * const verifier: CardVerifier.CardVerifier = {
 *   verify: (document) =>
 *     Predicate.hasProperty(document, "name") && document.name === "Concierge"
 *       ? Effect.succeed(document)
 *       : Effect.fail(new AgentError.UntrustedCardError({ message: "not on the list", problem: "invalid" }))
 * }
 * const supportedInterfaces = [{ url: "https://evil.test", protocolBinding: "JSONRPC", protocolVersion: "1.0" }]
 * const refused = Discovery.fromJson({ name: "Imposter", supportedInterfaces }).pipe(
 *   Effect.provideService(CardVerifier.Current, verifier),
 *   Effect.flip
 * )
 * const error = await Effect.runPromise(refused)
 * error.reason.code // => "UNTRUSTED_CARD"
 * ```
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { AgentErrorReason } from "./AgentError.ts"

/** The place that a card came from. */
export interface Source {
  /** Its URL without what may be secret; absent for a document that the program passed. */
  readonly url?: string | undefined
}

/** Decides if a received card is trusted. */
export interface CardVerifier {
  /**
   * Returns the document that the card is read from: the received one, without whatever cannot be trusted. Fails with
   * `UntrustedCardError` if the card is refused, and with a reason of the network if that cannot be decided now.
   */
  readonly verify: (document: unknown, source: Source) => Effect.Effect<unknown, AgentErrorReason>
}

/**
 * The verifier of public and extended cards; read when a transport is made, or when `Discovery.card` and
 * `Discovery.fromJson` are called. Default: `undefined`, cards are used as they are received.
 */
export const Current = Context.Reference<CardVerifier | undefined>("@effect-a2a/core/CardVerifier/Current", {
  defaultValue: () => undefined
})
