import { Agent, Credentials, Id } from "@effect-a2a/core"
import { NodeAgent, NodeProxy } from "@effect-a2a/node"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Redacted } from "effect"
import * as http from "node:http"
import * as https from "node:https"
import * as net from "node:net"
import * as tls from "node:tls"
import { cert, key } from "../../../test/support/certificate.ts"
import { covers } from "../../../test/support/covers.ts"
import * as Server from "../../../test/support/httpServer.ts"

const task = { id: "t-1", contextId: "c-1", status: { state: "TASK_STATE_COMPLETED" } }
const getTask = Agent.getTask(Id.TaskId.make("t-1"))

const listen = (server: net.Server) =>
  Effect.acquireRelease(
    Effect.promise(() =>
      new Promise<number>((resolve) =>
        server.listen(0, "127.0.0.1", () => resolve((server.address() as net.AddressInfo).port))
      )
    ),
    () => Effect.promise(() => new Promise((resolve) => server.close(resolve)))
  )

/** A proxy that leads every host to one port of this machine; with a password it asks for one. */
const makeProxy = (options: { readonly to: number; readonly password?: string; readonly status?: number }) =>
  Effect.gen(function*() {
    const seen: Array<string> = []
    const sockets = new Set<net.Socket>()
    const isAllowed = ({ headers }: http.IncomingMessage) =>
      options.password === undefined ||
      headers["proxy-authorization"] === `Basic ${Buffer.from(`me:${options.password}`).toString("base64")}`
    const server = http.createServer((request, response) => {
      seen.push(`${request.method} ${request.url}`)
      if (!isAllowed(request)) return void response.writeHead(407).end()
      const { pathname } = new URL(request.url!)
      const { "proxy-authorization": _, ...headers } = request.headers
      request.pipe(
        http.request(
          { port: options.to, host: "127.0.0.1", method: request.method!, path: pathname, headers },
          (answer) => {
            response.writeHead(answer.statusCode!, answer.headers)
            answer.pipe(response)
          }
        )
      )
    })
    server.on("connection", (socket) => sockets.add(socket))
    server.on("connect", (request, socket: net.Socket) => {
      seen.push(`${request.method} ${request.url}`)
      const status = isAllowed(request) ? options.status ?? 200 : 407
      if (status !== 200) return void socket.end(`HTTP/1.1 ${status} Refused\r\n\r\n`)
      const agent = net.connect(options.to, "127.0.0.1", () => socket.write("HTTP/1.1 200 OK\r\n\r\n"))
      sockets.add(agent)
      agent.pipe(socket).on("error", () => agent.destroy())
      socket.pipe(agent).on("error", () => socket.destroy())
    })
    const port = yield* listen(server)
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        for (const socket of sockets) socket.destroy()
      })
    )
    return { seen, host: `127.0.0.1:${port}` }
  })

const portOf = (url: string) => Number(new URL(url).port)

const plainAgent = Effect.map(Server.make((_, response) => Server.json(response, task)), ({ asked, url }) => ({
  asked,
  port: portOf(url)
}))

const secureAgent = Effect.gen(function*() {
  const server = https.createServer({ cert, key }, (_, response) => Server.json(response, task))
  const port = yield* listen(server)
  yield* Effect.addFinalizer(() => Effect.sync(() => server.closeAllConnections()))
  return port
})

const agent = (url: string, proxies: Layer.Layer<never>) =>
  NodeAgent.layer({ url }).pipe(Layer.provide([Credentials.layerNone, proxies]))

const env = (variables: Record<string, string>) =>
  Layer.provide(NodeProxy.layerEnv, ConfigProvider.layer(ConfigProvider.fromEnvRecord(variables)))

