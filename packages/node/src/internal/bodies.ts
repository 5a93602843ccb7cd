/** Limits the bytes of request bodies that are being received. Tested in `packages/node/test/limits.test.ts`. */
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"

// smaller ones are limited by the number of connections
const small = 64 * 1024

/** Returns the length that a request announces; without one it may be the largest. */
const announcedSize = ({ headers }: HttpServerRequest, largest: number): number =>
  headers["content-length"] !== undefined
    ? Math.min(Number(headers["content-length"]) || 0, largest)
    : headers["transfer-encoding"] === undefined
    ? 0
    : largest

const refusal = HttpServerResponse.jsonUnsafe({
  error: { code: 503, status: "UNAVAILABLE", message: "too many large requests at once; try again" }
}, { status: 503, headers: { "retry-after": "1", connection: "close" } })

/** Refuses large bodies beyond `max` bytes together, with HTTP 503. */
export const limitBodies = (max: number, largest: number) => {
  let receiving = 0
  return HttpRouter.middleware(
    (effect) =>
      Effect.flatMap(HttpServerRequest, (request) => {
        const size = announcedSize(request, largest)
        if (size <= small) return effect
        if (receiving + size > max) return Effect.succeed(refusal)
        receiving += size
        NodeHttpServerRequest.toIncomingMessage(request).once("close", () => (receiving -= size))
        return effect
      }),
    { global: true }
  )
}
