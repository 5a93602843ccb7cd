/** Reads and merges JSON. */
import { isObject, type Metadata } from "@effect-a2a/core/Metadata"
import * as Result from "effect/Result"

/** Merges `over` into `base`: objects member by member, other values are replaced. */
export const merge = (base: Metadata, over: Metadata): Metadata => ({
  ...base,
  ...Object.fromEntries(
    Object.entries(over).map(([key, value]) => {
      const below = Object.hasOwn(base, key) ? base[key] : undefined
      return [key, isObject(below) && isObject(value) ? merge(below, value) : value]
    })
  )
})

/** Parses JSON; `undefined` if the text is not JSON. */
export const parse = (text: string): unknown =>
  Result.getOrElse(Result.try(() => JSON.parse(text) as unknown), () => undefined)
