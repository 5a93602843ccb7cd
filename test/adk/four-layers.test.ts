/** One program against an agent in this process, over both bindings of A2A, and behind an ADK server. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import { over, transports } from "../../examples/one-program.ts"
import { root } from "../../scripts/workspace.ts"

const tool = { id: "call-1", name: "forecast", args: { city: "Lisbon" } }

describe("one program, four layers", () => {
  for (const [name, transport] of Object.entries(transports)) {
    it.effect(`ADK-08: the same answer over ${name}`, () =>
      Effect.gen(function*() {
        assert.deepStrictEqual(yield* over(transport), {
          answer: ["completed", "Clear, 24 °C."],
          toolCalls: [{ ...tool, outcome: { _tag: "Success", response: { sky: "clear", celsius: 24 } } }],
          deltas: ["Clear, ", "24 °C."],
          conversation: ["input-required", "Which city?", "completed", "A weekend in Porto."],
          isOneTask: true
        })
      }))
  }

  it("ADK-08: the example runs as it stands", () => {
    const { status, stderr, stdout } = spawnSync(process.execPath, ["examples/one-program.ts"], {
      cwd: root,
      encoding: "utf8"
    })
    assert.deepStrictEqual([status, stderr], [0, ""])
    assert.deepStrictEqual(stdout.match(/^\w+ \{/gm), ["inProcess {", "rest {", "jsonRpc {", "adk {"])
  })
})
