import { Agent, Credentials, Protocol } from "@effect-a2a/core"
import { NodeAgent, NodeAgentServer } from "@effect-a2a/node"
import { AgentTest, Script } from "@effect-a2a/testing"
import { RestServer } from "@effect-a2a/transport-rest"
import { assert, describe, it } from "@effect/vitest"
import { type ByteSize, Clock, Effect, Exit, Fiber, Layer, Schema, Scope, Stream } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { HttpApi, HttpApiBuilder, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { covers } from "../../../test/support/covers.ts"
import { size } from "./routes.ts"

const sse = HttpServerResponse.stream(
  Stream.make("data: 1\n\n").pipe(Stream.concat(Stream.never), Stream.encodeText),
  { contentType: "text/event-stream" }
)

const routes = Layer.mergeAll(
  HttpRouter.add("GET", "/events", sse),
  HttpRouter.add(
    "GET",
    "/silent",
    Effect.as(Effect.never, HttpServerResponse.empty())
  ),
  size
)

const serve = Effect.fnUntraced(function*(options?: { readonly maxBodySize?: ByteSize.Input }) {
  const scope = yield* Scope.make()
  const context = yield* Layer.buildWithScope(
    NodeAgentServer.layer({ routes, port: 0, shutdown: "300 millis", ...options }),
    scope
  )
  return {
    url: yield* Effect.provideContext(NodeAgentServer.url, context),
    close: Scope.close(scope, Exit.void)
  }
})

const get = (url: string, init?: RequestInit) => Effect.promise(() => fetch(url, init))

describe("NodeAgentServer", () => {
  it.live("listens on a free port of this machine and limits bodies", () =>
    Effect.gen(function*() {
      const { close, url } = yield* serve({ maxBodySize: "1 KiB" })
      assert.match(url, /^http:\/\/127\.0\.0\.1:\d+$/)
      const post = (size: number) => get(`${url}/size`, { method: "POST", body: "x".repeat(size) })
      const small = yield* post(1000)
      assert.strictEqual(yield* Effect.promise(() => small.text()), "1000")
      assert.strictEqual((yield* post(2000)).status, 413)
      yield* close
    }), covers("attack:S2-12"))

  it.live("ends open event streams cleanly and at once when it is released", () =>
    Effect.gen(function*() {
      const { close, url } = yield* serve()
      const response = yield* get(`${url}/events`)
      const body = yield* Effect.forkChild(Effect.promise(() => response.text()))
      yield* Effect.sleep("50 millis")
      const start = yield* Clock.currentTimeMillis
      yield* close
      assert.isBelow((yield* Clock.currentTimeMillis) - start, 250)
      assert.strictEqual(yield* Fiber.join(body), "data: 1\n\n")
    }))

  it.live("serves an HttpApi beside an agent without further layers", () => {
    const api = HttpApi.make("api").add(
      HttpApiGroup.make("greetings").add(HttpApiEndpoint.get("greet", "/greet", { success: Schema.String }))
    )
    const greetings = HttpApiBuilder.group(
      api,
      "greetings",
      (handlers) => handlers.handle("greet", () => Effect.succeed("Hello"))
    )
    const agent = RestServer.routes({ path: "/a2a", protocols: [Protocol.v1_0] }).pipe(
      Layer.provide(AgentTest.layer),
      Layer.provide(Script.layer(Script.say("Hello from the agent")))
    )
    const routes = Layer.merge(HttpApiBuilder.layer(api).pipe(Layer.provide(greetings)), agent)
    return Effect.gen(function*() {
      const url = yield* NodeAgentServer.url
      const greeting = yield* get(`${url}/greet`)
      assert.strictEqual(yield* Effect.promise(() => greeting.json()), "Hello")
      const { text } = yield* Agent.ask("hi").pipe(Effect.provide(
        NodeAgent.layer({ url: `${url}/a2a` }).pipe(Layer.provide(Credentials.layerNone))
      ))
      assert.strictEqual(text, "Hello from the agent")
    }).pipe(Effect.provide(NodeAgentServer.layer({ routes, port: 0 })))
  })

  it.live("does not wait for endless responses when it is released", () =>
    Effect.gen(function*() {
      const { close, url } = yield* serve()
      const silent = yield* Effect.forkChild(Effect.exit(Effect.tryPromise(() => fetch(`${url}/silent`))))
      yield* Effect.sleep("50 millis")
      const start = yield* Clock.currentTimeMillis
      yield* close
      assert.isBelow((yield* Clock.currentTimeMillis) - start, 1500)
      yield* Fiber.join(silent)
    }))
})
