// What becomes of a task whose caller has gone: a race, a time limit, a conversation, a page that was closed.
import { Agent, AgentStream, AgentTransport, Conversation } from "@effect-a2a/core"
import { NodeAgentServer } from "@effect-a2a/node"
import { Script } from "@effect-a2a/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import { covers } from "../../../test/support/covers.ts"
import { breakers, guarded, Lake, Travel, Weather } from "../src/Agents.ts"
import * as Api from "../src/Api.ts"
import { Orchestrator } from "../src/Orchestrator.ts"
import { app, scripted } from "./support.ts"

const slow = () => scripted(Script.say("half"), Script.wait("1 hour"), Script.say("late"))

const states = (agent: { readonly listTasks: Agent.Client<never>["listTasks"] }) =>
  Effect.map(Stream.runCollect(agent.listTasks()), (tasks) => tasks.map(({ status }) => status.state))

/** The states of the agent's tasks after a call lost a race. */
const afterRace = <E>(loser: Effect.Effect<unknown, E, Agent.Agent>) =>
  Effect.gen(function*() {
    yield* Effect.raceFirst(loser, Effect.sleep("1 second")).pipe(Effect.forkChild)
    yield* TestClock.adjust("2 seconds")
    yield* TestClock.adjust("2 seconds")
    return yield* states(yield* Agent.Agent)
  })

const losers: Readonly<Record<string, Effect.Effect<unknown, unknown, Agent.Agent>>> = {
  "Agent.ask": Agent.ask("hi"),
  "Agent.send": Agent.send("hi"),
  "Agent.stream": Stream.runDrain(Agent.stream("hi")),
  "conversation.ask": Effect.flatMap(Conversation.make(), (conversation) => conversation.ask("hi")),
  "conversation.stream": Effect.flatMap(
    Conversation.make(),
    (conversation) => AgentStream.answer(conversation.stream("hi"))
  )
}

for (const [name, loser] of Object.entries(losers)) {
  describe(name, () => {
    it.effect("leaves the agent at work if it is interrupted", () =>
      Effect.gen(function*() {
        assert.deepStrictEqual(yield* afterRace(loser), ["working"])
      }).pipe(Effect.provide(Layer.provide(Agent.layer, slow()))), covers("field:N2-37"))

    it.effect("cancels the task over a transport with cancelOnInterrupt", () =>
      Effect.gen(function*() {
        assert.deepStrictEqual(yield* afterRace(loser), ["canceled"])
      }).pipe(
        Effect.provide(Layer.provide(Agent.layer, slow().pipe(AgentTransport.cancelOnInterrupt())))
      ), covers("field:N2-37"))
  })
}

/** A slow travel agent, guarded as in production. */
const watched = () => {
  const transport = slow().pipe(guarded("travel"))
  return Travel.layer.pipe(Layer.provide(transport), Layer.provide(breakers))
}

describe("the backend", () => {
  it.effect("cancels the tasks of the agents that lost", () => {
    const travel = watched()
    const lake = Lake.layer.pipe(Layer.provide(scripted(Script.wait("1 second"), Script.say("lake"))))
    const weather = Weather.layer.pipe(Layer.provide(slow()))
    return Effect.gen(function*() {
      const { first } = yield* Orchestrator
      const fiber = yield* Effect.forkChild(first("ana", "hello"))
      yield* TestClock.adjust("1 second")
      const answer = yield* Fiber.join(fiber)
      assert.strictEqual(answer.text, "lake")
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* states(yield* Travel), ["canceled"])
    }).pipe(Effect.provide(app({ lake, travel, weather }).pipe(Layer.provideMerge(travel))))
  }, covers("field:N2-37"))

  it.effect("cancels the task of an agent that takes too long", () => {
    const travel = watched()
    return Effect.gen(function*() {
      const orchestrator = yield* Orchestrator
      const fiber = yield* Effect.forkChild(orchestrator.ask("ana", "hello"))
      yield* TestClock.adjust("1 minute")
      yield* Fiber.join(fiber)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* states(yield* Travel), ["canceled"])
    }).pipe(Effect.provide(app({ travel }).pipe(Layer.provideMerge(travel))))
  }, covers("field:N2-37"))

  it.live("cancels the tasks of a page that is closed", () => {
    const travel = watched()
    const served = NodeAgentServer.layer({ routes: Api.routes.pipe(Layer.provide(app({ travel }))), port: 0 })
    return Effect.gen(function*() {
      const url = yield* NodeAgentServer.url
      const page = new AbortController()
      const response = yield* Effect.promise(() =>
        fetch(`${url}/stream?user=ana&question=hello`, { signal: page.signal })
      )
      const text = Stream.fromReadableStream({ evaluate: () => response.body!, onError: String }).pipe(
        Stream.decodeText
      )
      yield* Stream.runHead(Stream.filter(text, (text) => text.includes("half")))
      const [task] = yield* Stream.runCollect(Travel.listTasks())
      page.abort()
      const error = yield* Effect.flip(Travel.waitFor(task!.id))
      assert.strictEqual(error.code, "TASK_STATE_CANCELED")
    }).pipe(Effect.provide(served.pipe(Layer.provideMerge(travel))))
  }, covers("field:N2-37"))
})
