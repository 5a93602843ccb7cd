/**
 * Webhooks: the configurations by which an agent reports a task's progress (A2A 1.0 §4.3).
 *
 * ```ts
 * import { Id, PushNotification } from "@effect-a2a/core"
 * import { Schema } from "effect"
 *
 * const config = { url: "https://app.test/hook", authentication: { scheme: "Bearer", credentials: "token" } }
 * Schema.is(PushNotification.PushNotificationConfig)(config) // => true
 * // a configuration of an existing task names the task
 * Schema.is(PushNotification.TaskPushNotificationConfig)(config) // => false
 * Schema.is(PushNotification.TaskPushNotificationConfig)({ ...config, taskId: Id.TaskId.make("t-1") }) // => true
 * ```
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import * as Id from "./Id.ts"

/** An HTTP authentication scheme (`Bearer`, `Basic` …) and the credentials that the agent sends with it. */
export class AuthenticationInfo extends Schema.Opaque<AuthenticationInfo>()(
  Schema.Struct({
    scheme: Schema.String,
    credentials: Schema.optionalKey(Schema.String)
  }).annotate({ identifier: "AuthenticationInfo" })
) {}

const fields = {
  id: Schema.optionalKey(Schema.NonEmptyString),
  url: Schema.String,
  /** Returned in `X-A2A-Notification-Token`, so that the receiver recognises its own configurations. */
  token: Schema.optionalKey(Schema.String),
  authentication: Schema.optionalKey(AuthenticationInfo)
}

/** A configuration that travels with a message, whose task does not exist yet. */
export class PushNotificationConfig extends Schema.Opaque<PushNotificationConfig>()(
  Schema.Struct(fields).annotate({ identifier: "PushNotificationConfig" })
) {}

/** A configuration of one task. */
export class TaskPushNotificationConfig extends Schema.Opaque<TaskPushNotificationConfig>()(
  Schema.Struct({ ...fields, taskId: Id.TaskId }).annotate({ identifier: "TaskPushNotificationConfig" })
) {}
