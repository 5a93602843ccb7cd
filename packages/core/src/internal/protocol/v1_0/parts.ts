/** Parts of 1.0: their kind is known by the member that is present. */
import * as Schema from "effect/Schema"
import type { Metadata } from "../../../Metadata.ts"
import type * as Part from "../../../Part.ts"
import * as Wire from "../wireSchema.ts"

interface WirePart {
  readonly text?: string
  readonly raw?: string
  readonly url?: string
  readonly data?: unknown
  readonly filename?: string
  readonly mediaType?: string
  readonly metadata?: Metadata
}

const none = { text: Wire.absent, raw: Wire.absent, url: Wire.absent, data: Wire.absent }
const common = { filename: Wire.text, mediaType: Wire.text, metadata: Wire.metadata }

const part = (content: Schema.Struct.Fields) =>
  Wire.struct({ ...none, ...common, ...content }) as Schema.Top as Schema.Codec<WirePart>

export const schemas = () => ({
  known: [
    part({ text: Schema.String }),
    part({ data: Wire.json }),
    part({ url: Schema.String }),
    part({ raw: Wire.base64 })
  ],
  unknown: part({})
})

const content = (wire: WirePart): Wire.Draft<Part.Part> | undefined =>
  wire.text !== undefined
    ? { _tag: "Text", text: wire.text }
    : wire.url !== undefined
    ? { _tag: "Url", url: wire.url }
    : wire.raw !== undefined
    ? { _tag: "Raw", raw: Wire.readBytes(wire.raw) }
    : "data" in wire
    ? { _tag: "Data", data: wire.data as Schema.Json }
    : undefined

export const read = (wire: WirePart): Part.Part | undefined => {
  const part = content(wire)
  if (part === undefined) return undefined
  if (wire.filename) part.filename = wire.filename
  if (wire.mediaType) part.mediaType = wire.mediaType
  if (wire.metadata !== undefined && !Wire.isEmpty(wire.metadata)) part.metadata = wire.metadata
  return part
}

const writeContent = (part: Part.Part): Wire.JsonObject => {
  switch (part._tag) {
    case "Text":
      return { text: part.text }
    case "Raw":
      return { raw: Wire.writeBytes(part.raw) }
    case "Url":
      return { url: part.url }
    case "Data":
      return { data: part.data }
  }
}

export const write = (part: Part.Part): Wire.JsonObject => ({
  ...writeContent(part),
  ...Wire.compact({ filename: part.filename, mediaType: part.mediaType, metadata: part.metadata })
})
