/** Conversations that are left in one place and gone on with in another, against the emulated MemoryLake, through bytes. */
import { Agent, AgentStream, Conversation, Message, type Task } from "@effect-a2a/core"
import { assert, describe } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { covers } from "./support/covers.ts"
import * as Emulated from "./support/emulated.ts"
import { combination } from "./support/peer.ts"

const { hurried } = Emulated

const said = ({ transcript }: Conversation.State) => transcript.map((one) => `${one.role}: ${Message.text(one)}`)

/** Left after two events of its stream. */
const leave = Effect.fnUntraced(function*(text: string) {
  const conversation = yield* Conversation.make()
  yield* hurried(Stream.runDrain(Stream.take(conversation.stream(text), 2)))
  return yield* conversation.state
})

const followed = (conversation: Conversation.Service) => hurried(AgentStream.answer(conversation.resume))

const main = combination("1.0 HTTP+JSON")

/** Runs with a second client, which shares nothing with the first. */
const inAnotherClient = (combination: typeof main) => <A, E, R>(self: Effect.Effect<A, E, R>) =>
  Effect.provide(self, Layer.fresh(Emulated.layerClient(combination)))

/** Follows the task of a conversation that was left, and sends the next message. */
const followAndGoOn = Effect.fnUntraced(function*(combination: typeof main) {
  const state = yield* leave("a slow stream")
  assert.isDefined(state.pending)
  yield* inAnotherClient(combination)(Effect.gen(function*() {
    const conversation = yield* Conversation.make({ state })
    assert.deepStrictEqual(yield* conversation.state, state)
    const answer = yield* followed(conversation)
    assert.deepStrictEqual([answer.state, answer.text], ["completed", "You asked: a slow stream"])
    const after = yield* conversation.state
    assert.isUndefined(after.pending)
    assert.deepStrictEqual(said(after), ["user: a slow stream", "agent: You asked: a slow stream"])
    const next = yield* conversation.ask("next")
    assert.strictEqual(next.contextId, state.contextId)
    assert.lengthOf(yield* Stream.runCollect(conversation.resume), 0)
  }))
})

describe("a conversation continued in another client", () => {
  const effect = Emulated.test(main)
  const elsewhere = inAnotherClient(main)
  for (const one of Emulated.combinations) {
    Emulated.test(one)(
      `follows its task to the end before the next message, ${one.name}`,
      () => followAndGoOn(one),
      covers("ML-28")
    )
  }

  effect("emits a task that completed meanwhile", () =>
    Effect.gen(function*() {
      const state = yield* leave("a slow stream")
      const agent = yield* Agent.Agent
      yield* hurried(agent.waitFor(state.pending!))
      yield* elsewhere(Effect.gen(function*() {
        const conversation = yield* Conversation.make({ state })
        assert.strictEqual((yield* followed(conversation)).text, "You asked: a slow stream")
        assert.lengthOf((yield* conversation.state).transcript, 2)
      }))
    }), covers("ML-27"))

  effect("fails for a task that was canceled meanwhile, which is then no longer pending", () =>
    Effect.gen(function*() {
      const state = yield* leave("a slow stream")
      yield* Emulated.cancel(state.pending!.id)
      yield* elsewhere(Effect.gen(function*() {
        const conversation = yield* Conversation.make({ state })
        const reason = yield* Emulated.refusal(followed(conversation))
        assert.strictEqual(reason._tag, "TaskCanceledError")
        assert.isUndefined((yield* conversation.state).pending)
        yield* conversation.ask("next")
      }))
    }), covers("ML-29"))

  effect("does not follow a task that asked a question; the next message continues it", () =>
    Effect.gen(function*() {
      const first = yield* Conversation.make()
      const question = yield* first.ask("ask me")
      const state = yield* first.state
      yield* elsewhere(Effect.gen(function*() {
        const conversation = yield* Conversation.make({ state })
        assert.lengthOf(yield* Stream.runCollect(conversation.resume), 0)
        assert.strictEqual((yield* conversation.ask("that one")).taskId, question.taskId)
      }))
    }))

  effect("finds the task of a message that got no response", () =>
    Effect.gen(function*() {
      const first = yield* Conversation.make()
      yield* first.ask("hello")
      const { contextId } = yield* first.state
      const sent = (yield* first.send("a slow one", { returnImmediately: true })) as Task.Task
      const { transcript } = yield* first.state
      yield* elsewhere(Effect.gen(function*() {
        const conversation = yield* Conversation.make({ state: { contextId, pending: undefined, transcript } })
        assert.strictEqual((yield* followed(conversation)).taskId, sent.id)
        assert.lengthOf((yield* conversation.state).transcript, 4)
      }))
    }), covers("ML-30"))
})
