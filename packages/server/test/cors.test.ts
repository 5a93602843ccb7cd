import { Protocol } from "@effect-a2a/core"
import { MemoryLakeEmulator } from "@effect-a2a/emulators"
import { CardServer, Cors } from "@effect-a2a/server"
import { AgentTest, Script, Wire } from "@effect-a2a/testing"
import { JsonRpcServer } from "@effect-a2a/transport-jsonrpc"
import { RestServer } from "@effect-a2a/transport-rest"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { covers } from "../../../test/support/covers.ts"

const protocols = [Protocol.v1_0, Protocol.v0_3] as const

const layer = (options?: Cors.Options) =>
  Wire.layerHttp(
    Layer.mergeAll(
      RestServer.routes({ protocols }),
      JsonRpcServer.routes({ path: "/rpc", protocols }),
      CardServer.routes({ protocols }),
      Cors.layer(options)
    ).pipe(Layer.provide(AgentTest.layer), Layer.provide(Script.layer(Script.say("Hello"))))
  )

const list = (value: string | undefined) => (value ?? "").split(",").map((name) => name.trim().toLowerCase())

const from = (origin: string, request: HttpClientRequest.HttpClientRequest) =>
  HttpClient.execute(HttpClientRequest.setHeaders(request, { origin }))

const asked = ["authorization", "content-type", "a2a-version", "a2a-extensions", "traceparent", "last-event-id"]

const preflight = (path: string, origin = "https://app.test") =>
  from(
    origin,
    HttpClientRequest.options(`http://agent.test${path}`).pipe(HttpClientRequest.setHeaders({
      "access-control-request-method": "POST",
      "access-control-request-headers": asked.join(",")
    }))
  )

describe("Cors", () => {
  for (const path of ["/rpc", "/message:stream", "/.well-known/agent-card.json", "/tasks/t-1:subscribe"]) {
    it.effect(`a preflight of ${path} allows the headers that clients send`, () =>
      Effect.gen(function*() {
        const { headers, status } = yield* preflight(path)
        assert.strictEqual(status, 204)
        assert.strictEqual(headers["access-control-allow-origin"], "*")
        assert.includeMembers(list(headers["access-control-allow-headers"]), asked)
        assert.includeMembers(list(headers["access-control-allow-methods"]), ["get", "post", "delete"])
        assert.strictEqual(headers["access-control-max-age"], "7200")
      }).pipe(Effect.provide(layer())), covers("field:BRW-04"))
  }

  it.effect("exposes the headers of responses and refusals", () =>
    Effect.gen(function*() {
      const card = yield* from(
        "https://app.test",
        HttpClientRequest.get("http://agent.test/.well-known/agent-card.json")
      )
      const refused = yield* from(
        "https://app.test",
        HttpClientRequest.get("http://agent.test/tasks/none", { headers: { "a2a-version": "1.0" } })
      )
      assert.deepStrictEqual([card.status, refused.status], [200, 404])
      for (const { headers } of [card, refused]) {
        assert.strictEqual(headers["access-control-allow-origin"], "*")
        assert.includeMembers(list(headers["access-control-expose-headers"]), [
          "retry-after",
          "www-authenticate",
          "a2a-extensions",
          "etag"
        ])
      }
    }).pipe(Effect.provide(layer())), covers("field:BRW-04"))

  it.effect(
    "allows only the given origins, and further headers",
    () =>
      Effect.gen(function*() {
        const [allowed, other] = [yield* preflight("/rpc"), yield* preflight("/rpc", "https://evil.test")]
        assert.strictEqual(allowed.headers["access-control-allow-origin"], "https://app.test")
        assert.notStrictEqual(other.headers["access-control-allow-origin"], "https://evil.test")
        assert.include(list(allowed.headers["access-control-allow-headers"]), "x-gateway-key")
      }).pipe(Effect.provide(layer({ origins: ["https://app.test"], headers: ["X-Gateway-Key"] }))),
    covers("field:BRW-04")
  )

  it.effect("the emulator allows all origins, before it requires a key", () =>
    Effect.gen(function*() {
      const path =
        `/openapi/memorylake/api/v3/workspaces/${MemoryLakeEmulator.workspaceId}/agents/agent-demo/a2a/message:send`
      const { headers, status } = yield* preflight(path)
      assert.strictEqual(status, 204)
      assert.includeMembers(list(headers["access-control-allow-headers"]), asked)
      const refused = yield* from("https://app.test", HttpClientRequest.post(`http://agent.test${path}`))
      assert.deepStrictEqual([refused.status, refused.headers["access-control-allow-origin"]], [401, "*"])
    }).pipe(Effect.provide(Wire.layerHttp(MemoryLakeEmulator.routes))), covers("field:BRW-04"))
})
