/** Python applications accept answers with and without the invocation that asked, declared resumable or not. */
import { Agent, AgentTransport, Credentials, Message, Operation, type Part, Task } from "@effect-a2a/core"
import { NodeAgent } from "@effect-a2a/node"
import { Adk, AdkReply } from "@effect-a2a/transport-adk"
import { assert, describe, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { covers } from "../../support/covers.ts"
import { AdkPeer, layer as peer, pythonPeer } from "./peer.ts"

const agent = (appName: string, resumable: boolean) =>
  Layer.unwrap(
    Effect.map(AdkPeer, ({ origin }) =>
      Agent.layer.pipe(Layer.provideMerge(Adk.layer({ url: origin, appName, resumable }))))
  ).pipe(
    Layer.provide([Credentials.layerNone, Layer.fresh(NodeAgent.layerClient)])
  )

const send = (input: string | ReadonlyArray<Part.Part>, to?: Task.Task) =>
  Effect.gen(function*() {
    const transport = yield* AgentTransport.AgentTransport
    const message = yield* Message.user(input, to === undefined ? {} : { taskId: to.id, contextId: to.contextId! })
    return (yield* transport.call(Operation.SendMessage, { message })) as Task.Task
  })

/** Answers an agent's question and returns the text that follows. */
const askAndAnswer = Effect.fnUntraced(function*(word: string, answer: (question: AdkReply.Question) => Part.Part) {
  const task = yield* send(word)
  assert.strictEqual(task.status.state, "input-required")
  const done = yield* send(AdkReply.questions(task).map(answer), task)
  assert.strictEqual(done.status.state, "completed")
  return Task.text(done)
})

describe.skipIf(!pythonPeer.isInstalled)("resumable applications", () => {
  layer(peer(pythonPeer), { excludeTestServices: true })((it) => {
    for (const [app, resumable] of [["resumable", true], ["resumable", false], ["llm", true]] as const) {
      it.effect(`${app} accepts answers with resumable: ${resumable}`, () =>
        Effect.gen(function*() {
          const granted = yield* askAndAnswer("ask_boss", (question) => AdkReply.result(question, { granted: true }))
          assert.match(granted ?? "", /ask_boss gave {"granted":true}$/)
          const paid = yield* askAndAnswer("pay", (question) => AdkReply.confirm(question, { confirmed: true }))
          assert.strictEqual(paid, "pay gave {\"paid\":9}")
          const there = yield* askAndAnswer("adk_request_input", (question) => AdkReply.input(question, "Lisbon"))
          assert.strictEqual(there, "adk_request_input gave {\"result\":\"Lisbon\"}")
        }).pipe(Effect.provide(agent(app, resumable))), covers("ADK-01", "ADK-08"))
    }
  })
})
