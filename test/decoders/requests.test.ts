/** Requests that are wrong everywhere, in all combinations, through the servers. */
import { AgentTransport, type Operation } from "@effect-a2a/core"
import * as JsonRpcServer from "@effect-a2a/transport-jsonrpc/JsonRpcServer"
import * as RestServer from "@effect-a2a/transport-rest/RestServer"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { covers } from "../support/covers.ts"
import { type Combination, combinations, isRpc } from "../support/peer.ts"
import * as Serve from "../support/serve.ts"
import * as Client from "./client.ts"
import { all, costly, few, kindsAt, nameOf, places, plant } from "./documents.ts"
import * as Samples from "./samples.ts"
import { assertLinear, assertWritable } from "./support.ts"

const maxRefusal = 8000

/** An agent that answers every operation with a sample, and records its requests. */
const agent = (one: Combination) => {
  const calls: Array<unknown> = []
  const answer = (operation: Operation.Any, request: unknown): any => {
    calls.push(request)
    return Samples.results(one)[operation._tag as Client.Tag][0]
  }
  const layer = Layer.succeed(AgentTransport.AgentTransport, {
    target: { url: "https://agent.test", protocolBinding: "HTTP+JSON", protocolVersion: "1.0" },
    call: (operation, request) => Effect.sync(() => answer(operation, request)),
    stream: (operation, request) => Stream.sync(() => answer(operation, request))
  })
  return { calls, layer }
}

/** Serves one combination, and returns a function that sends it requests. */
const serve = (one: Combination) =>
  Effect.gen(function*() {
    const { calls, layer } = agent(one)
    const options = { path: "/a2a", protocols: [one.protocol] } as const
    const routes = isRpc(one) ? JsonRpcServer.routes(options) : RestServer.routes(options)
    const client = Context.get(yield* Layer.build(Serve.served(routes, layer)), HttpClient.HttpClient)
    const headers = { "a2a-version": one.protocol.version }
    const ask = (path: string, init: Serve.Init) =>
      Serve.ask(path, { ...init, headers }).pipe(Effect.provideService(HttpClient.HttpClient, client), Effect.orDie)
    return { calls, ask }
  })

type Served = Effect.Success<ReturnType<typeof serve>>

const methodOf = (one: Combination, tag: Client.Tag) => one.protocol.jsonRpc.methods[tag]

const call = (one: Combination, tag: Client.Tag, params: string) =>
  `{"jsonrpc":"2.0","id":1,"method":"${methodOf(one, tag)}","params":${params}}`

/** Sends a body of an operation, and asserts that a refusal is short, and that nothing failed unexpectedly. */
const send = ({ ask }: Served, one: Combination, tag: Client.Tag, body: string, name: string) =>
  Effect.gen(function*() {
    const route = isRpc(one) ? undefined : one.protocol.rest.routes[tag]?.find(({ method }) => method === "POST")
    const path = `/a2a${one.protocol.rest.prefix ?? ""}${route?.path.replace(/\{\w+\}/g, "t-1")}`
    const { status, text } = yield* isRpc(one)
      ? ask("/a2a", { method: "POST", body: call(one, tag, body) })
      : ask(path, { method: "POST", body })
    assert.isBelow(status, 500, `${name}: ${text.slice(0, 500)}`)
    assert.isBelow(text.length, maxRefusal, `${name}: ${text.slice(0, 500)}`)
    assert.notInclude(text, "internal error", name)
  })

const operationsOf = (one: Combination) =>
  Client.operationsOf(one).filter((tag) =>
    isRpc(one)
      ? methodOf(one, tag) !== undefined
      : one.protocol.rest.routes[tag]?.some(({ body, method }) => method === "POST" && body !== "none")
  )

