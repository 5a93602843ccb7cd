import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { covers } from "../../../test/support/covers.ts"
import { last, parse, run } from "./support/command.ts"

const question = "What is the capital of France?"

const outcome = {
  state: "completed",
  text: "Paris is the capital of France.",
  attachments: [],
  recommendedQuestions: ["What is the population of Paris?"]
}

describe.concurrent("a2a with the embedded emulator", () => {
  for (const protocol of ["1.0", "0.3"]) {
    for (const binding of ["rest", "jsonrpc"]) {
      for (const method of ["--stream", "--no-stream"]) {
        it.live(
          `ask ${method} --json prints events and the outcome over ${protocol} ${binding}`,
          () =>
            Effect.gen(function*() {
              // flags stand before and after the command
              const ended = yield* run([
                "--protocol",
                protocol,
                "ask",
                question,
                "--json",
                method,
                "--binding",
                binding
              ])
              assert.strictEqual(ended.code, 0, ended.stderr)
              const events = parse(ended)
              const { contextId, taskId, toolCalls, ...rest } = events.at(-1).outcome
              assert.deepStrictEqual(rest, outcome)
              assert.isString(contextId)
              assert.match(taskId, /^run-/)
              // unless the request asks for it, 0.3 REST returns no history to read them from
              const hasToolCalls = method === "--stream" || protocol !== "0.3" || binding !== "rest"
              assert.deepStrictEqual(
                toolCalls.map(({ args, name }: any) => ({ args, name })),
                hasToolCalls ? [{ name: "web_search", args: { query: "capital of France" } }] : []
              )
              const kinds = events.slice(0, -1).map((event) => Object.keys(event).join())
              if (method === "--stream") {
                assert.strictEqual(kinds[0], "task")
                assert.include(kinds, "artifactUpdate")
                assert.deepStrictEqual(events.at(-2).statusUpdate.status.state, "TASK_STATE_COMPLETED")
              } else {
                assert.deepStrictEqual(kinds, ["task"])
                assert.deepStrictEqual(events[0].task.status.state, "TASK_STATE_COMPLETED")
              }
              assert.match(ended.stderr, /^a2a: no agent given: talking to the MemoryLake emulator/)
            }),
          covers("ML-03", "ML-22", "ML-23")
        )
      }
    }
  }

  it.live("ask prints the answer alone to stdout and everything else to stderr, without colour", () =>
    Effect.gen(function*() {
      for (const method of ["--stream", "--no-stream"]) {
        const { code, stderr, stdout } = yield* run(["ask", question, method])
        assert.strictEqual(code, 0)
        assert.strictEqual(stdout, "Paris is the capital of France.\n")
        assert.include(stderr, "? What is the population of Paris?")
        assert.match(stderr, /^completed · task run-\w+ · context /m)
        assert.notInclude(stderr, "\u001b")
        assert.strictEqual(stderr.includes("web_search {\"query\":\"capital of France\"}"), method === "--stream")
      }
    }))

  it.live("the text - stands for stdin", () =>
    Effect.map(
      run(["ask", "-"], { stdin: `${question}\n` }),
      ({ stdout }) => assert.strictEqual(stdout, "Paris is the capital of France.\n")
    ))

  it.live("options of MemoryLake reach the agent", () =>
    Effect.gen(function*() {
      const translated = yield* run(["ask", "hi", "--language", "zh", "--web-search", "--json"])
      assert.strictEqual(last(translated).outcome.text, "(Chinese) You asked: hi")
      assert.strictEqual(last(translated).outcome.toolCalls[0].name, "web_search")
      const other = yield* run([
        "ask",
        "mail a@b.example",
        "--memorylake-json",
        "{\"overrides\":{\"capabilitiesOverride\":{\"pii\":{}}}}"
      ])
      assert.strictEqual(other.stdout, "You asked: mail [EMAIL_REDACTED]\n")
    }), covers("ML-12", "ML-15"))

  it.live("attachments are in the outcome", () =>
    Effect.map(
      run(["ask", "make a file", "--json"]),
      (ended) =>
        assert.deepStrictEqual(last(ended).outcome.attachments, [{
          name: "report.csv",
          mimeType: "text/csv",
          url: "https://files.example.com/report.csv",
          description: "The report",
          committed: true
        }])
    ), covers("ML-23"))

  it.live(
    "--no-wait returns the task at once",
    () =>
      Effect.map(run(["ask", "slow", "--no-wait", "--json"]), (ended) => {
        assert.strictEqual(ended.code, 0)
        assert.include(["submitted", "working"], last(ended).outcome.state)
      }),
    covers("ML-20")
  )

  it.live("matrix asks in all eight combinations", () =>
    Effect.gen(function*() {
      const json = yield* run(["matrix", question, "--json"])
      assert.strictEqual(json.code, 0)
      const rows = parse(json)
      assert.strictEqual(
        new Set(rows.map(({ binding, method, protocol }) => `${protocol} ${binding} ${method}`)).size,
        8
      )
      for (const row of rows) {
        assert.strictEqual(row.answer, outcome.text)
        assert.isAtMost(row.firstEventMs, row.totalMs)
        assert.strictEqual(row.events > 1, row.method === "stream")
      }
      const table = yield* run(["matrix", question])
      assert.lengthOf(table.lines, 9)
      assert.match(table.lines[0]!, /^version +binding +method +events +first +total +answer$/)
      const failing = yield* run(["matrix", "fail"])
      assert.strictEqual(failing.code, 1)
      assert.include(failing.stdout, "The agent gave up. (TASK_STATE_FAILED)")
    }))
})
