/** Extensions that executors activate, in the headers of responses. */
import { ServerHandler } from "@effect-a2a/core"
import { AgentExecutor, AgentServer } from "@effect-a2a/server"
import { JsonRpcServer } from "@effect-a2a/transport-jsonrpc"
import { RestServer } from "@effect-a2a/transport-rest"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { ask, served } from "../../../test/support/serve.ts"

const [traced, priced, unknown] = ["https://ext.test/trace/v1", "https://ext.test/price/v2", "https://ext.test/other"]

/** Activates two extensions, whatever is asked for, before it answers with a task or with a message. */
const executor = AgentExecutor.layer((turn) =>
  Effect.as(
    ServerHandler.activateExtensions([priced, traced, traced]),
    turn.message.messageId === "m-message" ? "Hello" : Stream.make("Hello")
  )
)
const app = served(
  Layer.mergeAll(RestServer.routes(), JsonRpcServer.routes({ path: "/rpc" })),
  AgentServer.layerMemory({ card: { name: "Agent", description: "For tests" } }).pipe(Layer.provide(executor))
)

const asked = `${unknown}, ${traced},${priced}`

const send = (path: string, messageId: string, headers: Record<string, string>) => {
  const is03 = path.startsWith("/v1")
  const message = is03
    ? { messageId, role: "ROLE_USER", content: [{ text: "hi" }] }
    : { messageId, role: "ROLE_USER", parts: [{ text: "hi" }] }
  const method = path.endsWith("#stream") ? "SendStreamingMessage" : "SendMessage"
  const body = path.startsWith("/rpc") ? { jsonrpc: "2.0", id: 1, method, params: { message } } : { message }
  return ask(path.split("#")[0]!, {
    method: "POST",
    headers: { "a2a-version": is03 ? "0.3" : "1.0", ...headers },
    body: JSON.stringify(body)
  })
}

describe("extensions that are activated", () => {
  it.effect("are named in the response, in the order of the request and without those that it does not ask for", () =>
    Effect.gen(function*() {
      for (const path of ["/message:send", "/message:stream", "/rpc", "/rpc#stream"]) {
        for (const messageId of ["m-task", "m-message"]) {
          const { headers, status, text } = yield* send(path, messageId, { "a2a-extensions": asked })
          assert.deepStrictEqual([status, headers["a2a-extensions"]], [200, `${traced}, ${priced}`], path)
          assert.include(text, "Hello")
          const one = yield* send(path, messageId, { "a2a-extensions": priced })
          assert.strictEqual(one.headers["a2a-extensions"], priced)
        }
      }
    }).pipe(Effect.provide(app)))

  it.effect("have the name of the header of 0.3 in its responses", () =>
    Effect.gen(function*() {
      for (const path of ["/v1/message:send", "/v1/message:stream"]) {
        const { headers, status } = yield* send(path, "m-task", { "x-a2a-extensions": asked })
        assert.deepStrictEqual([status, headers["x-a2a-extensions"]], [200, `${traced}, ${priced}`])
        assert.notProperty(headers, "a2a-extensions")
      }
    }).pipe(Effect.provide(app)))

  it.effect("are in no header if nothing is asked for, and in none of another request", () =>
    Effect.gen(function*() {
      const silent = yield* send("/message:send", "m-task", {})
      assert.notProperty(silent.headers, "a2a-extensions")
      assert.notProperty(silent.headers, "x-a2a-extensions")
      const { headers } = yield* ask("/tasks", { headers: { "a2a-version": "1.0", "a2a-extensions": asked } })
      assert.notProperty(headers, "a2a-extensions")
    }).pipe(Effect.provide(app)))

  it.effect("are ignored outside of a request", () => ServerHandler.activateExtensions([traced]))
})
