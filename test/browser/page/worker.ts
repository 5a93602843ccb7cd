import { serve } from "./serve.ts"

// loading must not use any of these
const { AbortController, fetch, ReadableStream } = globalThis
Object.assign(globalThis, { AbortController: undefined, fetch: undefined, ReadableStream: undefined })
serve(import("./calls.ts").finally(() => Object.assign(globalThis, { AbortController, fetch, ReadableStream })))
