/**
 * Clients of MemoryLake agents: their URLs, the options of every message, and how the service departs from A2A.
 *
 * ```ts
 * import { MemoryLake, MemoryLakeOptions } from "@effect-a2a/memorylake"
 * import { Effect, Result } from "effect"
 *
 * const endpoint = MemoryLake.endpoint({ workspaceId: "ws-1", agentId: "agent-1", host: "https://lake.example/" })
 * Result.getOrThrow(endpoint).url
 * // => "https://lake.example/openapi/memorylake/api/v3/workspaces/ws-1/agents/agent-1/a2a"
 *
 * const options = MemoryLakeOptions.CurrentOptions.pipe(MemoryLake.withOptions({ skipMemory: true }))
 * await Effect.runPromise(options) // => { skipMemory: true }
 * ```
 *
 * @since 0.1.0
 */
import * as AgentError from "@effect-a2a/core/AgentError"
import type * as AgentTransport from "@effect-a2a/core/AgentTransport"
import * as ClientProtocol from "@effect-a2a/core/ClientProtocol"
import * as Credentials from "@effect-a2a/core/Credentials"
import type * as HttpBinding from "@effect-a2a/core/HttpBinding"
import * as HttpTransport from "@effect-a2a/core/HttpTransport"
import type { MessageId } from "@effect-a2a/core/Id"
import type * as Protocol from "@effect-a2a/core/Protocol"
import type { Recognizer } from "@effect-a2a/core/Recognizer"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import type { HttpClient } from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Memory from "./internal/memory.ts"
import * as Patch from "./internal/patch.ts"
import * as Marks from "./internal/recognizer.ts"
import { servedPatch } from "./internal/servedPatch.ts"
import * as MemoryLakeOptions from "./MemoryLakeOptions.ts"

/** The place of an agent. `host`: the origin of the service, default `https://app.memorylake.cn`. */
export interface Address {
  readonly workspaceId: string
  readonly agentId: string
  readonly host?: string | undefined
}

/** The URL of the A2A interface, and that of the agent card. */
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

/** A host as it was probably meant. */
const suggestHost = (host: string) => {
  const url = `https://${host.replace(/^[a-z]*:?\/\//i, "")}`
  return URL.canParse(url) ? new URL(url).origin : Patch.defaultHost
}

/**
 * Returns the URLs of an agent. Ids are percent-encoded; slashes at the end of the host are ignored. Fails if the host is
 * not the URL of an origin, or if an id is empty or consists of dots.
 */
export const endpoint = (
  { agentId, host = Patch.defaultHost, workspaceId }: Address
): Result.Result<Endpoint, AgentError.InvalidRequestError> => {
  if (!isHttp(host) || /[?#@]/.test(host)) {
    return invalid("host", `expected a URL of an origin, such as ${suggestHost(host)}`)
  }
  const unusable = Object.entries({ workspaceId, agentId }).find(([, id]) => /^\.{0,2}$/.test(id))
  if (unusable !== undefined) return invalid(unusable[0], "expected an id")
  const agent = host.replace(/\/+$/, "") +
    Patch.agentPath(encodeURIComponent(workspaceId), encodeURIComponent(agentId))
  return Result.succeed({ url: `${agent}/a2a`, agentCardUrl: `${agent}/.well-known/agent-card.json` })
}

/**
 * Adds options to all messages that an effect or a stream sends. They are merged into the options around it: objects
 * member by member, other values are replaced.
 */
export const withOptions =
  (options: MemoryLakeOptions.Options) =>
  <S extends Effect.Effect<unknown, unknown, unknown> | Stream.Stream<unknown, unknown, unknown>>(self: S): S => {
    const update = (outer: MemoryLakeOptions.Options) => MemoryLakeOptions.merge(outer, options)
    return (Stream.isStream(self)
      ? Stream.updateService(self, MemoryLakeOptions.CurrentOptions, update)
      : Effect.updateService(self, MemoryLakeOptions.CurrentOptions, update)) as unknown as S
  }

/**
 * Makes a transport write `metadata.memorylake` into every message: the ambient options, and over them the members that
 * the request has there. Some requests fail before they are sent: files without `readWriteProjectId`, another project than
 * that of the conversation, push notifications. {@link layer} includes it.
 */
export const withMemory: AgentTransport.EffectDecorator<never, never> = Memory.withMemory

/**
 * Patches a protocol version with MemoryLake's departures: its bodies of refusals, GET to subscribe, and its recognizer.
 * For clients; see {@link servedProtocol}.
 */
export const protocol: <V extends string>(
  self: ClientProtocol.ClientProtocol<V>
) => ClientProtocol.ClientProtocol<V> = Patch.patch

/** Patches a protocol version for a stand-in of the service: as {@link protocol}, with the service's leniency. */
export const servedProtocol: <V extends string>(self: Protocol.Protocol<V>) => Protocol.Protocol<V> = servedPatch

/** Recognizes the thoughts, tool calls and results of MemoryLake agents. {@link protocol} includes it. */
export const recognizer: Recognizer = Marks.recognizer

/** The message id that stands for a missing one, which MemoryLake allows; the service replaces it by a new id. */
export const missingMessageId: MessageId = Patch.missingMessageId

/** An agent, the binding to speak, such as `Rest.binding`, and the protocol version: default 1.0. */
export interface Options extends Address {
  readonly binding: HttpBinding.HttpBinding
  readonly protocol?: ClientProtocol.ClientProtocol | undefined
}

/** Provides a transport to an agent. Fails if {@link endpoint} does. */
export const layer = (
  { binding, protocol: version = ClientProtocol.v1_0, ...address }: Options
): Layer.Layer<AgentTransport.AgentTransport, AgentError.AgentError, HttpClient | Credentials.Credentials> =>
  Layer.unwrap(
    Effect.fromResult(endpoint(address)).pipe(
      Effect.mapError((reason) => new AgentError.AgentError({ operation: "MemoryLake.layer", reason })),
      Effect.map((endpoint) => withMemory(HttpTransport.layer({ ...endpoint, binding, protocol: protocol(version) })))
    )
  )

/** Files that set variables may end them with a line break. */
const text = (name: string) => Config.schema(Schema.Trim.check(Schema.isNonEmpty()), name)

const environment = Config.all({
  workspaceId: text("MEMORYLAKE_WORKSPACE"),
  agentId: text("MEMORYLAKE_AGENT"),
  host: Config.orElse(text("MEMORYLAKE_HOST"), () => Config.succeed(Patch.defaultHost)),
  apiKey: Config.map(text("MEMORYLAKE_API_KEY"), (value) => Redacted.make(value))
})

/**
 * Provides a transport to the agent that configuration names: `MEMORYLAKE_WORKSPACE`, `MEMORYLAKE_AGENT`,
 * `MEMORYLAKE_HOST` (default `https://app.memorylake.cn`) and `MEMORYLAKE_API_KEY`, which is sent as a bearer token. Fails
 * if a variable without a default is missing or blank, or if {@link endpoint} fails. Values are trimmed.
 */
export const layerConfig = (
  options: Pick<Options, "binding" | "protocol">
): Layer.Layer<AgentTransport.AgentTransport, AgentError.AgentError | Config.ConfigError, HttpClient> =>
  Layer.unwrap(
    Effect.map(environment, ({ apiKey, ...address }) =>
      layer({ ...address, ...options }).pipe(Layer.provide(Credentials.layerBearer(apiKey))))
  )
