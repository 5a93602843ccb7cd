/** The command, in a separate process. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { last, parse, run } from "../../../../packages/cli/test/support/process.ts"
import { covers } from "../../../support/covers.ts"
import { AdkPeer } from "../peer.ts"
import type { Context } from "./context.ts"

const ask = Effect.fnUntraced(function*(app: string, word: string, ...more: ReadonlyArray<string>) {
  const { origin } = yield* AdkPeer
  return yield* run(["ask", word, "--json", "--adk", origin, "--app", app, "--user", "cleo", ...more])
})

export const cli = ({ it }: Context): void => {
  for (const method of ["--stream", "--no-stream"]) {
    it.effect(`a2a ask --adk ${method} reports answers, tools, failures and questions`, () =>
      Effect.gen(function*() {
        const [hello, tool, failed, waits] = yield* Effect.all([
          ask("scripted", "hello", method, "--session", `hello${method}`),
          ask("scripted", "tool", method),
          ask("scripted", "throw", method),
          ask("llm", "adk_request_input", method)
        ], { concurrency: 2 })
        assert.strictEqual(hello.code, 0, hello.stderr)
        const { taskId, ...outcome } = last(hello).outcome
        assert.deepStrictEqual(outcome, {
          state: "completed",
          contextId: `hello${method}`,
          text: "Hello, world",
          attachments: [],
          recommendedQuestions: [],
          toolCalls: []
        })
        const [first] = parse(hello)
        assert.strictEqual(first.task.id, taskId)
        assert.deepStrictEqual(last(tool).outcome.toolCalls.map(({ name }: any) => name), ["search"])
        assert.deepStrictEqual([failed.code, last(failed).error.code], [1, "TASK_STATE_FAILED"])
        assert.deepStrictEqual([waits.code, last(waits).outcome.state], [6, "input-required"])
      }), covers("ADK-08"))
  }
}