describe("NodeProxy", () => {
  it.live(
    "forwards requests to http agents through the proxy, its password in its own header",
    () =>
      Effect.gen(function*() {
        const { asked, port } = yield* plainAgent
        const proxy = yield* makeProxy({ to: port, password: "s3cr:t%" })
        const url = `http://me:${encodeURIComponent("s3cr:t%")}@${proxy.host}`
        const found = yield* Effect.provide(
          getTask,
          agent("http://agent.test/a2a", NodeProxy.layer({ http: Redacted.make(url) }))
        )
        assert.strictEqual(found.status.state, "completed")
        assert.deepStrictEqual(proxy.seen, ["GET http://agent.test/a2a/tasks/t-1"])
        assert.strictEqual(asked[0]?.headers.host, "agent.test")
        assert.isUndefined(asked[0]?.headers["proxy-authorization"])
      }).pipe(Effect.scoped),
    covers("field:N2-11")
  )

  it.live("tunnels requests to https agents through the proxy", () =>
    Effect.gen(function*() {
      tls.setDefaultCACertificates([...tls.getCACertificates("default"), cert])
      const proxy = yield* makeProxy({ to: yield* secureAgent, password: "secret" })
      const proxies = NodeProxy.layer({ https: Redacted.make(`http://me:secret@${proxy.host}`) })
      const found = yield* Effect.provide(getTask, agent("https://agent.test/a2a", proxies))
      assert.strictEqual(found.status.state, "completed")
      assert.deepStrictEqual(proxy.seen, ["CONNECT agent.test:443"])
    }).pipe(Effect.scoped), covers("field:N2-11"))

  it.live("reads the environment, in both cases and without a scheme", () =>
    Effect.gen(function*() {
      const { port } = yield* plainAgent
      const proxy = yield* makeProxy({ to: port })
      for (
        const variables of [
          { HTTP_PROXY: `http://${proxy.host}` },
          { http_proxy: proxy.host, HTTP_PROXY: "http://127.0.0.1:9" },
          { HTTP_PROXY: proxy.host, NO_PROXY: "other.test, agent.test:8080,*.agent.test" }
        ]
      ) yield* Effect.provide(getTask, agent("http://agent.test/a2a", env(variables)))
      assert.lengthOf(proxy.seen, 3)
    }).pipe(Effect.scoped), covers("field:N2-11"))

  it.live("reaches agents directly that NO_PROXY names, or of a scheme without a proxy", () =>
    Effect.gen(function*() {
      const { asked, port } = yield* plainAgent
      const proxy = yield* makeProxy({ to: port })
      const url = `http://127.0.0.1:${port}/a2a`
      for (
        const variables of [
          { HTTP_PROXY: proxy.host, NO_PROXY: "127.0.0.1" },
          { HTTP_PROXY: proxy.host, no_proxy: "*" },
          { HTTP_PROXY: proxy.host, NO_PROXY: `agent.test, 127.0.0.1:${port}` },
          { HTTPS_PROXY: proxy.host },
          { HTTP_PROXY: "" }
        ]
      ) yield* Effect.provide(getTask, agent(url, env(variables)))
      assert.lengthOf(asked, 5)
      assert.deepStrictEqual(proxy.seen, [])
    }).pipe(Effect.scoped), covers("field:N2-11"))

  it.live("uses the environment by default if Node is asked to, and not otherwise", () =>
    Effect.gen(function*() {
      const { port } = yield* plainAgent
      const proxy = yield* makeProxy({ to: port })
      const ask = (variables: Record<string, string>) =>
        NodeAgent.layer({ url: `http://127.0.0.1:${port}/a2a` }).pipe(
          Layer.provide([Credentials.layerNone, ConfigProvider.layer(ConfigProvider.fromEnvRecord(variables))]),
          (layer) => Effect.provide(getTask, layer)
        )
      yield* ask({ HTTP_PROXY: proxy.host })
      assert.lengthOf(proxy.seen, 0)
      yield* ask({ HTTP_PROXY: proxy.host, NODE_USE_ENV_PROXY: "1" })
      assert.lengthOf(proxy.seen, 1)
    }).pipe(Effect.scoped), covers("field:N2-11"))

  it.live(
    "reports a proxy that refuses, without the password and as a message that was not sent",
    () =>
      Effect.gen(function*() {
        const cases = [
          [
            "http://agent.test/a2a",
            undefined,
            /the proxy refused the connection with HTTP 407: give user name and password/
          ],
          ["https://agent.test/a2a", undefined, /the proxy refused the connection with HTTP 407/],
          ["https://agent.test/a2a", 503, /the proxy refused the connection with HTTP 503$/]
        ] as const
        for (const [url, status, message] of cases) {
          const password = status === undefined ? "right-one" : "wrong-one"
          const proxy = yield* makeProxy({ to: 9, password, ...(status === undefined ? undefined : { status }) })
          const own = Redacted.make(`http://me:wrong-one@${proxy.host}`)
          const error = yield* Effect.flip(
            Effect.provide(Agent.send("hi"), agent(url, NodeProxy.layer({ http: own, https: own })))
          )
          assert.strictEqual(error.reason._tag, "ConnectionError")
          assert.match(error.reason.message, message)
          assert.strictEqual(error.delivery, "not-sent")
          assert.strictEqual(error.isRetryable, status === 503)
          assert.notInclude(JSON.stringify([error, error.message, String(error.stack)]), "wrong-one")
        }
      }).pipe(Effect.scoped),
    covers("field:N2-11")
  )

  it.effect(
    "refuses an invalid URL of a proxy without showing it, before anything is sent",
    () =>
      Effect.gen(function*() {
        for (const url of ["http://me:hidden@:x", "socks5://me:hidden@proxy.test", "http://me:hidden%@proxy.test"]) {
          const error = yield* Effect.flip(
            Effect.provide(getTask, agent("http://agent.test", env({ HTTP_PROXY: url })))
          )
          assert.strictEqual(error.code, "INVALID_REQUEST")
          assert.include(error.message, "invalid URL of the proxy for http agents: expected http://host:port")
          assert.notInclude(JSON.stringify(error), "hidden")
        }
      }),
    covers("field:N2-11")
  )
})
