/**
 * The place where calls are observed: `observation.ts` does it, if it is installed. Tested in
 * `test/resilience/tracing.test.ts`.
 */
import { observer } from "#observer"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as HttpClient from "effect/http/HttpClient"
import type { AgentError } from "../../AgentError.ts"
import type { Credential } from "../../Credential.ts"
import type { ObservedAgent, ObservedPeer, Observer } from "./observation.ts"
import type { Redact } from "./redactSecrets.ts"

/** The observer of transports made within; read when a transport is made. */
export const Current = Context.Reference<Observer | undefined>("@effect-a2a/core/Telemetry/Current", {
  defaultValue: () => observer
})

const unobserved: ObservedAgent = {
  call: () => identity,
  stream: () => identity,
  within: identity,
  markFirstByte: identity
}

/** Returns what observes the calls of an agent. `name` is the agent's, if it is known. */
export const agent = (
  observer: Observer | undefined,
  peer: ObservedPeer,
  name?: string | undefined
): ObservedAgent => {
  if (observer === undefined) return unobserved
  return {
    ...observer.agent(peer, name),
    within: Effect.provideService(Current, observer),
    markFirstByte: observer.markFirstByte
  }
}

/** Traces an HTTP request without its secrets, or sends no trace headers if nothing is traced. */
export const exchange =
  (base: URL, credentials: ReadonlyArray<Credential>, redact: Redact) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(Current, (observer) =>
      observer === undefined
        ? Effect.provideService(self, HttpClient.TracerDisabledWhen, () => true)
        : observer.exchange(base, credentials, redact)(self))

/** Traces what leads to a call. */
export const withSpan =
  (name: string) => <A, R>(self: Effect.Effect<A, AgentError, R>): Effect.Effect<A, AgentError, R> =>
    Effect.flatMap(Current, (observer) => observer === undefined ? self : observer.withSpan(name)(self))
