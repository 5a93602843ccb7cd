/** What a server lets in, byte by byte: targets, paths, content types, and what browsers send for pages. */
import { OriginPolicy } from "@effect-a2a/core"
import { NodeAgentServer } from "@effect-a2a/node"
import { AgentExecutor, AgentServer, CardServer, Cors } from "@effect-a2a/server"
import { JsonRpcServer } from "@effect-a2a/transport-jsonrpc"
import { RestServer } from "@effect-a2a/transport-rest"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import type { HttpRouter } from "effect/http"
import { connect } from "node:net"
import { covers } from "../../../test/support/covers.ts"

interface Answer {
  readonly status: number
  readonly body: string
}

/** Writes a request as it stands and reads until the server closes. */
const exchange = (port: number, text: string): Effect.Effect<Answer> =>
  Effect.callback((resume) => {
    let all = ""
    const socket = connect(port, "127.0.0.1", () => socket.write(text))
    socket.setEncoding("utf8").on("data", (chunk) => {
      all += chunk
    }).on("close", () => {
      const [head = "", body = ""] = all.split("\r\n\r\n")
      resume(Effect.succeed({ status: Number(head.split(" ")[1]), body }))
    }).on("error", () => {})
  })

interface Init {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** An agent of both bindings and versions, how to send to it, and the messages that its executor got. */
const serve = (more: Layer.Layer<never, never, HttpRouter.HttpRouter> = Layer.empty) => {
  const heard: Array<string> = []
  const executor = AgentExecutor.layer(({ message }) => {
    heard.push(message.messageId)
    return Stream.make("Done")
  })
  const routes = Layer.mergeAll(
    RestServer.routes({ path: "/a2a" }),
    JsonRpcServer.routes({ path: "/rpc" }),
    CardServer.routes(),
    more
  ).pipe(
    Layer.provide(AgentServer.layerMemory({ card: { name: "Agent", description: "Works" } })),
    Layer.provide(executor)
  )
  const send = (target: string, { body, headers = {}, method = body === undefined ? "GET" : "POST" }: Init = {}) =>
    Effect.flatMap(NodeAgentServer.url, (url) => {
      const { host, port } = new URL(url)
      const all = {
        host,
        connection: "close",
        ...(body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) }),
        ...headers
      }
      const head = Object.entries(all).map(([name, value]) => `${name}: ${value}`).join("\r\n")
      return exchange(Number(port), `${method} ${target} HTTP/1.1\r\n${head}\r\n\r\n${body ?? ""}`)
    })
  return { heard, send, layer: NodeAgentServer.layer({ routes, port: 0 }) }
}

const message = { messageId: "m-1", role: "ROLE_USER", parts: [{ text: "hi" }] }
const rest = JSON.stringify({ message })
const rpc = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "SendMessage", params: { message } })
const rpc03 = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "message/send",
  params: { message: { kind: "message", messageId: "m-1", role: "user", parts: [{ kind: "text", text: "hi" }] } }
})
const json = { "content-type": "application/json" }

/** A send in each binding and version; the version may be in the query, where no preflight protects it. */
const sends = [
  ["/a2a/message:send?A2A-Version=1.0", rest],
  ["/rpc?A2A-Version=1.0", rpc],
  ["/rpc", rpc03]
] as const

describe("bodies", covers("attack:S2-02"), () => {
  it.live("must be JSON by their content type: those that browsers send without asking are refused", () => {
    const { heard, layer, send } = serve()
    return Effect.gen(function*() {
      const types = [
        undefined,
        "",
        "text/plain",
        "text/plain; charset=application/json",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "text/json",
        "application/octet-stream",
        "application/jsonp",
        "x/application/json"
      ]
      for (const [target, body] of sends) {
        for (const type of types) {
          const answer = yield* send(target, { body, headers: type === undefined ? {} : { "content-type": type } })
          assert.strictEqual(answer.status, target.startsWith("/rpc") ? 200 : 400, `${target} ${type}`)
          assert.include(answer.body, "must be application/json")
        }
      }
      assert.deepStrictEqual(heard, [])
      for (const [target, body] of sends) {
        for (const type of ["application/json", "application/a2a+json; charset=utf-8", "APPLICATION/JSON"]) {
          assert.strictEqual((yield* send(target, { body, headers: { "content-type": type } })).status, 200, target)
        }
      }
    }).pipe(Effect.provide(layer))
  })
})

