/** A peer that is a function from a request, as it was sent, to a response. */
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"

export interface Asked {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Creates an `HttpClient` that responds with `answer`, and the list of its requests. */
export const respond = (answer: (asked: Asked) => Response) => {
  const asked: Array<Asked> = []
  const client = HttpClient.make((request) =>
    Effect.gen(function*() {
      const web = yield* Effect.orDie(HttpClientRequest.toWeb(request))
      const one = {
        method: web.method,
        url: web.url,
        headers: Object.fromEntries(web.headers),
        body: yield* Effect.promise(() => web.text())
      }
      asked.push(one)
      return HttpClientResponse.fromWeb(request, answer(one))
    })
  )
  return { asked, layer: Layer.succeed(HttpClient.HttpClient, client) }
}

/** A response in JSON. */
export const json = (body: string): Response => new Response(body, { headers: { "content-type": "application/json" } })

/** A body in pieces; `cut` closes the connection before its end. */
export const pieces = (chunks: ReadonlyArray<Uint8Array>, cut = false): ReadableStream<Uint8Array> =>
  Stream.toReadableStream(
    Stream.concat(
      Stream.fromIterable(chunks).pipe(Stream.rechunk(1)),
      cut ? Stream.fail(new Error("socket hang up")) : Stream.empty
    )
  )

/** An event stream in chunks of `size` bytes, so that every frame is cut. */
export const events = (body: string, size = 7): Response => {
  const bytes = new TextEncoder().encode(body)
  const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.slice(i * size, (i + 1) * size))
  return new Response(pieces(chunks) as BodyInit, { headers: { "content-type": "text/event-stream" } })
}
