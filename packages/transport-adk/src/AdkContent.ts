/**
 * What a message of an ADK agent is made of: `Content` and its parts (ADK-04). Every member is optional, unknown ones are
 * kept, and the open enumerations take any word (ADK-05). Bytes stay base64 text, which {@link bytes} reads in either
 * alphabet: a signature has to go back as it came.
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
import { looseStruct, openEnum } from "./internal/schema/looseStruct.ts"

// -----------------------------------------------------------------------------
// bytes
// -----------------------------------------------------------------------------

/** Base64 with the standard alphabet and its padding; what is no base64 stays as it is. */
const standard = (text: string): string => {
  if (!/[-_]/.test(text) && text.length % 4 === 0) return text
  const plain = text.replaceAll("-", "+").replaceAll("_", "/").replace(/=+$/, "")
  return /^[A-Za-z0-9+/]*$/.test(plain) && plain.length % 4 !== 1
    ? plain.padEnd(Math.ceil(plain.length / 4) * 4, "=")
    : text
}

const Bytes = Schema.String.pipe(
  Schema.decodeTo(Schema.String, SchemaTransformation.transform({ decode: standard, encode: (text) => text }))
)

/** Bytes in a part. `data` is base64: either alphabet is read, the standard one is written. */
export const Blob = looseStruct({ data: Bytes, mimeType: Schema.String, displayName: Schema.String })
export type Blob = typeof Blob.Type

/** The bytes; `undefined` where they are no base64. */
export const bytes = ({ data = "" }: Pick<Blob, "data">): Uint8Array | undefined =>
  Result.getOrUndefined(Base64.decode(standard(data)))

/** A file elsewhere. */
export const FileData = looseStruct({ fileUri: Schema.String, mimeType: Schema.String, displayName: Schema.String })
export type FileData = typeof FileData.Type

// -----------------------------------------------------------------------------
// calls
// -----------------------------------------------------------------------------

/** A piece of arguments that are streamed. */
export const PartialArg = looseStruct({
  jsonPath: Schema.String,
  boolValue: Schema.Boolean,
  nullValue: openEnum("NULL_VALUE"),
  numberValue: Schema.Finite,
  stringValue: Schema.String,
  willContinue: Schema.Boolean
})
export type PartialArg = typeof PartialArg.Type

/** `args` are the tool's own: never renamed, nulls kept. */
export const FunctionCall = looseStruct({
  id: Schema.String,
  name: Schema.String,
  args: Schema.JsonObject,
  partialArgs: Schema.Array(PartialArg),
  willContinue: Schema.Boolean
})
export type FunctionCall = typeof FunctionCall.Type

export const FunctionResponsePart = looseStruct({ inlineData: Blob, fileData: FileData })
export type FunctionResponsePart = typeof FunctionResponsePart.Type

export const Scheduling = openEnum("SCHEDULING_UNSPECIFIED", "SILENT", "WHEN_IDLE", "INTERRUPT")

/** What a call gave; `id` and `name` are the call's. */
export const FunctionResponse = looseStruct({
  id: Schema.String,
  name: Schema.String,
  response: Schema.JsonObject,
  willContinue: Schema.Boolean,
  scheduling: Scheduling,
  parts: Schema.Array(FunctionResponsePart)
})
export type FunctionResponse = typeof FunctionResponse.Type

/** Tools that run where the model runs. */
export const ToolType = openEnum(
  "TOOL_TYPE_UNSPECIFIED",
  "GOOGLE_SEARCH_WEB",
  "GOOGLE_SEARCH_IMAGE",
  "URL_CONTEXT",
  "GOOGLE_MAPS",
  "FILE_SEARCH",
  "MEDIA_PROCESSING"
)

export const ToolCall = looseStruct({ id: Schema.String, toolType: ToolType, args: Schema.JsonObject })
export const ToolResponse = looseStruct({ id: Schema.String, toolType: ToolType, response: Schema.JsonObject })

// -----------------------------------------------------------------------------
// code and media
// -----------------------------------------------------------------------------

export const ExecutableCode = looseStruct({
  code: Schema.String,
  language: openEnum("LANGUAGE_UNSPECIFIED", "PYTHON"),
  id: Schema.String
})

export const CodeExecutionResult = looseStruct({
  outcome: openEnum("OUTCOME_UNSPECIFIED", "OUTCOME_OK", "OUTCOME_FAILED", "OUTCOME_DEADLINE_EXCEEDED"),
  output: Schema.String,
  id: Schema.String
})

export const MediaResolution = looseStruct({
  level: openEnum(
    "MEDIA_RESOLUTION_UNSPECIFIED",
    "MEDIA_RESOLUTION_LOW",
    "MEDIA_RESOLUTION_MEDIUM",
    "MEDIA_RESOLUTION_HIGH",
    "MEDIA_RESOLUTION_ULTRA_HIGH"
  ),
  numTokens: Schema.Finite
})

/** Offsets are such as `3.5s`. */
export const VideoMetadata = looseStruct({ startOffset: Schema.String, endOffset: Schema.String, fps: Schema.Finite })

// -----------------------------------------------------------------------------
// content
// -----------------------------------------------------------------------------

/** One payload, told by which member is there. `text` with `thought: true` is reasoning, not an answer. */
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
})
export type Part = typeof Part.Type

/** A message. `role` is `user` or `model`; without one it is the user's in a request. */
export const Content = looseStruct({ role: openEnum("user", "model"), parts: Schema.Array(Part) })
export type Content = typeof Content.Type

// -----------------------------------------------------------------------------
// to write and to read
// -----------------------------------------------------------------------------

export const text = (text: string): Part => ({ text })

export const inline = (bytes: Uint8Array, mimeType: string, displayName?: string): Part => ({
  inlineData: { data: Base64.encode(bytes), mimeType, ...(displayName !== undefined && { displayName }) }
})

export const file = (fileUri: string, mimeType: string, displayName?: string): Part => ({
  fileData: { fileUri, mimeType, ...(displayName !== undefined && { displayName }) }
})

/** Answers a call: with the id and the name of the call from an event that is not partial. */
export const respond = (call: Pick<FunctionCall, "id" | "name">, response: Schema.JsonObject): Part => ({
  functionResponse: {
    ...(call.id !== undefined && { id: call.id }),
    ...(call.name !== undefined && { name: call.name }),
    response
  }
})

/** A message of the user. */
export const user = (...parts: ReadonlyArray<Part>): Content => ({ role: "user", parts })

/** The parts, where there are any. */
export const partsOf = (content: Content | undefined): ReadonlyArray<Part> => content?.parts ?? []

const join = (content: Content | undefined, thought: boolean) =>
  partsOf(content).map((part) => (part.thought === true) === thought ? part.text ?? "" : "").join("")

/** The text of an answer, thoughts left out. */
export const textOf = (content: Content | undefined): string => join(content, false)

/** The text of thoughts. */
export const thoughtOf = (content: Content | undefined): string => join(content, true)
