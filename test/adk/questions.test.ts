/** Questions of an ADK agent to a person, answered on the same task. */
import {
  Agent,
  AgentStream,
  type AgentTransport,
  Answer,
  Conversation,
  Credentials,
  Part,
  StreamEvent,
  Task,
  type ToolCall
} from "@effect-a2a/core"
import { AdkEmulator, AdkScript } from "@effect-a2a/emulators"
import { Wire } from "@effect-a2a/testing"
import { Adk as AdkTransport, AdkReply } from "@effect-a2a/transport-adk"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { covers } from "../support/covers.ts"
import * as Adk from "./support.ts"

/** Returns a waiting task and its only question. */
const asking = (input: string) =>
  Effect.gen(function*() {
    const task = yield* Adk.send(input)
    const [question, ...others] = AdkReply.questions(task)
    assert.deepStrictEqual(others, [])
    return { task, question: question!, on: { taskId: task.id, contextId: task.contextId! } }
  })

const lastResponse = Effect.map(Adk.posted("/run"), (runs) => runs.at(-1).newMessage.parts[0].functionResponse)

describe("questions of an agent", () => {
  it.effect.each(Adk.flavours)(
    "a confirmation is requested, and given or refused on the same task (%s)",
    Adk.onEach(() =>
      Effect.gen(function*() {
        const { on, question, task } = yield* asking("confirm")
        assert.deepStrictEqual([task.status.state, question.kind, question.text], [
          "input-required",
          "confirmation",
          "Pay 9 euro?"
        ])
        const paid = yield* Adk.send(AdkReply.confirm(question, { confirmed: true, payload: { note: "ok" } }), on)
        assert.deepStrictEqual([paid.id, paid.status.state, Task.text(paid)], [task.id, "completed", "Paid."])
        assert.deepStrictEqual(yield* lastResponse, {
          id: "adk-confirm",
          name: "adk_request_confirmation",
          response: { confirmed: true, payload: { note: "ok" } }
        })
        const pay = Answer.from(paid).toolCalls.find(({ name }) => name === "pay")
        assert.deepStrictEqual(pay?.outcome, { _tag: "Success", response: { paid: true } })
        const { history = [] } = yield* Agent.getTask(paid.id, { historyLength: 1 })
        assert.deepStrictEqual(history.map(({ parts, role }) => [role, parts[0]?._tag]), [["user", "Data"]])

        const other = yield* asking("confirm")
        const refused = yield* Adk.events(AdkReply.confirm(other.question, { confirmed: false }), other.on)
        assert.strictEqual(refused[0]?._tag, "Task")
        assert.deepStrictEqual(refused.map(StreamEvent.taskId).filter((id) => id !== other.task.id), [])
        assert.strictEqual(Task.text(Adk.fold(refused)), "Not paid.")
      })
    ),
    covers("ADK-08")
  )

  it.effect(
    "a value is requested, and plain text may answer",
    Adk.onPython(() =>
      Effect.gen(function*() {
        const { on, question, task } = yield* asking("input")
        assert.deepStrictEqual([task.status.state, question.kind, question.text], [
          "input-required",
          "input",
          "Which city?"
        ])
        const planned = yield* Adk.send(AdkReply.input(question, "Lisbon"), on)
        assert.deepStrictEqual([planned.status.state, Task.text(planned)], ["completed", "A weekend in Lisbon."])
        assert.deepStrictEqual((yield* lastResponse).response, { result: "Lisbon" })

        const conversation = yield* Conversation.make()
        const asked = yield* conversation.ask("input")
        const answer = yield* conversation.ask("Porto")
        assert.deepStrictEqual([asked.question, answer.text, answer.taskId === asked.taskId], [
          "Which city?",
          "A weekend in Porto.",
          true
        ])
        const { transcript } = yield* conversation.state
        assert.strictEqual(transcript.length, 4)
      })
    ),
    covers("ADK-08")
  )

  it.effect.each(Adk.flavours)(
    "a credential is requested, and its configuration returns with the person's URL (%s)",
    Adk.onEach(() =>
      Effect.gen(function*() {
        const { on, question, task } = yield* asking("auth")
        assert.deepStrictEqual([task.status.state, question.kind], ["auth-required", "credential"])
        assert.match(AdkReply.authUri(question)!, /^https:\/\/login\.example\//)
        const back = { authResponseUri: "https://app.example/back?code=c", redirectUri: "https://app.example/back" }
        const done = yield* Adk.send(AdkReply.credential(question, back), on)
        assert.strictEqual(Task.text(done), "Signed in.")
        const { response } = yield* lastResponse
        assert.deepStrictEqual(response.exchangedAuthCredential.oauth2, {
          authUri: "https://login.example/authorize?client_id=demo",
          state: "s-1",
          ...back
        })
        assert.strictEqual(response.credentialKey, "demo")
      })
    ),
    covers("ADK-08")
  )

  it.effect(
    "a long-running tool waits for its result, and its provisional result answers nothing",
    Adk.onPython(() =>
      Effect.gen(function*() {
        const { on, question, task } = yield* asking("longrun")
        assert.deepStrictEqual([task.status.state, question.kind, question.args], [
          "input-required",
          "tool",
          { what: "a rise" }
        ])
        assert.strictEqual(Task.text(task), "I have asked.")
        const parts = task.status.message?.parts ?? []
        assert.deepStrictEqual(parts.map(({ metadata }) => metadata?.adk_type), ["function_call", "function_response"])
        const done = yield* Adk.send(AdkReply.result(question, { granted: true }), on)
        assert.strictEqual(Task.text(done), "I have asked.\n\nThe answer is {\"granted\":true}.")
      })
    ),
    covers("ADK-08")
  )

  it.effect(
    "a message that does not answer gets the same question, without a run",
    Adk.onPython(() =>
      Effect.gen(function*() {
        const { on, question, task } = yield* asking("confirm")
        const runs = (yield* Adk.posted("/run")).length
        const again = yield* Adk.send("yes!", on)
        assert.deepStrictEqual([again.id, again.status.state], [task.id, "input-required"])
        assert.match(Task.statusText(again)!, /does not answer the agent's question/)
        assert.deepStrictEqual(AdkReply.questions(again), [question])
        const events = yield* Adk.events("yes!", on)
        assert.strictEqual(Adk.fold(events).status.state, "input-required")
        assert.strictEqual((yield* Adk.posted("/run")).length, runs)
        assert.strictEqual((yield* Adk.posted("/run_sse")).length, 0)
        assert.strictEqual(Task.text(yield* Adk.send(AdkReply.confirm(question, { confirmed: true }), on)), "Paid.")
      })
    ),
    covers("ADK-08")
  )

  it.effect(
    "an answer finds the latest task of its context, and its name by the call",
    Adk.onPython(() =>
      Effect.gen(function*() {
        const earlier = yield* asking("confirm")
        const task = yield* Adk.send("confirm", { contextId: earlier.on.contextId })
        const [question = assert.fail()] = AdkReply.questions(task)
        const unnamed = Part.data({ id: question.id, response: { confirmed: true } }, {
          metadata: { adk_type: "function_response" }
        })
        const done = yield* Adk.send(unnamed, { contextId: task.contextId! })
        assert.deepStrictEqual([done.id, Task.text(done)], [task.id, "Paid."])
        assert.strictEqual((yield* lastResponse).name, "adk_request_confirmation")
      })
    ),
    covers("ADK-08")
  )

  it.effect.each(Adk.flavours)(
    "an answer to no question fails the task with the agent's message (%s)",
    Adk.onEach(() =>
      Effect.gen(function*() {
        const { contextId } = yield* Adk.send("hello")
        const stray = AdkReply.result({ id: "adk-none", name: "none" }, {})
        const task = Adk.fold(yield* Adk.events(stray, { contextId: contextId! }))
        assert.strictEqual(task.status.state, "failed")
        assert.match(Task.statusText(task)!, /No function call event found for function responses ids: adk-none/)
      })
    ),
    covers("ADK-08")
  )

  it.effect(
    "a waiting task can be canceled",
    Adk.onPython(() =>
      Effect.gen(function*() {
        const { on, question, task } = yield* asking("confirm")
        assert.strictEqual((yield* Agent.cancel(task.id)).status.state, "canceled")
        const late = yield* Adk.refusal(Agent.send(AdkReply.confirm(question, { confirmed: true }), on))
        assert.strictEqual(late._tag, "UnsupportedOperationError")
      })
    ),
    covers("ADK-08")
  )

  it.effect(
    "several questions are answered in one message, and unanswered ones are asked again",
    Adk.onPython(() =>
      Effect.gen(function*() {
        const first = yield* Adk.send("both")
        const [one, two] = AdkReply.questions(first)
        const on = { taskId: first.id, contextId: first.contextId! }
        const half = yield* Adk.send(AdkReply.result(one!, 1), on)
        assert.deepStrictEqual([half.status.state, AdkReply.questions(half).map(({ id }) => id)], ["input-required", [
          two!.id
        ]])
        const done = yield* Adk.send(AdkReply.result(two!, 2), on)
        assert.strictEqual(done.status.state, "completed")
      }), {
      agent: ({ responses, text }) =>
        text === "both"
          ? ["a", "b"].map((id) => AdkScript.call({ id, name: "wait" }, { longRunning: true }))
          : [AdkScript.say(`Got ${responses.map(({ id }) => id).join()}. `)]
    }),
    covers("ADK-08")
  )

  it.effect.each(["send", "stream"] as const)(
    "words answer none of several questions, and no run begins (%s)",
    (by) =>
      Effect.gen(function*() {
        const first = yield* Adk.send("plan")
        const on = { taskId: first.id, contextId: first.contextId! }
        const asked = AdkReply.questions(first)
        assert.deepStrictEqual(asked.map(({ text }) => text), ["Which city?", "Which month?"])
        const again = by === "send" ? yield* Adk.send("Lisbon", on) : Adk.fold(yield* Adk.events("Lisbon", on))
        assert.deepStrictEqual([again.status.state, AdkReply.questions(again)], ["input-required", asked])
        assert.match(Task.statusText(again)!, /which of the agent's 2 questions it answers/)
        assert.strictEqual((yield* Adk.posted("/run")).length + (yield* Adk.posted("/run_sse")).length, 1)
        const [city, month] = asked
        const half = yield* Adk.send([AdkReply.input(city!, "Lisbon"), "as we said"], on)
        assert.deepStrictEqual([half.status.state, AdkReply.questions(half)], ["input-required", [month]])
        const done = yield* Adk.send("May", on)
        assert.deepStrictEqual([done.status.state, Task.text(done)], ["completed", "Booked."])
        assert.deepStrictEqual(yield* lastResponse, {
          id: "q-2",
          name: "adk_request_input",
          response: { result: "May" }
        })
      }).pipe(Effect.provide(Adk.layer({
        agent: ({ responses, text }) =>
          text === "plan"
            ? [
              AdkScript.call({ id: "q-1", name: "adk_request_input", args: { message: "Which city?" } }, {
                longRunning: true
              }),
              AdkScript.call({ id: "q-2", name: "adk_request_input", args: { message: "Which month?" } }, {
                longRunning: true
              })
            ]
            : responses.some(({ id }) => id === "q-2")
            ? [AdkScript.say("Booked.")]
            : []
      }))),
    covers("ADK-08")
  )

  it.effect("text beside a question stays the answer's text", () =>
    Effect.gen(function*() {
      const asked = yield* Agent.ask("go")
      const streamed = yield* AgentStream.answer(Agent.stream("go"))
      for (const { question, state, task, text } of [asked, streamed]) {
        assert.deepStrictEqual([state, text], ["input-required", "I found three cities. "])
        assert.strictEqual(question, "Book Lisbon?")
        assert.deepStrictEqual(AdkReply.questions(task!).map(({ text }) => text), ["Book Lisbon?"])
        assert.strictEqual(Task.statusText(task!), "Book Lisbon?")
      }
    }).pipe(Effect.provide(Adk.layer({
      agent: () => [
        AdkScript.say("I found ", "three cities. "),
        AdkScript.call({
          id: "adk-1",
          name: "adk_request_confirmation",
          args: { originalFunctionCall: { id: "c-1", name: "book" }, toolConfirmation: { hint: "Book Lisbon?" } }
        }, { longRunning: true })
      ]
    }))), covers("field:N2-03"))

  it.effect("the answer names the invocation that asked if the program says so", () =>
    Effect.gen(function*() {
      const { on, question, task } = yield* asking("confirm")
      yield* Adk.send(AdkReply.confirm(question, { confirmed: true }), on)
      const [first, second] = yield* Adk.posted("/run")
      assert.deepStrictEqual([first.invocationId, second.invocationId], [
        undefined,
        task.metadata?.adk_invocation_id as string
      ])
    }).pipe(Effect.provide(Adk.layer({ resumable: true }))), covers("ADK-08"))

  it.effect("an answer works after a restart of the client", () =>
    Effect.gen(function*() {
      /** Runs with a new client of the same server. */
      const anew = <A, E>(self: Effect.Effect<A, E, AgentTransport.AgentTransport>) =>
        Effect.provide(self, Layer.fresh(AdkTransport.layer({ url: AdkEmulator.url, appName: AdkEmulator.appName })))
      const { on, question } = yield* anew(asking("confirm"))
      const lost = yield* Effect.flip(anew(Adk.send("yes", on)))
      assert.strictEqual(lost.reason._tag, "TaskNotFoundError")
      const task = yield* anew(Adk.send(AdkReply.confirm(question, { confirmed: true }), on))
      assert.deepStrictEqual([task.id, Task.text(task)], [on.taskId, "Paid."])
    }).pipe(Effect.provide([Wire.layerHttp(AdkEmulator.routes()), Credentials.layerNone])), covers("ADK-08"))

  it.effect(
    "the question is text, and its calls are reported once",
    Adk.onPython(() =>
      Effect.gen(function*() {
        const text = yield* Agent.stream("confirm").pipe(AgentStream.text, Stream.mkString)
        assert.strictEqual(text, "Pay 9 euro?")
        const calls = yield* Agent.stream("confirm").pipe(AgentStream.toolCalls, Stream.runCollect)
        assert.deepStrictEqual(calls.map(({ id }) => id), ["adk-pay", "adk-confirm"])
        const { question: asked, toolCalls } = yield* Agent.ask("confirm")
        assert.deepStrictEqual([asked, toolCalls.map(({ id }: ToolCall.ToolCall) => id)], [
          "Pay 9 euro?",
          ["adk-pay", "adk-confirm"]
        ])
      })
    ),
    covers("ADK-08")
  )
})
