/** What the parts of both 0.3 dialects have in common. */
import type * as Schema from "effect/Schema"
import type { Metadata } from "../../../Metadata.ts"
import type * as Part from "../../../Part.ts"
import * as Wire from "../wireSchema.ts"

/** Marks a value that is no object and was wrapped into one; the SDKs of both editions agree on it. */
const wrappedFlag = "data_part_compat"

/** Data of 0.3 are objects: anything else travels as `{ value }`. */
export const writeData = (part: Part.Data): { readonly data: Wire.JsonObject; readonly metadata?: Metadata } =>
  Wire.isObject(part.data)
    ? { data: part.data as Wire.JsonObject, ...Wire.compact({ metadata: part.metadata }) }
    : { data: { value: part.data }, metadata: { ...part.metadata, [wrappedFlag]: true } }

export const readData = (data: Wire.Members, metadata: Metadata | undefined): Part.Data => {
  const { [wrappedFlag]: isWrapped, ...rest } = metadata ?? {}
  return isWrapped === true && "value" in data
    ? { _tag: "Data", data: data.value as Schema.Json, ...Wire.compact({ metadata: rest }) }
    : { _tag: "Data", data: data as Wire.JsonObject, ...Wire.compact({ metadata }) }
}

/** The common case, without the price of the general one. */
export const readText = (text: string, metadata: Metadata | undefined): Part.Text =>
  metadata === undefined ? { _tag: "Text", text } : { _tag: "Text", text, ...Wire.compact({ metadata }) }
