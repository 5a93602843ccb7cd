/**
 * Free-form JSON that travels with messages, parts, artifacts, events, tasks and requests, kept to the letter.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/** A JSON object; numbers are finite doubles (specification §5.7). */
export const Metadata = Schema.Record(Schema.String, Schema.Json)
export type Metadata = typeof Metadata.Type
