/** Parts: the common half of the two dialects of 0.3. */
import * as Predicate from "effect/Predicate"
import type * as Schema from "effect/Schema"
import type { Metadata } from "../../../Metadata.ts"
import type * as Part from "../../../Part.ts"
import * as Wire from "../wireSchema.ts"

/** Marks a value that was wrapped into an object; the SDKs of both versions agree on it. */
const wrappedFlag = "data_part_compat"

/** Writes data. Those of 0.3 are objects, so anything else is wrapped: `{ value }`. */
export const writeData = (part: Part.Data): { readonly data: Wire.JsonObject; readonly metadata?: Metadata } =>
  Predicate.isReadonlyObject(part.data)
    ? { data: part.data as Wire.JsonObject, ...Wire.compact({ metadata: part.metadata }) }
    : { data: { value: part.data }, metadata: { ...part.metadata, [wrappedFlag]: true } }

/** Reads data and unwraps them if they are marked. */
export const readData = (data: Wire.Members, metadata: Metadata | undefined): Part.Data => {
  const { [wrappedFlag]: isWrapped, ...rest } = metadata ?? {}
  return isWrapped === true && "value" in data
    ? { _tag: "Data", data: data.value as Schema.Json, ...Wire.compact({ metadata: rest }) }
    : { _tag: "Data", data: data as Wire.JsonObject, ...Wire.compact({ metadata }) }
}

/**
 * Requires that data are JSON as `read` returns them: what this version writes around them do not count as levels, so that
 * what was read can be written again in any version.
 */
export const isData = <W extends { readonly data?: unknown }>(read: (wire: W) => Part.Part | undefined) =>
  Wire.isJsonIn<W>("data", (wire) => {
    const part = read(wire)
    return part?._tag === "Data" ? part.data : null
  })

/** Reads text; the usual case without metadata costs little. */
export const readText = (text: string, metadata: Metadata | undefined): Part.Text =>
  metadata === undefined ? { _tag: "Text", text } : { _tag: "Text", text, ...Wire.compact({ metadata }) }
