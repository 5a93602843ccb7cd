/**
 * Protocol bindings over HTTP (specification §5): three pure functions each, and one engine that runs them all.
 *
 * ```ts
 * import { HttpBinding } from "@effect-a2a/core"
 * import { Effect } from "effect"
 *
 * const small = Effect.updateService(HttpBinding.CurrentLimits, (limits) => ({ ...limits, maxEventSize: 1024 }))
 * const size = Effect.map(HttpBinding.CurrentLimits, (limits) => limits.maxEventSize)
 * await Effect.runPromise(small(size)) // => 1024
 * ```
 *
 * @since 0.1.0
 * @stability unstable
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import type { AgentError } from "./AgentError.ts"
import * as AgentTransport from "./AgentTransport.ts"
import * as Credentials from "./Credentials.ts"
import type { Frame, HttpBinding, Limits } from "./internal/binding.ts"
import * as Engine from "./internal/http/engine.ts"
import * as Time from "./internal/transport/timeouts.ts"
import type { Timeouts } from "./internal/transport/timeouts.ts"
import * as Protocol from "./Protocol.ts"

export type { Frame, HttpBinding, Limits, Timeouts }

/** Read when a transport is made. */
export const CurrentLimits = Context.Reference<Limits>("@effect-a2a/core/HttpBinding/CurrentLimits", {
  defaultValue: () => ({
    maxEventSize: 32 * 1024 * 1024,
    maxResponseSize: 64 * 1024 * 1024,
    grace: Duration.millis(200)
  })
})

/**
 * Limits of time, read at each call; none unless provided. A stream's connection that is silent for too long is
 * interrupted, and taken up again by `AgentTransport.resumable`: give `silence` more than an agent needs to think, or
 * than its heartbeats are apart. `call` bounds the whole life of a stream too, and the answer to a send that waits for its
 * task begins when that is done: mind both in `headers` and `call`.
 */
export const CurrentTimeouts = Time.CurrentTimeouts

/** Where an agent is, and which edition it speaks there (default 1.0). */
export interface Options {
  readonly url: string
  readonly protocol?: Protocol.Protocol | undefined
  readonly tenant?: string | undefined
  /** Where its card is, if not at the well-known places below the URL or its origin. */
  readonly agentCardUrl?: string | undefined
}

const services = Effect.gen(function*() {
  return {
    client: yield* HttpClient.HttpClient,
    credentials: yield* Credentials.Credentials,
    limits: yield* CurrentLimits
  }
})

const complete = ({ agentCardUrl, protocol = Protocol.v1_0, tenant, url }: Options) => ({
  agentCardUrl,
  protocol,
  tenant,
  url
})

/** A transport over HTTP. Fails where the URL is none. */
export const make = (binding: HttpBinding) =>
  Effect.fnUntraced(function*(options: Options): Effect.fn.Return<
    AgentTransport.AgentTransport["Service"],
    AgentError,
    HttpClient.HttpClient | Credentials.Credentials
  > {
    return yield* Engine.make({ binding, ...complete(options), ...yield* services })
  })

/**
 * A JSON request beside the operations, for what a vendor adds to A2A: `frame` is joined to the URL, credentials and
 * headers are those of an operation, and so are refusals. `operation` names it in errors. Gives the body.
 */
export const request = Effect.fnUntraced(function*(
  options: Options & {
    readonly operation: string
    readonly frame: Frame
    readonly extensions?: ReadonlyArray<string> | undefined
  }
): Effect.fn.Return<unknown, AgentError, HttpClient.HttpClient | Credentials.Credentials> {
  const { extensions = [], frame, operation } = options
  return yield* Engine.request({ ...complete(options), ...yield* services, operation, frame, extensions })
})

/** {@link make} as a layer: what `Rest.layer` and `JsonRpc.layer` are. */
export const layer = (binding: HttpBinding) =>
(options: Options): Layer.Layer<
  AgentTransport.AgentTransport,
  AgentError,
  HttpClient.HttpClient | Credentials.Credentials
> => Layer.effect(AgentTransport.AgentTransport, make(binding)(options))

/** The type of `Rest.layer` and `JsonRpc.layer`. */
export type ClientLayer = ReturnType<typeof layer>
