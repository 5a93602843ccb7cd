/** Credentials as bytes that no client of ours writes: each is refused, none is a defect, and none is taken for another. */
import { NodeAgentServer } from "@effect-a2a/node"
import { AgentExecutor, AgentServer, Authentication } from "@effect-a2a/server"
import { JsonRpcServer } from "@effect-a2a/transport-jsonrpc"
import { RestServer } from "@effect-a2a/transport-rest"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Logger, Redacted, Stream } from "effect"
import { connect } from "node:net"

const keys = [{ id: "ana", secret: Redacted.make("secret") }]

const server = NodeAgentServer.layer({
  port: 0,
  routes: Layer.merge(RestServer.routes({ path: "/rest" }), JsonRpcServer.routes({ path: "/rpc" })).pipe(
    Layer.provide(Authentication.layer({
      schemes: {
        token: Authentication.bearer(keys),
        login: Authentication.basic(keys),
        header: Authentication.apiKey(keys),
        query: Authentication.apiKey(keys),
        cookie: Authentication.apiKey(keys)
      }
    })),
    Layer.provide(AgentServer.layerMemory({
      card: {
        name: "Who",
        description: "Says who you are",
        securitySchemes: {
          token: { _tag: "HttpAuth", scheme: "Bearer" },
          login: { _tag: "HttpAuth", scheme: "Basic" },
          header: { _tag: "ApiKey", location: "header", name: "__proto__" },
          query: { _tag: "ApiKey", location: "query", name: "constructor" },
          cookie: { _tag: "ApiKey", location: "cookie", name: "__proto__" }
        }
      }
    })),
    Layer.provide(AgentExecutor.layer(() => Stream.make("Done")))
  )
})

/** Sends a request as bytes (one for each character), and returns the status. */
const statusOf = (line: string, head: string) =>
  Effect.flatMap(NodeAgentServer.url, (url) =>
    Effect.callback<string>((resume) => {
      let all = ""
      const socket = connect(Number(new URL(url).port), "127.0.0.1", () => {
        socket.write(Buffer.from(
          `${line} HTTP/1.1\r\nhost: localhost\r\na2a-version: 1.0\r\nconnection: close\r\n${head}\r\n`,
          "latin1"
        ))
      }).on("error", () => resume(Effect.succeed(all.slice(9, 12))))
      socket.on("data", (chunk) => (all += String(chunk))).on("close", () => resume(Effect.succeed(all.slice(9, 12))))
    }))

const get = "GET /rest/tasks"

const heads = [
  "authorization:\r\n",
  "authorization: \t\r\n",
  "authorization: Bearer\r\n",
  "authorization: Bearer \xff\xfe\r\n",
  "authorization: Bearer secret, Bearer secret\r\n",
  "authorization: Bearer \"secret\"\r\n",
  "authorization: Bearer\tsecret\r\n",
  "authorization: Bearer x\r\nauthorization: Bearer secret\r\n",
  "authorization: Basic\r\n",
  "authorization: Basic =\r\n",
  `authorization: Basic ${Buffer.from("ana:secret\n").toString("base64")}\r\n`,
  `authorization: Basic ${Buffer.from("ana:secret").toString("base64").slice(0, -1)}\r\n`,
  `authorization: Basic ${Buffer.from([0xff, 0x3a, 0xff]).toString("base64")}\r\n`,
  `authorization: Basic ${"A".repeat(12_000)}\r\n`,
  "proxy-authorization: Bearer secret\r\n",
  "__proto__: x\r\n",
  "__proto__: secret\r\n__proto__: secret\r\n",
  "cookie: __proto__\r\n",
  "cookie: __proto__=\r\n",
  "cookie: __proto__=%E0%A4%A\r\n",
  "cookie: ;;;=;__proto__ = %;a\r\n",
  "cookie: toString=secret\r\n"
]

const lines = [
  "GET /rest/tasks?constructor",
  "GET /rest/tasks?constructor=%E0%A4%A",
  "GET /rest/tasks?constructor=secret&constructor=",
  "GET /rest/tasks?Constructor=secret",
  "GET /rest/tasks?toString=secret",
  "GET /rest/tasks?a=b?constructor=secret"
]

it.live("a credential that is odd in any way is refused, and never a defect", () =>
  Effect.gen(function*() {
    const logged: Array<string> = []
    yield* Effect.gen(function*() {
      for (const head of heads) assert.strictEqual(yield* statusOf(get, head), "401", JSON.stringify(head).slice(0, 80))
      for (const line of lines) assert.strictEqual(yield* statusOf(line, ""), "401", line)
      // a fragment is not part of a path that is served
      assert.strictEqual(yield* statusOf("GET /rest/tasks#?constructor=secret", ""), "404")
      assert.strictEqual(yield* statusOf(get, "authorization: Bearer secret\r\n"), "200")
      assert.strictEqual(yield* statusOf(get, `authorization: Basic ${btoa("ana:secret")}\r\n`), "200")
      assert.strictEqual(yield* statusOf("GET /rest/tasks?constructor=secret", ""), "200")
    }).pipe(
      Effect.provide(server.pipe(Layer.provide(Logger.layer([Logger.make(() => void logged.push("something"))]))))
    )
    assert.deepStrictEqual(logged, [])
  }))
