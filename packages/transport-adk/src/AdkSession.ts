/**
 * Sessions of an ADK server: an application, a user and an id, with a state and all events.
 *
 * ```ts
 * import { AdkSession } from "@effect-a2a/transport-adk"
 * import { Schema } from "effect"
 *
 * const session = Schema.decodeUnknownSync(AdkSession.Session)({
 *   id: "s-1",
 *   appName: "weather",
 *   userId: "u-1",
 *   state: { "user:unit": "celsius" },
 *   events: null,
 *   lastUpdateTime: 1_767_225_600_000
 * })
 * AdkSession.timeMillis(session) // => 1767225600000
 * ```
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Event } from "./AdkEvent.ts"
import { looseStruct } from "./internal/schema/looseStruct.ts"
import { toMillis } from "./internal/schema/timestamp.ts"

/**
 * A session. Keys of `state` that begin with `user:` belong to the user, with `app:` to the application. `lastUpdateTime`
 * is the server's number, in seconds or milliseconds; read it with {@link timeMillis}.
 */
export const Session = looseStruct({
  appName: Schema.String,
  userId: Schema.String,
  state: Schema.JsonObject,
  events: Schema.Array(Event),
  lastUpdateTime: Schema.Finite
}, { id: Schema.String }).annotate({ identifier: "AdkSession" })
export type Session = typeof Session.Type

/** Returns the time of the last change in milliseconds since 1970, or `undefined` if the server sends none. */
export const timeMillis = ({ lastUpdateTime }: Session): number | undefined =>
  lastUpdateTime === undefined ? undefined : toMillis(lastUpdateTime)

/** The user of sessions. */
export interface Owner {
  /** The application. Default: the client's, or else the server's default application. */
  readonly appName?: string
  /** The user's id, a single path segment. */
  readonly userId: string
}

/** Identifies a session. */
export interface Key extends Owner {
  /** The session's id, a single path segment. */
  readonly sessionId: string
}

/** A session to create. */
export interface CreateOptions extends Owner {
  /** The session's id. Default: chosen by the server. */
  readonly sessionId?: string
  /** The initial state. Default: empty. */
  readonly state?: Schema.JsonObject
  /** The initial events. Python 1.x ignores them. Default: none. */
  readonly events?: ReadonlyArray<Event>
}

/** The kind of server. Kinds differ in how they create a session with a chosen id; `other` is tried both ways. */
export type Flavour = "python" | "python-1" | "javascript" | "other"
