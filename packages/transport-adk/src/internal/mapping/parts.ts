/**
 * Converts parts between ADK's content and A2A, with the `adk_*` metadata that ADK writes when it speaks A2A. Tested in
 * test/adk/mapping.test.ts.
 */
import type { Metadata } from "@effect-a2a/core/Metadata"
import { isObject } from "@effect-a2a/core/Metadata"
import * as Part from "@effect-a2a/core/Part"
import * as Recognizer from "@effect-a2a/core/Recognizer"
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import * as AdkContent from "../../AdkContent.ts"
import * as AdkRecognizer from "../../AdkRecognizer.ts"
import { fromResponse, toResponse } from "../schema/functionResponse.ts"

/** The form of data parts that answer no call: JSON as text, or wrapped so that ADK returns it unchanged. */
export type DataForm = "text" | "wrapped"

/** Members of an ADK part that A2A carries as data, by their `adk_type`. */
const members = {
  function_call: "functionCall",
  function_response: "functionResponse",
  executable_code: "executableCode",
  code_execution_result: "codeExecutionResult",
  tool_call: "toolCall",
  tool_response: "toolResponse"
} as const
type Type = keyof typeof members

const isType = (type: unknown): type is Type => typeof type === "string" && Object.hasOwn(members, type)

// -----------------------------------------------------------------------------
// wrapped data
// -----------------------------------------------------------------------------

const [openTag, closeTag] = ["<a2a_datapart_json>", "</a2a_datapart_json>"] as const

const parse = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Json))

const wrap = ({ data, metadata }: Part.Data): AdkContent.Part => {
  const json = JSON.stringify({ kind: "data", data, ...(metadata && { metadata }) })
  return AdkContent.inline(new TextEncoder().encode(`${openTag}${json}${closeTag}`), "text/plain")
}

const unwrap = (bytes: Uint8Array): Part.Data | undefined => {
  const text = new TextDecoder().decode(bytes)
  if (!text.startsWith(openTag) || !text.endsWith(closeTag)) return undefined
  const json = Result.getOrUndefined(parse(text.slice(openTag.length, -closeTag.length)))
  if (!isObject(json) || json.data === undefined) return undefined
  return Part.data(json.data, isObject(json.metadata) ? { metadata: json.metadata } : undefined)
}

// -----------------------------------------------------------------------------
// from ADK
// -----------------------------------------------------------------------------

const metadataOf = ({ partMetadata, thought }: AdkContent.Part): Metadata => ({
  ...partMetadata,
  ...(thought === true && { adk_thought: true })
})

const toOptions = (
  metadata: Metadata,
  file: { readonly mimeType?: string | undefined; readonly displayName?: string | undefined } = {}
): Part.Options => ({
  ...(file.mimeType !== undefined && { mediaType: file.mimeType }),
  ...(file.displayName !== undefined && { filename: file.displayName }),
  ...(Object.keys(metadata).length > 0 && { metadata })
})

const toText = (part: AdkContent.Part): Part.Part | undefined =>
  part.text === undefined || part.text === "" ? undefined : Part.text(part.text, toOptions(metadataOf(part)))

const toUrl = (part: AdkContent.Part): Part.Part | undefined =>
  part.fileData?.fileUri === undefined
    ? undefined
    : Part.url(part.fileData.fileUri, toOptions(metadataOf(part), part.fileData))

const toRaw = (part: AdkContent.Part): Part.Part | undefined => {
  const { inlineData, videoMetadata } = part
  const bytes = inlineData && AdkContent.bytes(inlineData)
  if (bytes === undefined) return undefined
  const video = videoMetadata === undefined ? {} : { adk_video_metadata: videoMetadata as Schema.JsonObject }
  return unwrap(bytes) ?? Part.raw(bytes, toOptions({ ...metadataOf(part), ...video }, inlineData))
}

/** Leaves out an empty id: calls without an id are paired with their results by name and order. */
const withoutEmptyId = (data: Schema.JsonObject): Schema.JsonObject => data.id === "" ? Struct.omit(data, ["id"]) : data

