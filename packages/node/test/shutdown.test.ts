/** A server that shuts down: what its clients are answered, in the words of each binding, over sockets. */
import { Agent, Credentials, Protocol } from "@effect-a2a/core"
import { NodeAgent, NodeAgentServer } from "@effect-a2a/node"
import { AgentExecutor, AgentServer } from "@effect-a2a/server"
import { JsonRpc, JsonRpcServer } from "@effect-a2a/transport-jsonrpc"
import { Rest, RestServer } from "@effect-a2a/transport-rest"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer, Scope, Stream } from "effect"
import { covers } from "../../../test/support/covers.ts"

const combinations = [Protocol.v1_0, Protocol.v0_3].flatMap((protocol) => [
  { name: `${protocol.version} REST`, protocol, path: "/a2a", layer: Rest.layer },
  { name: `${protocol.version} JSON-RPC`, protocol, path: "/rpc", layer: JsonRpc.layer }
])

describe("a server that shuts down", covers("field:RES-07"), () => {
  for (const { layer, name, path, protocol } of combinations) {
    it.live(`ends streams and waiting sends with a refusal that says when to try again (${name})`, () =>
      Effect.gen(function*() {
        const atWork = yield* Deferred.make<void>()
        let turns = 0
        const routes = Layer.merge(RestServer.routes({ path: "/a2a" }), JsonRpcServer.routes({ path: "/rpc" })).pipe(
          Layer.provide(AgentServer.layerMemory({ card: { name: "Agent", description: "For tests" } })),
          Layer.provide(AgentExecutor.layer(() =>
            Stream.concat(
              Stream.fromEffect(
                Effect.andThen(
                  Effect.suspend(() => (turns += 1) === 2 ? Deferred.succeed(atWork, undefined) : Effect.void),
                  Effect.succeed("a")
                )
              ),
              Stream.never
            )
          ))
        )
        const scope = yield* Scope.make()
        const server = yield* Layer.buildWithScope(NodeAgentServer.layer({ routes, port: 0 }), scope)
        const url = yield* Effect.provideContext(NodeAgentServer.url, server)
        const agent = Agent.layer.pipe(
          Layer.provide(layer({ url: url + path, protocol })),
          Layer.provide([NodeAgent.layerClient, Credentials.layerNone])
        )
        yield* Effect.gen(function*() {
          const ends = yield* Effect.forEach(
            [Stream.runDrain(Agent.stream("hi")), Effect.asVoid(Agent.send("hi"))],
            (one) => Effect.forkChild(Effect.flip(one), { startImmediately: true })
          )
          yield* Deferred.await(atWork)
          yield* Effect.sleep("100 millis")
          const closed = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
          for (const { reason } of yield* Effect.forEach(ends, Fiber.join)) {
            assert.strictEqual(reason._tag, "ServiceUnavailableError", reason.message)
            assert.include(reason.message, "shutting down")
            assert.isDefined(reason.retryAfter)
          }
          yield* Fiber.join(closed)
        }).pipe(Effect.provide(agent))
      }))
  }

  it.live("answers a waiting send with 503 and Retry-After, and a stream with a last event", () =>
    Effect.gen(function*() {
      const routes = RestServer.routes({ path: "/a2a" }).pipe(
        Layer.provide(AgentServer.layerMemory({ card: { name: "Agent", description: "For tests" } })),
        Layer.provide(AgentExecutor.layer(() => Stream.concat(Stream.make("a"), Stream.never)))
      )
      const scope = yield* Scope.make()
      const server = yield* Layer.buildWithScope(NodeAgentServer.layer({ routes, port: 0 }), scope)
      const url = yield* Effect.provideContext(NodeAgentServer.url, server)
      const post = (path: string) =>
        Effect.forkChild(
          Effect.promise(() =>
            fetch(`${url}/a2a${path}`, {
              method: "POST",
              headers: { "content-type": "application/json", "a2a-version": "1.0" },
              body: JSON.stringify({ message: { messageId: "m", role: "ROLE_USER", parts: [{ text: "hi" }] } })
            }).then(async (response) => ({ response, text: await response.text() }))
          ),
          { startImmediately: true }
        )
      const [send, stream] = [yield* post("/message:send"), yield* post("/message:stream")]
      yield* Effect.sleep("200 millis")
      const closed = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
      const refused = yield* Fiber.join(send)
      assert.deepStrictEqual([refused.response.status, refused.response.headers.get("retry-after")], [503, "1"])
      assert.strictEqual(JSON.parse(refused.text).error.status, "UNAVAILABLE")
      const { text } = yield* Fiber.join(stream)
      const [last] = text.trim().split("\n\n").slice(-1)
      assert.match(last!, /^event: error\ndata: /)
      assert.include(last, "shutting down")
      yield* Fiber.join(closed)
    }))
})
