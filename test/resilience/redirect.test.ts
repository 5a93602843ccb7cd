import { Agent, type AgentError, Credentials, Protocol } from "@effect-a2a/core"
import { JsonRpc } from "@effect-a2a/transport-jsonrpc"
import { Rest } from "@effect-a2a/transport-rest"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { FetchHttpClient } from "effect/http"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { covers } from "../support/covers.ts"
import { agent, taskId, through } from "./support.ts"

interface Asked {
  readonly method: string
  readonly url: string
  readonly key: string | undefined
  readonly body: string
}

/** A server on a socket, and what it was asked. */
const listening = Effect.fnUntraced(function*(handle: (asked: Asked, response: ServerResponse) => void) {
  const all: Array<Asked> = []
  const server = createServer((request: IncomingMessage, response) => {
    let body = ""
    request.on("data", (chunk) => (body += chunk))
    request.on("end", () => {
      const asked = { method: request.method!, url: request.url!, key: request.headers.authorization, body }
      all.push(asked)
      handle(asked, response)
    })
  })
  const port = yield* Effect.acquireRelease(
    Effect.callback<number>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed((server.address() as AddressInfo).port)))
    }),
    () => Effect.sync(() => (server.close(), server.closeAllConnections()))
  )
  return { all, url: `http://127.0.0.1:${port}` }
})

const agentAt = (url: string, client: typeof clients[keyof typeof clients], binding = Rest.layer) =>
  Agent.layer.pipe(
    Layer.provide(binding({ url, protocol: Protocol.v1_0 })),
    Layer.provide([Credentials.layerBearer(Redacted.make("s3cr3t")), client])
  )

const answer = (asked: Asked, response: ServerResponse) => {
  const task = { id: "t-1", contextId: "c-1", status: { state: "TASK_STATE_COMPLETED" } }
  const result = asked.method === "POST" ? { task } : task
  const id = asked.body === "" ? undefined : JSON.parse(asked.body).id
  response.writeHead(200, { "content-type": "application/json" })
  response.end(JSON.stringify(id === undefined ? result : { jsonrpc: "2.0", id, result: task }))
}

const redirect = (status: number, location: string) => (_: Asked, response: ServerResponse) =>
  void response.writeHead(status, { location }).end("moved")

const clients = { fetch: FetchHttpClient.layer, undici: NodeHttpClient.layerUndici }

const refused = (effect: Effect.Effect<unknown, AgentError.AgentError>) =>
  Effect.map(Effect.flip(effect), ({ reason }) => reason)

for (const [name, client] of Object.entries(clients)) {
  describe(`redirects, ${name}`, () => {
    it.live("to another origin are refused, and nothing is sent there", () =>
      Effect.gen(function*() {
        const other = yield* listening(answer)
        for (const status of [301, 302, 307, 308]) {
          const { url } = yield* listening(redirect(status, `${other.url}/x?token=abc`))
          for (const call of [Agent.getTask(taskId), Agent.send("hi")]) {
            const reason = yield* refused(Effect.provide(call, agentAt(url, client)))
            assert.strictEqual(reason._tag, "ConnectionError")
            assert.strictEqual(reason.status, status)
            assert.isFalse(reason.isRetryable)
            assert.include(reason.message, `${url} redirects to another origin, ${other.url}, `)
            assert.notInclude(reason.message, "abc")
            assert.notMatch(reason.message, /may have received/)
          }
        }
        assert.deepStrictEqual(other.all, [])
      }), covers("field:SEC-04", "field:N2-44", "attack:S2-42"))

    it.live("within an origin are followed: 307 and 308 with method and body, the others for reads only", () =>
      Effect.gen(function*() {
        for (const status of [307, 308, 301, 302, 303]) {
          const { all, url } = yield* listening((asked, response) =>
            asked.url.startsWith("/new")
              ? answer(asked, response)
              : redirect(status, `/new${asked.url}`)(asked, response)
          )
          assert.strictEqual((yield* Effect.provide(Agent.getTask(taskId), agentAt(url, client))).id, taskId)
          assert.deepStrictEqual(all.map(({ key, method }) => [method, key]), Array(2).fill(["GET", "Bearer s3cr3t"]))
          const send = Effect.provide(Agent.send("hi"), agentAt(url, client))
          if (status >= 307) {
            yield* send
            assert.strictEqual(all[3]!.body, all[2]!.body)
            assert.strictEqual(all[3]!.method, "POST")
          } else {
            assert.strictEqual((yield* refused(send))._tag, "ConnectionError")
            assert.strictEqual(all.length, 3)
          }
        }
      }))

    it.live("are followed over JSON-RPC, and at most five in a row", () =>
      Effect.gen(function*() {
        const { all, url } = yield* listening((asked, response) =>
          asked.url === "/a2a" ? redirect(308, "/a2a/")(asked, response) : answer(asked, response)
        )
        yield* Effect.provide(Agent.getTask(taskId), agentAt(`${url}/a2a`, client, JsonRpc.layer))
        assert.deepStrictEqual(all.map(({ url }) => url), ["/a2a", "/a2a/"])
        const round = yield* listening((asked, response) => redirect(307, `${asked.url}x`)(asked, response))
        const reason = yield* refused(Effect.provide(Agent.getTask(taskId), agentAt(round.url, client)))
        assert.match(reason.message, /more than 5/)
        assert.strictEqual(round.all.length, 6)
      }), covers("attack:S2-42"))
  })
}

it.effect("the opaque response of a browser to a redirect is refused as a redirect", () =>
  Effect.gen(function*() {
    const { layer } = through().peer([() => Response.error()])
    const { reason } = yield* Effect.flip(Agent.getTask(taskId)).pipe(Effect.provide(agent(layer)))
    assert.isTrue(reason._tag === "ConnectionError" && !reason.isRetryable && /redirects/.test(reason.message))
  }))
