/** The transitions of a conversation, on random sequences of what may happen. */
import { ConversationState, empty } from "@effect-a2a/core/ConversationState"
import * as Id from "@effect-a2a/core/Id"
import type * as Message from "@effect-a2a/core/Message"
import * as Part from "@effect-a2a/core/Part"
import type * as Task from "@effect-a2a/core/Task"
import * as TaskState from "@effect-a2a/core/TaskState"
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Model from "../../testing/src/Arbitrary.ts"
import * as Transition from "../src/internal/conversation/transition.ts"

const contextIds = [undefined, Id.ContextId.make("c-1"), Id.ContextId.make("c-2")]
const taskIds = [undefined, Id.TaskId.make("t-1"), Id.TaskId.make("t-2")]

const say = (role: Message.Role, id: string, contextId?: Id.ContextId, taskId?: Id.TaskId): Message.Message => ({
  _tag: "Message",
  messageId: Id.MessageId.make(id),
  role,
  parts: [Part.text(id)],
  ...(contextId && { contextId }),
  ...(taskId && { taskId })
})

const taskOf = (id: Id.TaskId, state: TaskState.TaskState, n: number): Task.Task => ({
  _tag: "Task",
  id,
  status: { state, message: say("agent", `status-${n}`) },
  artifacts: [{ artifactId: Id.ArtifactId.make("a"), parts: [Part.text(`${n}`)] }]
})

const index = Schema.Literals([0, 1, 2])

/** One thing that happens, in small numbers. */
const Happening = Schema.Struct({
  kind: Schema.Literals(["Enter", "Send", "Receive", "Settle", "Reply", "Refuse", "Lose", "Find", "Forget"]),
  context: index,
  task: index,
  message: Schema.Literals([0, 1, 2, 3, 4, 5]),
  state: TaskState.TaskState,
  isNew: Schema.Boolean
})
const Run = Arbitrary.array(Arbitrary.schema(Happening))

const toEvent = (state: ConversationState, one: typeof Happening.Type, n: number): Transition.Event => {
  const contextId = contextIds[one.context]
  const taskId = taskIds[one.task]
  const task = taskOf(taskId ?? Id.TaskId.make("t-0"), one.state, n)
  const message = say("user", `m-${one.message}`, contextId, taskId)
  switch (one.kind) {
    case "Enter":
      return { _tag: "Enter", contextId, shared: one.isNew ? { unanswered: message.messageId } : { pending: task } }
    case "Send":
      return { _tag: "Send", message }
    case "Receive":
      return { _tag: "Receive", contextId, progress: taskId && { task, news: task } }
    case "Settle":
      return { _tag: "Settle", progress: { task, news: task } }
    case "Reply":
      return { _tag: "Reply", reply: say("agent", `reply-${one.message}`, contextId, taskId) }
    case "Refuse":
      return {
        _tag: "Refuse",
        message: state.transcript.at(-1) ?? message,
        isNew: one.isNew,
        contextId,
        shared: Transition.share(state)
      }
    case "Lose":
      return { _tag: "Lose", message, taskId: one.isNew ? taskId : undefined }
    case "Find":
      return { _tag: "Find", task }
    case "Forget":
      return { _tag: "Forget" }
  }
}

/** All states of a run. */
const states = (run: ReadonlyArray<typeof Happening.Type>): ReadonlyArray<ConversationState> => {
  const all = [empty]
  for (const [n, one] of run.entries()) all.push(Transition.apply(all.at(-1)!, toEvent(all.at(-1)!, one, n)))
  return all
}

const codec = Schema.toCodecJson(ConversationState)
const options = { arbitrary: { runs: 300, seed: 7 } }

