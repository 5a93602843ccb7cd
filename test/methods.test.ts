/** Requests at the edge of the bindings: methods, spellings of paths and queries, bodies that are not read. */
import { AgentExecutor, AgentServer, CardServer } from "@effect-a2a/server"
import { JsonRpcServer } from "@effect-a2a/transport-jsonrpc"
import { RestServer } from "@effect-a2a/transport-rest"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { HttpClient, HttpClientRequest, HttpRouter, HttpServerResponse } from "effect/http"
import { covers } from "./support/covers.ts"
import { ask, type Init, served } from "./support/serve.ts"

const agent = AgentServer.layerMemory({ card: { name: "Agent", description: "For tests" } }).pipe(
  Layer.provide(AgentExecutor.layer(() => Stream.make("Hello")))
)
const app = served(
  Layer.mergeAll(
    RestServer.routes({ path: "/a2a" }),
    JsonRpcServer.routes({ path: "/rpc" }),
    CardServer.routes(),
    HttpRouter.add("GET", "/page", HttpServerResponse.text("page"))
  ),
  agent
)
const version = { "a2a-version": "1.0" }
const message = { messageId: "m-1", role: "ROLE_USER", parts: [{ text: "hi" }] }
const send = (path: string, init: Init = {}) =>
  ask(path, { method: "POST", headers: version, body: JSON.stringify({ message }), ...init })
const head = (path: string) =>
  Effect.flatMap(HttpClient.HttpClient, (client) => client.execute(HttpClientRequest.head(`http://agent.test${path}`)))

describe("methods that a path has no route for", () => {
  const methods = ["GET", "PUT", "DELETE", "PATCH"] as const

  it.effect("are answered with 405, the methods that it has, and words", () =>
    Effect.gen(function*() {
      const expected: ReadonlyArray<readonly [string, string]> = [
        ["/rpc", "POST"],
        ["/.well-known/agent-card.json", "GET, HEAD"],
        ["/a2a/message:send", "POST"],
        ["/a2a/acme/message:send", "POST"],
        ["/a2a/tasks/t-1", "GET"],
        ["/a2a/tasks/t-1/pushNotificationConfigs", "POST, GET"],
        ["/a2a/v1/message:stream", "POST"]
      ]
      for (const [path, allow] of expected) {
        const names = path.includes("/v1/") ? {} : version
        for (const method of methods.filter((method) => !allow.includes(method))) {
          const { headers, json, status } = yield* ask(path, { method, headers: names })
          assert.deepStrictEqual([status, headers.allow], [405, allow], `${method} ${path}`)
          assert.include(JSON.stringify(json), `use ${allow}`)
        }
      }
      assert.strictEqual((yield* head("/rpc")).status, 405)
      assert.strictEqual((yield* head("/.well-known/agent-card.json")).status, 200)
    }).pipe(Effect.provide(app)), covers("field:N2-21"))

  it.effect("do not change what the application serves, and what it does not", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* ask("/page")).text, "page")
      assert.strictEqual((yield* ask("/nowhere")).status, 404)
      assert.strictEqual((yield* ask("/rpc/nowhere", { method: "PUT" })).status, 404)
    }).pipe(Effect.provide(app)))
})

describe("spellings", () => {
  it.effect("a colon before a verb may be encoded, in any case, and not twice", () =>
    Effect.gen(function*() {
      for (const path of ["/a2a/message%3Asend", "/a2a/message%3asend", "/a2a/acme/message%3Asend"]) {
        assert.strictEqual((yield* send(path)).status, 200, path)
      }
      assert.strictEqual((yield* send("/a2a/message%253Asend")).status, 404)
      const { json } = yield* send("/a2a/message:send")
      const canceled = yield* send(`/a2a/tasks/${json.task.id}%3Acancel`, { body: "{}" })
      assert.include(canceled.text, "TASK_NOT_CANCELABLE")
      // the colon of an id stays one
      assert.include((yield* ask("/a2a/tasks/a%3Acancel", { headers: version })).text, "unknown task a:cancel")
    }).pipe(Effect.provide(app)), covers("field:N2-20"))

  it.effect("members of a query may be in snake case, as those of bodies", () =>
    Effect.gen(function*() {
      const { json } = yield* send("/a2a/message:send")
      for (const name of ["historyLength", "history_length"]) {
        const read = yield* ask(`/a2a/tasks/${json.task.id}?${name}=0`, { headers: version })
        assert.notProperty(read.json, "history")
      }
      const page = yield* ask("/a2a/tasks?page_size=1&include_artifacts=true", { headers: version })
      assert.deepStrictEqual([page.json.pageSize, page.json.tasks[0].artifacts.length], [1, 1])
      assert.strictEqual((yield* ask("/a2a/tasks?page_size=0", { headers: version })).status, 400)
    }).pipe(Effect.provide(app)), covers("field:N2-59"))
})

describe("bodies that are not read", () => {
  it.effect(
    "compressed ones are refused with 415, and large ones with the words of invalid requests",
    () =>
      Effect.gen(function*() {
        for (const path of ["/a2a/message:send", "/rpc"]) {
          const { status } = yield* send(path, { headers: { ...version, "content-encoding": "gzip" } })
          assert.strictEqual(status, 415, path)
        }
        const many = JSON.stringify({ message, metadata: { all: Array.from({ length: 500_001 }, () => 0) } })
        const { json, status } = yield* send("/a2a/message:send", { body: many })
        assert.deepStrictEqual([status, json.error.status], [413, "INVALID_ARGUMENT"])
      }).pipe(Effect.provide(app)),
    covers("field:N2-59")
  )

  it.effect("a valid notification of JSON-RPC has no answer and no effect", () =>
    Effect.gen(function*() {
      const notify = (method: string, params: unknown) =>
        send("/rpc", { body: JSON.stringify({ jsonrpc: "2.0", method, params }) })
      for (const method of ["SendMessage", "SendStreamingMessage"]) {
        const { status, text } = yield* notify(method, { message })
        assert.deepStrictEqual([status, text], [204, ""], method)
      }
      assert.strictEqual((yield* notify("nothing", {})).json.error.code, -32601)
      assert.strictEqual((yield* notify("GetTask", {})).json.error.code, -32602)
      const list = yield* ask("/a2a/tasks", { headers: version })
      assert.strictEqual(list.json.totalSize, 0)
    }).pipe(Effect.provide(app)), covers("field:N2-59"))
})
