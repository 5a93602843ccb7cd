/**
 * Free-form JSON that travels with messages, parts, artifacts, events, tasks and requests, kept to the letter.
 *
 * ```ts
 * import { Metadata } from "@effect-a2a/core"
 * import { Schema } from "effect"
 *
 * Schema.is(Metadata.Metadata)({ nested: [1, null, { deep: true }] }) // => true
 * Schema.is(Metadata.Metadata)({ notJson: Number.NaN }) // => false
 * ```
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/** A JSON object; numbers are finite doubles (specification §5.7). */
export const Metadata = Schema.Record(Schema.String, Schema.Json)
export type Metadata = typeof Metadata.Type
