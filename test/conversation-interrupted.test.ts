/** What a conversation knows after an interruption, and what `cancel` stops: through bytes, and in the process. */
import { Agent, AgentStream, Conversation, Message } from "@effect-a2a/core"
import { AgentTest, Script } from "@effect-a2a/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Schema, Stream } from "effect"
import { TestClock } from "effect/testing"
import { covers } from "./support/covers.ts"
import * as Emulated from "./support/emulated.ts"
import { combination } from "./support/peer.ts"

const { fastForward } = Emulated

const script = Script.layer(({ message, task }) =>
  task === undefined && Message.text(message) === "plan"
    ? [Script.askForInput("Which city?")]
    : [Script.say("one"), Script.wait("1 hour"), Script.say(" two")]
)
const server = AgentTest.layer.pipe(Layer.provide(script))
const agent = Agent.layer.pipe(Layer.provideMerge(server))

const states = Effect.map(
  Stream.runCollect(Agent.listTasks()),
  (tasks) => tasks.map(({ status }) => status.state).sort()
)

type Turn = (conversation: Conversation.Service) => Effect.Effect<unknown, unknown>

const turns: Readonly<Record<string, Turn>> = {
  ask: (conversation) => conversation.ask("hi"),
  send: (conversation) => conversation.send("hi"),
  stream: (conversation) => Stream.runDrain(conversation.stream("hi")),
  "an answer of a stream": (conversation) => AgentStream.answer(conversation.stream("hi")),
  "a timeout": (conversation) => Effect.timeout(conversation.ask("hi"), "30 minutes")
}

/** Interrupts a turn a second after its beginning. */
const interrupt = Effect.fnUntraced(function*(turn: Effect.Effect<unknown, unknown>) {
  const fiber = yield* Effect.forkChild(turn)
  yield* TestClock.adjust("1 second")
  yield* Fiber.interrupt(fiber)
})

const throughJson = Effect.fnUntraced(function*(state: Conversation.State) {
  const codec = Schema.toCodecJson(Conversation.State)
  const json = JSON.stringify(yield* Schema.encodeEffect(codec)(state))
  return yield* Schema.decodeUnknownEffect(codec)(JSON.parse(json))
})

describe("an interrupted turn", () => {
  for (const [name, turn] of Object.entries(turns)) {
    it.effect(`is canceled by conversation.cancel in onInterrupt: ${name}`, () =>
      Effect.gen(function*() {
        const conversation = yield* Conversation.make()
        yield* interrupt(Effect.onInterrupt(turn(conversation), () => Effect.ignore(conversation.cancel)))
        assert.deepStrictEqual(yield* states, ["canceled"])
        const { pending, unanswered } = yield* conversation.state
        assert.deepStrictEqual([pending, unanswered], [undefined, undefined])
      }).pipe(Effect.provide(agent)), covers("field:CAN-04", "field:N2-37"))

    it.effect(
      `is canceled by a conversation that continues from the saved state: ${name}`,
      () =>
        Effect.gen(function*() {
          const first = yield* Conversation.make()
          yield* interrupt(turn(first))
          assert.deepStrictEqual(yield* states, ["working"])
          const conversation = yield* Conversation.make({ state: yield* throughJson(yield* first.state) })
          assert.strictEqual((yield* conversation.cancel)?.status.state, "canceled")
          assert.deepStrictEqual(yield* states, ["canceled"])
        }).pipe(Effect.provide(agent)),
      covers("ML-30")
    )

    it.effect(
      `is followed to its end by a conversation that continues from the saved state: ${name}`,
      () =>
        Effect.gen(function*() {
          const first = yield* Conversation.make()
          yield* interrupt(turn(first))
          const conversation = yield* Conversation.make({ state: yield* throughJson(yield* first.state) })
          const answer = yield* fastForward(AgentStream.answer(conversation.resume))
          assert.strictEqual(answer.text, "one two")
          const { contextId, pending, transcript, unanswered } = yield* conversation.state
          assert.deepStrictEqual([pending, unanswered, contextId], [undefined, undefined, answer.contextId])
          assert.deepStrictEqual(transcript.map(Message.text), ["hi", "one two"])
        }).pipe(Effect.provide(agent)),
      covers("ML-28")
    )

    it.effect(`is canceled while it is under way, and fails: ${name}`, () =>
      Effect.gen(function*() {
        const conversation = yield* Conversation.make()
        const fiber = yield* Effect.forkChild(Effect.exit(turn(conversation)))
        yield* TestClock.adjust("1 second")
        yield* conversation.cancel
        yield* TestClock.adjust("1 second")
        assert.include(JSON.stringify(yield* Fiber.join(fiber)), "TaskCanceledError")
        assert.deepStrictEqual(yield* states, ["canceled"])
      }).pipe(Effect.provide(agent)), covers("ML-30"))
  }

  it.effect("leaves the tasks of other conversations alone", () =>
    Effect.gen(function*() {
      const others = [yield* Conversation.make(), yield* Conversation.make()]
      for (const other of others) yield* interrupt(other.ask("hi"))
      const conversation = yield* Conversation.make()
      yield* interrupt(Effect.onInterrupt(conversation.ask("hi"), () => Effect.ignore(conversation.cancel)))
      assert.deepStrictEqual(yield* states, ["canceled", "working", "working"])
    }).pipe(Effect.provide(agent)))

  it.effect("of a message to a task that asked keeps the task, without the question", () =>
    Effect.gen(function*() {
      const conversation = yield* Conversation.make()
      const question = yield* conversation.ask("plan")
      assert.strictEqual(Message.text((yield* conversation.state).question!), "Which city?")
      yield* interrupt(conversation.ask("Lisbon"))
      const state = yield* conversation.state
      assert.deepStrictEqual([state.pending?.id, state.question], [question.taskId, undefined])
      assert.strictEqual((yield* conversation.cancel)?.status.state, "canceled")
    }).pipe(Effect.provide(agent)), covers("field:HIST-05"))

  it.effect("of which nothing is known at the agent cancels nothing", () => {
    const unreachable = Agent.layer.pipe(
      Layer.provide(AgentTest.layer),
      Layer.provide(Script.layer(Script.die("down")))
    )
    return Effect.gen(function*() {
      const conversation = yield* Conversation.make()
      assert.isUndefined(yield* conversation.cancel)
      yield* Effect.exit(conversation.ask("hi"))
      assert.isUndefined(yield* conversation.cancel)
    }).pipe(Effect.provide(unreachable))
  })
})

