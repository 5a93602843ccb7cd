/**
 * One record of a run: `Event`, with every field of the server's page (ADK-04). Read by any server's spelling, written as
 * it was read; null and absent are the same (ADK-05).
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
import { millis } from "./internal/schema/timestamp.ts"

export const NodeInfo = looseStruct({ path: Schema.String, outputFor: strings, messageAsOutput: Schema.Boolean })
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

/** `timestamp` is the raw number: seconds on Python, milliseconds on JavaScript; read it with {@link timeMillis}. */
export const Event = looseStruct(fields)
export type Event = typeof Event.Type

/** An event as JSON, as it was read. */
export const toJson: (event: Event) => Schema.JsonObject = Schema.encodeSync(Event) as never

/** When it happened, in milliseconds since 1970; `undefined` where the server does not say. */
export const timeMillis = ({ timestamp }: Event): number | undefined =>
  timestamp === undefined ? undefined : millis(timestamp)

/** Whether it is a piece of what a later event repeats as a whole. A missing flag is the same as `false`. */
export const isPartial = ({ partial }: Event): boolean => partial === true

/** The text it says, thoughts left out. */
export const text = ({ content }: Event): string => AdkContent.textOf(content)

/** Where the workflow goes next, in either of the places servers put it. */
export const route = (event: Event): Route | undefined => event.actions?.route ?? event.route

/** The calls in it. Those of a partial event are previews: act on none of them. */
export const calls = ({ content }: Event): ReadonlyArray<AdkContent.FunctionCall> =>
  AdkContent.partsOf(content).flatMap(({ functionCall }) => functionCall === undefined ? [] : [functionCall])

/** What calls gave. */
export const responses = ({ content }: Event): ReadonlyArray<AdkContent.FunctionResponse> =>
  AdkContent.partsOf(content).flatMap(({ functionResponse }) =>
    functionResponse === undefined ? [] : [functionResponse]
  )

/** The calls that pause the run until somebody answers them; none in a partial event. */
export const pending = (event: Event): ReadonlyArray<AdkContent.FunctionCall> => {
  const ids = event.longRunningToolIds ?? []
  return isPartial(event) ? [] : calls(event).filter(({ id }) => id !== undefined && ids.includes(id))
}

/**
 * What went wrong, if something did. `truncated`: there is content all the same, such as an answer that was cut. The
 * code `STOP` is no error.
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

/** ADK's own rule for "an answer of an agent". There can be several in a run, and only its end is sure. */
export const isFinal = (event: Event): boolean => {
  if (event.actions?.skipSummarization === true || (event.longRunningToolIds ?? []).length > 0) return true
  return !isPartial(event) && calls(event).length === 0 && responses(event).length === 0 &&
    AdkContent.partsOf(event.content).at(-1)?.codeExecutionResult === undefined
}

const known = new Set(
  Object.keys(fields).flatMap((name) => [name, name.replace(/[A-Z]/g, (x) => `_${x.toLowerCase()}`)])
)

/** Whether an object says anything that an event says. A run that throws nothing ends its stream with an empty object. */
export const isEvent = (json: object): boolean => Object.keys(json).some((name) => known.has(name))