describe("pages", covers("attack:S2-02"), () => {
  const foreign = ["http://localhost:5499", "http://127.0.0.1:1", "https://evil.test", "null", "file://", "no origin"]

  it.live("of other origins are refused, also where no body is needed, and nothing is done", () => {
    const { heard, layer, send } = serve()
    return Effect.gen(function*() {
      for (const origin of foreign) {
        for (const [target, body] of sends) {
          assert.strictEqual((yield* send(target, { body, headers: { ...json, origin } })).status, 403, target)
        }
        for (const target of ["/a2a/tasks/t-1:cancel", "/a2a/v1/tasks/t-1:cancel", "/a2a/acme/tasks/t-1:cancel"]) {
          const { body, status } = yield* send(target, { method: "POST", headers: { origin } })
          assert.strictEqual(status, 403, target)
          assert.include(body, "may not call this server")
        }
      }
      assert.deepStrictEqual(heard, [])
    }).pipe(Effect.provide(layer))
  })

  it.live("of the server's own origin may call, and programs, which have none", () => {
    const { layer, send } = serve()
    return Effect.gen(function*() {
      const url = yield* NodeAgentServer.url
      for (const headers of [{ ...json, origin: url }, json]) {
        for (const [target, body] of sends) assert.strictEqual((yield* send(target, { body, headers })).status, 200)
      }
    }).pipe(Effect.provide(layer))
  })

  it.live("of other origins may call if Cors or OriginPolicy lists them, and no others", () =>
    Effect.forEach(
      [Cors.layer({ origins: ["https://app.test"] }), OriginPolicy.layer({ origins: ["https://app.test"] })],
      (permits) => {
        const { layer, send } = serve(permits)
        return Effect.gen(function*() {
          for (const [target, body] of sends) {
            const from = (origin: string) => send(target, { body, headers: { ...json, origin } })
            assert.strictEqual((yield* from("https://app.test")).status, 200)
            assert.strictEqual((yield* from("https://app.test.evil.test")).status, 403)
            assert.strictEqual((yield* from("http://app.test")).status, 403)
          }
        }).pipe(Effect.provide(layer))
      }
    ))

  it.live("of any origin may call if Cors lists none", () => {
    const { layer, send } = serve(Cors.layer())
    return Effect.gen(function*() {
      const [target, body] = sends[0]
      assert.strictEqual((yield* send(target, { body, headers: { ...json, origin: "https://app.test" } })).status, 200)
    }).pipe(Effect.provide(layer))
  })
})

describe("names of the server", covers("attack:S2-02"), () => {
  const asked = ["/a2a/tasks?A2A-Version=1.0", "/.well-known/agent-card.json"]

  it.live("are those of this machine if it is reached over loopback: a name that was pointed here is refused", () => {
    const { layer, send } = serve()
    return Effect.gen(function*() {
      for (const target of asked) {
        for (
          const host of ["rebound.evil.test", "rebound.evil.test:80", "localhost.evil.test", "10.0.0.1", "127.1.evil"]
        ) {
          const origin = `http://${host}`
          assert.strictEqual((yield* send(target, { headers: { host, origin } })).status, 403, host)
        }
        for (const host of ["localhost", "LOCALHOST:1234", "agent.localhost", "127.0.0.1", "127.8.9.1:80", "[::1]:5"]) {
          assert.strictEqual((yield* send(target, { headers: { host } })).status, 200, host)
        }
      }
    }).pipe(Effect.provide(layer))
  })

  it.live("are those that the program lists, too", () => {
    const { layer, send } = serve(OriginPolicy.layer({ hosts: ["agent.test"] }))
    return Effect.gen(function*() {
      for (const target of asked) {
        assert.strictEqual((yield* send(target, { headers: { host: "agent.test:8080" } })).status, 200)
        assert.strictEqual((yield* send(target, { headers: { host: "evil.test" } })).status, 403)
      }
    }).pipe(Effect.provide(layer))
  })
})

