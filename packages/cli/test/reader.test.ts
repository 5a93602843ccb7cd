import { Part, Protocol } from "@effect-a2a/core"
import { NodeAgentServer } from "@effect-a2a/node"
import { AgentTest, Script } from "@effect-a2a/testing"
import { RestServer } from "@effect-a2a/transport-rest"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { last, run } from "./support/command.ts"

const questions = Part.data({ kind: "recommended_questions", questions: ["And then?"] })
const script = Script.layer(
  Script.think("Let me look."),
  Script.callTool({ id: "call-1", name: "search", args: { q: "x" } }),
  Script.toolResult({ id: "call-1", name: "search", response: { hits: 2 } }),
  Script.file(Part.url("https://files.test/a.pdf", { filename: "a.pdf" })),
  Script.artifact({ parts: [Part.text("Two hits."), questions] })
)
const served = NodeAgentServer.layer({
  routes: RestServer.routes({ path: "/a2a", protocols: [Protocol.v1_0] }).pipe(
    Layer.provide(AgentTest.layer),
    Layer.provide(script)
  ),
  port: 0
})

describe("answers of an agent", () => {
  it.live("are read generically unless it is one of MemoryLake's", () =>
    Effect.gen(function*() {
      const url = `${yield* NodeAgentServer.url}/a2a`
      const json = (...flags: ReadonlyArray<string>) =>
        Effect.map(run(["ask", "hi", "--json", "--url", url, ...flags]), (ended) => last(ended).outcome)
      assert.deepStrictEqual((yield* json()).recommendedQuestions, [])
      assert.deepStrictEqual((yield* json("--memorylake")).recommendedQuestions, ["And then?"])
    }).pipe(Effect.provide(served)))

  it.live("have their steps on stderr while they are streamed", () =>
    Effect.gen(function*() {
      const url = `${yield* NodeAgentServer.url}/a2a`
      const { stderr, stdout } = yield* run(["ask", "hi", "--stream", "--url", url])
      assert.strictEqual(stdout, "Two hits.\n")
      assert.deepStrictEqual(stderr.split("\n").slice(0, 4), [
        "Let me look.",
        "search {\"q\":\"x\"}",
        "search → {\"hits\":2}",
        "file a.pdf https://files.test/a.pdf"
      ])
    }).pipe(Effect.provide(served)))
})
