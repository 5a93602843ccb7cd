/**
 * Agents of an ADK server behind the seam of A2A (ADK-08): a program that speaks A2A runs against them by swapping one
 * layer. A context is a session, a message is a run, and events become those of a task by ADK's own mapping, with its
 * `adk_*` metadata.
 *
 * What fails how: what is refused before it runs is a failed call, and there is no task. Where the agent or its server says
 * that the run failed, by an event, an error frame or HTTP 500, the task is `failed`. Where a connection breaks or a limit
 * of time passes, the call fails, since nobody knows how the run went on; it is never run again (ADK-07).
 *
 * ```ts
 * import { Agent, Credentials } from "@effect-a2a/core"
 * import { Adk } from "@effect-a2a/transport-adk"
 * import { Layer } from "effect"
 * import { FetchHttpClient } from "effect/http"
 *
 * const Weather = Agent.layer.pipe(
 *   Layer.provide(Adk.layer({ url: "http://localhost:8000", appName: "weather" })),
 *   Layer.provide([Credentials.layerNone, FetchHttpClient.layer])
 * )
 * Layer.isLayer(Weather) // => true
 * ```
 *
 * @since 0.1.0
 */
import type * as AgentError from "@effect-a2a/core/AgentError"
import { AgentTransport } from "@effect-a2a/core/AgentTransport"
import type { Credentials } from "@effect-a2a/core/Credentials"
import * as Effect from "effect/Effect"
import type { HttpClient } from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as AdkClient from "./AdkClient.ts"
import * as AdkError from "./AdkError.ts"
import * as Transport from "./internal/tasks/transport.ts"

/** The binding that the transport's target names. */
export const protocolBinding = Transport.protocolBinding

export interface Options extends AdkClient.Options {
  /** Whose sessions; by default a user per context, `A2A_USER_<contextId>`, as ADK does it. */
  readonly userId?: string | undefined
  /** Whether a session is made for a context that has none (default), or its absence is an error. */
  readonly createSessions?: boolean | undefined
  /** Whether files that the agent saved are loaded (default), or only named. */
  readonly loadArtifacts?: boolean | undefined
  /** How data parts are told that are no answers to calls: as JSON text (default), or wrapped as ADK does it. */
  readonly dataParts?: "text" | "wrapped" | undefined
  /** Whether answers name the invocation that asked: as Python applications may want that are declared resumable. */
  readonly resumable?: boolean | undefined
}

const toAgentError = Effect.mapError(AdkError.toAgentError)

/** A transport over a client that there is already; its background work stops with the scope. */
export const fromClient = (
  client: AdkClient.AdkClient["Service"],
  options: Omit<Options, keyof AdkClient.Options> = {}
): Effect.Effect<AgentTransport["Service"], never, Scope.Scope> =>
  Transport.make(client, {
    userId: options.userId,
    createSessions: options.createSessions ?? true,
    loadArtifacts: options.loadArtifacts ?? true,
    dataParts: options.dataParts ?? "text",
    resumable: options.resumable ?? false
  })

/** A transport to an application of an ADK server. Fails where the URL is none. */
export const make = (
  options: Options
): Effect.Effect<AgentTransport["Service"], AgentError.AgentError, HttpClient | Credentials | Scope.Scope> =>
  Effect.flatMap(toAgentError(AdkClient.make(options)), (client) => fromClient(client, options))

/** {@link make} as a layer. */
export const layer = (
  options: Options
): Layer.Layer<AgentTransport, AgentError.AgentError, HttpClient | Credentials> =>
  Layer.effect(AgentTransport, make(options))