describe("targets", () => {
  it.live("that are not URLs are refused by a 4xx with words in it", () => {
    const { layer, send } = serve()
    return Effect.gen(function*() {
      const targets = [
        "http://[/a2a/tasks/x",
        "http://a.test:99999/a2a/tasks/x",
        "http://[/rpc",
        "http://[::1/rpc",
        "http://%/a2a/tasks/x",
        "//[/a2a/tasks/x",
        "/a2a/tasks/%",
        "/a2a/tasks/%ff%fe",
        "/a2a/%zz/tasks/x"
      ]
      for (const target of targets) {
        for (const method of ["GET", "POST"]) {
          const { status } = yield* send(target, { method, headers: { "a2a-version": "1.0" } })
          assert.isTrue(status >= 400 && status < 500, `${method} ${target}: ${status}`)
        }
      }
      const { body, status } = yield* send("http://[/a2a/tasks/x", { headers: { "a2a-version": "1.0" } })
      assert.strictEqual(status, 400)
      assert.include(body, "not a URL")
    }).pipe(Effect.provide(layer))
  }, covers("attack:S2-08"))

  it.live("have one spelling: neither case, further slashes, dot segments nor fragments reach the agent", () => {
    const { heard, layer, send } = serve()
    return Effect.gen(function*() {
      const headers = { "a2a-version": "1.0" }
      for (
        const target of [
          "/A2A/tasks",
          "/a2A/tasks",
          "//a2a/tasks",
          "/a2a//tasks",
          "/x/../A2A/tasks",
          "/%61%32a/tasks",
          "/a2a/./tasks",
          "/a2a/%2e/tasks",
          "/a2a/x/../tasks",
          "/a2a/x/.%2E/tasks",
          "/./a2a/tasks",
          "/a2a/tasks/.",
          "/a2a%2Ftasks",
          "/a2a;x/tasks",
          "/a2a/tasks;x=1",
          "/a2a\\tasks",
          "/a2a/x\\..\\tasks",
          "/a2a/tasks#x"
        ]
      ) {
        assert.strictEqual((yield* send(target, { headers })).status, 404, target)
      }
      for (
        const target of ["/RPC", "/Rpc", "//rpc", "/r%70c", "/x/..//rpc", "/./rpc", "/x/../rpc", "/rpc/.", "/rpc#x"]
      ) {
        assert.strictEqual((yield* send(target, { body: rpc, headers: { ...headers, ...json } })).status, 404, target)
      }
      for (
        const target of [
          "/.WELL-KNOWN/agent-card.json",
          "//.well-known/agent-card.json",
          "/.well-known/./agent-card.json"
        ]
      ) {
        assert.strictEqual((yield* send(target)).status, 404, target)
      }
      assert.deepStrictEqual(heard, [])
      assert.strictEqual((yield* send("/a2a/tasks", { headers })).status, 200)
    }).pipe(Effect.provide(layer))
  }, covers("attack:S2-09"))
})

it.live("a method or an expectation that a path does not take is refused before a body is sent, everywhere", () => {
  const { heard, layer, send } = serve()
  return Effect.gen(function*() {
    const headers = { "a2a-version": "1.0" }
    const paths = [
      "/a2a/message:send",
      "/a2a/message:stream",
      "/a2a/tasks/x:cancel",
      "/a2a/tasks",
      "/a2a/tasks/x",
      "/rpc"
    ]
    for (const path of paths) {
      for (const method of ["HEAD", "OPTIONS", "PUT", "TRACE"]) {
        const { body, status } = yield* send(path, { method, headers })
        assert.strictEqual(status, 405, `${method} ${path}`)
        if (method === "HEAD") assert.strictEqual(body, "", path)
      }
      // the body is announced and not sent
      const expecting = { ...headers, ...json, "content-length": "9" }
      const other = yield* send(path, { method: "POST", headers: { ...expecting, expect: "200-ok" } })
      assert.strictEqual(other.status, 417, path)
    }
    for (const path of ["/a2a/tasks", "/a2a/tasks/x"]) {
      const headersOfBody = { ...headers, ...json, "content-length": "9", expect: "100-continue" }
      assert.strictEqual((yield* send(path, { method: "POST", headers: headersOfBody })).status, 405, path)
    }
    assert.deepStrictEqual(heard, [])
  }).pipe(Effect.provide(layer))
})

it.live("bodies are never decompressed: another encoding than identity is refused", () => {
  const { heard, layer, send } = serve()
  return Effect.gen(function*() {
    for (const encoding of ["gzip", "br", "x-unknown", "gzip, identity"]) {
      const headers = { ...json, "a2a-version": "1.0", "content-encoding": encoding }
      const { body, status } = yield* send("/a2a/message:send", { body: rest, headers })
      assert.strictEqual(status, 415, encoding)
      assert.include(body, "must not be compressed")
      assert.include((yield* send("/rpc", { body: rpc, headers })).body, "must not be compressed")
    }
    assert.deepStrictEqual(heard, [])
    const headers = { ...json, "a2a-version": "1.0", "content-encoding": "Identity" }
    assert.strictEqual((yield* send("/a2a/message:send", { body: rest, headers })).status, 200)
  }).pipe(Effect.provide(layer))
}, covers("attack:S2-02"))