describe.each(combinations)("$name", (one) => {
  it.live.each(operationsOf(one))(
    "a wrong request of %s is refused in few words, or can be written again",
    (tag) =>
      Effect.scoped(Effect.gen(function*() {
        const server = yield* serve(one)
        const codec: any = Client.dialectOf(one).request[tag]
        const sample = Result.getOrThrow(codec.encode(Samples.requests(one)[tag]))
        const isKnown = tag === "SendStreamingMessage" || one.name === "1.0 HTTP+JSON"
        for (const path of isKnown ? [[]] : places(sample)) {
          for (const [kind, make] of Object.entries(isKnown ? few : kindsAt(sample, path))) {
            const name = `${kind} at ${nameOf(path)}`
            server.calls.length = 0
            yield* send(server, one, tag, plant(sample, path, make(300)), name)
            for (const request of server.calls) {
              assertWritable(codec, request, name)
            }
          }
        }
      }))
  )
})

describe("parameters in paths and queries", () => {
  const texts = ["x".repeat(3000), "\ud800", "1e400", "-0", "[]", "%00", "__proto__", "constructor", ",".repeat(3000)]
  const rest = combinations.filter((one) => !isRpc(one))

  it.live.each(rest)(
    "of any length and kind are refused in few words, or reach the agent, in $name",
    (one) =>
      Effect.scoped(Effect.gen(function*() {
        const { ask } = yield* serve(one)
        for (const [tag, routes] of Object.entries(one.protocol.rest.routes)) {
          for (const { method, path, query = {} } of routes) {
            for (const text of texts) {
              const value = encodeURIComponent(text.replace(/\p{Surrogate}/gu, "\ufffd"))
              const at = `/a2a${one.protocol.rest.prefix ?? ""}${path.replace(/\{\w+\}/g, value)}`
              const names = Object.keys(query)
              for (const url of [at, ...names.map((name) => `${at.replaceAll(value, "t-1")}?${name}=${value}`)]) {
                const answer = yield* ask(url, { method, ...(method === "POST" ? { body: "{}" } : undefined) })
                assert.isBelow(answer.status, 500, `${tag} ${url.slice(0, 300)}`)
                assert.isBelow(answer.text.length, maxRefusal, `${tag} ${url.slice(0, 300)}`)
              }
            }
          }
        }
      }))
  )
})

describe("envelopes of JSON-RPC", () => {
  const one = combinations.find(({ name }) => name === "1.0 JSONRPC")!
  const envelope = { jsonrpc: "2.0", id: "1", method: "GetTask", params: { id: "t-1" } }

  it.live(
    "that are wrong are refused in few words, and no event repeats a long id",
    () =>
      Effect.scoped(Effect.gen(function*() {
        const { ask } = yield* serve(one)
        for (const path of places(envelope)) {
          for (const [kind, make] of Object.entries(all)) {
            const { status, text } = yield* ask("/a2a", { method: "POST", body: plant(envelope, path, make(10_000)) })
            assert.isBelow(status, 500, `${kind} at ${nameOf(path)}`)
            assert.isBelow(text.length, maxRefusal, `${kind} at ${nameOf(path)}`)
          }
        }
      })),
    covers("attack:S2-18")
  )
})

describe("the work for a request", covers("attack:S2-01", "attack:S2-13"), () => {
  it.live.each(combinations.filter(isRpc))(
    "grows with its size only, in $name",
    (one) =>
      Effect.scoped(Effect.gen(function*() {
        const server = yield* serve(one)
        const sample = Result.getOrThrow((Client.dialectOf(one).request.SendMessage as any).encode(
          Samples.requests(one).SendMessage
        ))
        const inMessage = ["message", "parts"]
        for (const path of [...places(sample).filter(({ length }) => length < 2), inMessage]) {
          for (const [kind, make] of Object.entries(costly)) {
            const name = `${kind} at ${nameOf(path)}`
            yield* assertLinear(
              (count) => send(server, one, "SendMessage", plant(sample, path, make(count)), name),
              name
            )
          }
        }
      }))
  )
})
