import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { covers } from "../../../test/support/covers.ts"
import { last, parse, run, start } from "./support/command.ts"

const outcomes = (ended: { readonly lines: ReadonlyArray<string> }) =>
  parse(ended as never).flatMap(({ error, outcome }) => outcome ?? error ?? [])

describe.concurrent("a2a chat", () => {
  it.live("keeps one context, and replies to the task that waits for input", () =>
    Effect.gen(function*() {
      const ended = yield* run(["chat", "--json"], { stdin: "hello\n/task\nask me\nthe blue one\n\n/quit\nnever\n" })
      assert.strictEqual(ended.code, 0, ended.stderr)
      const [first, asked, replied, ...others] = outcomes(ended)
      assert.deepStrictEqual(others, [])
      assert.strictEqual(first.text, "You asked: hello")
      assert.strictEqual(asked.state, "input-required")
      assert.deepStrictEqual([asked.text, asked.question], ["", "Which one do you mean?"])
      assert.strictEqual(replied.text, "You asked: the blue one")
      assert.strictEqual(replied.taskId, asked.taskId)
      assert.notStrictEqual(first.taskId, asked.taskId)
      assert.strictEqual(new Set([first, asked, replied].map(({ contextId }) => contextId)).size, 1)
      assert.include(ended.stderr, `a2a: task ${first.taskId}`)
    }), covers("ML-09"))

  it.live("continues after /cancel has canceled the running task", () =>
    Effect.gen(function*() {
      const chat = yield* start(["chat", "--json"])
      chat.write("be slow please\n")
      yield* chat.until("\"statusUpdate\"")
      chat.write("/cancel\n")
      yield* chat.until("TASK_STATE_CANCELED")
      chat.write("hello\n/quit\n")
      const ended = yield* chat.ended
      assert.strictEqual(ended.code, 0, ended.stderr)
      assert.deepStrictEqual(outcomes(ended).map(({ code, text }) => code ?? text), [
        "TASK_STATE_CANCELED",
        "You asked: hello"
      ])
    }).pipe(Effect.scoped))
})

describe.concurrent("a2a emulator and a2a task", () => {
  it.live("manage tasks of an emulator that is served by the command", () =>
    Effect.gen(function*() {
      const emulator = yield* start(["emulator", "--json"], { stdin: "" })
      const { curl, url } = JSON.parse((yield* emulator.until("\n")).split("\n")[0]!)
      assert.include(curl, `${url}/message:send`)
      const peer = ["--memorylake", "--url", url, "--json"]
      const env = { MEMORYLAKE_API_KEY: "sk_demo" }
      const a2a = (...args: ReadonlyArray<string>) => run([...args, ...peer], { env })

      const { contextId, taskId } = last(yield* a2a("ask", "hello")).outcome
      const rated = yield* a2a("task", "feedback", taskId, "up", "--comment", "Just so.")
      assert.deepStrictEqual(last(rated), { feedback: { taskId, rating: "up", comment: "Just so." } })
      const got = last(yield* a2a("task", "get", taskId))
      assert.deepStrictEqual(got.metadata, { "task-feedback/v1": { rating: "up", comment: "Just so." } })
      assert.strictEqual(got.status.state, "TASK_STATE_COMPLETED")

      const watched = yield* a2a("task", "watch", taskId)
      assert.strictEqual(last(watched).outcome.text, "You asked: hello")

      const running = last(yield* a2a("ask", "slow", "--no-wait")).outcome
      const canceled = yield* a2a("task", "cancel", running.taskId)
      assert.strictEqual(canceled.code, 0)
      assert.strictEqual(last(canceled).status.state, "TASK_STATE_CANCELED")
      const again = yield* a2a("task", "cancel", taskId)
      assert.strictEqual(again.code, 3)
      assert.strictEqual(last(again).error.reason, "TaskNotCancelableError")

      const listed = parse(yield* a2a("task", "list"))
      assert.deepStrictEqual(listed.map(({ id }) => id), [running.taskId, taskId])
      const ofContext = parse(yield* a2a("task", "list", "--context", contextId))
      assert.deepStrictEqual(ofContext.map(({ id }) => id), [taskId])

      const card = last(yield* a2a("card"))
      assert.lengthOf(card.supportedInterfaces, 4)
      const readable = yield* run(["card", "--memorylake", "--url", url], { env })
      assert.lengthOf(readable.stdout.match(/ usable /g) ?? [], 4)

      emulator.kill("SIGINT")
      assert.strictEqual((yield* emulator.ended).code, 130)
    }).pipe(Effect.scoped), { ...covers("ML-27", "ML-31"), timeout: 60_000 })
})
