/** What a client of an ADK server is. */
import type * as AgentCard from "@effect-a2a/core/AgentCard"
import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { Scope } from "effect/Scope"
import type * as Stream from "effect/Stream"
import type * as AdkArtifact from "../AdkArtifact.ts"
import type * as AdkContent from "../AdkContent.ts"
import type { AdkError } from "../AdkError.ts"
import type { Event } from "../AdkEvent.ts"
import type { RunRequest } from "../AdkRun.ts"
import type * as AdkSession from "../AdkSession.ts"

/** Which server it is: what differs between them is how a session with a chosen id is made. */
export type Flavour = "python" | "python-1" | "javascript" | "other"

export interface Options {
  /** Where the server is; a path in it is kept. */
  readonly url: string
  /** The application of calls that name none. Without it the server's own default applies. */
  readonly appName?: string | undefined
  /** Asked for once, where it matters, unless given. */
  readonly flavour?: Flavour | undefined
  /** Whether runs of one session wait for each other, since servers mix or refuse them; default `true`. */
  readonly serialize?: boolean | undefined
}

/** An artifact: a file of a session, by its name. */
export interface ArtifactKey extends AdkSession.Key {
  readonly filename: string
}

/** What can be asked of an ADK server. */
export interface Client {
  readonly target: AgentCard.AgentInterface
  /** The application of calls that name none. */
  readonly appName: string | undefined
  /** Runs an agent to the end of its turn: all events, none of them partial unless `streaming` is asked for. */
  readonly run: (request: RunRequest) => Effect.Effect<ReadonlyArray<Event>, AdkError>
  /**
   * Runs an agent and gives each event as it comes. Interruption leaves the request; the server may go on all the same.
   */
  readonly runSse: (request: RunRequest) => Stream.Stream<Event, AdkError>
  /** {@link runSse} in two steps: refused, or taken on and then the events. The session is held until the scope closes. */
  readonly openSse: (request: RunRequest) => Effect.Effect<Stream.Stream<Event, AdkError>, AdkError, Scope>
  /** Makes a session; with the id given, or one of the server's. */
  readonly createSession: (
    options: AdkSession.Owner & {
      readonly sessionId?: string
      readonly state?: Schema.JsonObject
      readonly events?: ReadonlyArray<Event>
    }
  ) => Effect.Effect<AdkSession.Session, AdkError>
  /** Makes a session unless it is there; `true` where it was made. */
  readonly ensureSession: (
    options: AdkSession.Key & { readonly state?: Schema.JsonObject }
  ) => Effect.Effect<boolean, AdkError>
  /** A session with all its events. */
  readonly getSession: (key: AdkSession.Key) => Effect.Effect<AdkSession.Session, AdkError>
  /** The sessions of a user, mostly without state and events. */
  readonly listSessions: (owner: AdkSession.Owner) => Effect.Effect<ReadonlyArray<AdkSession.Session>, AdkError>
  /** Deletes a session; one that is not there is fine. */
  readonly deleteSession: (key: AdkSession.Key) => Effect.Effect<void, AdkError>
  /** Changes the state without a run (Python 2.x). */
  readonly patchSession: (
    options: AdkSession.Key & { readonly stateDelta: Schema.JsonObject }
  ) => Effect.Effect<AdkSession.Session, AdkError>
  readonly listApps: Effect.Effect<ReadonlyArray<string>, AdkError>
  /** The names of a session's artifacts. */
  readonly listArtifacts: (key: AdkSession.Key) => Effect.Effect<ReadonlyArray<string>, AdkError>
  /** An artifact, in its latest version unless one is given. */
  readonly loadArtifact: (
    key: ArtifactKey & { readonly version?: number | "latest" }
  ) => Effect.Effect<AdkContent.Part, AdkError>
  readonly artifactVersions: (key: ArtifactKey) => Effect.Effect<ReadonlyArray<number>, AdkError>
  /** Saves a new version (Python 2.x). */
  readonly saveArtifact: (
    options: AdkSession.Key & AdkArtifact.SaveArtifact
  ) => Effect.Effect<AdkArtifact.ArtifactVersion, AdkError>
  readonly deleteArtifact: (key: ArtifactKey) => Effect.Effect<void, AdkError>
  /** Puts a session into the user's memory (Python 2.x). */
  readonly addSessionToMemory: (key: AdkSession.Key) => Effect.Effect<void, AdkError>
  /** What the server says of its version. */
  readonly version: Effect.Effect<Schema.JsonObject, AdkError>
  /** Succeeds where the server says that it is well. */
  readonly health: Effect.Effect<void, AdkError>
  readonly flavour: Effect.Effect<Flavour, AdkError>
}
