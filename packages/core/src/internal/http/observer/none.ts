/**
 * Calls are not traced unless `Telemetry.layer` is installed: the default in browsers (condition `browser` of `#observer`
 * in the manifest), where trace headers make servers refuse preflights, and every byte is downloaded.
 */
import type { Observer } from "../observation.ts"

export const observer: Observer | undefined = undefined
