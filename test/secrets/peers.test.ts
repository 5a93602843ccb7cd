/** Peers that repeat what they got, over sockets, to every client: no error, span or log line shows a secret. */
import { Agent, Id, OAuth } from "@effect-a2a/core"
import { MemoryLake } from "@effect-a2a/memorylake"
import { NodeAgent } from "@effect-a2a/node"
import { Adk, AdkClient, AdkContent } from "@effect-a2a/transport-adk"
import { Rest } from "@effect-a2a/transport-rest"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Stream } from "effect"
import { FetchHttpClient } from "effect/http"
import type { ServerResponse } from "node:http"
import { covers } from "../support/covers.ts"
import * as Server from "../support/httpServer.ts"
import * as Secrets from "./support.ts"

type Peer = (said: string, response: ServerResponse, body: string) => void

const json = (response: ServerResponse, status: number, body: unknown, headers = {}) =>
  response.writeHead(status, { "content-type": "application/json", ...headers })
    .end(typeof body === "string" ? body : JSON.stringify(body))
const typed = (type: string, status = 200, wrap = (said: string) => said): Peer => (said, response) =>
  void response.writeHead(status, { "content-type": type }).end(wrap(said))
const sse = (wrap: (said: string) => string): Peer => typed("text/event-stream", 200, wrap)
/** A header cannot hold other characters. */
const header = (said: string) => said.replace(/[^!-~ ]/g, "").slice(0, 8000)
const idOf = (body: string): unknown => (/"id":("[^"]*"|\d+)/.exec(body)?.[1] ?? "null").replaceAll("\"", "")
const working = { id: "t", contextId: "c", status: { state: "TASK_STATE_WORKING" } }

/** Ways in which a peer may repeat what it got. */
const peers: Readonly<Record<string, Peer>> = {
  "a refusal in JSON": (said, response) =>
    json(response, 401, {
      error: {
        code: 401,
        status: "UNAUTHENTICATED",
        message: said,
        details: [{ reason: said, metadata: { [said]: said } }]
      }
    }, { "www-authenticate": `Bearer error="${header(said)}"` }),
  "a refusal of FastAPI": (said, response) =>
    json(response, 422, { detail: [{ loc: ["body", said], msg: said, type: said, input: { [said]: said } }] }),
  "a refusal as problem details": (said, response) =>
    json(response, 403, { type: `https://x.test/${said}`, title: said, detail: said, status: 403 }),
  "a refusal in text": typed("text/plain", 500),
  "a refusal in HTML": typed("text/html", 502, (said) => `<pre>${said}</pre>`),
  "a refusal in broken JSON": typed("application/json", 500, (said) => `{"message":"${said}"`),
  "a refusal as an event": typed(
    "text/event-stream",
    403,
    (said) => `data: {"error":{"code":403,"message":${JSON.stringify(said)}}}\n\n`
  ),
  "a missing route": typed("text/plain", 404),
  "a page": typed("text/html", 200, (said) => `<html>${said}</html>`),
  "a text": typed("text/plain"),
  "no media type": (said, response) => void response.writeHead(200).end(said),
  "a media type": (said, response) =>
    void response.writeHead(200, { "content-type": header(said).slice(0, 500) }).end("x"),
  "JSON that is not JSON": typed("application/json"),
  "JSON cut off": typed("application/json", 200, (said) => `{"task":${JSON.stringify(said)}`),
  "a JSON string": (said, response) => json(response, 200, JSON.stringify(said)),
  "a list": (said, response) => json(response, 200, [said, { [said]: 1 }]),
  "a document of other members": (said, response) => json(response, 200, { [said]: { [said]: [said] }, jsonrpc: said }),
  "a task of wrong members": (said, response) =>
    json(response, 200, { task: { id: 5, contextId: [said], status: { state: said, [said]: said }, artifacts: said } }),
  "a task that failed": (said, response) =>
    json(response, 200, {
      task: {
        ...working,
        status: {
          state: "TASK_STATE_FAILED",
          message: { messageId: said, role: "ROLE_AGENT", parts: [{ text: said }] }
        }
      }
    }),
  "an error of JSON-RPC": (said, response, body) =>
    json(response, 200, {
      jsonrpc: "2.0",
      id: idOf(body),
      error: { code: -32000, message: said, data: [said, { [said]: said }] }
    }),
  "the id of another request": (said, response) => json(response, 200, { jsonrpc: "2.0", id: said, result: {} }),
  "an event that is not JSON": sse((said) => `data: ${said}\n\n`),
  "an event that is wrong": sse((said) => `data: ${JSON.stringify({ statusUpdate: { taskId: 5, [said]: said } })}\n\n`),
  "an error event": sse((said) => `event: error\ndata: ${JSON.stringify({ error: { code: 500, message: said } })}\n\n`),
  "an error event in text": sse((said) => `event: error\ndata: ${said}\n\n`),
  "an error event after others": sse((said) =>
    `data: ${JSON.stringify({ task: working })}\n\nid: ${said}\nevent: error\ndata: "${said}\n\n`
  ),
  "a stream that ends": sse((said) =>
    `: ${said}\n\ndata: ${JSON.stringify({ task: { ...working, metadata: { [said]: said } } })}\n\n`
  ),
  "a stream that is no stream": sse((said) => `<html>${said}`),
  "a redirect": (said, response) =>
    void response.writeHead(307, { location: `https://evil.test/?${header(said)}` }).end(),
  "a redirect to what is not a URL": (said, response) =>
    void response.writeHead(302, { location: `http://[${header(said)}` }).end(),
  "a reason phrase": (said, response) => void response.writeHead(418, header(said).slice(0, 900)).end(),
  "trailers of a lost connection": (said, response) => {
    response.writeHead(200, {
      "content-type": "application/json",
      "content-length": "100000",
      "x-said": header(said).slice(0, 4000)
    })
    response.write(said, () => response.destroy())
  }
}

