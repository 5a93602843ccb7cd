/**
 * Requests to run an agent, for `/run` and `/run_sse`.
 *
 * ```ts
 * import { AdkContent, AdkRun } from "@effect-a2a/transport-adk"
 *
 * const request = { userId: "u-1", sessionId: "s-1", newMessage: AdkContent.user(AdkContent.text("hi")) }
 * AdkRun.violations(request) // => []
 * AdkRun.violations({ userId: "", sessionId: "a/b" }).map(({ field }) => field) // => ["userId", "sessionId"]
 * ```
 *
 * @since 0.1.0
 */
import type * as AgentError from "@effect-a2a/core/AgentError"
import * as Schema from "effect/Schema"
import { Content } from "./AdkContent.ts"
import * as PathSegment from "./internal/http/pathSegment.ts"
import { looseStruct } from "./internal/schema/looseStruct.ts"

/**
 * A request to run an agent in an existing session. `newMessage` may be omitted if `invocationId` resumes a run.
 * `streaming` requests text in pieces (default: false). `stateDelta` is written to the session together with the message.
 * `functionCallEventId` is the event whose call is answered.
 */
export const RunRequest = looseStruct({
  appName: Schema.String,
  newMessage: Content,
  streaming: Schema.Boolean,
  stateDelta: Schema.JsonObject,
  functionCallEventId: Schema.String,
  invocationId: Schema.String,
  customMetadata: Schema.JsonObject
}, { userId: Schema.String, sessionId: Schema.String }).annotate({ identifier: "AdkRunRequest" })
export type RunRequest = typeof RunRequest.Type

/** Returns the violations that servers ignore or report unclearly. */
export const violations = (request: RunRequest): ReadonlyArray<AgentError.Violation> => {
  const { appName, invocationId, newMessage, sessionId, stateDelta, userId } = request
  return [
    ...PathSegment.violations("userId", userId),
    ...PathSegment.violations("sessionId", sessionId),
    ...(appName === undefined ? [] : PathSegment.violations("appName", appName)),
    ...(newMessage !== undefined && (newMessage.parts ?? []).length === 0
      ? [{ field: "newMessage.parts", description: "must have at least one part" }]
      : (newMessage?.parts ?? []).flatMap((part, index) =>
        Object.keys(part).length === 0 ? [{ field: `newMessage.parts.${index}`, description: "must not be empty" }] : []
      )),
    ...(stateDelta !== undefined && newMessage === undefined && invocationId === undefined
      ? [{ field: "stateDelta", description: "requires newMessage or invocationId: servers ignore it otherwise" }]
      : [])
  ]
}
