/**
 * Transports over HTTP: one engine runs every operation, protocol version and binding.
 *
 * ```ts
 * import { Agent, Credentials, HttpTransport, Id } from "@effect-a2a/core"
 * import { Rest } from "@effect-a2a/transport-rest"
 * import { Effect, Layer } from "effect"
 * import { HttpClient, HttpClientResponse } from "effect/http"
 *
 * const http = Layer.succeed(HttpClient.HttpClient, HttpClient.make((request) =>
 *   Effect.succeed(HttpClientResponse.fromWeb(request, Response.json({ id: "task-1", status: { state: "TASK_STATE_WORKING" } })))))
 * const agent = Agent.layer.pipe(
 *   Layer.provide(HttpTransport.layer({ binding: Rest.binding, url: "https://agent.test/a2a" })),
 *   Layer.provide([Credentials.layerNone, http])
 * )
 * const task = await Effect.runPromise(Effect.provide(Agent.getTask(Id.TaskId.make("task-1")), agent))
 * task.status.state // => "working"
 * ```
 *
 * @since 0.1.0
 * @stability unstable
 */
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as AgentError from "./AgentError.ts"
import { AgentTransport } from "./AgentTransport.ts"
import * as CardVerifier from "./CardVerifier.ts"
import * as ClientProtocol from "./ClientProtocol.ts"
import * as Credentials from "./Credentials.ts"
import { CurrentLimits, type HttpBinding, type HttpRequest } from "./HttpBinding.ts"
import type * as HttpPeer from "./HttpPeer.ts"
import * as Engine from "./internal/http/engine.ts"
import * as Observe from "./internal/http/observe.ts"
import { parseBase } from "./internal/http/request.ts"
import * as Recognizer from "./Recognizer.ts"
import type { Transport } from "./Transport.ts"

/** The address of an agent's interface, and the protocol version to use there (default 1.0). */
export interface Options {
  readonly url: string
  readonly protocol?: ClientProtocol.ClientProtocol | undefined
  readonly tenant?: string | undefined
  /** The URL of its card. Default: the well-known paths below the URL and its origin. */
  readonly agentCardUrl?: string | undefined
  /** The agent's name in traces. Default: that of its card, once it was fetched. */
  readonly agentName?: string | undefined
}

type Requirements = HttpClient.HttpClient | Credentials.Credentials

/** Collects what every exchange with the agent shares. Fails with `InvalidRequestError` if the URL is invalid. */
const connect = Effect.fnUntraced(function*(options: Options, protocolBinding: string) {
  const base = yield* Effect.fromResult(parseBase(options.url)).pipe(
    Effect.mapError((reason) => new AgentError.AgentError({ operation: "connect", reason }))
  )
  const protocol = options.protocol ?? ClientProtocol.v1_0
  const { maxResponseSize } = yield* CurrentLimits
  return {
    base,
    target: {
      url: options.url,
      protocolBinding,
      protocolVersion: protocol.version,
      ...(options.tenant === undefined ? undefined : { tenant: options.tenant })
    },
    protocol,
    client: yield* HttpClient.HttpClient,
    credentials: yield* Credentials.Credentials,
    maxResponseSize
  } satisfies HttpPeer.HttpPeer
})

/** Makes a transport over HTTP. Fails with `InvalidRequestError` if the URL is invalid. */
export const make = Effect.fnUntraced(function*(
  options: Options & { readonly binding: HttpBinding }
): Effect.fn.Return<Transport, AgentError.AgentError, Requirements> {
  const { binding } = options
  const peer = yield* connect(options, binding.protocolBinding)
  const limits = yield* CurrentLimits
  const recognizers = yield* Recognizer.Current
  const observer = yield* Observe.Current
  const cardVerifier = yield* CardVerifier.Current
  const { agentCardUrl, agentName } = options
  return Engine.make({ peer, binding, limits, recognizers, observer, cardVerifier, agentCardUrl, agentName })
})

/** {@link make} as a layer. */
export const layer = (
  options: Options & { readonly binding: HttpBinding }
): Layer.Layer<AgentTransport, AgentError.AgentError, Requirements> => Layer.effect(AgentTransport, make(options))

/** A function, so that bundles without {@link layerConfig} leave it out. */
const protocolConfig = () =>
  Config.Literals(["1.0", "0.3"], "A2A_PROTOCOL").pipe(
    Config.withDefault("1.0"),
    Config.map((version): ClientProtocol.ClientProtocol =>
      version === "0.3" ? ClientProtocol.v0_3 : ClientProtocol.v1_0
    )
  )

const tenantConfig = () => Config.NonEmptyString("A2A_TENANT").pipe(Config.withDefault(undefined))

/**
 * {@link layer} with options from configuration, unless they are given: `A2A_URL` (required), `A2A_PROTOCOL` (`1.0`, the
 * default, or `0.3`) and `A2A_TENANT`. Fails with a `ConfigError` if there is no URL.
 */
export const layerConfig = (
  options: Partial<Options> & { readonly binding: HttpBinding }
): Layer.Layer<AgentTransport, AgentError.AgentError | Config.ConfigError, Requirements> =>
  Layer.unwrap(Effect.gen(function*() {
    const url = options.url ?? (yield* Config.NonEmptyString("A2A_URL"))
    const protocol = options.protocol ?? (yield* protocolConfig())
    const tenant = options.tenant ?? (yield* tenantConfig())
    return layer({ ...options, url, protocol, tenant })
  }))

/** The type of `Rest.layer` and `JsonRpc.layer`. */
export type ClientLayer = (options: Options) => Layer.Layer<AgentTransport, AgentError.AgentError, Requirements>

/**
 * Sends one JSON request other than an A2A operation, such as a vendor's addition, and returns the response body. The
 * request is joined to the URL; credentials, headers and refusals are those of an operation. `operation` names it in
 * errors.
 */
export const request = /*#__PURE__*/ Effect.fnUntraced(function*(
  options: Options & {
    readonly operation: string
    readonly request: HttpRequest
    readonly extensions?: ReadonlyArray<string> | undefined
  }
): Effect.fn.Return<unknown, AgentError.AgentError, Requirements> {
  const peer = yield* connect(options, "HTTP+JSON")
  return yield* Engine.request({ ...options, peer })
})
