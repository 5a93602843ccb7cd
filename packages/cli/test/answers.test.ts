// What of an answer reaches a pipe, a terminal and a program: no piece twice, none missing, and the question.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { covers } from "../../../test/support/covers.ts"
import * as Server from "../../../test/support/httpServer.ts"
import { last, parse, run } from "./support/command.ts"

/** A status with a message. */
const say = (text: string, messageId: string, state = "WORKING") => {
  const update = Server.status(state).statusUpdate
  const message = { messageId, role: "ROLE_AGENT", taskId: "t-1", contextId: "c-1", parts: [{ text }] }
  return { statusUpdate: { ...update, status: { ...update.status, message } } }
}

/** The answer in a pipe, on a terminal and in the outcome, of an agent that streams events and returns the task. */
const shown = (events: ReadonlyArray<object>, task?: object) =>
  Effect.gen(function*() {
    const { url } = yield* Server.make(({ line }, response) =>
      line.endsWith(":stream")
        ? Server.events(response, [{ task: Server.task("SUBMITTED") }, ...events])
        : Server.json(response, line.endsWith(":send") ? { task } : task)
    )
    const ask = (...flags: ReadonlyArray<string>) => ["ask", "hi", "--url", url, ...flags]
    const methods = task === undefined ? ["--stream"] : ["--stream", "--no-stream"]
    return yield* Effect.forEach(methods, (method) =>
      Effect.gen(function*() {
        const pipe = yield* run(ask(method))
        const terminal = yield* run(ask(method), { isTerminal: true })
        const json = yield* run(ask(method, "--json"))
        assert.deepStrictEqual([terminal.code, json.code], [pipe.code, pipe.code], pipe.stderr)
        const { question, state, text } = last(json).outcome
        return { code: pipe.code, pipe: pipe.stdout, terminal: terminal.stdout, state, text, question }
      }))
  }).pipe(Effect.scoped)

describe.concurrent("a question of the agent", () => {
  for (
    const [state, parts, question] of [
      ["INPUT_REQUIRED", ["I found ", "three cities."], "Which city?"],
      ["INPUT_REQUIRED", [], "Which city?"],
      ["INPUT_REQUIRED", ["Which city?"], "Which one, then?"],
      ["INPUT_REQUIRED", ["One.\n"], "First line\nsecond line"]
    ] as const
  ) {
    it.live(
      `${JSON.stringify(question)} is shown after ${JSON.stringify(parts.join(""))}`,
      () =>
        Effect.gen(function*() {
          const { statusUpdate } = say(question, "m-1", state)
          const events = [...parts.map((text, index) => Server.chunk(text, index > 0)), { statusUpdate }]
          const text = parts.join("")
          const task = { ...Server.task(state, ...text === "" ? [] : [text]), status: statusUpdate.status }
          for (const answer of yield* shown(events, task)) {
            const all = `${text === "" ? "" : `${text}\n\n`}${question}\n`
            assert.deepStrictEqual(answer, {
              code: 6,
              pipe: all,
              terminal: all,
              state: "input-required",
              text,
              question
            })
          }
        }),
      covers("field:N2-03")
    )
  }

  it.live("about authentication is in the outcome of a send, which ends there", () =>
    Effect.gen(function*() {
      const { statusUpdate: { status } } = say("Sign in at https://login.test", "m-1", "AUTH_REQUIRED")
      const { url } = yield* Server.make((_, response) =>
        Server.json(response, { task: { ...Server.task("AUTH_REQUIRED", "So far."), status } })
      )
      const ended = yield* run(["ask", "hi", "--json", "--url", url])
      assert.strictEqual(ended.code, 6, ended.stderr)
      const { question, state, text } = last(ended).outcome
      assert.deepStrictEqual({ question, state, text }, {
        question: "Sign in at https://login.test",
        state: "auth-required",
        text: "So far."
      })
    }).pipe(Effect.scoped), covers("field:N2-03"))

  it.live("is absent from the outcome of an answer", () =>
    Effect.gen(function*() {
      const [answer] = yield* shown([Server.chunk("done", false), say("Anything else?", "m-1", "COMPLETED")])
      assert.deepStrictEqual([answer?.code, answer?.question, answer?.text], [0, undefined, "done"])
    }), covers("field:N2-03"))
})

