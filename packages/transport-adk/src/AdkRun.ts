/**
 * What a run is asked with (ADK-01), for `/run` and `/run_sse` alike.
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
import { segment } from "./internal/http/pathSegment.ts"
import { looseStruct } from "./internal/schema/looseStruct.ts"

/**
 * The session has to be there. `newMessage` may be left out where `invocationId` resumes a run. `streaming` asks the model
 * for pieces of text. `stateDelta` is written with the message. `functionCallEventId` is the event whose call is answered.
 */
export const RunRequest = looseStruct({
  appName: Schema.String,
  newMessage: Content,
  streaming: Schema.Boolean,
  stateDelta: Schema.JsonObject,
  functionCallEventId: Schema.String,
  invocationId: Schema.String,
  customMetadata: Schema.JsonObject
}, { userId: Schema.String, sessionId: Schema.String })
export type RunRequest = typeof RunRequest.Type

/** What servers do not check, or answer with what does not help. */
export const violations = (request: RunRequest): ReadonlyArray<AgentError.Violation> => {
  const { appName, invocationId, newMessage, sessionId, stateDelta, userId } = request
  return [
    ...segment("userId", userId),
    ...segment("sessionId", sessionId),
    ...(appName === undefined ? [] : segment("appName", appName)),
    ...(newMessage !== undefined && (newMessage.parts ?? []).length === 0
      ? [{ field: "newMessage.parts", description: "at least one part" }]
      : (newMessage?.parts ?? []).flatMap((part, index) =>
        Object.keys(part).length === 0 ? [{ field: `newMessage.parts.${index}`, description: "a payload" }] : []
      )),
    ...(stateDelta !== undefined && newMessage === undefined && invocationId === undefined
      ? [{ field: "stateDelta", description: "goes with a newMessage or an invocationId; servers drop it otherwise" }]
      : [])
  ]
}