const main = combination("1.0 HTTP+JSON")

describe("an interrupted turn, through bytes", () => {
  for (const one of Emulated.combinations) {
    Emulated.test(one)(`of a stream is canceled in onInterrupt, ${one.name}`, () =>
      Effect.gen(function*() {
        const conversation = yield* Conversation.make()
        yield* fastForward(Stream.runDrain(Stream.take(conversation.stream("a slow stream"), 2)))
        const { pending } = yield* conversation.state
        assert.isDefined(pending)
        yield* conversation.cancel
        assert.strictEqual((yield* Emulated.getTask(pending!.id)).status.state, "canceled")
      }), covers("ML-30"))

    // agents of 0.3 list no tasks
    const lists = one.protocol.version === "1.0"
    Emulated.test(one)(
      `of an ask is canceled ${
        lists ? "by way of the agent's list of tasks" : "only if its task is known"
      }, ${one.name}`,
      () =>
        Effect.gen(function*() {
          const conversation = yield* Conversation.make({ contextId: Emulated.contextId })
          const fiber = yield* Effect.forkChild(conversation.ask("a slow one"))
          for (let i = 0; i < 20; i++) yield* Effect.promise(() => new Promise<void>((done) => setImmediate(done)))
          yield* Fiber.interrupt(fiber)
          const { transcript, unanswered } = yield* conversation.state
          assert.strictEqual(unanswered, transcript[0]!.messageId)
          const canceled = yield* fastForward(conversation.cancel)
          assert.strictEqual(canceled?.status.state, lists ? "canceled" : undefined)
        }),
      covers("ML-30", "field:CAN-04")
    )
  }

  Emulated.test(main)("keeps the task's id, so that the next message waits for it", () =>
    Effect.gen(function*() {
      const conversation = yield* Conversation.make()
      yield* fastForward(Stream.runDrain(Stream.take(conversation.stream("a slow stream"), 1)))
      const { pending } = yield* conversation.state
      const state = yield* throughJson(yield* conversation.state)
      assert.strictEqual(state.pending?.id, pending!.id)
      const next = yield* fastForward(conversation.ask("next"))
      assert.notStrictEqual(next.taskId, pending!.id)
      assert.strictEqual((yield* Emulated.getTask(pending!.id)).status.state, "completed")
    }), covers("ML-09"))
})
