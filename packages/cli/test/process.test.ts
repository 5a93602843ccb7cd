// The command in a separate process: signals, pipes, exit codes. Everything else runs in process, see support/command.ts.
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import type * as http from "node:http"
import { covers } from "../../../test/support/covers.ts"
import * as Server from "../../../test/support/httpServer.ts"
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

  // the code says how the task ended, unless nobody reads stdout
  for (
    const [readers, when, code] of [
      [["stderr"], "at once", 1],
      [["stderr"], "during the answer", 1],
      [["stdout"], "during the answer", 0],
      [["stdout", "stderr"], "during the answer", 0],
      [["stderr", "stdout"], "at once", 0]
    ] as const
  ) {
    it.live(
      `ends with ${code} if the reader of ${readers.join(" and then of ")} leaves ${when}`,
      () =>
        Effect.gen(function*() {
          const asked = yield* Deferred.make<http.ServerResponse>()
          const { url } = yield* Server.make((_, response) => {
            response.writeHead(200, { "content-type": "text/event-stream" })
            response.write(`data: ${JSON.stringify({ task: Server.task("WORKING") })}\n\n`)
            Deferred.doneUnsafe(asked, Effect.succeed(response))
          })
          const ask = yield* start(["ask", "hi", "--stream", "--json", "--url", url], { stdin: "" })
          if (when === "during the answer") yield* ask.until("\"task\"")
          ask.leave(readers)
          const response = yield* Deferred.await(asked)
          response.end(`data: ${JSON.stringify(Server.status("FAILED"))}\n\n`)
          assert.strictEqual((yield* ask.ended).code, code)
        }).pipe(Effect.scoped),
      covers("field:N2-51")
    )
  }

  it.live("ends with 0 if the answer is complete and nobody reads stderr, nor the help", () =>
    Effect.gen(function*() {
      const ask = yield* start(["ask", "What is the capital of France?"], { stdin: "" })
      ask.leave(["stderr"])
      const { code, stdout } = yield* ask.ended
      assert.deepStrictEqual([code, stdout], [0, "Paris is the capital of France.\n"])
      const help = yield* start(["task", "--help"], { stdin: "" })
      help.leave(["stdout"])
      assert.strictEqual((yield* help.ended).code, 0)
    }).pipe(Effect.scoped), covers("field:N2-51"))

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

  it.live("cancels the task on SIGTERM if the user wants that", () =>
    Effect.gen(function*() {
      const canceled: Array<string> = []
      const { url } = yield* Server.make(({ line }, response) => {
        if (line.endsWith(":stream")) return Server.events(response, [{ task: Server.task("WORKING") }], "hang")
        canceled.push(line)
        Server.json(response, Server.task("CANCELED"))
      })
      const ask = yield* start(["ask", "hi", "--stream", "--json", "--cancel-on-interrupt", "--url", url], {
        stdin: ""
      })
      yield* ask.until("\"task\"")
      ask.kill("SIGTERM")
      assert.strictEqual((yield* ask.ended).code, 130)
      assert.deepStrictEqual(canceled, ["POST /tasks/t-1:cancel"])
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