describe("any sequence of transitions", () => {
  it.prop("leaves states whose members agree", [Run], ([run]) => {
    for (const state of states(run)) {
      const { pending, question, transcript } = state
      if (pending !== undefined) assert.isFalse(TaskState.isTerminal(pending.status.state))
      if (question !== undefined) assert.isTrue(TaskState.isInterrupted(pending!.status.state))
      const ids = transcript.map(({ messageId }) => messageId)
      assert.strictEqual(new Set(ids).size, ids.length)
      assert.deepStrictEqual(Transition.normalize(state), state)
      assert.deepStrictEqual(
        Object.keys(state),
        Object.keys(state).filter((key) => state[key as "pending"] !== undefined)
      )
    }
  }, options)

  it.prop("leaves states that survive JSON", [Run], ([run]) =>
    Effect.runSync(Effect.gen(function*() {
      for (const state of states(run)) {
        const json = JSON.parse(JSON.stringify(yield* Schema.encodeEffect(codec)(state)))
        assert.deepStrictEqual(yield* Schema.decodeUnknownEffect(codec)(json), state)
      }
    })), options)

  it.prop(
    "leaves states that survive JSON, whatever tasks and messages hold",
    [Model.successes("1.0").SendMessage],
    ([one]) =>
      Effect.runSync(Effect.gen(function*() {
        const state = one._tag === "Message"
          ? Transition.apply(empty, { _tag: "Reply", reply: one })
          : Transition.apply(empty, { _tag: "Settle", progress: { task: one, news: one } })
        const json = JSON.parse(JSON.stringify(yield* Schema.encodeEffect(codec)(state)))
        assert.deepStrictEqual(yield* Schema.decodeUnknownEffect(codec)(json), state)
      })),
    options
  )

  it.prop("changes no state that was there before", [Run], ([run]) => {
    const copies = states(run).map((state) => structuredClone(state))
    assert.deepStrictEqual(states(run), copies)
  }, options)

  it.prop("loses no message that was sent, unless it was refused", [Run], ([run]) => {
    const all = states(run.filter(({ kind }) => kind !== "Refuse"))
    for (const [n, { transcript }] of all.entries()) {
      assert.deepStrictEqual(all.at(-1)!.transcript.slice(0, transcript.length), transcript, `after ${n}`)
    }
  }, options)
})

describe("a message", () => {
  const sent = say("user", "m-1", contextIds[1], taskIds[1])
  const asked = taskOf(taskIds[1]!, "input-required", 1)
  const asking = Transition.apply(empty, { _tag: "Settle", progress: { task: asked, news: asked } })

  it("is unanswered from its sending to the first response", () => {
    const sending = Transition.apply(asking, { _tag: "Send", message: sent })
    assert.strictEqual(sending.unanswered, sent.messageId)
    assert.isUndefined(sending.question)
    assert.deepStrictEqual([sending.pending?.id, sending.pending?.status.state], [taskIds[1], "unspecified"])
    const task = taskOf(taskIds[1]!, "working", 2)
    const working = Transition.apply(sending, { _tag: "Receive", progress: { task, news: task } })
    assert.deepStrictEqual([working.unanswered, working.pending], [undefined, task])
  })

  it("leaves no trace if it was refused before it was sent", () => {
    const sending = Transition.apply(asking, { _tag: "Send", message: sent })
    const refused = Transition.apply(sending, {
      _tag: "Refuse",
      message: sent,
      isNew: true,
      contextId: asking.contextId,
      shared: Transition.share(asking)
    })
    assert.deepStrictEqual(refused, asking)
  })

  it("keeps its task if the turn broke off, and is remembered if it has none", () => {
    const sending = Transition.apply(asking, { _tag: "Send", message: sent })
    const lost = Transition.apply(sending, { _tag: "Lose", message: sent, taskId: undefined })
    assert.deepStrictEqual([lost.pending?.id, lost.unanswered], [taskIds[1], undefined])
    const first = say("user", "m-2")
    const nothing = Transition.apply(Transition.apply(empty, { _tag: "Send", message: first }), {
      _tag: "Lose",
      message: first,
      taskId: undefined
    })
    assert.deepStrictEqual(nothing, { unanswered: first.messageId, transcript: [first] })
  })
})
