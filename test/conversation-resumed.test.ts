/** Conversations that are continued in another client, against the emulated MemoryLake and against peers made of bytes. */
import { Agent, AgentStream, Artifact, Conversation, Id, Message, Part, StreamEvent, type Task } from "@effect-a2a/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { covers } from "./support/covers.ts"
import * as Emulated from "./support/emulated.ts"
import { chunks, combination, event as encode, frame, result, talkTo } from "./support/peer.ts"

const { fastForward } = Emulated

const said = ({ transcript }: Conversation.State) => transcript.map((one) => `${one.role}: ${Message.text(one)}`)

/** Leaves a conversation after two events of its stream. */
const leave = Effect.fnUntraced(function*(text: string) {
  const conversation = yield* Conversation.make()
  yield* fastForward(Stream.runDrain(Stream.take(conversation.stream(text), 2)))
  return yield* conversation.state
})

const followed = (conversation: Conversation.Service) => fastForward(AgentStream.answer(conversation.resume))

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

  for (const reply of ["a slow one", "a slow search"]) {
    effect(
      `follows ${reply} that answers a question, although the subscription repeats the question`,
      () =>
        Effect.gen(function*() {
          const conversation = yield* Conversation.make()
          yield* conversation.ask("ask me")
          yield* fastForward(Stream.runDrain(Stream.take(conversation.stream(reply), 2)))
          const state = yield* conversation.state
          yield* elsewhere(Effect.gen(function*() {
            const conversation = yield* Conversation.make({ state })
            const events = yield* fastForward(Stream.runCollect(conversation.resume))
            assert.include(events.map(StreamEvent.state), "input-required")
            assert.strictEqual(StreamEvent.state(events.at(-1)!), "completed")
            assert.deepStrictEqual(said(yield* conversation.state), [
              "user: ask me",
              "agent: Which one do you mean?",
              `user: ${reply}`,
              `agent: You asked: ${reply}`
            ])
          }))
        }),
      covers("ML-28")
    )
  }

  effect("emits a task that completed meanwhile", () =>
    Effect.gen(function*() {
      const state = yield* leave("a slow stream")
      yield* fastForward(Agent.waitFor(state.pending!))
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
      const unanswered = transcript.at(-1)!.messageId
      yield* elsewhere(Effect.gen(function*() {
        const conversation = yield* Conversation.make({ state: { contextId: contextId!, unanswered, transcript } })
        assert.strictEqual((yield* followed(conversation)).taskId, sent.id)
        assert.lengthOf((yield* conversation.state).transcript, 4)
      }))
    }), covers("ML-30"))
})

describe("a conversation continued with a peer", () => {
  const taskId = Id.TaskId.make("t-1")
  const contextId = Id.ContextId.make("c-1")
  const state: Conversation.State = {
    contextId,
    pending: { _tag: "Task", id: taskId, contextId, status: { state: "working" } },
    transcript: []
  }
  const tail = [
    StreamEvent.artifactUpdate({
      taskId,
      contextId,
      artifact: Artifact.make(Id.ArtifactId.make("a"), [Part.text("two")]),
      append: true
    }),
    StreamEvent.statusUpdate({ taskId, contextId, status: { state: "completed" } })
  ]
  const whole = {
    id: taskId,
    contextId,
    status: { state: "TASK_STATE_COMPLETED" },
    artifacts: [{ artifactId: "a", parts: [{ text: "one two" }] }]
  }

  it.effect("emits the whole task at the end if the peer emits only what is new", () => {
    const { layer } = talkTo(main, (asked) =>
      asked.url.includes(":subscribe")
        ? chunks(tail.map((one) => frame(encode(main, asked, one))))
        : new Response(result(main, asked, whole), { headers: { "content-type": "application/json" } }))
    return Effect.gen(function*() {
      const conversation = yield* Conversation.make({ state })
      const events = yield* Stream.runCollect(conversation.resume)
      assert.deepStrictEqual(events.map(({ _tag }) => _tag), ["ArtifactUpdate", "StatusUpdate", "Task"])
      assert.deepStrictEqual(said(yield* conversation.state), ["agent: one two"])
    }).pipe(Effect.provide(Agent.layer.pipe(Layer.provide(layer))))
  })

  it.effect("forgets a task that the peer no longer knows", () => {
    const { layer } = talkTo(main, () => {
      const details = [{
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        reason: "TASK_NOT_FOUND",
        domain: "a2a-protocol.org"
      }]
      return Response.json({ error: { code: 404, status: "NOT_FOUND", message: "no task", details } }, { status: 404 })
    })
    return Effect.gen(function*() {
      const conversation = yield* Conversation.make({ state })
      const reason = yield* Emulated.refusal(Stream.runDrain(conversation.resume))
      assert.strictEqual(reason._tag, "TaskNotFoundError")
      assert.isUndefined((yield* conversation.state).pending)
    }).pipe(Effect.provide(Agent.layer.pipe(Layer.provide(layer))))
  })
})
