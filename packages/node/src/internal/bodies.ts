/** Limits the bytes of request bodies that are being received. Tested in `packages/node/test/limits.test.ts`. */
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as ByteSize from "effect/ByteSize"
import * as Effect from "effect/Effect"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import * as HttpRouter from "effect/http/HttpRouter"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"

// smaller ones are limited by the number of connections
const small = 64 * 1024

const refusal = HttpServerResponse.jsonUnsafe({
  error: { code: 503, status: "UNAVAILABLE", message: "too many large requests at once; try again" }
}, { status: 503, headers: { "retry-after": "1", connection: "close" } })

/**
 * Refuses large bodies beyond `max` bytes together, with HTTP 503. A body that does not announce its length may have
 * half of what is left, or little.
 */
export const limitBodies = (max: number, largest: number) => {
  let receiving = 0

  /** Counts bytes until the body has been read, or nobody will read it: the response is over, the connection lost. */
  const receive = (request: HttpServerRequest, size: number) => {
    let left = size
    const end = () => {
      receiving -= left
      left = 0
    }
    receiving += size
    NodeHttpServerRequest.toIncomingMessage(request).once("close", end)
    NodeHttpServerRequest.toServerResponse(request).once("close", end)
  }

  return HttpRouter.middleware(
    (effect) =>
      Effect.flatMap(HttpServerRequest, (request) => {
        const { "content-length": length, "transfer-encoding": encoding } = request.headers
        if (length === undefined && encoding === undefined) return effect
        const size = length === undefined
          ? Math.max(small, Math.min(largest, Math.floor((max - receiving) / 2)))
          : Math.min(Number(length) || 0, largest)
        if (size > small && receiving + size > max) return Effect.succeed(refusal)
        if (size > small) receive(request, size)
        return length === undefined
          ? Effect.provideService(effect, HttpIncomingMessage.MaxBodySize, ByteSize.bytes(size))
          : effect
      }),
    { global: true }
  )
}
