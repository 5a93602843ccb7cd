/**
 * One record of a run. Decodes camelCase and snake_case members, keeps unknown ones, and treats null as absent.
 *
 * ```ts
 * import { AdkEvent } from "@effect-a2a/transport-adk"
 * import { Schema } from "effect"
 *
 * const event = Schema.decodeUnknownSync(AdkEvent.Event)({
 *   id: "1",
 *   author: "weather",
 *   timestamp: 1_767_225_600.5,
 *   content: { role: "model", parts: [{ text: "Sunny." }] },
 *   errorCode: null
 * })
 * AdkEvent.text(event) // => "Sunny."
 * AdkEvent.timeMillis(event) // => 1767225600500
 * AdkEvent.isFinal(event) // => true
 * ```
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { EventActions, Route } from "./AdkActions.ts"
import * as AdkContent from "./AdkContent.ts"
import * as AdkGrounding from "./AdkGrounding.ts"
import * as AdkMetadata from "./AdkMetadata.ts"
import { looseStruct, strings } from "./internal/schema/looseStruct.ts"
import { toMillis } from "./internal/schema/timestamp.ts"

/** The node of a workflow that an event comes from. */
export const NodeInfo = looseStruct({ path: Schema.String, outputFor: strings, messageAsOutput: Schema.Boolean })
  .annotate({ identifier: "AdkNodeInfo" })
export type NodeInfo = typeof NodeInfo.Type

const fields = {
  id: Schema.String,
  invocationId: Schema.String,
  author: Schema.String,
  timestamp: Schema.Finite,
  content: AdkContent.Content,
  partial: Schema.Boolean,
  turnComplete: Schema.Boolean,
  turnCompleteReason: AdkMetadata.TurnCompleteReason,
  finishReason: AdkMetadata.FinishReason,
  errorCode: Schema.String,
  errorMessage: Schema.String,
  interrupted: Schema.Boolean,
  actions: EventActions,
  longRunningToolIds: strings,
  branch: Schema.String,
  isolationScope: Schema.String,
  nodeInfo: NodeInfo,
  output: Schema.Json,
  route: Route,
  customMetadata: Schema.JsonObject,
  modelVersion: Schema.String,
  interactionId: Schema.String,
  liveSessionId: Schema.String,
  avgLogprobs: Schema.Finite,
  logprobsResult: AdkMetadata.LogprobsResult,
  usageMetadata: AdkMetadata.UsageMetadata,
  groundingMetadata: AdkGrounding.GroundingMetadata,
  citationMetadata: AdkGrounding.CitationMetadata,
  inputTranscription: AdkMetadata.Transcription,
  outputTranscription: AdkMetadata.Transcription,
  liveSessionResumptionUpdate: AdkMetadata.LiveSessionResumptionUpdate,
  goAway: AdkMetadata.GoAway,
  cacheMetadata: AdkMetadata.CacheMetadata,
  isNodeError: Schema.Boolean,
  errorType: Schema.String,
  attemptCount: Schema.Finite
}

/**
 * An event of a run. `timestamp` is the server's number, in seconds or milliseconds; read it with {@link timeMillis}.
 */
export const Event = looseStruct(fields).annotate({ identifier: "AdkEvent" })
export type Event = typeof Event.Type

/** Converts an event to JSON. */
export const toJson = (event: Event): Schema.JsonObject => Schema.encodeSync(Event)(event) as Schema.JsonObject

/** Returns the time of an event in milliseconds since 1970, or `undefined` if the server sends none. */
export const timeMillis = ({ timestamp }: Event): number | undefined =>
  timestamp === undefined ? undefined : toMillis(timestamp)

/** Returns `true` if a later event repeats this one's text in full. A missing flag counts as `false`. */
export const isPartial = ({ partial }: Event): boolean => partial === true

/** Returns the text of an event without thoughts. */
export const text = ({ content }: Event): string => AdkContent.textOf(content)

/** Returns the next step of the workflow. Servers put it into the event or into its actions. */
export const route = (event: Event): Route | undefined => event.actions?.route ?? event.route

/** Returns the calls in an event. Those of a partial event are previews and must not be acted on. */
export const calls = ({ content }: Event): ReadonlyArray<AdkContent.FunctionCall> =>
  AdkContent.partsOf(content).flatMap(({ functionCall }) => functionCall === undefined ? [] : [functionCall])

/** Returns the results of calls in an event. */
export const responses = ({ content }: Event): ReadonlyArray<AdkContent.FunctionResponse> =>
  AdkContent.partsOf(content).flatMap(({ functionResponse }) =>
    functionResponse === undefined ? [] : [functionResponse]
  )

/** Returns the calls that pause the run until they are answered. A partial event has none; an empty id names no call. */
export const pending = (event: Event): ReadonlyArray<AdkContent.FunctionCall> => {
  const ids = event.longRunningToolIds ?? []
  return isPartial(event) ? [] : calls(event).filter(({ id }) => id !== undefined && id !== "" && ids.includes(id))
}

/**
 * Returns the results of calls that are the agent's answer, because a tool set `skipSummarization`. Results of calls that
 * wait for a confirmation or a credential are not.
 */
export const answers = (event: Event): ReadonlyArray<AdkContent.FunctionResponse> => {
  const { requestedAuthConfigs = {}, requestedToolConfirmations = {}, skipSummarization } = event.actions ?? {}
  return isPartial(event) || skipSummarization !== true
    ? []
    : responses(event).filter(({ id = "" }) =>
      !Object.hasOwn(requestedAuthConfigs, id) && !Object.hasOwn(requestedToolConfirmations, id)
    )
}

/**
 * Returns the error that an event reports, if any; the code `STOP` alone is not an error. `truncated` is `true` if the
 * event has content too, such as an answer that reached the token limit.
 */
export const failure = (
  event: Event
): { readonly code?: string; readonly message: string; readonly truncated: boolean } | undefined => {
  const { errorCode: code, errorMessage } = event
  if ((code === undefined && errorMessage === undefined) || (code === "STOP" && errorMessage === undefined)) {
    return undefined
  }
  return {
    ...(code !== undefined && { code }),
    message: errorMessage ?? code ?? "",
    truncated: AdkContent.partsOf(event.content).length > 0
  }
}

/**
 * Returns `true` if ADK counts an event as an agent's final response. A run can have several; only the end of the stream
 * ends it.
 */
export const isFinal = (event: Event): boolean => {
  if (event.actions?.skipSummarization === true || (event.longRunningToolIds ?? []).length > 0) return true
  return !isPartial(event) && calls(event).length === 0 && responses(event).length === 0 &&
    AdkContent.partsOf(event.content).at(-1)?.codeExecutionResult === undefined
}

const memberNames = new Set(
  Object.keys(fields).flatMap((name) => [name, name.replace(/[A-Z]/g, (x) => `_${x.toLowerCase()}`)])
)

/** Returns `true` if an object has a member of an event, in either spelling. */
export const isEvent = (json: object): boolean => Object.keys(json).some((name) => memberNames.has(name))
