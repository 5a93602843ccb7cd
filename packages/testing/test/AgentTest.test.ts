import { AgentError, AgentTransport, Message, Operation, StreamEvent, Task } from "@effect-a2a/core"
import { AgentTest, Script } from "@effect-a2a/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"

const stream = (text: string) =>
  Stream.unwrap(Effect.gen(function*() {
    const transport = yield* AgentTransport.AgentTransport
    return transport.stream(Operation.SendStreamingMessage, { message: yield* Message.user(text) })
  }))

const agent = (...steps: ReadonlyArray<Script.Step>) => AgentTest.layer.pipe(Layer.provide(Script.layer(...steps)))

describe("x", () => {
  it.effect("smoke", () =>
    Effect.gen(function*() {
      const events = yield* Stream.runCollect(stream("hi"))
      console.log(JSON.stringify(events, null, 1))
    }).pipe(Effect.provide(agent(Script.think("hm"), Script.say("Hello "), Script.say("world")))))
})
void [AgentError, StreamEvent, Task, assert]
