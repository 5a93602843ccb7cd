import { AgentError } from "@effect-a2a/core"
import { AgentExecutor, AgentServer, Caller, CardServer } from "@effect-a2a/server"
import { JsonRpcServer } from "@effect-a2a/transport-jsonrpc"
import { RestServer } from "@effect-a2a/transport-rest"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Layer, Stream } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { ask, served } from "../../../test/support/serve.ts"

const retryAfter = Duration.seconds(7)
const card = { name: "Desk", description: "Answers for everybody" }
const v1 = { "a2a-version": "1.0" }

const agent = (options: Partial<AgentServer.Options> = {}) =>
  AgentServer.layerMemory({ card, ...options }).pipe(Layer.provide(AgentExecutor.layer(() => Stream.make("ok"))))

const tenants: Readonly<Record<string, string>> = { acme: "Desk of Acme", globex: "Desk of Globex" }

const unknown = (tenant: string) => AgentError.reason("NotFoundError", { message: `no agent for ${tenant}` })

/** Cards of tenants that the host names, or the header of a gateway. */
const byHost: CardServer.Options = {
  vary: ["X-Tenant"],
  forRequest: Effect.fnUntraced(function*(card) {
    const { headers } = yield* HttpServerRequest.HttpServerRequest
    const tenant = headers["x-tenant"] ?? headers.host?.split(".")[0] ?? ""
    const name = tenants[tenant]
    if (name === undefined) return yield* Effect.fail(unknown(tenant))
    return { ...card, name, supportedInterfaces: card.supportedInterfaces.map((one) => ({ ...one, tenant })) }
  })
}

const read = (options: CardServer.Options, headers: Record<string, string>, path = "") =>
  ask(`${path}/.well-known/agent-card.json`, { headers: { ...v1, ...headers } }).pipe(
    Effect.provide(served(Layer.mergeAll(RestServer.routes(), CardServer.routes(options)), agent()))
  )

describe("the card of a request", () => {
  it.effect("is that of the tenant, whose interfaces carry it", () =>
    Effect.gen(function*() {
      for (
        const [headers, tenant] of [[{ "x-tenant": "acme" }, "acme"], [{ host: "globex.test" }, "globex"]] as const
      ) {
        const { headers: sent, json, status } = yield* read(byHost, headers)
        assert.deepStrictEqual([status, json.name, json.description], [200, tenants[tenant], card.description])
        assert.deepStrictEqual(json.supportedInterfaces[0].tenant, tenant)
        assert.match(json.supportedInterfaces[0].url, /^http:/)
        assert.deepStrictEqual([sent["cache-control"], sent.vary], ["private, max-age=3600", "A2A-Version, X-Tenant"])
      }
    }))

  it.effect("has an ETag that cards of others do not match", () =>
    Effect.gen(function*() {
      const acme = yield* read(byHost, { "x-tenant": "acme" })
      const tag = { "if-none-match": acme.headers.etag! }
      const again = yield* read(byHost, { "x-tenant": "acme", ...tag })
      const other = yield* read(byHost, { "x-tenant": "globex", ...tag })
      assert.deepStrictEqual([again.status, other.status], [304, 200])
    }))

  it.effect("is refused with the reason of the effect, in the words of the version", () =>
    Effect.gen(function*() {
      const refused = yield* read(byHost, { "x-tenant": "initech" })
      assert.deepInclude(refused.json.error, { code: 404, status: "NOT_FOUND", message: "no agent for initech" })
      const old = yield* read(byHost, { "x-tenant": "initech", "a2a-version": "0.3" })
      assert.deepInclude(old.json, { message: "no agent for initech" })
      assert.deepStrictEqual([refused.status, old.status], [404, 404])
      const busy = () =>
        Effect.fail(AgentError.reason("ServiceUnavailableError", { message: "no directory", retryAfter }))
      const later = yield* read({ forRequest: busy }, {})
      assert.deepStrictEqual([later.status, later.headers["retry-after"]], [503, "7"])
    }))

  it.effect("is an internal error, without the text of the defect, if the effect dies or the card cannot be written", () =>
    Effect.gen(function*() {
      const broken: ReadonlyArray<CardServer.Options["forRequest"]> = [
        () => Effect.die(new Error("secret of a database")),
        () => {
          throw new Error("secret of a database")
        },
        (card) => Effect.succeed({ ...card, name: 7n as never })
      ]
      for (const forRequest of broken) {
        const { json, status, text } = yield* read({ forRequest }, {})
        assert.deepStrictEqual([status, json.error.message], [500, "internal error"])
        assert.notInclude(text, "secret")
      }
    }))

  it.effect("is found by a parameter of the path", () =>
    Effect.gen(function*() {
      const options: CardServer.Options = {
        path: "/agents/:tenant",
        forRequest: Effect.fnUntraced(function*(card) {
          const { tenant = "" } = yield* HttpRouter.params
          const url = `/agents/${tenant}`
          const supportedInterfaces = [{ url, protocolBinding: "HTTP+JSON", protocolVersion: "1.0" }]
          return { ...card, name: tenants[tenant] ?? "nobody", supportedInterfaces }
        })
      }
      const { json } = yield* read(options, {}, "/agents/globex")
      assert.strictEqual(json.name, "Desk of Globex")
      assert.match(json.supportedInterfaces[0].url, /^http:.*\/agents\/globex$/)
    }))

  it.effect("is everybody's, in shared caches too, without an effect", () =>
    Effect.gen(function*() {
      const { headers, json } = yield* read({}, { "x-tenant": "acme" })
      assert.deepStrictEqual([json.name, headers["cache-control"], headers.vary], [
        "Desk",
        "public, max-age=3600",
        "A2A-Version"
      ])
    }))
})

describe("the extended card of a request", () => {
  const extended = { ...card, version: "2.0.0", supportedInterfaces: [], capabilities: {}, defaultInputModes: [] }
  const options: Partial<AgentServer.Options> = {
    extendedCard: ({ tenant = "nobody" }) =>
      Effect.gen(function*() {
        const caller = yield* Caller.Current
        if (tenants[tenant] === undefined) return yield* Effect.fail(unknown(tenant))
        const description = `${caller?.id ?? "anybody"}'s`
        return { ...extended, name: tenants[tenant]!, description, defaultOutputModes: [], skills: [] }
      })
  }
  const routes = Layer.mergeAll(RestServer.routes(), JsonRpcServer.routes({ path: "/rpc" }))

  it.effect("is that of its tenant over both bindings", () =>
    Effect.gen(function*() {
      const rest = yield* ask("/acme/extendedAgentCard", { headers: v1 })
      const none = yield* ask("/initech/extendedAgentCard", { headers: v1 })
      const body = { jsonrpc: "2.0", id: 1, method: "GetExtendedAgentCard", params: { tenant: "globex" } }
      const rpc = yield* ask("/rpc", { method: "POST", headers: v1, body: JSON.stringify(body) })
      assert.deepStrictEqual([rest.json.name, rest.json.description], ["Desk of Acme", "anybody's"])
      assert.deepStrictEqual([none.status, none.json.error.message], [404, "no agent for initech"])
      assert.strictEqual(rpc.json.result.name, "Desk of Globex")
    }).pipe(Effect.provide(served(routes, agent(options)))))
})
