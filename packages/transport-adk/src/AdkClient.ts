/**
 * A typed client of an ADK API server: runs, sessions, artifacts and memory. Supports Python 2.x and 1.x, JavaScript and
 * Go; detects the kind of server when it matters. A run is never retried.
 *
 * ```ts
 * import { Credentials } from "@effect-a2a/core"
 * import { AdkClient, AdkContent, AdkEvent } from "@effect-a2a/transport-adk"
 * import { Effect, Layer, Stream } from "effect"
 * import { HttpClient, HttpClientResponse } from "effect/http"
 *
 * const http = Layer.succeed(HttpClient.HttpClient, HttpClient.make((request) =>
 *   Effect.succeed(HttpClientResponse.fromWeb(
 *     request,
 *     new Response(`data: {"id":"1","content":{"parts":[{"text":"Sunny."}]}}\n\n`, {
 *       headers: { "content-type": "text/event-stream" }
 *     })
 *   ))))
 * const texts = Stream.unwrap(Effect.map(AdkClient.AdkClient, (client) =>
 *   client.runSse({ userId: "u-1", sessionId: "s-1", newMessage: AdkContent.user(AdkContent.text("Weather?")) }))).pipe(
 *     Stream.map(AdkEvent.text),
 *     Stream.runCollect
 *   )
 * const layer = AdkClient.layer({ url: "http://localhost:8000", appName: "weather" }).pipe(
 *   Layer.provide([Credentials.layerNone, http])
 * )
 * await Effect.runPromise(Effect.provide(texts, layer)) // => ["Sunny."]
 * ```
 *
 * @since 0.1.0
 */
import type * as AgentCard from "@effect-a2a/core/AgentCard"
import type { Credentials } from "@effect-a2a/core/Credentials"
import * as HttpPeer from "@effect-a2a/core/HttpPeer"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { HttpClient } from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { Scope } from "effect/Scope"
import type * as Stream from "effect/Stream"
import type * as AdkArtifact from "./AdkArtifact.ts"
import type * as AdkContent from "./AdkContent.ts"
import { AdkError } from "./AdkError.ts"
import type { Event } from "./AdkEvent.ts"
import type { RunRequest } from "./AdkRun.ts"
import type * as AdkSession from "./AdkSession.ts"
import * as Artifacts from "./internal/http/artifacts.ts"
import * as Flavour from "./internal/http/flavour.ts"
import * as Http from "./internal/http/http.ts"
import * as Runs from "./internal/http/runs.ts"
import * as Sessions from "./internal/http/sessions.ts"
import { strings } from "./internal/schema/looseStruct.ts"

/** Options of a client. */
export interface Options {
  /** The server's URL. Its path is kept. */
  readonly url: string
  /** The application of calls that name none. Default: the server's own default application. */
  readonly appName?: string | undefined
  /** The kind of server. Default: asked once, when it matters. */
  readonly flavour?: AdkSession.Flavour | undefined
  /** `false`: runs of one session may overlap, although servers mix or refuse them. Default: `true`. */
  readonly serialize?: boolean | undefined
}

/**
 * The operations of an ADK server. All fail with `AdkError`: its `reason` is `InvalidRequestError` if nothing was sent
 * because the request is invalid, and `RouteUnsupportedError` if the server lacks the operation.
 */
