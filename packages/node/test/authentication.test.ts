/** A check of authentication before the routes of the bindings: what it lets through, and what stays public. */
import { NodeAgentServer } from "@effect-a2a/node"
import { AgentExecutor, AgentServer, Caller, CardServer } from "@effect-a2a/server"
import { JsonRpcServer } from "@effect-a2a/transport-jsonrpc"
import { RestServer } from "@effect-a2a/transport-rest"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { covers } from "../../../test/support/covers.ts"

const authenticated = HttpRouter.middleware((respond) =>
  Effect.gen(function*() {
    const { headers } = yield* HttpServerRequest.HttpServerRequest
    return headers.authorization === "Bearer key-of-bea"
      ? yield* Effect.provideService(respond, Caller.Current, { id: "bea" })
      : HttpServerResponse.empty({ status: 401, headers: { "www-authenticate": "Bearer" } })
  })
).layer

const card = { name: "Vault", description: "Keeps things" }
const extended = { ...card, version: "2", supportedInterfaces: [], capabilities: {}, defaultInputModes: [] }
const extendedCard = Effect.succeed({ ...extended, defaultOutputModes: [], skills: [] })
const schemes = { key: { _tag: "HttpAuth", scheme: "Bearer" } } as const

const serve = (securitySchemes: typeof schemes | undefined, isChecked: boolean) => {
  const bindings = Layer.merge(RestServer.routes({ path: "/a2a" }), JsonRpcServer.routes({ path: "/rpc" }))
  const checked = isChecked ? bindings.pipe(Layer.provide(authenticated)) : bindings
  const routes = Layer.merge(checked, CardServer.routes({ path: "/a2a" })).pipe(
    Layer.provide(AgentServer.layerMemory({
      card: securitySchemes === undefined ? card : { ...card, securitySchemes },
      extendedCard
    })),
    Layer.provide(AgentExecutor.layer(() => Stream.make("Done")))
  )
  return NodeAgentServer.layer({ routes, port: 0 })
}

const send = (path: string, init: RequestInit = {}) =>
  Effect.flatMap(
    NodeAgentServer.url,
    (url) => Effect.promise(() => fetch(url + path, { ...init, headers: { "a2a-version": "1.0", ...init.headers } }))
  )

const rpc = (method: string): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: {} })
})

it.live(
  "a check before the bindings leaves the card public and no path or query around it",
  () =>
    Effect.gen(function*() {
      for (
        const path of [
          "tasks/t",
          ".well-known/tasks/t",
          "tasks/t?/.well-known/",
          ".well-known/tasks",
          "extendedAgentCard"
        ]
      ) {
        const response = yield* send(`/a2a/${path}`)
        assert.deepStrictEqual([response.status, response.headers.get("www-authenticate")], [401, "Bearer"], path)
      }
      for (const path of ["/rpc", "/rpc?/.well-known/agent-card.json"]) {
        assert.strictEqual((yield* send(path, rpc("ListTasks"))).status, 401, path)
      }
      assert.strictEqual((yield* send("/a2a/.well-known/agent-card.json")).status, 200)
      const headers = { authorization: "Bearer key-of-bea" }
      assert.strictEqual((yield* send("/a2a/tasks", { headers })).status, 200)
      assert.strictEqual((yield* send("/a2a/extendedAgentCard", { headers })).status, 200)
    }).pipe(Effect.provide(serve(schemes, true))),
  covers("attack:S2-24")
)

it.live("an extended card needs a caller if the card declares a security scheme", () =>
  Effect.gen(function*() {
    const refused = yield* send("/a2a/extendedAgentCard")
    assert.deepStrictEqual([refused.status, refused.headers.get("www-authenticate")], [401, "Bearer"])
    const response = yield* send("/rpc", rpc("GetExtendedAgentCard"))
    const text = yield* Effect.promise(() => response.text())
    assert.include(text, "needs an authenticated caller")
    assert.notInclude(text, "\"result\"")
  }).pipe(Effect.provide(serve(schemes, false))), covers("attack:S2-27"))

it.live("an extended card without security schemes is public", () =>
  Effect.gen(function*() {
    assert.strictEqual((yield* send("/a2a/extendedAgentCard")).status, 200)
  }).pipe(Effect.provide(serve(undefined, false))), covers("attack:S2-27"))
