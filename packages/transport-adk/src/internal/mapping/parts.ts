/** Parts, from ADK's content to A2A's and back, with the `adk_*` metadata that ADK itself writes when it speaks A2A. */
import type { Metadata } from "@effect-a2a/core/Metadata"
import * as Part from "@effect-a2a/core/Part"
import * as Recognizer from "@effect-a2a/core/Recognizer"
import * as Base64 from "effect/encoding/Base64"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as AdkContent from "../../AdkContent.ts"
import * as AdkRecognizer from "../../AdkRecognizer.ts"

/** How JSON that is no answer to a call is told to the agent: as text, or as ADK wraps it to have it back unchanged. */
export type DataForm = "text" | "wrapped"

const isObject = (json: unknown): json is Schema.JsonObject => Predicate.isObject(json) && !Array.isArray(json)

/** Members of an ADK part that are data to A2A, by their `adk_type`. */
const types = {
  function_call: "functionCall",
  function_response: "functionResponse",
  executable_code: "executableCode",
  code_execution_result: "codeExecutionResult",
  tool_call: "toolCall",
  tool_response: "toolResponse"
} as const
type Type = keyof typeof types

const isType = (type: unknown): type is Type => typeof type === "string" && Object.hasOwn(types, type)

const tag = ["<a2a_datapart_json>", "</a2a_datapart_json>"] as const

const parse = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Json))

/** JSON that was wrapped, by us or by an agent of ADK's own. */
const unwrapped = (bytes: Uint8Array): Part.Data | undefined => {
  const text = new TextDecoder().decode(bytes)
  if (!text.startsWith(tag[0]) || !text.endsWith(tag[1])) return undefined
  const json = Result.getOrUndefined(parse(text.slice(tag[0].length, -tag[1].length)))
  if (!isObject(json) || json.data === undefined) return undefined
  return Part.data(json.data, isObject(json.metadata) ? { metadata: json.metadata } : undefined)
}

const options = (
  metadata: Metadata,
  file: { readonly mimeType?: string | undefined; readonly displayName?: string | undefined } = {}
): Part.Options => ({
  ...(file.mimeType !== undefined && { mediaType: file.mimeType }),
  ...(file.displayName !== undefined && { filename: file.displayName }),
  ...(Object.keys(metadata).length > 0 && { metadata })
})

/** A part as A2A has it; `undefined` where there is nothing in it. What A2A has no form for is kept as data. */
export const toPart = (part: AdkContent.Part, isPending: (id: string) => boolean): Part.Part | undefined => {
  const unmarked = toUnmarked(part, isPending)
  return unmarked && Recognizer.mark([AdkRecognizer.recognizer], unmarked)
}

const toUnmarked = (part: AdkContent.Part, isPending: (id: string) => boolean): Part.Part | undefined => {
  const { fileData, inlineData, partMetadata, text, thought, thoughtSignature, videoMetadata, ...rest } = part
  const metadata: Metadata = { ...partMetadata, ...(thought === true && { adk_thought: true }) }
  if (text !== undefined && text !== "") return Part.text(text, options(metadata))
  if (fileData?.fileUri !== undefined) return Part.url(fileData.fileUri, options(metadata, fileData))
  const bytes = inlineData && AdkContent.bytes(inlineData)
  if (bytes !== undefined) {
    const video = videoMetadata === undefined ? {} : { adk_video_metadata: videoMetadata as unknown as Schema.Json }
    return unwrapped(bytes) ?? Part.raw(bytes, options({ ...metadata, ...video }, inlineData))
  }
  for (const [type, member] of Object.entries(types)) {
    const data = rest[member]
    if (data === undefined) continue
    const signature = thoughtSignature === undefined ? undefined : AdkContent.bytes({ data: thoughtSignature })
    return Part.data(data as unknown as Schema.Json, {
      metadata: {
        ...metadata,
        adk_type: type,
        ...(member === "functionCall" && data.id !== undefined && isPending(data.id) && { adk_is_long_running: true }),
        ...(signature !== undefined && { adk_thought_signature: Base64.encode(signature) })
      }
    })
  }
  const { mediaResolution: _, ...unknown } = rest
  return Object.keys(unknown).length === 0 && inlineData === undefined && fileData === undefined
    ? undefined
    : Part.data(part as unknown as Schema.Json, { metadata: { adk_type: "part" } })
}

/** A response is an object; another value is the `result` in one. */
export const toResponse = (value: Schema.Json | undefined): Schema.JsonObject =>
  isObject(value) ? value : { result: value ?? null }

const foreign = (metadata: Metadata = {}): Pick<AdkContent.Part, "partMetadata"> => {
  const own = Object.entries(metadata).filter(([name]) => !name.startsWith("adk_"))
  return own.length === 0 ? {} : { partMetadata: Object.fromEntries(own) }
}

const wrap = ({ data, metadata }: Part.Data): AdkContent.Part => {
  const json = JSON.stringify({ kind: "data", data, ...(metadata && { metadata }) })
  return AdkContent.inline(new TextEncoder().encode(`${tag[0]}${json}${tag[1]}`), "text/plain")
}

/** A part as the agent reads it. */
export const fromPart = (form: DataForm) => (part: Part.Part): AdkContent.Part => {
  const { metadata } = part
  const isThought = Part.isThought(part) || metadata?.adk_thought === true
  const thought = isThought ? { thought: true } : {}
  switch (part._tag) {
    case "Text":
      return { text: part.text, ...thought, ...foreign(metadata) }
    case "Raw":
      return {
        ...AdkContent.inline(part.raw, part.mediaType ?? "application/octet-stream", part.filename),
        ...foreign(metadata)
      }
    case "Url": {
      const file = {
        fileUri: part.url,
        ...(part.mediaType !== undefined && { mimeType: part.mediaType }),
        ...(part.filename !== undefined && { displayName: part.filename })
      }
      return { fileData: file, ...foreign(metadata) }
    }
    case "Data": {
      const type = metadata?.adk_type
      const { data } = part
      if (!isObject(data) || !(isType(type) || type === "part")) {
        return form === "wrapped" ? wrap(part) : { text: JSON.stringify(data), ...foreign(metadata) }
      }
      if (type === "part") return data as AdkContent.Part
      const signature = metadata?.adk_thought_signature
      return {
        [types[type]]: type === "function_response" ? { ...data, response: toResponse(data.response) } : data,
        ...(typeof signature === "string" && { thoughtSignature: signature }),
        ...foreign(metadata)
      } as AdkContent.Part
    }
  }
}
