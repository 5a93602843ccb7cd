/** Results of calls as objects, and back. Tested in test/adk/results.test.ts. */
import { isObject } from "@effect-a2a/core/Metadata"
import type * as Schema from "effect/Schema"

/** Converts the result of a call to an object: other values become `{ result: value }`. */
export const toResponse = (value: Schema.Json | undefined): Schema.JsonObject =>
  isObject(value) ? value : { result: value ?? null }

/** Returns the value that {@link toResponse} wrapped, and any other object as it is. */
export const fromResponse = (response: Schema.JsonObject): Schema.Json => {
  const { result, ...rest } = response
  return result !== undefined && Object.keys(rest).length === 0 ? result : response
}
