/**
 * Free-form JSON that travels with messages, parts, artifacts, events, tasks and requests, and is kept verbatim.
 *
 * ```ts
 * import { Metadata } from "@effect-a2a/core"
 * import { Schema } from "effect"
 *
 * Schema.is(Metadata.Metadata)({ nested: [1, null, { deep: true }] }) // => true
 * Schema.is(Metadata.Metadata)({ notJson: Number.NaN }) // => false
 * Metadata.isObject([1, 2]) // => false
 * ```
 *
 * @since 0.1.0
 */
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"

/** A JSON object. Its numbers are finite doubles (A2A 1.0 §5.7). */
export const Metadata = Schema.Record(Schema.String, Schema.Json).annotate({ identifier: "Metadata" })
/** A JSON object. */
export type Metadata = typeof Metadata.Type

/** The deepest free-form JSON: what contains it, such as a page of tasks, may be deeper and can still be read by all. */
const maxLevels = 150

/**
 * Returns true for JSON that can be sent and read again: its numbers are finite and it is at most 150 levels deep. What
 * `JSON.parse` returns may have an infinite number, `1e400`.
 *
 * ```ts
 * import { Metadata } from "@effect-a2a/core"
 *
 * const results = [`{"n":1e308}`, `{"n":1e309}`].map((text) => Metadata.isJson(JSON.parse(text)))
 * results // => [true, false]
 * ```
 */
export const isJson = (value: unknown): value is Schema.Json => isJsonAt(value, 0)

const isJsonAt = (value: unknown, level: number): boolean => {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return true
  if (typeof value !== "object") return typeof value === "number" && Number.isFinite(value)
  if (level >= maxLevels) return false
  if (Array.isArray(value)) return value.every((one) => isJsonAt(one, level + 1))
  const prototype = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return false
  // twice as fast as `Object.values` if there are a million
  for (const name in value) if (!isJsonAt(value[name as keyof typeof value], level + 1)) return false
  return true
}

/** Returns true if a JSON value is an object, not an array and not `null`; its members are not looked at. */
export const isObject = (json: unknown): json is Metadata => Predicate.isReadonlyObject(json)
