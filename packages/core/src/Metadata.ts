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

/** Returns true if a JSON value is an object, not an array and not `null`; its members are not looked at. */
export const isObject = (json: unknown): json is Metadata => Predicate.isReadonlyObject(json)
