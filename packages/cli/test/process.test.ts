// The command in a separate process: signals, pipes, exit codes. Everything else runs in process, see support/command.ts.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { last, parse, run, start } from "./support/process.ts"

describe.concurrent("the a2a process", () => {
  it.live("reads stdin, writes the answer to stdout and ends with 0", () =>
    Effect.gen(function*() {
      const { code, stderr, stdout } = yield* run(["ask", "-"], { stdin: "What is the capital of France?\n" })
      assert.deepStrictEqual([code, stdout], [0, "Paris is the capital of France.\n"], stderr)
    }))

  it.live("reads the environment, and ends with the code of the failure after the whole document is written", () =>
    Effect.gen(function*() {
      const ended = yield* run(["ask", "hi", "--json"], { env: { A2A_TOKEN: "sk_limited" } })
      assert.deepStrictEqual([ended.code, last(ended).error.code], [3, "RATE_LIMIT_EXCEEDED"], ended.stderr)
    }))

  it.live("ends without a failure if the reader of its output has seen enough", () =>
    Effect.gen(function*() {
      const ask = yield* start(["task", "--help"], { stdin: "", isStdoutClosed: true })
      assert.strictEqual((yield* ask.ended).code, 0)
    }).pipe(Effect.scoped))

  it.live("ends with 130 and a last line if it is interrupted", () =>
    Effect.gen(function*() {
      const ask = yield* start(["ask", "slow", "--stream", "--json"], { stdin: "" })
      yield* ask.until("\"statusUpdate\"")
      ask.kill("SIGINT")
      const ended = yield* ask.ended
      assert.strictEqual(ended.code, 130)
      assert.strictEqual(last(ended).error.code, "INTERRUPTED")
      assert.lengthOf(parse(ended).filter(({ error }) => error), 1)
    }).pipe(Effect.scoped))

  it.live("cancels the running task of a conversation at the first Ctrl-C and quits at the second", () =>
    Effect.gen(function*() {
      const chat = yield* start(["chat", "--json"])
      chat.write("be slow please\n")
      yield* chat.until("\"statusUpdate\"")
      chat.kill("SIGINT")
      yield* chat.until("\"error\"")
      chat.kill("SIGINT")
      const ended = yield* chat.ended
      assert.strictEqual(ended.code, 130)
      assert.strictEqual(last(ended).error.code, "TASK_STATE_CANCELED")
    }).pipe(Effect.scoped))
})
