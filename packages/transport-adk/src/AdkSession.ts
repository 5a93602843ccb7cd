/**
 * Sessions: an application, a user and an id, with a state and all events (ADK-03).
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
import { millis } from "./internal/schema/timestamp.ts"

/** `state` holds what is of the session, `user:` of the user and `app:` of the application. */
export const Session = looseStruct({
  appName: Schema.String,
  userId: Schema.String,
  state: Schema.JsonObject,
  events: Schema.Array(Event),
  lastUpdateTime: Schema.Finite
}, { id: Schema.String })
export type Session = typeof Session.Type

/** When it was last changed, in milliseconds since 1970. */
export const timeMillis = ({ lastUpdateTime }: Session): number | undefined =>
  lastUpdateTime === undefined ? undefined : millis(lastUpdateTime)

/** Whose session. Without an `appName` the client's is meant, and without that the server's default. */
export interface Owner {
  readonly appName?: string
  readonly userId: string
}

/** Which session. */
export interface Key extends Owner {
  readonly sessionId: string
}
