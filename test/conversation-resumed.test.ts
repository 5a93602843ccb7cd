/** Conversations that are left in one place and gone on with in another, against the emulated MemoryLake, through bytes. */
import { Agent, AgentStream, Conversation, Message, type Task } from "@effect-a2a/core"
import { assert, describe } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import * as Emulated from "./support/emulated.ts"

const { hurried } = Emulated

const said = ({ transcript }: Conversation.State) => transcript.map((one) => `${one.role}: ${Message.text(one)}`)

/** Left after two events of its stream. */
const leave = Effect.fnUntraced(function*(text: string) {
  const conversation = yield* Conversation.make()
  yield* hurried(Stream.runDrain(Stream.take(conversation.stream(text), 2)))
  return yield* conversation.state
})

const followed = (conversation: Conversation.Service) => hurried(AgentStream.answer(conversation.resume))

for (const cell of Emulated.cells) {
  const effect = Emulated.test(cell)
  /** A client that knows nothing of what the first one did. */
  const elsewhere = <A, E, R>(self: Effect.Effect<A, E, R>) =>
    Effect.provide(self, Layer.fresh(Emulated.layerClient(cell)))

  describe(`a conversation that was left, over ${cell.name}`, () => {
    effect("ML-28: its task is followed to the end, and the next message comes after it", () =>
      Effect.gen(function*() {
        const state = yield* leave("a slow stream")
        assert.isDefined(state.pending)
        yield* elsewhere(Effect.gen(function*() {
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
      }))

    effect("ML-27: a task that was completed meanwhile is told, as it may be", () =>
      Effect.gen(function*() {
        const state = yield* leave("a slow stream")
        const agent = yield* Agent.Agent
        yield* hurried(agent.waitFor(state.pending!))
        yield* elsewhere(Effect.gen(function*() {
          const conversation = yield* Conversation.make({ state })
          assert.strictEqual((yield* followed(conversation)).text, "You asked: a slow stream")
          assert.lengthOf((yield* conversation.state).transcript, 2)
        }))
      }))

    effect("ML-29: one that was canceled meanwhile fails, and is pending no more", () =>
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
      }))

    effect("one that asked is not followed: the next message answers it", () =>
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

    if (cell.protocol.version === "1.0") {
      effect("ML-30: what became of a message of which nothing was heard is looked up", () =>
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
        }))
    }
  })
}
