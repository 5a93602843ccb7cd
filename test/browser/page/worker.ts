import { serve } from "./serve.ts"

// loading is to touch nothing of this
const { AbortController } = globalThis
Object.assign(globalThis, { AbortController: undefined })
serve(import("./calls.ts").finally(() => Object.assign(globalThis, { AbortController })))
