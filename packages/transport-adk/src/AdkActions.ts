/**
 * What an event does besides saying something (ADK-04): changes of state and artifacts, hand-overs, requests for
 * credentials and confirmations. Keys of users (state, file names, ids of calls) are never renamed, and nulls there stay.
 *
 * ```ts
 * import { AdkActions } from "@effect-a2a/transport-adk"
 * import { Schema } from "effect"
 *
 * const actions = Schema.decodeUnknownSync(AdkActions.EventActions)({
 *   stateDelta: { "user:last_name": null },
 *   escalate: null
 * })
 * actions // => { stateDelta: { "user:last_name": null } }
 * ```
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Content } from "./AdkContent.ts"
import { looseStruct, openEnum } from "./internal/schema/looseStruct.ts"

const record = <S extends Schema.Constraint>(schema: S) => Schema.Record(Schema.String, schema)

const RouteStep = Schema.Union([Schema.Boolean, Schema.Finite, Schema.String])

/** Where a workflow goes next: one step, or several. */
export const Route = Schema.Union([RouteStep, Schema.Array(RouteStep)])
export type Route = typeof Route.Type

/** A credential as the tool wants it. Answers edit what was received: servers may have blacked out what is secret. */
export const AuthCredential = looseStruct({
  authType: openEnum("apiKey", "http", "oauth2", "openIdConnect", "serviceAccount"),
  oauth2: looseStruct({
    authUri: Schema.String,
    state: Schema.String,
    authResponseUri: Schema.String,
    redirectUri: Schema.String
  })
})
export type AuthCredential = typeof AuthCredential.Type

export const AuthConfig = looseStruct({
  authScheme: Schema.JsonObject,
  rawAuthCredential: AuthCredential,
  exchangedAuthCredential: AuthCredential,
  credentialKey: Schema.String
})
export type AuthConfig = typeof AuthConfig.Type

export const ToolConfirmation = looseStruct({ hint: Schema.String, confirmed: Schema.Boolean, payload: Schema.Json })
export type ToolConfirmation = typeof ToolConfirmation.Type

/** Events of a time, told anew in short. Times are in seconds. */
export const Compaction = looseStruct({
  startTimestamp: Schema.Finite,
  endTimestamp: Schema.Finite,
  compactedContent: Content
})
export type Compaction = typeof Compaction.Type

export const UiWidget = looseStruct({ id: Schema.String, provider: Schema.String, payload: Schema.JsonObject })
export type UiWidget = typeof UiWidget.Type

/**
 * `artifactDelta` is the new version of each file; `requestedAuthConfigs` and `requestedToolConfirmations` are by the id
 * of the call that waits for them.
 */
export const EventActions = looseStruct({
  skipSummarization: Schema.Boolean,
  stateDelta: Schema.JsonObject,
  artifactDelta: record(Schema.Finite),
  transferToAgent: Schema.String,
  escalate: Schema.Boolean,
  requestedAuthConfigs: record(AuthConfig),
  requestedToolConfirmations: record(ToolConfirmation),
  compaction: Compaction,
  endOfAgent: Schema.Boolean,
  agentState: Schema.JsonObject,
  rewindBeforeInvocationId: Schema.String,
  route: Route,
  renderUiWidgets: Schema.Array(UiWidget),
  setModelResponse: Schema.Json
})
export type EventActions = typeof EventActions.Type
