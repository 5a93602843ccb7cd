import { Agent, AgentStream, AgentTransport, Conversation } from "@effect-a2a/core"
import { AgentExecutor } from "@effect-a2a/server"
import { AgentTest, Script } from "@effect-a2a/testing"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"

class Remote extends Agent.Tag<Remote>()("test/Remote") {}

/** Our agent, which relays a scripted one. */
const relayed = (script: Layer.Layer<AgentExecutor.AgentExecutor>) => {
  const remote = Remote.layer.pipe(
    Layer.provide(AgentTest.layerWith().pipe(AgentTransport.cancelOnInterrupt())),
    Layer.provide(script)
  )
  return Agent.layer.pipe(
    Layer.provide(AgentTest.layerWith()),
    Layer.provide(AgentExecutor.delegate()),
    Layer.provide(Layer.effect(Agent.Agent, Remote)),
    Layer.provideMerge(remote)
  )
}

it.effect("text and tool calls are relayed, thoughts stay thoughts", () =>
  Effect.gen(function*() {
    const asked = yield* Agent.ask("hi")
    const streamed = yield* AgentStream.answer(Agent.stream("hi"))
    assert.deepStrictEqual([asked.state, asked.text], ["completed", "ab"])
    assert.deepStrictEqual([streamed.text, streamed.toolCalls.map(({ name }) => name)], ["ab", ["t"]])
  }).pipe(Effect.provide(relayed(Script.layer(
    Script.think("Hm"),
    Script.callTool({ id: "1", name: "t" }),
    Script.toolResult({ id: "1", name: "t", response: 1 }),
    Script.say("a"),
    Script.say("b")
  )))))

it.effect("a question of the remote agent is ours, and the answer reaches its task", () =>
  Effect.gen(function*() {
    const conversation = yield* Conversation.make()
    const asked = yield* conversation.ask("Plan")
    const done = yield* conversation.ask("Porto")
    assert.deepStrictEqual(
      [asked.state, asked.question, done.text, asked.taskId === done.taskId],
      ["input-required", "Which city?", "ok", true]
    )
  }).pipe(Effect.provide(relayed(Script.layer(({ task }) =>
    task === undefined ? [Script.askForInput("Which city?")] : [Script.say("ok")]
  )))))

it.effect("a failed remote task is a failed task of ours", () =>
  Effect.gen(function*() {
    const error = yield* Effect.flip(Agent.ask("Plan"))
    assert.deepStrictEqual([error.code, error.reason.message], ["TASK_STATE_FAILED", "no"])
  }).pipe(Effect.provide(relayed(Script.layer(Script.say("half"), Script.fail("no"))))))

it.effect("the remote task is canceled with ours", () =>
  Effect.gen(function*() {
    const sent = yield* Agent.send("Plan", { returnImmediately: true })
    if (sent._tag !== "Task") return assert.fail(sent._tag)
    yield* TestClock.adjust("1 second")
    const canceled = yield* Agent.cancel(sent.id)
    yield* TestClock.adjust("1 second")
    const [task] = yield* Stream.runCollect(Remote.listTasks())
    assert.deepStrictEqual([canceled.status.state, task?.status.state], ["canceled", "canceled"])
  }).pipe(Effect.provide(relayed(Script.layer(Script.say("half"), Script.wait("1 hour"))))))