describe.concurrent("an answer in statuses alone", () => {
  for (
    const [title, messages, text] of [
      ["pieces under one id", ["The ", "year is ", "2", "0", "0", "0"], "The year is 2000"],
      ["equal pieces under one id", ["ha", "ha", "ha", "!"], "hahaha!"],
      ["growing texts under one id", ["It", "It is", "It is Tuesday."], "It is Tuesday."]
    ] as const
  ) {
    it.live(`reaches a pipe whole: ${title}`, () =>
      Effect.gen(function*() {
        const [answer] = yield* shown([...messages.map((text) => say(text, "msg-1")), Server.status("COMPLETED")])
        assert.deepStrictEqual(answer, {
          code: 0,
          pipe: `${text}\n`,
          terminal: `${text}\n`,
          state: "completed",
          text,
          question: undefined
        })
      }), covers("field:N2-01"))
  }
})

describe.concurrent("a message to a task that exists", () => {
  const before = { ...Server.task("INPUT_REQUIRED", "Turn one."), history: [] }
  const turn = [{ task: before }, say("One moment.", "m-2"), {
    artifactUpdate: {
      taskId: "t-1",
      contextId: "c-1",
      artifact: { artifactId: "b", parts: [{ text: "Turn two." }] }
    }
  }, Server.status("COMPLETED")]

  it.live("is answered by what is new", () =>
    Effect.gen(function*() {
      const { url } = yield* Server.make((_, response) => Server.events(response, turn))
      const ask = ["ask", "Lisbon", "--task", "t-1", "--stream", "--url", url]
      assert.strictEqual((yield* run(ask)).stdout, "Turn two.\n")
      assert.strictEqual((yield* run(ask, { isTerminal: true })).stdout, "One moment.\n\nTurn two.\n")
      assert.strictEqual(last(yield* run([...ask, "--json"])).outcome.text, "Turn two.")
    }).pipe(Effect.scoped), covers("field:N2-04"))

  it.live("is answered by what is new without a stream too", () =>
    Effect.gen(function*() {
      const artifacts = [["a", "Turn one."], ["b", "Turn two."]].map(([artifactId, text]) => ({
        artifactId,
        parts: [{ text }]
      }))
      const { url } = yield* Server.make(({ line }, response) =>
        line.startsWith("GET ")
          ? Server.json(response, before)
          : Server.json(response, { task: { ...Server.task("COMPLETED"), artifacts } })
      )
      const ask = ["ask", "Lisbon", "--task", "t-1", "--url", url]
      assert.strictEqual((yield* run(ask)).stdout, "Turn two.\n")
      const json = yield* run([...ask, "--json"])
      assert.strictEqual(last(json).outcome.text, "Turn two.")
      assert.lengthOf(parse(json)[0].task.artifacts, 2)
    }).pipe(Effect.scoped), covers("field:N2-04"))

  it.live("is answered although the task cannot be read", () =>
    Effect.gen(function*() {
      const { url } = yield* Server.make(({ line }, response) =>
        line.startsWith("GET ")
          ? Server.json(response, {}, 404)
          : Server.json(response, { task: Server.task("COMPLETED", "Turn two.") })
      )
      assert.strictEqual((yield* run(["ask", "Lisbon", "--task", "t-1", "--url", url])).stdout, "Turn two.\n")
    }).pipe(Effect.scoped))

  it.live("is answered by what is new in a conversation", () =>
    Effect.gen(function*() {
      let sends = 0
      const { url } = yield* Server.make((_, response) => {
        sends++
        Server.events(
          response,
          sends === 1
            ? [
              { task: Server.task("WORKING") },
              Server.chunk("Turn one.", false),
              say("Go on?", "m-1", "INPUT_REQUIRED")
            ]
            : turn
        )
      })
      const ended = yield* run(["chat", "--json", "--url", url], { stdin: "hi\nyes\n" })
      const outcomes = parse(ended).flatMap(({ outcome }) => outcome ?? [])
      assert.deepStrictEqual(outcomes.map(({ question, text }) => [text, question]), [
        ["Turn one.", "Go on?"],
        ["Turn two.", undefined]
      ])
    }).pipe(Effect.scoped), covers("field:N2-04", "field:N2-03"))
})
