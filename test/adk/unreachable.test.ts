/** A server that does not listen. */
import { Agent, Credentials } from "@effect-a2a/core"
import { NodeAgent } from "@effect-a2a/node"
import { Adk } from "@effect-a2a/transport-adk"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { covers } from "../support/covers.ts"

const nowhere = Agent.layer.pipe(
  Layer.provide(Adk.layer({ url: "http://127.0.0.1:1", appName: "demo" })),
  Layer.provide([Credentials.layerNone, NodeAgent.layerClient])
)

it.live("an unreachable server fails the call with the reason, and creates no task", () =>
  Effect.gen(function*() {
    for (const call of [Agent.ask("hello"), Stream.runDrain(Agent.stream("hello"))]) {
      const { reason } = yield* Effect.flip(call)
      assert.strictEqual(reason._tag, "ConnectionError")
      assert.include(reason.message, "ECONNREFUSED")
      // nothing was sent
      assert.isFalse("messageId" in reason)
    }
  }).pipe(Effect.provide(nowhere)), covers("ADK-08"))
