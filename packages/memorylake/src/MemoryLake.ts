/**
 * MemoryLake agents: where they are, what goes into `metadata.memorylake` of every message, and how the service departs
 * from A2A.
 *
 * A client is `MemoryLake.layer(Rest.layer)({ workspaceId, agentId })`, or `JsonRpc.layer` in its place. Around a call,
 * {@link withOptions} says for whom and how.
 *
 * ```ts
 * import { MemoryLake } from "@effect-a2a/memorylake"
 * import { Effect, Result } from "effect"
 *
 * const endpoint = MemoryLake.endpoint({ workspaceId: "ws-1", agentId: "agent-1", host: "https://lake.example/" })
 * Result.getOrThrow(endpoint).url
 * // => "https://lake.example/openapi/memorylake/api/v3/workspaces/ws-1/agents/agent-1/a2a"
 *
 * const options = MemoryLake.CurrentOptions.pipe(MemoryLake.withOptions({ skipMemory: true }))
 * await Effect.runPromise(options) // => { skipMemory: true }
 * ```
 *
 * @since 0.1.0
 */
import * as AgentError from "@effect-a2a/core/AgentError"
import type { AgentTransport } from "@effect-a2a/core/AgentTransport"
import type { Credentials } from "@effect-a2a/core/Credentials"
import type * as HttpTransport from "@effect-a2a/core/HttpTransport"
import type { Metadata } from "@effect-a2a/core/Metadata"
import * as Protocol from "@effect-a2a/core/Protocol"
import type { Recognizer } from "@effect-a2a/core/Recognizer"
import * as Effect from "effect/Effect"
import type { HttpClient } from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { merge } from "./internal/json.ts"
import * as edition from "./internal/patch.ts"
import * as marks from "./internal/recognizer.ts"
import * as transport from "./internal/transport.ts"
import type { Options } from "./MemoryLakeOptions.ts"

export * from "./MemoryLakeOptions.ts"

/** Which agent, and where MemoryLake is. `host`: an origin; default `https://app.memorylake.cn`. */
export interface Address {
  readonly workspaceId: string
  readonly agentId: string
  readonly host?: string
}

/** The URL that speaks A2A, and the one of the card, which is beside it. */
export interface Endpoint {
  readonly url: string
  readonly agentCardUrl: string
}

const invalid = (field: string, description: string) =>
  Result.fail(AgentError.reason("InvalidRequestError", {
    message: `${field}: ${description}`,
    violations: [{ field, description }]
  }))

const isHttp = (url: string) => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)

/** A host as it was probably meant, without what does not belong into a host. */
const corrected = (host: string) => {
  const url = `https://${host.replace(/^[a-z]*:?\/\//i, "")}`
  return URL.canParse(url) ? new URL(url).origin : edition.defaultHost
}

/**
 * The addresses of an agent (ML-01, ML-08). Ids are percent-encoded, slashes behind the host change nothing. A host
 * that is no `http(s)` URL, and an id that no path can hold, are refused.
 */
export const endpoint = (
  { agentId, host = edition.defaultHost, workspaceId }: Address
): Result.Result<Endpoint, AgentError.InvalidRequestError> => {
  if (!isHttp(host) || /[?#@]/.test(host)) {
    return invalid("host", `expected a URL of an origin, such as ${corrected(host)}`)
  }
  const unusable = Object.entries({ workspaceId, agentId }).find(([, id]) => /^\.{0,2}$/.test(id))
  if (unusable !== undefined) return invalid(unusable[0], "expected an id")
  const agent = host.replace(/\/+$/, "") +
    edition.agentPath(encodeURIComponent(workspaceId), encodeURIComponent(agentId))
  return Result.succeed({ url: `${agent}/a2a`, agentCardUrl: `${agent}/.well-known/agent-card.json` })
}

/** What is sent with every message: ambient, `{}` unless {@link withOptions} or a layer says otherwise. */
export const CurrentOptions = transport.CurrentOptions

/**
 * Sets options for all messages sent by an effect or a stream, upon those already set around it: objects merge, other
 * values are replaced.
 */
export const withOptions =
  (options: Options) =>
  <S extends Effect.Effect<unknown, unknown, unknown> | Stream.Stream<unknown, unknown, unknown>>(self: S): S => {
    const update = (outer: Options) => merge(outer as unknown as Metadata, options as unknown as Metadata) as Options
    return (Stream.isStream(self)
      ? Stream.updateService(self, CurrentOptions, update)
      : Effect.updateService(self, CurrentOptions, update)) as unknown as S
  }

/**
 * Makes a transport speak as MemoryLake expects: every message carries `metadata.memorylake` (the ambient options, and
 * over them what the request already has there; ML-11). Refused before any byte is sent: files without a project of
 * their own (ML-17), another project than the conversation's (ML-18), push notifications (ML-08).
 *
 * {@link layer} has it built in; use it around a transport of your own making.
 */
export const withMemory: <E, R>(self: Layer.Layer<AgentTransport, E, R>) => Layer.Layer<AgentTransport, E, R> =
  transport.withMemory

/**
 * An edition as MemoryLake speaks it: its own refusal bodies (ML-33 to ML-35), subscribing by GET first, and what it
 * takes from clients besides.
 */
export const protocol: <V extends string>(self: Protocol.Protocol<V>) => Protocol.Protocol<V> = edition.patch

/** Recognizes the thoughts, tool calls and results of MemoryLake agents. {@link protocol} has it. */
export const recognizer: Recognizer = marks.recognizer

/** The message id of a request that came without one, which MemoryLake allows; a server gives it one of its own. */
export const unnamedMessageId = edition.unnamedMessageId

/** Which agent, and in which edition; default 1.0. */
export interface Config extends Address {
  readonly protocol?: Protocol.Protocol
}

/** A transport to a MemoryLake agent over `Rest.layer` or `JsonRpc.layer`. Fails where {@link endpoint} does. */
export const layer =
  (binding: HttpTransport.ClientLayer) =>
  (config: Config): Layer.Layer<AgentTransport, AgentError.AgentError, HttpClient | Credentials> =>
    Layer.unwrap(
      Effect.fromResult(endpoint(config)).pipe(
        Effect.mapError((reason) => new AgentError.AgentError({ operation: "MemoryLake.layer", reason })),
        Effect.map((endpoint) =>
          withMemory(binding({ ...endpoint, protocol: protocol(config.protocol ?? Protocol.v1_0) }))
        )
      )
    )
