import * as AdkEmulator from "@effect-a2a/emulators/AdkEmulator"
import * as NodeAgentServer from "@effect-a2a/node/NodeAgentServer"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { covers } from "../../../test/support/covers.ts"
import { last, parse, run, start } from "./support/command.ts"

const askJson = (word: string, ...more: ReadonlyArray<string>) => ["ask", word, "--json", ...more]

for (const flavour of ["python", "javascript"] as const) {
  const server = NodeAgentServer.layer({ routes: AdkEmulator.routes({ flavour }), port: 0, shutdown: "100 millis" })

  /** Serves the emulator on a port; the body gets the flags that name it. */
  const served = <A, E, R>(body: (flags: ReadonlyArray<string>) => Effect.Effect<A, E, R>) =>
    Effect.gen(function*() {
      const url = yield* NodeAgentServer.url
      return yield* body(["--adk", url, "--app", "demo", "--user", "ana"])
    }).pipe(Effect.provide(Layer.fresh(server)), Effect.scoped)

  describe.concurrent(`a2a --adk (${flavour})`, () => {
    for (const method of ["--stream", "--no-stream"]) {
      it.live(
        `ask ${method} prints the same documents as for an A2A agent`,
        () =>
          served((flags) =>
            Effect.gen(function*() {
              const ended = yield* run([...askJson("tool cats", method), ...flags])
              assert.strictEqual(ended.code, 0, ended.stderr)
              const documents = parse(ended)
              const { contextId, taskId, toolCalls, ...rest } = last(ended).outcome
              assert.deepStrictEqual(rest, {
                state: "completed",
                text: "One hit.",
                attachments: [],
                recommendedQuestions: []
              })
              assert.isString(contextId)
              assert.deepStrictEqual(toolCalls.map(({ args, name }: any) => [name, args]), [["search", {
                query: "cats"
              }]])
              const kinds = documents.slice(0, -1).map((one) => Object.keys(one).join())
              assert.strictEqual(kinds[0], "task")
              if (method === "--no-stream") assert.deepStrictEqual(kinds, ["task"])
              else {
                assert.include(kinds, "artifactUpdate")
                assert.strictEqual(documents.at(-2).statusUpdate.status.state, "TASK_STATE_COMPLETED")
              }
              assert.strictEqual(documents[0].task.id, taskId)
            })
          ),
        covers("ADK-08")
      )
    }

    it.live(
      "a session is created if it does not exist, and continues otherwise",
      () =>
        served((flags) =>
          Effect.gen(function*() {
            const first = yield* run(["ask", "state", ...flags, "--session", "trip-1"])
            assert.deepStrictEqual([first.code, first.stdout], [0, "Noted.\n"], first.stderr)
            const { outcome } = last(yield* run([...askJson("echo"), ...flags, "--session", "trip-1"]))
            assert.strictEqual(outcome.contextId, "trip-1")
            assert.strictEqual(JSON.parse(outcome.text).state.topic, "lisbon")
          })
        ),
      covers("ADK-03")
    )

    it.live(
      "the exit code is 1 for a failed task, 3 for a refusal, 4 for the network, 6 for a task that waits",
      () =>
        served((flags) =>
          Effect.gen(function*() {
            const failed = yield* run([...askJson("error", "--stream"), ...flags])
            assert.deepStrictEqual([failed.code, last(failed).error.code], [1, "TASK_STATE_FAILED"])
            const threw = yield* run([...askJson("throw"), ...flags])
            assert.strictEqual(threw.code, 1)
            const [, url = ""] = flags
            const refused = yield* run([...askJson("hello"), "--adk", url, "--app", "nope", "--user", "ana"])
            assert.deepStrictEqual([refused.code, last(refused).error.reason], [3, "NotFoundError"])
            const waits = yield* run([...askJson("input"), ...flags])
            assert.deepStrictEqual([waits.code, last(waits).outcome.state], [6, "input-required"])
            const lost = yield* run([...askJson("hello"), "--adk", "http://127.0.0.1:1", ...flags.slice(2)])
            assert.deepStrictEqual([lost.code, last(lost).error.reason], [4, "ConnectionError"])
            assert.include(last(lost).error.message, "ECONNREFUSED")
            const unknown = yield* run(["task", "get", "t-1", "--json", ...flags])
            assert.deepStrictEqual([unknown.code, last(unknown).error.reason], [3, "TaskNotFoundError"])
          })
        ),
      covers("ADK-06")
    )

    it.live(
      "chat stays in one session and answers the agent's question with text",
      () =>
        served((flags) =>
          Effect.gen(function*() {
            const chat = yield* start(["chat", "--json", ...flags], { stdin: "hello\ninput\nLisbon\n/quit\n" })
            const ended = yield* chat.ended
            assert.strictEqual(ended.code, 0, ended.stderr)
            const outcomes = parse(ended).flatMap(({ outcome }) => outcome ?? [])
            assert.deepStrictEqual(outcomes.map(({ question, state, text }) => [state, question ?? text]), [
              ["completed", "Hello, world"],
              ["input-required", "Which city?"],
              ["completed", "A weekend in Lisbon."]
            ])
            assert.strictEqual(new Set(outcomes.map(({ contextId }) => contextId)).size, 1)
            assert.strictEqual(outcomes[1].taskId, outcomes[2].taskId)
          })
        ),
      covers("ADK-08")
    )

    it.live("card shows what the server says of the application", () =>
      served((flags) =>
        Effect.gen(function*() {
          const card = yield* run(["card", ...flags])
          assert.strictEqual(card.code, 0, card.stderr)
          assert.match(card.stdout, /^demo /)
          assert.include(card.stdout, "usable      ADK at http://127.0.0.1:")
          const json = yield* run(["card", "--json", ...flags])
          assert.strictEqual(last(json).name, "demo")
        })
      ))
  })
}

describe.concurrent("a2a --adk used wrongly", () => {
  const adk = ["--adk", "http://127.0.0.1:1", "--app", "demo", "--user", "ana"]
  const usages: ReadonlyArray<readonly [message: string, ...args: ReadonlyArray<string>]> = [
    ["requires both --app and --user", "ask", "hi", "--adk", "http://127.0.0.1:1", "--app", "demo"],
    ["require --adk", "ask", "hi", "--session", "s"],
    ["give only one of", "ask", "hi", ...adk, "--url", "http://127.0.0.1:1"],
    ["cannot be combined with --protocol or --binding", "ask", "hi", ...adk, "--binding", "rest"],
    ["only one of --session and --context", "ask", "hi", ...adk, "--session", "s", "--context", "c"],
    ["which ADK servers do not have", "matrix", "hi", ...adk],
    ["add --memorylake", "ask", "hi", ...adk, "--model", "m"]
  ]
  for (const [message, ...args] of usages) {
    it.live(message, () =>
      Effect.gen(function*() {
        const ended = yield* run([...args, "--json"])
        assert.strictEqual(ended.code, 2, ended.stderr)
        assert.include(last(ended).error.message, message)
      }))
  }
})
