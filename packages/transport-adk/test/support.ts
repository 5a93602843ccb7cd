/** A server that is a function of the request, and a client of it. */
import * as Credentials from "@effect-a2a/core/Credentials"
import { AdkClient } from "@effect-a2a/transport-adk"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Stream from "effect/Stream"

export interface Asked {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: any
}

type Answer = Response | Effect.Effect<Response>

/** `route` answers by `METHOD /path`; the list is what was asked. */
export const serving = (route: (asked: Asked) => Answer, options?: Partial<AdkClient.Options>) => {
  const asked: Array<Asked> = []
  const http = HttpClient.make((request) =>
    Effect.gen(function*() {
      const web = yield* Effect.orDie(HttpClientRequest.toWeb(request))
      const text = yield* Effect.promise(() => web.text())
      const one = {
        method: web.method,
        path: web.url.replace("http://adk.test", ""),
        headers: Object.fromEntries(web.headers),
        body: text === "" ? undefined : JSON.parse(text)
      }
      asked.push(one)
      const answer = route(one)
      return HttpClientResponse.fromWeb(request, Effect.isEffect(answer) ? yield* answer : answer)
    })
  )
  const client = AdkClient.make({ url: "http://adk.test", appName: "app", ...options }).pipe(
    Effect.provideService(HttpClient.HttpClient, http),
    Effect.provide(Credentials.layerNone)
  )
  return { asked, client }
}

export const json = (body: unknown, status = 200): Response =>
  new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json" } })

export const page = (body: string, status: number): Response =>
  new Response(body, { status, headers: { "content-type": "text/html; charset=utf-8" } })

export const plain = (body: string, status: number): Response =>
  new Response(body, { status, headers: { "content-type": "text/plain" } })

/** An event stream in pieces of `size` bytes; `cut`: the connection is lost at its end. */
export const sse = (text: string, { cut = false, size = 1 << 20 } = {}): Response => {
  const bytes = new TextEncoder().encode(text)
  const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.slice(i * size, (i + 1) * size))
  const body = Stream.fromIterable(chunks).pipe(
    Stream.rechunk(1),
    Stream.concat(cut ? Stream.fail(new Error("socket hang up")) : Stream.empty)
  )
  return new Response(Stream.toReadableStream(body) as BodyInit, {
    headers: { "content-type": "text/event-stream; charset=utf-8" }
  })
}

export const frames = (...events: ReadonlyArray<unknown>): string =>
  events.map((event) => `data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`).join("")

export const event = (id: string, text: string, more: object = {}) => ({
  id,
  invocationId: "e-1",
  author: "agent",
  content: { role: "model", parts: [{ text }] },
  ...more
})
