/**
 * An A2A transport to agents of an ADK API server: a program that speaks A2A reaches them by swapping one layer. A context
 * is a session, a message is a run, and the events of the run become those of a task as ADK itself maps them, with its
 * `adk_*` metadata.
 *
 * A request that the server refuses fails the call and creates no task. If the agent or its server reports that the run
 * failed, by an event, an error frame or HTTP 500, the task is `failed`. If the connection drops or a timeout passes, the
 * call fails because the end of the run is unknown. A run is never retried.
 *
 * ```ts
 * import { Agent, Credentials } from "@effect-a2a/core"
 * import { Adk } from "@effect-a2a/transport-adk"
 * import { Effect, Layer } from "effect"
 * import { HttpClient, HttpClientResponse } from "effect/http"
 *
 * // stands in for a server: any path returns a session with one event
 * const http = HttpClient.make((request) =>
 *   Effect.succeed(HttpClientResponse.fromWeb(
 *     request,
 *     Response.json(request.url.endsWith("/run") ? [{ id: "1", content: { parts: [{ text: "Sunny." }] } }] : { id: "s" })
 *   )))
 * const Weather = Agent.layer.pipe(
 *   Layer.provide(Adk.layer({ url: "http://localhost:8000", appName: "weather" })),
 *   Layer.provide([Credentials.layerNone, Layer.succeed(HttpClient.HttpClient, http)])
 * )
 * const answer = await Effect.runPromise(Agent.ask("Weather in Lisbon?").pipe(Effect.provide(Weather)))
 * answer.text // => "Sunny."
 * ```
 *
 * @since 0.1.0
 */
import type * as AgentError from "@effect-a2a/core/AgentError"
import { AgentTransport } from "@effect-a2a/core/AgentTransport"
import type { Credentials } from "@effect-a2a/core/Credentials"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { HttpClient } from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as AdkClient from "./AdkClient.ts"
import * as AdkError from "./AdkError.ts"
import * as User from "./internal/tasks/currentUser.ts"
import * as Transport from "./internal/tasks/transport.ts"

/** The protocol binding in the transport's target. */
export const protocolBinding = Transport.protocolBinding

/** Options of the transport, and of the client it uses. */
export interface Options extends AdkClient.Options {
  /**
   * The user of calls outside of {@link withUser}. Default: a user per context, `A2A_USER_<contextId>`, as ADK itself
   * does.
   */
  readonly userId?: string | undefined
  /**
   * `false`: a message in a context without a session fails with `NotFoundError`. For applications that prepare sessions
   * with a state that the agent requires. Default: `true`, the session is created.
   */
  readonly createSessions?: boolean | undefined
  /**
   * `false`: files that the agent saved are named by artifacts, not loaded. For large files: each costs one request and is
   * kept in memory with its task. Default: `true`.
   */
  readonly loadArtifacts?: boolean | undefined
  /** The form of data parts that answer no call: JSON as text, or wrapped so that ADK returns it as data. Default: `text`. */
  readonly dataParts?: "text" | "wrapped" | undefined
  /**
   * `true`: an answer names the invocation that asked, as ADK's documentation requires for applications that are declared
   * resumable. Servers that do not support it may refuse the request. Default: `false`.
   */
  readonly resumable?: boolean | undefined
}

/**
 * The user of the calls made within, read at each call. Default: `undefined`, the transport's `userId`. Sessions and tasks
 * are the user's: those of another one are not found. Set it with {@link withUser}.
 */
export const CurrentUser: Context.Reference<string | undefined> = User.CurrentUser

/**
 * Sends the messages of an effect or a stream for an end user, in that user's sessions. If the effect returns a stream,
 * the stream is the user's too. The innermost user counts. The id may not be empty, contain a slash, or be `.` or `..`:
 * calls fail with `InvalidRequestError`. It is in the requests and the metadata of updates, not in spans.
 *
 * ```ts
 * import { Agent, AgentStream } from "@effect-a2a/core"
 * import { AdkEmulator, AdkScript } from "@effect-a2a/emulators"
 * import { Adk } from "@effect-a2a/transport-adk"
 * import { Effect, Stream } from "effect"
 *
 * // counts the user's earlier messages in the session
 * const agent = ({ events, text }: AdkScript.Turn) => [AdkScript.say(`${text} no. ${events.length / 2 + 1}`)]
 * const program = Effect.gen(function*() {
 *   const { contextId } = yield* Agent.ask("call").pipe(Adk.withUser("ana"))
 *   const again = yield* Agent.ask("call", { contextId: contextId! }).pipe(Adk.withUser("ana"))
 *   const other = yield* Agent.stream("call", { contextId: contextId! }).pipe(
 *     AgentStream.text,
 *     Adk.withUser("bob"),
 *     Stream.mkString
 *   )
 *   return [again.text, other]
 * })
 * await Effect.runPromise(program.pipe(Effect.provide(AdkEmulator.layer({ agent })))) // => ["call no. 2", "call no. 1"]
 * ```
 */
export const withUser = (userId: string) => {
  const forUser = <A, E, R>(self: Stream.Stream<A, E, R>) => Stream.provideService(self, CurrentUser, userId)
  function provide<S extends Effect.Effect<unknown, unknown, unknown> | Stream.Stream<unknown, unknown, unknown>>(
    self: S
  ): S
  function provide(self: Effect.Effect<unknown, unknown, unknown> | Stream.Stream<unknown, unknown, unknown>): unknown {
    return Stream.isStream(self)
      ? forUser(self)
      : Effect.map(
        Effect.provideService(self, CurrentUser, userId),
        (value) => Stream.isStream(value) ? forUser(value) : value
      )
  }
  return provide
}

const toAgentError = Effect.mapError(AdkError.toAgentError)

/** Creates a transport over an existing client. Runs in the background stop when the scope closes. */
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

/** Creates a transport to an application. Fails with `InvalidRequestError` if the URL is invalid; nothing is sent. */
export const make = (
  options: Options
): Effect.Effect<AgentTransport["Service"], AgentError.AgentError, HttpClient | Credentials | Scope.Scope> =>
  Effect.flatMap(toAgentError(AdkClient.make(options)), (client) => fromClient(client, options))

/** {@link make} as a layer. */
export const layer = (
  options: Options
): Layer.Layer<AgentTransport, AgentError.AgentError, HttpClient | Credentials> =>
  Layer.effect(AgentTransport, make(options))
