/**
 * A model's report on its work: tokens, probabilities, cache, transcription, live session.
 *
 * ```ts
 * import { AdkMetadata } from "@effect-a2a/transport-adk"
 * import { Schema } from "effect"
 *
 * const usage = Schema.decodeUnknownSync(AdkMetadata.UsageMetadata)({ totalTokenCount: 7, trafficType: "TYPE_OF_2030" })
 * usage // => { totalTokenCount: 7, trafficType: "TYPE_OF_2030" }
 * ```
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { looseStruct, openEnum } from "./internal/schema/looseStruct.ts"

/** The reason why a model stopped. */
export const FinishReason = openEnum(
  "FINISH_REASON_UNSPECIFIED",
  "STOP",
  "MAX_TOKENS",
  "SAFETY",
  "RECITATION",
  "LANGUAGE",
  "OTHER",
  "BLOCKLIST",
  "PROHIBITED_CONTENT",
  "SPII",
  "MALFORMED_FUNCTION_CALL",
  "IMAGE_SAFETY",
  "UNEXPECTED_TOOL_CALL",
  "IMAGE_PROHIBITED_CONTENT",
  "NO_IMAGE",
  "IMAGE_RECITATION",
  "IMAGE_OTHER",
  "TOO_MANY_TOOL_CALLS",
  "CONTINUATION"
).annotate({ identifier: "AdkFinishReason" })
export type FinishReason = typeof FinishReason.Type

/** The reason why a live turn ended. */
export const TurnCompleteReason = openEnum(
  "TURN_COMPLETE_REASON_UNSPECIFIED",
  "MALFORMED_FUNCTION_CALL",
  "RESPONSE_REJECTED",
  "NEED_MORE_INPUT",
  "PROHIBITED_INPUT_CONTENT",
  "IMAGE_PROHIBITED_INPUT_CONTENT",
  "INPUT_TEXT_CONTAIN_PROMINENT_PERSON_PROHIBITED",
  "INPUT_IMAGE_CELEBRITY",
  "INPUT_IMAGE_PHOTO_REALISTIC_CHILD_PROHIBITED",
  "INPUT_TEXT_NCII_PROHIBITED",
  "INPUT_OTHER",
  "INPUT_IP_PROHIBITED",
  "BLOCKLIST",
  "UNSAFE_PROMPT_FOR_IMAGE_GENERATION",
  "GENERATED_IMAGE_SAFETY",
  "GENERATED_CONTENT_SAFETY",
  "GENERATED_AUDIO_SAFETY",
  "GENERATED_VIDEO_SAFETY",
  "GENERATED_CONTENT_PROHIBITED",
  "GENERATED_CONTENT_BLOCKLIST",
  "GENERATED_IMAGE_PROHIBITED",
  "GENERATED_IMAGE_CELEBRITY",
  "GENERATED_IMAGE_PROMINENT_PEOPLE_DETECTED_BY_REWRITER",
  "GENERATED_IMAGE_IDENTIFIABLE_PEOPLE",
  "GENERATED_IMAGE_MINORS",
  "OUTPUT_IMAGE_IP_PROHIBITED",
  "GENERATED_OTHER",
  "MAX_REGENERATION_REACHED"
).annotate({ identifier: "AdkTurnCompleteReason" })
export type TurnCompleteReason = typeof TurnCompleteReason.Type

/** The kind of content that tokens stand for. */
export const Modality = openEnum("MODALITY_UNSPECIFIED", "TEXT", "IMAGE", "VIDEO", "AUDIO", "DOCUMENT").annotate({
  identifier: "AdkModality"
})

const TokenCounts = Schema.Array(looseStruct({ modality: Modality, tokenCount: Schema.Finite }))

/** The quota that a request is charged to. */
export const TrafficType = openEnum(
  "TRAFFIC_TYPE_UNSPECIFIED",
  "ON_DEMAND",
  "ON_DEMAND_PRIORITY",
  "ON_DEMAND_FLEX",
  "ON_DEMAND_OFFPEAK",
  "PROVISIONED_THROUGHPUT"
).annotate({ identifier: "AdkTrafficType" })

/** Token counts of a model call. */
export const UsageMetadata = looseStruct({
  promptTokenCount: Schema.Finite,
  candidatesTokenCount: Schema.Finite,
  thoughtsTokenCount: Schema.Finite,
  cachedContentTokenCount: Schema.Finite,
  toolUsePromptTokenCount: Schema.Finite,
  totalTokenCount: Schema.Finite,
  promptTokensDetails: TokenCounts,
  candidatesTokensDetails: TokenCounts,
  cacheTokensDetails: TokenCounts,
  toolUsePromptTokensDetails: TokenCounts,
  trafficType: TrafficType
}).annotate({ identifier: "AdkUsageMetadata" })
export type UsageMetadata = typeof UsageMetadata.Type

const LogprobsCandidate = looseStruct({ token: Schema.String, tokenId: Schema.Finite, logProbability: Schema.Finite })

/** Log probabilities of the chosen tokens and their alternatives. */
export const LogprobsResult = looseStruct({
  chosenCandidates: Schema.Array(LogprobsCandidate),
  topCandidates: Schema.Array(looseStruct({ candidates: Schema.Array(LogprobsCandidate) })),
  logProbabilitySum: Schema.Finite
}).annotate({ identifier: "AdkLogprobsResult" })
export type LogprobsResult = typeof LogprobsResult.Type

/** The use of a context cache. Servers write this object in snake_case only. Times are in seconds since 1970. */
export const CacheMetadata = looseStruct({
  fingerprint: Schema.String,
  contents_count: Schema.Finite,
  cache_name: Schema.String,
  expire_time: Schema.Finite,
  invocations_used: Schema.Finite,
  created_at: Schema.Finite
}).annotate({ identifier: "AdkCacheMetadata" })
export type CacheMetadata = typeof CacheMetadata.Type

/** Transcribed speech. */
export const Transcription = looseStruct({ text: Schema.String, finished: Schema.Boolean, languageCode: Schema.String })
  .annotate({ identifier: "AdkTranscription" })
export type Transcription = typeof Transcription.Type

/** The handle to resume a live session with. The index is a number on Python and a string on JavaScript. */
export const LiveSessionResumptionUpdate = looseStruct({
  newHandle: Schema.String,
  resumable: Schema.Boolean,
  lastConsumedClientMessageIndex: Schema.Union([Schema.Finite, Schema.String])
}).annotate({ identifier: "AdkLiveSessionResumptionUpdate" })

/** The server's notice that it is about to close a live session; `timeLeft` is a duration. */
export const GoAway = looseStruct({ timeLeft: Schema.String }).annotate({ identifier: "AdkGoAway" })
