/**
 * Actions of an event: changes of state and artifacts, transfers to other agents, requests for credentials and
 * confirmations. Keys that users choose (state, file names, ids of calls) are not renamed, and nulls in them are kept.
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

/** The next step of a workflow, or several. */
export const Route = Schema.Union([RouteStep, Schema.Array(RouteStep)]).annotate({ identifier: "AdkRoute" })
export type Route = typeof Route.Type

/** A credential that a tool requests. To answer, edit what was received: servers may have redacted secrets in it. */
export const AuthCredential = looseStruct({
  authType: openEnum("apiKey", "http", "oauth2", "openIdConnect", "serviceAccount"),
  oauth2: looseStruct({
    authUri: Schema.String,
    state: Schema.String,
    authResponseUri: Schema.String,
    redirectUri: Schema.String
  })
}).annotate({ identifier: "AdkAuthCredential" })
export type AuthCredential = typeof AuthCredential.Type

/** A request for a credential: the scheme, the credential as configured, and the credential to complete. */
export const AuthConfig = looseStruct({
  authScheme: Schema.JsonObject,
  rawAuthCredential: AuthCredential,
  exchangedAuthCredential: AuthCredential,
  credentialKey: Schema.String
}).annotate({ identifier: "AdkAuthConfig" })
export type AuthConfig = typeof AuthConfig.Type

/** A request for a person's confirmation of a tool call. `hint` is the question. */
export const ToolConfirmation = looseStruct({ hint: Schema.String, confirmed: Schema.Boolean, payload: Schema.Json })
  .annotate({ identifier: "AdkToolConfirmation" })
export type ToolConfirmation = typeof ToolConfirmation.Type

/** A summary that replaces the events of a period. Timestamps are in seconds since 1970. */
export const Compaction = looseStruct({
  startTimestamp: Schema.Finite,
  endTimestamp: Schema.Finite,
  compactedContent: Content
}).annotate({ identifier: "AdkCompaction" })
export type Compaction = typeof Compaction.Type

/** A widget for a user interface; `provider` defines its payload. */
export const UiWidget = looseStruct({ id: Schema.String, provider: Schema.String, payload: Schema.JsonObject })
  .annotate({ identifier: "AdkUiWidget" })
export type UiWidget = typeof UiWidget.Type

/**
 * Actions of an event. `artifactDelta` maps file names to their new versions. `requestedAuthConfigs` and
 * `requestedToolConfirmations` are keyed by the id of the call that waits for them.
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
}).annotate({ identifier: "AdkEventActions" })
export type EventActions = typeof EventActions.Type
