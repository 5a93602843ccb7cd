import * as AdkEmulator from "@effect-a2a/emulators/AdkEmulator"
import * as NodeAgentServer from "@effect-a2a/node/NodeAgentServer"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { last, parse, run, start } from "./support/command.ts"

const asked = (word: string, ...more: ReadonlyArray<string>) => ["ask", word, "--json", ...more]

for (const flavour of ["python", "javascript"] as const) {
  const server = NodeAgentServer.layer({ routes: AdkEmulator.routes({ flavour }), port: 0, shutdown: "100 millis" })

  /** The emulated server on a port, and the flags that name it. */
  const served = <A, E, R>(body: (flags: ReadonlyArray<string>) => Effect.Effect<A, E, R>) =>
    Effect.gen(function*() {
      const url = yield* NodeAgentServer.url
      return yield* body(["--adk", url, "--app", "demo", "--user", "ana"])
    }).pipe(Effect.provide(Layer.fresh(server)), Effect.scoped)

  describe.concurrent(`a2a --adk (${flavour})`, () => {
    for (const method of ["--stream", "--no-stream"]) {
      it.live(`ADK-08: ask ${method}: the same documents as of an A2A agent`, () =>
        served((flags) =>
          Effect.gen(function*() {
            const ended = yield* run([...asked("tool cats", method), ...flags])
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
        ))
    }

    it.live("ADK-03: a session goes on, and is made where it is missing; the answer alone on stdout", () =>
      served((flags) =>
        Effect.gen(function*() {
          const first = yield* run(["ask", "state", ...flags, "--session", "trip-1"])
          assert.deepStrictEqual([first.code, first.stdout], [0, "Noted.\n"], first.stderr)
          const { outcome } = last(yield* run([...asked("echo"), ...flags, "--session", "trip-1"]))
          assert.strictEqual(outcome.contextId, "trip-1")
          assert.strictEqual(JSON.parse(outcome.text).state.topic, "lisbon")
        })
      ))

    it.live("ADK-06: exit codes: 1 a failed task, 3 a refusal, 4 the network, 6 a task that waits", () =>
      served((flags) =>
        Effect.gen(function*() {
          const failed = yield* run([...asked("error", "--stream"), ...flags])
          assert.deepStrictEqual([failed.code, last(failed).error.code], [1, "TASK_STATE_FAILED"])
          const threw = yield* run([...asked("throw"), ...flags])
          assert.strictEqual(threw.code, 1)
          const [, url = ""] = flags
          const refused = yield* run([...asked("hello"), "--adk", url, "--app", "nope", "--user", "ana"])
          assert.deepStrictEqual([refused.code, last(refused).error.reason], [3, "NotFoundError"])
          const waits = yield* run([...asked("input"), ...flags])
          assert.deepStrictEqual([waits.code, last(waits).outcome.state], [6, "input-required"])
          const lost = yield* run([...asked("hello"), "--adk", "http://127.0.0.1:1", ...flags.slice(2)])
          assert.deepStrictEqual([lost.code, last(lost).error.reason], [4, "ConnectionError"])
          assert.include(last(lost).error.message, "ECONNREFUSED")
          const unknown = yield* run(["task", "get", "t-1", "--json", ...flags])
          assert.deepStrictEqual([unknown.code, last(unknown).error.reason], [3, "TaskNotFoundError"])
        })
      ))

    it.live("ADK-08: chat: one session, and a reply in words to what the agent asks", () =>
      served((flags) =>
        Effect.gen(function*() {
          const chat = yield* start(["chat", "--json", ...flags], { stdin: "hello\ninput\nLisbon\n/quit\n" })
          const ended = yield* chat.ended
          assert.strictEqual(ended.code, 0, ended.stderr)
          const outcomes = parse(ended).flatMap(({ outcome }) => outcome ?? [])
          assert.deepStrictEqual(outcomes.map(({ state, text }) => [state, text]), [
            ["completed", "Hello, world"],
            ["input-required", "Which city?"],
            ["completed", "A weekend in Lisbon."]
          ])
          assert.strictEqual(new Set(outcomes.map(({ contextId }) => contextId)).size, 1)
          assert.strictEqual(outcomes[1].taskId, outcomes[2].taskId)
        })
      ))

    it.live("a card is made of what the server says", () =>
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

describe.concurrent("a2a --adk: wrong usage", () => {
  const adk = ["--adk", "http://127.0.0.1:1", "--app", "demo", "--user", "ana"]
  const wrong: ReadonlyArray<readonly [words: string, ...args: ReadonlyArray<string>]> = [
    ["needs both --app and --user", "ask", "hi", "--adk", "http://127.0.0.1:1", "--app", "demo"],
    ["give --adk", "ask", "hi", "--session", "s"],
    ["give one of", "ask", "hi", ...adk, "--url", "http://127.0.0.1:1"],
    ["without --protocol and --binding", "ask", "hi", ...adk, "--binding", "rest"],
    ["either --session or --context", "ask", "hi", ...adk, "--session", "s", "--context", "c"],
    ["no versions and bindings", "matrix", "hi", ...adk],
    ["add --memorylake", "ask", "hi", ...adk, "--model", "m"]
  ]
  for (const [words, ...args] of wrong) {
    it.live(words, () =>
      Effect.gen(function*() {
        const ended = yield* run([...args, "--json"])
        assert.strictEqual(ended.code, 2, ended.stderr)
        assert.include(last(ended).error.message, words)
      }))
  }
})
