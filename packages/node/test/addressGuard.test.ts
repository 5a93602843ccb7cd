/** The guard where connections are made: what a name says when it is asked counts, not what it said before. */
import { AddressGuard, Agent, Credentials, Id } from "@effect-a2a/core"
import { NodeAgent, NodeProxy } from "@effect-a2a/node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { HttpClient } from "effect/http"
import dns from "node:dns"
import { syncBuiltinESMExports } from "node:module"
import net from "node:net"
import { inspect } from "node:util"
import { covers } from "../../../test/support/covers.ts"
import * as Server from "../../../test/support/httpServer.ts"
import * as Client from "../src/internal/client.ts"

type Answer = ReadonlyArray<string> | "EAI_AGAIN" | "ENOTFOUND"

const stub = <K extends string, T extends { [_ in K]: unknown }>(target: T, name: K, value: T[K]) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const own = target[name]
      target[name] = value
      syncBuiltinESMExports()
      return own
    }),
    (own) =>
      Effect.sync(() => {
        target[name] = own
        syncBuiltinESMExports()
      })
  )

/** Makes the system's resolver answer with the lists in turn, the last one for good. Returns how often it was asked. */
const resolving = (...answers: ReadonlyArray<Answer>) => {
  const asked: Array<string> = []
  const lookup = (host: string, options: dns.LookupOptions, done: (...args: Array<unknown>) => void) => {
    const answer = answers[Math.min(asked.push(host), answers.length) - 1] ?? []
    if (typeof answer === "string") return done(Object.assign(new Error(`getaddrinfo ${answer}`), { code: answer }))
    const all = answer.map((address) => ({ address, family: net.isIP(address) }))
    return options.all ? done(null, all) : done(null, all[0]?.address, all[0]?.family)
  }
  return Effect.as(stub(dns, "lookup", lookup as unknown as typeof dns.lookup), asked)
}

/** Leads connections to public addresses to this machine: there is no network in a test. */
const routing = () => {
  const connect = net.connect
  return stub(
    net,
    "connect",
    ((options: net.TcpNetConnectOpts) =>
      connect({
        ...options,
        lookup: (host, given, done) =>
          options.lookup!(host, { ...given, all: true }, (error) => done(error, [{ address: "127.0.0.1", family: 4 }]))
      })) as typeof net.connect
  )
}

const hidden = "planted-secret"
const server = Server.make((_, response) => Server.json(response, Server.task("COMPLETED")))
const getTask = Agent.getTask(Id.TaskId.make("t-1"))
const portOf = (url: string) => new URL(url).port

/** Agents whose URLs somebody else chose, over one client. */
const agent = (url: string, options: AddressGuard.Options = {}, http = NodeAgent.layerClient) =>
  Agent.layer.pipe(
    Layer.provide(NodeAgent.layerTransport({ url })),
    Layer.provide([Credentials.layerBearer(Redacted.make(hidden)), Layer.provide(AddressGuard.layer(options), http)])
  )

const privates: ReadonlyArray<ReadonlyArray<string>> = [
  ["127.0.0.1"],
  ["93.184.216.34", "127.0.0.1"],
  ["10.9.8.7", "93.184.216.34"],
  ["2606:4700::1111", "::ffff:127.0.0.1"],
  ["::1", "127.0.0.1"],
  ["fe80::1%lo"],
  ["0.0.0.0"]
]

