/** Bodies of requests to handlers of the web standard, which have no server in front that limits them. */
import { AgentExecutor, AgentServer } from "@effect-a2a/server"
import { JsonRpcServer } from "@effect-a2a/transport-jsonrpc"
import { RestServer } from "@effect-a2a/transport-rest"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import * as ByteSize from "effect/ByteSize"
import { HttpIncomingMessage, HttpRouter } from "effect/http"
import { covers } from "../../../test/support/covers.ts"

const routes = Layer.mergeAll(RestServer.routes(), JsonRpcServer.routes({ path: "/rpc" })).pipe(
  Layer.provide(AgentServer.layerMemory({ card: { name: "Agent", description: "For tests" } })),
  Layer.provide(AgentExecutor.layer(() => Stream.make("Hello")))
)

const mebibyte = 1024 * 1024

/** A body that arrives as it is read, of `size` MiB, and a count of the MiB that were read. */
const arriving = (size: number) => {
  let read = 0
  const chunk = new Uint8Array(mebibyte).fill(32)
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      if (read === size) return controller.close()
      read += 1
      controller.enqueue(chunk)
    }
  }, { highWaterMark: 0 })
  return { body, count: () => read }
}

const post = (handler: (request: Request) => Promise<Response>, path: string, body: BodyInit, headers: object = {}) =>
  Effect.promise(async () => {
    const response = await handler(
      new Request(`http://agent.test${path}`, {
        method: "POST",
        body,
        headers: { "a2a-version": "1.0", "content-type": "application/json", ...headers },
        duplex: "half"
      } as RequestInit)
    )
    return { status: response.status, json: await response.json() as any }
  })

const handlerOf = (app: typeof routes) =>
  Effect.acquireRelease(
    Effect.sync(() => HttpRouter.toWebHandler(app, { disableLogger: true })),
    ({ dispose }) => Effect.promise(dispose)
  )

const paths = ["/message:send", "/message:stream", "/v1/message:send", "/rpc"]
const versionOf = (path: string) => ({ "a2a-version": path.startsWith("/v1") ? "0.3" : "1.0" })

describe("a body that is too large for a web handler", () => {
  it.live("is refused with 413 when 16 MiB have been read, over every binding", () =>
    Effect.gen(function*() {
      const { handler } = yield* handlerOf(routes)
      for (const path of paths) {
        const { body, count } = arriving(40)
        const { json, status } = yield* post(handler, path, body, versionOf(path))
        assert.strictEqual(status, 413, path)
        assert.include(json.error?.message ?? json.message, "too large")
        assert.isAtMost(count(), 17, path)
      }
    }), covers("field:N2-58"))

  it.live("is refused before it is read if its length is announced", () =>
    Effect.gen(function*() {
      const { handler } = yield* handlerOf(routes)
      for (const path of paths) {
        const { body, count } = arriving(40)
        const headers = { ...versionOf(path), "content-length": String(40 * mebibyte) }
        assert.strictEqual((yield* post(handler, path, body, headers)).status, 413)
        assert.isAtMost(count(), 1, path)
      }
    }), covers("field:N2-58"))

  it.live("is read up to the limit, or to another one that is provided", () =>
    Effect.gen(function*() {
      const message = { messageId: "m-1", role: "ROLE_USER", parts: [{ text: "x".repeat(2 * mebibyte) }] }
      const text = JSON.stringify({ message })
      const { handler } = yield* handlerOf(routes)
      assert.strictEqual((yield* post(handler, "/message:send", text)).status, 200)
      const narrow = yield* handlerOf(
        routes.pipe(Layer.provideMerge(Layer.succeed(HttpIncomingMessage.MaxBodySize, ByteSize.mebibytes(1))))
      )
      assert.strictEqual((yield* post(narrow.handler, "/message:send", text)).status, 413)
    }))
})
