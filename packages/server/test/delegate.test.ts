/** A remote agent behind ours. */
import { Agent, AgentError, AgentTransport, Artifact, Message, type Task } from "@effect-a2a/core"
import { AgentExecutor, AgentServer, Reply } from "@effect-a2a/server"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Stream } from "effect"
import { card } from "./support.ts"

const served = (
  execute: (turn: AgentExecutor.Turn) => AgentExecutor.Execution,
  streaming = true
) => {
  const remoteOptions = { card: { ...card, capabilities: { streaming } } }
  const remote = Agent.layer.pipe(
    Layer.provide(AgentServer.layerMemory(remoteOptions).pipe(AgentTransport.withCard(remoteOptions.card))),
    Layer.provide(AgentExecutor.layer(execute)),
    Layer.fresh
  )
  const relay = AgentServer.layerMemory({ card: { ...card, capabilities: { streaming: true } } }).pipe(
    Layer.provide(AgentExecutor.delegate()),
    Layer.provide(remote)
  )
  return Layer.fresh(Agent.layer).pipe(Layer.provide(Layer.fresh(relay)))
}

const refusal = AgentError.reason("QuotaExceededError", { message: "used up" })

for (const streaming of [true, false]) {
  describe(`AgentExecutor.delegate to an agent that ${streaming ? "streams" : "does not stream"}`, () => {
    it.effect("passes on artifacts, thoughts, questions and answers of one conversation", () =>
      Effect.gen(function*() {
        const asked = yield* Agent.ask("one")
        assert.deepStrictEqual([asked.state, asked.question, asked.artifacts.map(Artifact.text)], [
          "input-required",
          "Which?",
          ["Some."]
        ])
        const answer = yield* Agent.ask("two", { after: asked })
        assert.deepStrictEqual([answer.state, answer.text], ["completed", "two after one"])
      }).pipe(Effect.provide(served(({ message, task }) =>
        task === undefined
          ? Stream.make<Array<Reply.Reply>>(Reply.thought("Hm."), "Some.", Reply.status("input-required", "Which?"))
          : Stream.make(`${Message.text(message)} after ${Message.text(task.history![0]!)}`), streaming))))

    it.effect("passes on a lone message as one, and a failed task as one", () =>
      Effect.gen(function*() {
        const message = yield* Agent.send("hello")
        assert.strictEqual(message._tag === "Message" && Message.text(message), "Hello")
        const { reason } = yield* Effect.flip(Agent.ask("fail"))
        assert.deepStrictEqual([reason._tag, reason.message.includes("broken")], ["TaskFailedError", true])
      }).pipe(Effect.provide(served(({ message }) =>
        Message.text(message) === "hello"
          ? Effect.succeed("Hello")
          : Stream.make(Reply.status("failed", "broken")), streaming))))

    it.effect("passes on a refusal before a task exists", () =>
      Effect.gen(function*() {
        assert.strictEqual((yield* Effect.flip(Agent.ask("hi"))).reason._tag, "QuotaExceededError")
        assert.lengthOf(yield* Stream.runCollect(Agent.listTasks()), 0)
      }).pipe(Effect.provide(served(() => Effect.fail(refusal), streaming))))
  })
}

describe("AgentExecutor.delegate", () => {
  it.effect("cancels the remote task with ours", () => {
    const canceled: Array<string> = []
    return Effect.gen(function*() {
      const begun = yield* Agent.stream("hi").pipe(Stream.take(2), Stream.runCollect)
      const { id } = begun[0] as Task.Task
      assert.strictEqual((yield* Agent.cancel(id)).status.state, "canceled")
      assert.deepStrictEqual(canceled, ["remote"])
    }).pipe(Effect.provide(served(() =>
      Stream.concat(Stream.make(Reply.status("working")), Stream.never).pipe(
        Stream.ensuring(Effect.sync(() => canceled.push("remote")))
      )
    )))
  })

  it.effect("keeps contexts apart", () =>
    Effect.gen(function*() {
      const ask = (text: string) => Effect.map(Agent.ask(text), ({ text }) => text)
      const fibers = yield* Effect.forEach(["a", "b", "c"], (text) => Effect.forkChild(ask(text)))
      assert.deepStrictEqual(yield* Effect.forEach(fibers, Fiber.join), ["a of 0", "b of 0", "c of 0"])
    }).pipe(Effect.provide(served((turn) =>
      Effect.map(turn.earlier, (words) =>
        Stream.make(`${Message.text(turn.message)} of ${words.length}`))
    ))))
})
