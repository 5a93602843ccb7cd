/**
 * What bundles for browsers have instead (condition `browser` of `#compile` in the manifest): the attempt to generate code
 * is in itself a violation where a page's policy says `script-src 'self'`, and a page reads no stream that is so fast.
 */
import type * as Schema from "effect/Schema"

export const compile: (schema: Schema.Top) => void = () => {}
