import { Agent, AgentError, AgentStream, Credentials, Discovery } from "@effect-a2a/core"
import { Caller } from "@effect-a2a/server"
import { Script, Wire } from "@effect-a2a/testing"
import { JsonRpc } from "@effect-a2a/transport-jsonrpc"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Stream } from "effect"
import { HttpClient, HttpRouter, HttpServer, HttpServerRequest } from "effect/http"
import { HttpApiTest } from "effect/http-api"
import * as A2aAgent from "../src/A2aAgent.ts"
import { Lake, SpareLake, Travel } from "../src/Agents.ts"
import * as Api from "../src/Api.ts"
import { app, lakeWith, scripted } from "./support.ts"

const agentUrl = "http://orchestrator.test"
const discovered = Agent.layer.pipe(
  Layer.provide(Discovery.layer({ agent: agentUrl, bindings: [JsonRpc.binding] }))
)

const refusing = scripted(Script.refuse(AgentError.reason("QuotaExceededError", { message: "no credit" })))

it.effect("the API answers a typed client", () =>
  Effect.gen(function*() {
    const client = yield* HttpApiTest.groups(Api.Api, ["ask"])
    const payload = { user: "ana", question: "hello" }
    const all = yield* client.ask.all({ payload })
    assert.deepStrictEqual(all.map((one) => "text" in one ? one.text : one.kind), ["lake", "travel", "Hello, world"])
    const stream = yield* client.ask.stream({ query: payload })
    const chunks = yield* Stream.runCollect(stream)
    assert.strictEqual(chunks.filter((one) => one._tag === "Done").length, 3)
  }).pipe(Effect.provide([Api.handlers.pipe(Layer.provide(app())), HttpServer.layerServices])))

it.effect("the API streams server-sent events", () =>
  Effect.gen(function*() {
    const response = yield* HttpClient.get("http://app.test/stream?user=ana&question=hello")
    assert.match(response.headers["content-type"]!, /text\/event-stream/)
    assert.include(yield* response.text, `data: {"_tag":"Delta","source":"weather","text":"Hello"}\n\n`)
  }).pipe(Effect.provide(Wire.layerHttp(Api.routes.pipe(Layer.provide([app(), HttpServer.layerServices]))))))

it.effect("the API refuses in words for people, without the URLs of agents", () =>
  Effect.gen(function*() {
    const response = yield* HttpClient.get("http://app.test/stream?user=ana&question=hello")
    const text = yield* response.text
    assert.include(text, `"_tag":"Refusal","source":"lake","kind":"credit","code":"QUOTA_EXCEEDED"`)
    assert.notMatch(text, /https?:\/\//)
  }).pipe(Effect.provide(Wire.layerHttp(Api.routes.pipe(Layer.provide([
    app({ lake: lakeWith("sk_quota"), spare: SpareLake.layer.pipe(Layer.provide(refusing)) }),
    HttpServer.layerServices
  ]))))))

it.effect("the orchestrator is an agent that is found by its card", () =>
  Effect.gen(function*() {
    const events = yield* Stream.runCollect(Agent.stream("hello"))
    const answer = yield* AgentStream.answer(Stream.fromIterable(events))
    assert.deepStrictEqual(answer.artifacts.map(({ name }) => name), ["lake", "travel", "weather"])
    assert.strictEqual(answer.text, "lake\n\ntravel\n\nHello, world")
  }).pipe(
    Effect.provide(discovered),
    Effect.provide([Wire.layerHttp(A2aAgent.routes.pipe(Layer.provide(app()))), Credentials.layerNone])
  ))

it.effect("a task belongs to the caller that the middleware authenticates", () => {
  const authenticated = HttpRouter.middleware((effect) =>
    Effect.gen(function*() {
      const request = yield* HttpServerRequest.HttpServerRequest
      const id = request.headers["authorization"]?.replace(/^Bearer /, "")
      return yield* id === undefined ? effect : Effect.provideService(effect, Caller.Current, { id })
    }), { global: true })
  const http = Wire.layerHttp(Layer.merge(A2aAgent.routes.pipe(Layer.provide(app())), authenticated))
  const as = (token: string) => Layer.provide(discovered, Credentials.layerBearer(Redacted.make(token)))
  return Effect.gen(function*() {
    const { taskId } = yield* Agent.ask("hello").pipe(Effect.provide(as("ana")))
    const mine = yield* Agent.getTask(taskId!).pipe(Effect.provide(as("ana")))
    const error = yield* Agent.getTask(taskId!).pipe(Effect.provide(as("bob")), Effect.flip)
    assert.strictEqual(mine.id, taskId)
    assert.strictEqual(error.code, "TASK_NOT_FOUND")
  }).pipe(Effect.provide(http))
})

it.effect("the agent is unavailable if nobody answers", () => {
  const down = {
    lake: Lake.layer.pipe(Layer.provide(refusing)),
    spare: SpareLake.layer.pipe(Layer.provide(refusing)),
    travel: Travel.layer.pipe(Layer.provide(refusing))
  }
  return Effect.gen(function*() {
    const error = yield* Effect.flip(Agent.ask("throwfirst"))
    assert.strictEqual(error.code, "SERVICE_UNAVAILABLE")
  }).pipe(Effect.provide(Agent.layer.pipe(Layer.provide(A2aAgent.agent), Layer.provide(app(down)))))
})
