import { Agent, AgentError, Credentials, Protocol } from "@effect-a2a/core"
import { AgentExecutor, AgentServer, CardServer, InProcessHttp } from "@effect-a2a/server"
import { JsonRpcServer } from "@effect-a2a/transport-jsonrpc"
import { Rest, RestServer } from "@effect-a2a/transport-rest"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { HttpClient } from "effect/http"

const agent = (name: string, options?: Partial<AgentServer.Options>) =>
  AgentServer.layerMemory({ card: { name, description: `${name}, for tests` }, ...options }).pipe(
    Layer.provide(AgentExecutor.layer(() => Stream.make(`I am ${name}`)))
  )

const readCard = (path: string) =>
  Effect.gen(function*() {
    const response = yield* HttpClient.get(`http://agent.test${path}/.well-known/agent-card.json`, {
      headers: { "a2a-version": "1.0" }
    })
    const card = (yield* response.json) as Record<string, any>
    return {
      ...card,
      supportedInterfaces: card.supportedInterfaces.map((one: Record<string, string>) =>
        [one.protocolVersion, one.protocolBinding, one.url].join(" ")
      )
    } as Record<string, any>
  })

describe("CardServer.routes", () => {
  it.effect("completes a card of name and description, and lists all that is served at the root", () =>
    Effect.gen(function*() {
      const card = yield* readCard("")
      assert.deepInclude(card, { name: "One", version: "1.0.0", defaultInputModes: ["text/plain"], skills: [] })
      assert.deepStrictEqual(card.supportedInterfaces, [
        "1.0 HTTP+JSON http://agent.test",
        "1.0 JSONRPC http://agent.test",
        "0.3 HTTP+JSON http://agent.test",
        "0.3 JSONRPC http://agent.test"
      ])
    }).pipe(Effect.provide(InProcessHttp.layer(
      Layer.mergeAll(RestServer.routes(), JsonRpcServer.routes(), CardServer.routes()).pipe(Layer.provide(agent("One")))
    ))))

  it.effect("lists for each of two agents its own interfaces", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual((yield* readCard("/one")).supportedInterfaces, [
        "1.0 HTTP+JSON http://agent.test/one",
        "0.3 HTTP+JSON http://agent.test/one"
      ])
      assert.deepStrictEqual((yield* readCard("/two")).supportedInterfaces, ["0.3 JSONRPC http://agent.test/two"])
    }).pipe(Effect.provide(InProcessHttp.layer(Layer.mergeAll(
      Layer.mergeAll(RestServer.routes({ path: "/one" }), CardServer.routes({ path: "/one" })).pipe(
        Layer.provide(agent("One"))
      ),
      Layer.mergeAll(
        JsonRpcServer.routes({ path: "/two", protocols: [Protocol.v0_3] }),
        CardServer.routes({ path: "/two" })
      ).pipe(Layer.provide(agent("Two")))
    )))))

  it.effect("keeps the interfaces that a card names", () =>
    Effect.gen(function*() {
      const card = yield* readCard("")
      assert.deepStrictEqual(card.supportedInterfaces, ["1.0 HTTP+JSON https://elsewhere.test"])
    }).pipe(Effect.provide(InProcessHttp.layer(
      Layer.mergeAll(RestServer.routes(), CardServer.routes()).pipe(Layer.provide(agent("One", {
        card: {
          name: "One",
          description: "Behind a proxy",
          supportedInterfaces: [{
            url: "https://elsewhere.test",
            protocolBinding: "HTTP+JSON",
            protocolVersion: "1.0"
          }]
        }
      })))
    ))))
})

describe("InProcessHttp.layer", () => {
  it.effect("serves its own routes only, inside an application that is served", () => {
    const inner = RestServer.routes({ path: "/inner" }).pipe(Layer.provide(agent("Inner")))
    const remote = Agent.layer.pipe(
      Layer.provide(Rest.layer({ url: "http://inner.test/inner" })),
      Layer.provide([InProcessHttp.layer(inner), Credentials.layerNone])
    )
    const relay = AgentServer.layerMemory({ card: { name: "Outer", description: "Asks the inner one" } }).pipe(
      Layer.provide(AgentExecutor.layer(() => Stream.fromEffect(Effect.map(Agent.ask("Hi"), ({ text }) => text)))),
      Layer.provide(remote)
    )
    const outer = RestServer.routes({ path: "/outer" }).pipe(Layer.provide(relay))
    return Effect.gen(function*() {
      assert.strictEqual((yield* HttpClient.get("http://agent.test/inner/tasks")).status, 404)
      assert.strictEqual((yield* HttpClient.get("http://agent.test/outer/tasks?A2A-Version=1.0")).status, 200)
      const { text } = yield* Agent.ask("Hi").pipe(Effect.provide(
        Agent.layer.pipe(
          Layer.provide(Rest.layer({ url: "http://agent.test/outer" })),
          Layer.provide([InProcessHttp.layer(outer), Credentials.layerNone])
        )
      ))
      assert.strictEqual(text, "I am Inner")
    }).pipe(Effect.provide(InProcessHttp.layer(outer)))
  })
})

describe("an executor that fails with the error of another agent", () => {
  it.effect("refuses the call with its reason", () =>
    Effect.gen(function*() {
      const { reason } = yield* Effect.flip(Agent.ask("Hi"))
      assert.deepStrictEqual([reason._tag, reason.message], ["QuotaExceededError", "no credit left"])
    }).pipe(Effect.provide(
      Agent.layer.pipe(
        Layer.provide(AgentServer.layerMemory({ card: { name: "Relay", description: "Relays" } })),
        Layer.provide(AgentExecutor.layer(() =>
          Stream.fail(AgentError.make("SendMessage", "QuotaExceededError", { message: "no credit left" }))
        ))
      )
    )))
})
