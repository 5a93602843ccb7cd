/**
 * Messages of an ADK agent: `Content` and its parts. Every member is optional, unknown members are kept, and enumerations
 * accept unknown words. Bytes stay base64 text, which {@link bytes} decodes: a signature must return unchanged.
 *
 * ```ts
 * import { AdkContent } from "@effect-a2a/transport-adk"
 *
 * const content = AdkContent.user(AdkContent.text("What is this?"), AdkContent.inline(new Uint8Array([255]), "image/png"))
 * content // => { role: "user", parts: [{ text: "What is this?" }, { inlineData: { data: "/w==", mimeType: "image/png" } }] }
 * AdkContent.textOf(content) // => "What is this?"
 * AdkContent.bytes({ data: "_w" }) // => new Uint8Array([255])
 * ```
 *
 * @since 0.1.0
 */
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { toResponse } from "./internal/schema/functionResponse.ts"
import { looseStruct, openEnum } from "./internal/schema/looseStruct.ts"

// -----------------------------------------------------------------------------
// bytes
// -----------------------------------------------------------------------------

/** Converts base64 to the standard alphabet with padding, and returns other text unchanged. */
const toStandard = (text: string): string => {
  if (!/[-_]/.test(text) && text.length % 4 === 0) return text
  const plain = text.replaceAll("-", "+").replaceAll("_", "/").replace(/=+$/, "")
  return /^[A-Za-z0-9+/]*$/.test(plain) && plain.length % 4 !== 1
    ? plain.padEnd(Math.ceil(plain.length / 4) * 4, "=")
    : text
}

const Bytes = Schema.String.pipe(
  Schema.decodeTo(Schema.String, SchemaTransformation.transform({ decode: toStandard, encode: (text) => text }))
)

/** Inline bytes. `data` is base64: both alphabets are accepted, the standard one is written. */
export const Blob = looseStruct({ data: Bytes, mimeType: Schema.String, displayName: Schema.String }).annotate({
  identifier: "AdkBlob"
})
export type Blob = typeof Blob.Type

/** Returns the bytes of a blob, or `undefined` if its data is not base64. */
export const bytes = ({ data = "" }: Pick<Blob, "data">): Uint8Array | undefined =>
  Result.getOrUndefined(Base64.decode(toStandard(data)))

/** A file by reference. */
export const FileData = looseStruct({ fileUri: Schema.String, mimeType: Schema.String, displayName: Schema.String })
  .annotate({ identifier: "AdkFileData" })
export type FileData = typeof FileData.Type

// -----------------------------------------------------------------------------
// calls
// -----------------------------------------------------------------------------

/** One argument, or a piece of it, of a call whose arguments are streamed. */
export const PartialArg = looseStruct({
  jsonPath: Schema.String,
  boolValue: Schema.Boolean,
  nullValue: openEnum("NULL_VALUE"),
  numberValue: Schema.Finite,
  stringValue: Schema.String,
  willContinue: Schema.Boolean
}).annotate({ identifier: "AdkPartialArg" })
export type PartialArg = typeof PartialArg.Type

/** A call of a tool. `args` are not renamed, and nulls in them are kept. */
export const FunctionCall = looseStruct({
  id: Schema.String,
  name: Schema.String,
  args: Schema.JsonObject,
  partialArgs: Schema.Array(PartialArg),
  willContinue: Schema.Boolean
}).annotate({ identifier: "AdkFunctionCall" })
export type FunctionCall = typeof FunctionCall.Type

/** A file in the result of a call, inline or by reference. */
export const FunctionResponsePart = looseStruct({ inlineData: Blob, fileData: FileData }).annotate({
  identifier: "AdkFunctionResponsePart"
})
export type FunctionResponsePart = typeof FunctionResponsePart.Type

/** The scheduling of a tool's result in a live conversation. */
export const Scheduling = openEnum("SCHEDULING_UNSPECIFIED", "SILENT", "WHEN_IDLE", "INTERRUPT").annotate({
  identifier: "AdkScheduling"
})

const Response = Schema.Json.pipe(
  Schema.decodeTo(
    Schema.JsonObject,
    SchemaTransformation.transform<Schema.JsonObject, Schema.Json>({ decode: toResponse, encode: (json) => json })
  )
)

/** The result of a call. `id` and `name` are the call's. A response that is not an object is decoded as `{ result }`. */
export const FunctionResponse = looseStruct({
  id: Schema.String,
  name: Schema.String,
  response: Response,
  willContinue: Schema.Boolean,
  scheduling: Scheduling,
  parts: Schema.Array(FunctionResponsePart)
}).annotate({ identifier: "AdkFunctionResponse" })
export type FunctionResponse = typeof FunctionResponse.Type

/** A tool that the model's own service runs. */
export const ToolType = openEnum(
  "TOOL_TYPE_UNSPECIFIED",
  "GOOGLE_SEARCH_WEB",
  "GOOGLE_SEARCH_IMAGE",
  "URL_CONTEXT",
  "GOOGLE_MAPS",
  "FILE_SEARCH",
  "MEDIA_PROCESSING"
).annotate({ identifier: "AdkToolType" })

