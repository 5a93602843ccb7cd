/** Merges JSON. */
import { isObject, type Metadata } from "@effect-a2a/core/Metadata"

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
