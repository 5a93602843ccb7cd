/** Helpers over plain JSON. */
import type { Metadata } from "@effect-a2a/core/Metadata"
import * as Result from "effect/Result"

export const isJsonObject = (value: unknown): value is Metadata =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** `over` upon `base`: objects merge member by member, everything else is replaced. */
export const merge = (base: Metadata, over: Metadata): Metadata => ({
  ...base,
  ...Object.fromEntries(
    Object.entries(over).map(([key, value]) => {
      const below = Object.hasOwn(base, key) ? base[key] : undefined
      return [key, isJsonObject(below) && isJsonObject(value) ? merge(below, value) : value]
    })
  )
})

/** The JSON that a text holds, if it holds JSON. */
export const parse = (text: string): unknown =>
  Result.getOrElse(Result.try(() => JSON.parse(text) as unknown), () => undefined)
