/**
 * Validation without generated code, for browsers (condition `browser` of `#compile` in the manifest): under the policy
 * `script-src 'self'` even the attempt is a violation, and pages read no stream so fast that it matters.
 */
import type * as Schema from "effect/Schema"

export const compile: (schema: Schema.Top) => void = () => {}
