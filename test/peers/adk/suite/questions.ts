/** Agents built with ADK whose model calls tools that wait for a person. */
import {
  Agent,
  AgentStream,
  AgentTransport,
  Answer,
  Credentials,
  Message,
  Operation,
  type Part,
  Task
} from "@effect-a2a/core"
import { NodeAgent } from "@effect-a2a/node"
import { Adk, AdkReply } from "@effect-a2a/transport-adk"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { covers } from "../../../support/covers.ts"
import { AdkPeer } from "../peer.ts"
import type { Context } from "./context.ts"

// fresh: the suite has an agent already
const llm = Layer.unwrap(
  Effect.map(
    AdkPeer,
    ({ origin }) =>
      Layer.fresh(Agent.layer).pipe(Layer.provideMerge(Adk.layer({ url: origin, appName: "llm", userId: "ana" })))
  )
).pipe(Layer.provide([Credentials.layerNone, Layer.fresh(NodeAgent.layerClient)]))

const send = (input: string | ReadonlyArray<Part.Part>, to?: Task.Task) =>
  Effect.gen(function*() {
    const transport = yield* AgentTransport.AgentTransport
    const message = yield* Message.user(input, to === undefined ? {} : { taskId: to.id, contextId: to.contextId! })
    const answer = yield* transport.call(Operation.SendMessage, { message })
    assert.strictEqual(answer._tag, "Task")
    return answer as Task.Task
  })

/** Returns a waiting task and its only question. */
const asked = Effect.fnUntraced(function*(word: string, state: string) {
  const task = yield* send(word)
  assert.strictEqual(task.status.state, state)
  const questions = AdkReply.questions(task)
  assert.strictEqual(questions.length, 1)
  return [task, questions[0]!] as const
})

export const questions = ({ differs, it }: Context): void => {
  const test = (
    title: string,
    body: Effect.Effect<void, unknown, Agent.Agent | AgentTransport.AgentTransport | AdkPeer>,
    options: ReturnType<typeof covers>
  ) => it.effect(title, () => Effect.provide(body, llm), options)

  test(
    "a response to an unknown call fails the task",
    Effect.gen(function*() {
      const { id: taskId } = yield* send("hello")
      const wrong = AdkReply.result({ id: "x", name: "pay" }, {})
      const task = yield* send([wrong])
      assert.notStrictEqual(task.id, taskId)
      assert.strictEqual(task.status.state, "failed")
    }),
    covers("ADK-06")
  )

  test(
    "a model's tool call is reported with its result",
    Effect.gen(function*() {
      const said = "search gave {\"found\":\"cats\"}"
      const pieces = yield* Agent.stream("search").pipe(AgentStream.text, Stream.runCollect)
      assert.deepStrictEqual(pieces, [said.slice(0, 4), said.slice(4)])
      for (const ask of [Agent.ask("search"), AgentStream.answer(Agent.stream("search"))]) {
        const { text, toolCalls } = yield* ask
        assert.strictEqual(text, said)
        assert.deepStrictEqual(toolCalls.map(({ args, name, outcome }) => [name, args, outcome]), [
          ["search", { query: "cats" }, { _tag: "Success", response: { found: "cats" } }]
        ])
      }
    }),
    covers("ADK-08")
  )

  test(
    "a confirmation is requested, given and denied",
    Effect.gen(function*() {
      for (const [confirmed, said] of [[true, "pay gave {\"paid\":9}"], [false, "rejected"]] as const) {
        const [task, question] = yield* asked("pay", "input-required")
        assert.deepStrictEqual([question.kind, question.name], ["confirmation", "adk_request_confirmation"])
        assert.include(question.text, "approve or reject")
        const done = yield* send([AdkReply.confirm(question, { confirmed })], task)
        assert.strictEqual(done.id, task.id)
        assert.strictEqual(done.status.state, "completed")
        assert.include(Task.text(done), said)
        const pay = Answer.from(done).toolCalls.filter(({ name }) => name === "pay")
        assert.deepStrictEqual(pay.map(({ outcome }) => outcome?._tag), [confirmed ? "Success" : "Failure"])
      }
    }),
    covers("ADK-08")
  )

  test(
    "a value is requested and given in words",
    Effect.gen(function*() {
      const [task, question] = yield* asked("adk_request_input", "input-required")
      assert.deepStrictEqual([question.kind, question.text], ["input", "Which city?"])
      const done = yield* send("Lisbon", task)
      assert.strictEqual(done.status.state, differs.hearsInput ? "completed" : "input-required")
      if (differs.hearsInput) assert.include(Task.text(done), "{\"result\":\"Lisbon\"}")
    }),
    covers("ADK-08")
  )

  test(
    "a long-running tool gets its result later",
    Effect.gen(function*() {
      const [task, question] = yield* asked("ask_boss", "input-required")
      assert.strictEqual(question.kind, "tool")
      assert.strictEqual(Task.text(task), "ask_boss gave {\"status\":\"pending\"}")
      const done = yield* send([AdkReply.result(question, { granted: true })], task)
      assert.strictEqual(done.status.state, "completed")
      assert.include(Task.text(done), "ask_boss gave {\"granted\":true}")
    }),
    covers("ADK-08")
  )

  test(
    "a credential is requested and answered with the person's URL",
    Effect.gen(function*() {
      const [task, question] = yield* asked("mail", "auth-required")
      assert.strictEqual(question.kind, "credential")
      const url = new URL(AdkReply.authUri(question)!)
      assert.strictEqual(url.origin, "http://127.0.0.1:9")
      assert.strictEqual(JSON.stringify(question).includes("shh"), differs.sendsSecrets)
      const authResponseUri = `http://127.0.0.1:9/back?code=c&state=${url.searchParams.get("state")}`
      const answer = AdkReply.credential(question, { authResponseUri, redirectUri: "http://127.0.0.1:9/back" })
      const done = yield* send([answer], task)
      if (differs.exchanges) assert.include(Task.text(done), "signedIn")
      else assert.include(Task.statusText(done), "token endpoint 'http://127.0.0.1:9/token' is not allowed")
    }),
    covers("ADK-08")
  )
}