describe("AddressGuard over NodeAgent.layerClient", covers("attack:S2-29"), () => {
  for (const answer of privates) {
    it.live(`refuses a name that resolves to ${answer.join(" and ")}, before a connection is made`, () =>
      Effect.gen(function*() {
        const { asked, url } = yield* server
        yield* resolving(answer)
        const error = yield* Effect.flip(Effect.provide(getTask, agent(`http://rebound.test:${portOf(url)}/a2a`)))
        assert.strictEqual(error.reason._tag, "InvalidRequestError")
        assert.match(error.message, /refusing to connect to http:\/\/rebound\.test:\d+ \(resolves to \S+, .* address\)/)
        assert.notInclude(inspect(error, { depth: 20 }), hidden)
        assert.deepStrictEqual(asked, [])
      }).pipe(Effect.scoped))
  }

  it.live("judges every new connection anew: an earlier answer does not count", () =>
    Effect.gen(function*() {
      const { asked, url } = yield* server
      const names = yield* resolving(["93.184.216.34"], ["127.0.0.1"])
      yield* AddressGuard.check("http://rebound.test/")
      const layer = agent(`http://rebound.test:${portOf(url)}/a2a`)
      yield* Effect.scoped(Effect.andThen(routing(), Effect.provide(getTask, layer)))
      assert.lengthOf(asked, 1)
      const error = yield* Effect.flip(Effect.provide(getTask, layer))
      assert.include(error.message, "resolves to 127.0.0.1, loopback address")
      assert.deepStrictEqual([names, asked.length], [["rebound.test", "rebound.test"], 1])
    }).pipe(Effect.scoped))

  it.live("does not use a connection that was made without the guard, or for an allowed origin", () =>
    Effect.gen(function*() {
      const { asked, url } = yield* server
      yield* resolving(["127.0.0.1"])
      const client = yield* HttpClient.HttpClient
      const target = `http://rebound.test:${portOf(url)}/file`
      assert.strictEqual((yield* client.get(target)).status, 200)
      assert.strictEqual((yield* AddressGuard.protect(client, { allow: [target] }).get(target)).status, 200)
      const error = yield* Effect.flip(AddressGuard.protect(client).get(target))
      assert.strictEqual(error.reason._tag, "InvalidUrlError")
      assert.lengthOf(asked, 2)
    }).pipe(Effect.scoped, Effect.provide(NodeAgent.layerClient)))

  it.live("does not pass a name that does not resolve", () =>
    Effect.gen(function*() {
      const { asked, url } = yield* server
      for (const answer of ["EAI_AGAIN", "ENOTFOUND"] as const) {
        yield* resolving(answer, ["127.0.0.1"])
        const layer = agent(`http://unknown.test:${portOf(url)}/a2a`)
        const [first, second] = yield* Effect.all([Effect.flip(getTask), Effect.flip(getTask)]).pipe(
          Effect.provide(layer)
        )
        assert.strictEqual(first.reason._tag, "ConnectionError")
        assert.include(first.message, answer)
        assert.strictEqual(second.reason._tag, "InvalidRequestError")
      }
      assert.deepStrictEqual(asked, [])
    }).pipe(Effect.scoped))

  it.live("refuses redirects to private addresses by a client that follows them", () =>
    Effect.gen(function*() {
      const inner = yield* server
      const to = ["rebound.test", "127.0.0.1", "localhost", "[::ffff:127.0.0.1]"]
      for (const host of to) {
        const location = `http://${host}:${portOf(inner.url)}/metadata`
        const outer = yield* Server.make((_, response) => response.writeHead(302, { location }).end())
        yield* Effect.gen(function*() {
          yield* resolving(["93.184.216.34"], ["127.0.0.1"])
          const client = yield* HttpClient.HttpClient
          const from = `http://public.test:${portOf(outer.url)}/card`
          for (const follow of [true, false]) {
            const guarded = follow
              ? HttpClient.followRedirects(AddressGuard.protect(client, { allow: [from] }))
              : AddressGuard.protect(HttpClient.followRedirects(client), {})
            yield* resolving(follow ? ["127.0.0.1"] : ["93.184.216.34"], ["127.0.0.1"])
            const get = follow ? guarded.get(from) : Effect.scoped(Effect.andThen(routing(), guarded.get(from)))
            assert.strictEqual((yield* Effect.flip(get)).reason._tag, "InvalidUrlError", host)
          }
        }).pipe(Effect.provide(NodeAgent.layerClient), Effect.scoped)
      }
      assert.deepStrictEqual(inner.asked, [])
    }).pipe(Effect.scoped))

  it.live("sends nothing through a proxy, which would resolve the name, unless the origin is allowed", () =>
    Effect.gen(function*() {
      const proxy = yield* server
      const own = Redacted.make(proxy.url)
      const http = (except: ReadonlyArray<string> = []) =>
        Layer.provide(NodeAgent.layerClient, NodeProxy.layer({ http: own, https: own, except }))
      for (const origin of ["http://public.test", "https://public.test", "http://93.184.216.34"]) {
        const error = yield* Effect.flip(Effect.provide(getTask, agent(`${origin}/a2a`, {}, http())))
        assert.include(error.message, `refusing to connect to ${origin} (a proxy would connect`)
      }
      assert.deepStrictEqual(proxy.asked, [])
      yield* Effect.provide(getTask, agent("http://public.test/a2a", { allow: ["http://public.test"] }, http()))
      assert.lengthOf(proxy.asked, 1)
      yield* resolving(["127.0.0.1"])
      const error = yield* Effect.flip(Effect.provide(getTask, agent("http://rebound.test/a2a", {}, http(["*"]))))
      assert.include(error.message, "resolves to 127.0.0.1")
    }).pipe(Effect.scoped))

  it.live("judges names before the request if there is only fetch", () =>
    Effect.gen(function*() {
      const { asked, url } = yield* server
      const http = Client.fromUndici({ Agent: class {} })
      yield* resolving(["127.0.0.1"], "EAI_AGAIN")
      const layer = agent(`http://rebound.test:${portOf(url)}/a2a`, {}, http)
      const [refused, unknown] = yield* Effect.all([Effect.flip(getTask), Effect.flip(getTask)]).pipe(
        Effect.provide(layer)
      )
      assert.include(refused.message, "resolves to 127.0.0.1, loopback address")
      assert.strictEqual(unknown.reason._tag, "ConnectionError")
      assert.deepStrictEqual(asked, [])
    }).pipe(Effect.scoped))
})
