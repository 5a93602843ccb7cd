import { serve } from "./serve.ts"

// loading is to touch nothing of this
const { AbortController, fetch, ReadableStream } = globalThis
Object.assign(globalThis, { AbortController: undefined, fetch: undefined, ReadableStream: undefined })
serve(import("./calls.ts").finally(() => Object.assign(globalThis, { AbortController, fetch, ReadableStream })))
