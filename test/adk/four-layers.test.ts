/** One program against an agent in this process, over both bindings of A2A, and on an ADK server. */
import { Agent, AgentStream, Protocol } from "@effect-a2a/core"
import { AdkEmulator } from "@effect-a2a/emulators"
import { Wire } from "@effect-a2a/testing"
import { AdkReply } from "@effect-a2a/transport-adk"
import { JsonRpc, JsonRpcServer } from "@effect-a2a/transport-jsonrpc"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { spawnSync } from "node:child_process"
import { over, transports } from "../../examples/one-program.ts"
import { root } from "../../scripts/workspace.ts"
import { covers } from "../support/covers.ts"

const tool = { id: "call-1", name: "forecast", args: { city: "Lisbon" } }

describe("one program over four transports", () => {
  for (const [name, transport] of Object.entries(transports)) {
    it.effect(`the answer over ${name} is the same`, () =>
      Effect.gen(function*() {
        assert.deepStrictEqual(yield* over(transport), {
          answer: ["completed", "Clear, 24 °C."],
          toolCalls: [{ ...tool, outcome: { _tag: "Success", response: { sky: "clear", celsius: 24 } } }],
          deltas: ["Clear, ", "24 °C."],
          conversation: ["input-required", "Which city?", "completed", "A weekend in Porto."],
          isOneTask: true
        })
      }), covers("ADK-08"))
  }

  it.effect("an agent behind an ADK server can be served over A2A", () =>
    Effect.gen(function*() {
      const tool = yield* Stream.runCollect(Agent.stream("tool x"))
      const { text, toolCalls } = yield* AgentStream.answer(Stream.fromIterable(tool))
      assert.deepStrictEqual([text, toolCalls.map(({ name }) => name)], ["One hit.", ["search"]])
      const asked = yield* Agent.ask("confirm")
      const [question] = AdkReply.questions(asked.task!)
      const done = yield* Agent.ask(AdkReply.confirm(question!, { confirmed: true }), {
        taskId: asked.taskId!,
        contextId: asked.contextId!
      })
      assert.deepStrictEqual([asked.question, done.text, done.taskId === asked.taskId], ["Pay 9 euro?", "Paid.", true])
      for (const word of ["thought", "inline", "artifact a.txt", "state", "workflow", "unfinished", "nothing"]) {
        assert.strictEqual((yield* AgentStream.answer(Agent.stream(word))).state, "completed")
      }
    }).pipe(Effect.provide(
      Agent.layer.pipe(Layer.provide(
        AdkEmulator.layerTransport().pipe(
          Wire.through({ protocol: Protocol.v0_3, client: JsonRpc.layer, server: JsonRpcServer.routes })
        )
      ))
    )), covers("ADK-08"))

  it("the example runs unchanged", covers("ADK-08"), () => {
    const { status, stderr, stdout } = spawnSync(process.execPath, ["examples/one-program.ts"], {
      cwd: root,
      encoding: "utf8"
    })
    assert.deepStrictEqual([status, stderr], [0, ""])
    assert.deepStrictEqual(stdout.match(/^\w+ \{/gm), ["inProcess {", "rest {", "jsonRpc {", "adk {"])
  })
})