/** A call of a tool that the model's service runs. */
export const ToolCall = looseStruct({ id: Schema.String, toolType: ToolType, args: Schema.JsonObject }).annotate({
  identifier: "AdkToolCall"
})
/** The result of a tool that the model's service runs. */
export const ToolResponse = looseStruct({ id: Schema.String, toolType: ToolType, response: Schema.JsonObject })
  .annotate({ identifier: "AdkToolResponse" })

// -----------------------------------------------------------------------------
// code and media
// -----------------------------------------------------------------------------

/** Code that the model wrote to be executed. */
export const ExecutableCode = looseStruct({
  code: Schema.String,
  language: openEnum("LANGUAGE_UNSPECIFIED", "PYTHON"),
  id: Schema.String
}).annotate({ identifier: "AdkExecutableCode" })

/** The result of executed code. */
export const CodeExecutionResult = looseStruct({
  outcome: openEnum("OUTCOME_UNSPECIFIED", "OUTCOME_OK", "OUTCOME_FAILED", "OUTCOME_DEADLINE_EXCEEDED"),
  output: Schema.String,
  id: Schema.String
}).annotate({ identifier: "AdkCodeExecutionResult" })

/** The resolution at which the model sees a media part. */
export const MediaResolution = looseStruct({
  level: openEnum(
    "MEDIA_RESOLUTION_UNSPECIFIED",
    "MEDIA_RESOLUTION_LOW",
    "MEDIA_RESOLUTION_MEDIUM",
    "MEDIA_RESOLUTION_HIGH",
    "MEDIA_RESOLUTION_ULTRA_HIGH"
  ),
  numTokens: Schema.Finite
}).annotate({ identifier: "AdkMediaResolution" })

/** The section of a video. Offsets are durations such as `3.5s`; `fps` is in frames per second. */
export const VideoMetadata = looseStruct({ startOffset: Schema.String, endOffset: Schema.String, fps: Schema.Finite })
  .annotate({ identifier: "AdkVideoMetadata" })

// -----------------------------------------------------------------------------
// content
// -----------------------------------------------------------------------------

/** A part. The member that is present says which kind it is. Text with `thought: true` is reasoning, not an answer. */
export const Part = looseStruct({
  text: Schema.String,
  thought: Schema.Boolean,
  thoughtSignature: Schema.String,
  inlineData: Blob,
  fileData: FileData,
  functionCall: FunctionCall,
  functionResponse: FunctionResponse,
  executableCode: ExecutableCode,
  codeExecutionResult: CodeExecutionResult,
  toolCall: ToolCall,
  toolResponse: ToolResponse,
  mediaResolution: MediaResolution,
  videoMetadata: VideoMetadata,
  partMetadata: Schema.JsonObject
}).annotate({ identifier: "AdkPart" })
export type Part = typeof Part.Type

/** A message. Default of `role` in a request: `user`. */
export const Content = looseStruct({ role: openEnum("user", "model"), parts: Schema.Array(Part) }).annotate({
  identifier: "AdkContent"
})
export type Content = typeof Content.Type

// -----------------------------------------------------------------------------
// constructors and readers
// -----------------------------------------------------------------------------

/** Creates a text part. */
export const text = (text: string): Part => ({ text })

/** Creates a part with inline bytes. */
export const inline = (bytes: Uint8Array, mimeType: string, displayName?: string): Part => ({
  inlineData: { data: Base64.encode(bytes), mimeType, ...(displayName !== undefined && { displayName }) }
})

/** Creates a part that references a file. */
export const file = (fileUri: string, mimeType: string, displayName?: string): Part => ({
  fileData: { fileUri, mimeType, ...(displayName !== undefined && { displayName }) }
})

/** Creates the answer to a call. Take `id` and `name` from an event that is not partial: partial events hold previews. */
export const respond = (call: Pick<FunctionCall, "id" | "name">, response: Schema.JsonObject): Part => ({
  functionResponse: {
    ...(call.id !== undefined && { id: call.id }),
    ...(call.name !== undefined && { name: call.name }),
    response
  }
})

/** Creates a message of the user. */
export const user = (...parts: ReadonlyArray<Part>): Content => ({ role: "user", parts })

/** Returns the parts of a message, if any. */
export const partsOf = (content: Content | undefined): ReadonlyArray<Part> => content?.parts ?? []

const joinText = (content: Content | undefined, thought: boolean) =>
  partsOf(content).map((part) => (part.thought === true) === thought ? part.text ?? "" : "").join("")

/** Returns the text of a message without thoughts. */
export const textOf = (content: Content | undefined): string => joinText(content, false)

/** Returns the text of a message's thoughts. */
export const thoughtOf = (content: Content | undefined): string => joinText(content, true)