const toData = (part: AdkContent.Part, isPending: (id: string) => boolean): Part.Part | undefined => {
  for (const [type, member] of Object.entries(members)) {
    const data = part[member]
    if (data === undefined) continue
    const isLongRunning = member === "functionCall" && data.id !== undefined && isPending(data.id)
    const signature = part.thoughtSignature && AdkContent.bytes({ data: part.thoughtSignature })
    return Part.data(withoutEmptyId(data as Schema.JsonObject), {
      metadata: {
        ...metadataOf(part),
        adk_type: type,
        ...(isLongRunning && { adk_is_long_running: true }),
        ...(signature && { adk_thought_signature: Base64.encode(signature) })
      }
    })
  }
  return undefined
}

/** Members that accompany a payload. */
const annotations = ["mediaResolution", "partMetadata", "text", "thought", "thoughtSignature", "videoMetadata"] as const

const toUnknown = (part: AdkContent.Part): Part.Part | undefined =>
  Object.keys(Struct.omit(part, annotations)).length === 0
    ? undefined
    : Part.data(part as Schema.JsonObject, { metadata: { adk_type: "part" } })

const recognizers = [AdkRecognizer.recognizer]

/**
 * Converts a part of ADK and marks thoughts, calls and results; returns `undefined` if the part is empty. A payload that
 * A2A does not know becomes data.
 */
export const toPart = (part: AdkContent.Part, isPending: (id: string) => boolean): Part.Part | undefined => {
  const converted = toText(part) ?? toUrl(part) ?? toRaw(part) ?? toData(part, isPending) ?? toUnknown(part)
  return converted && Recognizer.mark(recognizers, converted)
}

/** Converts a result that is the agent's answer: a string is text, any other value is data; then its files. */
export const toAnswer = ({ parts = [], response }: AdkContent.FunctionResponse): ReadonlyArray<Part.Part> => {
  const value = response === undefined ? null : fromResponse(response)
  const files = parts.flatMap((part) => toPart(part, () => false) ?? [])
  if (value === null || value === "") return files
  const part = typeof value === "string" ? Part.text(value) : Part.data(value, { metadata: { adk_type: "output" } })
  return [part, ...files]
}

// -----------------------------------------------------------------------------
// to ADK
// -----------------------------------------------------------------------------

const toPartMetadata = (metadata: Metadata = {}): Pick<AdkContent.Part, "partMetadata"> => {
  const entries = Object.entries(metadata).filter(([name]) => !name.startsWith("adk_"))
  return entries.length === 0 ? {} : { partMetadata: Object.fromEntries(entries) }
}

const fromUrl = ({ filename, mediaType, metadata, url }: Part.Url): AdkContent.Part => ({
  fileData: {
    fileUri: url,
    ...(mediaType !== undefined && { mimeType: mediaType }),
    ...(filename !== undefined && { displayName: filename })
  },
  ...toPartMetadata(metadata)
})

const fromData = (part: Part.Data, form: DataForm): AdkContent.Part => {
  const { data, metadata } = part
  const type = metadata?.adk_type
  if (isObject(data) && type === "part") return data
  if (!isObject(data) || !isType(type)) {
    return form === "wrapped" ? wrap(part) : { text: JSON.stringify(data), ...toPartMetadata(metadata) }
  }
  const signature = metadata?.adk_thought_signature
  return {
    [members[type]]: type === "function_response" ? { ...data, response: toResponse(data.response) } : data,
    ...(typeof signature === "string" && { thoughtSignature: signature }),
    ...toPartMetadata(metadata)
  }
}

/** Converts a part of A2A to one of ADK. */
export const fromPart = (part: Part.Part, form: DataForm): AdkContent.Part => {
  switch (part._tag) {
    case "Text": {
      const isThought = Part.isThought(part) || part.metadata?.adk_thought === true
      return { text: part.text, ...(isThought && { thought: true }), ...toPartMetadata(part.metadata) }
    }
    case "Raw":
      return {
        ...AdkContent.inline(part.raw, part.mediaType ?? "application/octet-stream", part.filename),
        ...toPartMetadata(part.metadata)
      }
    case "Url":
      return fromUrl(part)
    case "Data":
      return fromData(part, form)
  }
}