/** What a request held that may be secret, each text in some of the forms. */
const toSaid = ({ body, headers, target }: Server.Asked, first: number): string =>
  [headers.authorization, headers["x-gateway"], headers.cookie, headers["x-session"], target, body].flatMap(
    (text = "") => {
      const forms = Object.values(Secrets.encodings)
      return [...forms.slice(first), ...forms.slice(0, first)].slice(0, 4).map((encode) =>
        encode(String(text).slice(0, 600))
      )
    }
  ).join(" ")

const isSecretFree = (call: Effect.Effect<unknown, unknown>, where: string) =>
  Effect.gen(function*() {
    const { error, exit, logs, spans } = yield* Secrets.observed(Secrets.withSecrets(call))
    for (const [place, text] of Object.entries({ error, logs, spans })) {
      assert.deepStrictEqual(Secrets.found(text, Secrets.secrets), [], `${where}, ${place}`)
    }
    return exit._tag === "Failure"
  })

const options = { taskPushNotificationConfig: Secrets.webhook }
const calls = {
  send: Agent.send("hi", options),
  stream: Stream.runDrain(Agent.stream("hi", options)),
  getTask: Agent.getTask(Id.TaskId.make("t")),
  webhook: Effect.flatMap(
    Agent.Agent,
    (agent) => agent.pushConfigs.create({ taskId: Id.TaskId.make("t"), ...Secrets.webhook })
  ),
  card: Agent.card
}
const run = { userId: "u", sessionId: "s", newMessage: AdkContent.user(AdkContent.text("hi")) }

