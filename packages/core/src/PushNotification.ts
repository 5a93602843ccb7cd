/**
 * Where an agent shall report a task's progress by webhook (specification §4.3).
 *
 * ```ts
 * import type { PushNotification } from "@effect-a2a/core"
 *
 * const config: PushNotification.PushNotificationConfig = {
 *   url: "https://app.test/hook",
 *   authentication: { scheme: "Bearer", credentials: "token" }
 * }
 * config.authentication?.scheme // => "Bearer"
 * ```
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import * as Id from "./Id.ts"

/** An HTTP authentication scheme (`Bearer`, `Basic` …) and what to send with it. */
export const AuthenticationInfo = Schema.Struct({
  scheme: Schema.String,
  credentials: Schema.optionalKey(Schema.String)
})
export type AuthenticationInfo = typeof AuthenticationInfo.Type

const fields = {
  id: Schema.optionalKey(Schema.NonEmptyString),
  url: Schema.String,
  /** Sent back in `X-A2A-Notification-Token`, so that the receiver knows its own. */
  token: Schema.optionalKey(Schema.String),
  authentication: Schema.optionalKey(AuthenticationInfo)
}

/** The wish that travels with a message; its task does not exist yet. */
export const PushNotificationConfig = Schema.Struct(fields)
export type PushNotificationConfig = typeof PushNotificationConfig.Type

/** A configuration of one task. */
export const TaskPushNotificationConfig = Schema.Struct({ ...fields, taskId: Id.TaskId })
export type TaskPushNotificationConfig = typeof TaskPushNotificationConfig.Type