export interface Service {
  /** The server, as credentials and errors name it. */
  readonly target: AgentCard.AgentInterface
  /** The application of calls that name none. */
  readonly appName: string | undefined
  /** Runs an agent to the end of its turn and returns all events. They are partial only if `streaming` is requested. */
  readonly run: (request: RunRequest) => Effect.Effect<ReadonlyArray<Event>, AdkError>
  /** Runs an agent and emits each event as it arrives. Interruption closes the connection; the agent may continue. */
  readonly runSse: (request: RunRequest) => Stream.Stream<Event, AdkError>
  /**
   * Starts a run and returns its events once the server has accepted it, so that refusals fail the effect and not the
   * stream. Other runs of the session wait until the scope closes.
   */
  readonly openSse: (request: RunRequest) => Effect.Effect<Stream.Stream<Event, AdkError>, AdkError, Scope>
  /** Creates a session. Fails with `SessionExistsError` if the given id is in use. */
  readonly createSession: (options: AdkSession.CreateOptions) => Effect.Effect<AdkSession.Session, AdkError>
  /** Creates a session unless it exists, and returns `true` if it was created. */
  readonly ensureSession: (
    options: AdkSession.Key & { readonly state?: Schema.JsonObject }
  ) => Effect.Effect<boolean, AdkError>
  /** Returns a session with all its events. Fails with `SessionNotFoundError` if it does not exist. */
  readonly getSession: (key: AdkSession.Key) => Effect.Effect<AdkSession.Session, AdkError>
  /** Returns the sessions of a user; most servers leave out state and events. */
  readonly listSessions: (owner: AdkSession.Owner) => Effect.Effect<ReadonlyArray<AdkSession.Session>, AdkError>
  /** Deletes a session. Succeeds if it does not exist. */
  readonly deleteSession: (key: AdkSession.Key) => Effect.Effect<void, AdkError>
  /** Changes the state of a session without a run (Python 2.x). */
  readonly patchSession: (
    options: AdkSession.Key & { readonly stateDelta: Schema.JsonObject }
  ) => Effect.Effect<AdkSession.Session, AdkError>
  /** Returns the names of the server's applications. */
  readonly listApps: Effect.Effect<ReadonlyArray<string>, AdkError>
  /** Returns the names of a session's artifacts. */
  readonly listArtifacts: (key: AdkSession.Key) => Effect.Effect<ReadonlyArray<string>, AdkError>
  /** Returns an artifact. Default: its latest version. Fails with `ArtifactNotFoundError` if it does not exist. */
  readonly loadArtifact: (
    key: AdkArtifact.Key & { readonly version?: number | "latest" }
  ) => Effect.Effect<AdkContent.Part, AdkError>
  /** Returns the versions of an artifact, counted from 0. */
  readonly artifactVersions: (key: AdkArtifact.Key) => Effect.Effect<ReadonlyArray<number>, AdkError>
  /** Saves a new version of an artifact (Python 2.x). */
  readonly saveArtifact: (
    options: AdkSession.Key & AdkArtifact.SaveArtifact
  ) => Effect.Effect<AdkArtifact.ArtifactVersion, AdkError>
  /** Deletes all versions of an artifact. */
  readonly deleteArtifact: (key: AdkArtifact.Key) => Effect.Effect<void, AdkError>
  /** Adds a session to the user's memory (Python 2.x). */
  readonly addSessionToMemory: (key: AdkSession.Key) => Effect.Effect<void, AdkError>
  /** Returns the server's version, in members that differ by server. */
  readonly version: Effect.Effect<Schema.JsonObject, AdkError>
  /** Succeeds if the server reports that it is healthy. */
  readonly health: Effect.Effect<void, AdkError>
  /** Returns the kind of server; asks the server at most once. */
  readonly flavour: Effect.Effect<AdkSession.Flavour, AdkError>
}

/** A client of an ADK server, as a service. */
export class AdkClient extends Context.Service<AdkClient, Service>()("@effect-a2a/transport-adk/AdkClient") {}

const makeService = (
  server: HttpPeer.HttpPeer,
  { appName, flavour: configured, serialize = true }: Options
): Service => {
  const http = Http.make(server)
  const { asOperation, fetchAs, fetchOk } = http
  const flavour = Flavour.make(http, configured)
  const withApp = <K extends AdkSession.Owner>(key: K): K => appName === undefined ? key : { appName, ...key }
  return {
    target: server.target,
    appName,
    ...Runs.make({ http, withApp, serialize }),
    ...Sessions.make({ http, withApp, flavour }),
    ...Artifacts.make({ http, withApp }),
    listApps: fetchAs(strings, [])({ operation: "listApps", method: "GET", path: ["list-apps"] }).pipe(
      asOperation("listApps")
    ),
    version: fetchAs(Schema.JsonObject)(Flavour.versionRequest("version")).pipe(asOperation("version")),
    health: fetchOk({ operation: "health", method: "GET", path: ["health"] }).pipe(
      Effect.asVoid,
      asOperation("health")
    ),
    flavour: flavour.pipe(asOperation("flavour"))
  }
}

/** Creates a client. Fails with `InvalidRequestError` if the URL is invalid; nothing is sent. */
export const make = Effect.fnUntraced(function*(
  options: Options
): Effect.fn.Return<Service, AdkError, HttpClient | Credentials> {
  const target = { url: options.url, protocolBinding: "ADK", protocolVersion: "2" }
  const server = yield* HttpPeer.make(target).pipe(
    Effect.mapError((reason) => new AdkError({ operation: "connect", reason }))
  )
  return makeService(server, options)
})

/** {@link make} as a layer. */
export const layer = (options: Options): Layer.Layer<AdkClient, AdkError, HttpClient | Credentials> =>
  Layer.effect(AdkClient, make(options))