/** The clients, by name; each calls the peer at `url` in all its ways. */
const clients: Readonly<Record<string, (url: string) => Readonly<Record<string, Effect.Effect<unknown, unknown>>>>> = {
  ...Object.fromEntries(
    ([
      ["1.0", "rest", NodeAgent.layerClient, ["send", "stream", "card"]],
      ["1.0", "jsonrpc", FetchHttpClient.layer, ["send", "stream", "webhook"]],
      ["0.3", "rest", FetchHttpClient.layer, ["stream", "webhook"]],
      ["0.3", "jsonrpc", NodeAgent.layerClient, ["send", "getTask"]]
    ] as const).map(([protocol, binding, http, names]) => {
      const credentials = http === NodeAgent.layerClient ? Secrets.layerPlanted : Secrets.layerBearer
      return [`${protocol} ${binding}`, (url: string) => {
        const agent = Agent.layer.pipe(
          Layer.provide(NodeAgent.layerTransport({ url: Secrets.withQuery(`${url}/a2a`), protocol, binding })),
          Layer.provide([http, credentials])
        )
        return Object.fromEntries(names.map((name) => [name, Effect.provide(calls[name], agent)]))
      }]
    })
  ),
  MemoryLake: (url) => {
    const agent = Agent.layer.pipe(
      Layer.provide(MemoryLake.layer({ binding: Rest.binding, host: url, workspaceId: "w", agentId: "a" })),
      Layer.provide([NodeAgent.layerClient, Secrets.layerBearer])
    )
    return { send: Effect.provide(calls.send, agent) }
  },
  ADK: (url) => {
    const server = { url: Secrets.withQuery(url), appName: "app" }
    const environment = Layer.merge(NodeAgent.layerClient, Secrets.layerPlanted)
    const client = Layer.provide(AdkClient.layer(server), environment)
    const agent = Agent.layer.pipe(Layer.provide(Adk.layer({ ...server, userId: "u" })), Layer.provide(environment))
    const use = <A, E>(f: (client: AdkClient.Service) => Effect.Effect<A, E>) =>
      Effect.provide(Effect.flatMap(AdkClient.AdkClient, f), client)
    return {
      run: use((client) => client.run(run)),
      runSse: use((client) => Stream.runDrain(client.runSse(run))),
      session: use((client) => client.getSession(run)),
      apps: use((client) => client.listApps),
      agent: Effect.provide(Agent.send("hi"), agent)
    }
  }
}

describe("a peer that repeats what it got", () => {
  for (const [kind, peer] of Object.entries(peers)) {
    it.live(`as ${kind} makes no client show a secret`, () =>
      Effect.gen(function*() {
        let count = 0
        let failures = 0
        const { url } = yield* Server.make((asked, response) => peer(toSaid(asked, count++ % 26), response, asked.body))
        for (const [client, make] of Object.entries(clients)) {
          for (const [name, call] of Object.entries(make(url))) {
            if (yield* isSecretFree(call, `${client} ${name}`)) failures++
          }
        }
        assert.isAbove(failures, 5)
      }).pipe(Effect.scoped), covers("attack:S2-31", "attack:S2-32", "field:SEC-01", "ML-02"))
  }
})

describe("a token endpoint", () => {
  const clientSecret = Redacted.make(Secrets.secrets.password!)
  const grants = (tokenUrl: string) =>
    (["basic", "body"] as const).flatMap((clientAuthentication) => [
      OAuth.layerClientCredentials({ tokenUrl, clientId: "me", clientSecret, clientAuthentication }),
      OAuth.layerRefreshToken({
        tokenUrl,
        clientId: "me",
        clientSecret,
        clientAuthentication,
        refreshToken: Redacted.make(Secrets.planted.bearer)
      })
    ])

  const ask = (url: string) =>
    Effect.forEach(grants(Secrets.withQuery(`${url}/token`)), (credentials, index) =>
      isSecretFree(
        Effect.provide(
          Agent.send("hi"),
          Agent.layer.pipe(
            Layer.provide(NodeAgent.layerTransport({ url: `${url}/a2a` })),
            Layer.provide(credentials),
            Layer.provide(index % 2 === 0 ? NodeAgent.layerClient : FetchHttpClient.layer)
          )
        ),
        `grant ${index}`
      ))

  it.live("that repeats what it got makes no client show a secret", () =>
    Effect.gen(function*() {
      for (const peer of Object.values(peers)) {
        let count = 0
        const { url } = yield* Server.make((asked, response) => peer(toSaid(asked, count++ % 26), response, asked.body))
        assert.deepStrictEqual(yield* ask(url), [true, true, true, true])
      }
    }).pipe(Effect.scoped), covers("attack:S2-31", "field:SEC-01"))

  it.live("that grants tokens is traced without its query, the form and the tokens", () =>
    Effect.gen(function*() {
      const tokens = { access_token: Secrets.planted.bearer, refresh_token: Secrets.planted["key in a header"] }
      const { asked, url } = yield* Server.make(({ line }, response) =>
        json(
          response,
          200,
          line === "POST /token" ? tokens : { task: { ...working, status: { state: "TASK_STATE_COMPLETED" } } }
        )
      )
      assert.deepStrictEqual(yield* ask(url), [false, false, false, false])
      assert.include(asked[0]!.target, "?route=")
    }).pipe(Effect.scoped), covers("attack:S2-36"))
})
