/** Calls are traced if a tracer is installed: the default everywhere but in browsers. */
import { make, type Observer } from "../observation.ts"

export const observer: Observer | undefined = /*#__PURE__*/ make(undefined)
