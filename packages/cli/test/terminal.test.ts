// What a peer says can neither command a terminal nor disguise itself there.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { covers } from "../../../test/support/covers.ts"
import * as Server from "../../../test/support/httpServer.ts"
import { last, parse, run, start } from "./support/command.ts"

const dangers = [
  ["clears the screen", "\u001b[2J\u001b[H"],
  ["sets the title", "\u001b]0;owned\u0007"],
  ["writes the clipboard", "\u001b]52;c;b3duZWQ=\u001b\\"],
  ["uses C1 controls", "\u009b2J\u009d0;owned\u009c\u0085"],
  ["overwrites its line", "bad\rgood\b\b\u007f"],
  ["reverses its direction", "\u202egnp.exe\u202c\u2067x\u2069"]
] as const

const controls = /(?![\t\n])[\p{Cc}\u202a-\u202e\u2066-\u2069]/u

/** The text without the command's own colour. */
const uncoloured = (text: string) => text.replaceAll("\u001b[2m", "").replaceAll("\u001b[22m", "")

const visible = (text: string) =>
  [...text].map((char) => controls.test(char) ? `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}` : char).join(
    ""
  )

/** An agent that says the same in every place. */
const saying = (evil: string): Server.Answer => ({ body, line }, response) => {
  const said = `>${evil}<`
  const text = { text: said }
  const thought = { ...text, metadata: { adk_thought: true } }
  const call = { data: { id: "1", name: said, args: { q: said } }, metadata: { adk_type: "function_call" } }
  const result = {
    data: { id: "1", name: said, response: { error: said } },
    metadata: { adk_type: "function_response" }
  }
  const file = { url: "https://files.test/a", filename: said }
  const artifact = (parts: ReadonlyArray<unknown>) => ({
    artifactUpdate: { taskId: "t-1", contextId: "c-1", artifact: { artifactId: "a", parts } }
  })
  const status = (state: string) => ({ ...Server.status(state).statusUpdate.status, message: message([text]) })
  const message = (parts: ReadonlyArray<unknown>) => ({ messageId: said, role: "ROLE_AGENT", parts })
  if (line.includes("agent-card")) {
    return Server.json(response, {
      name: said,
      description: said,
      version: said,
      supportedInterfaces: [{ url: "https://agent.test", protocolBinding: said, protocolVersion: said }],
      capabilities: { extensions: [{ uri: said }] },
      defaultInputModes: [said],
      defaultOutputModes: [said],
      skills: [{ id: said, name: said, description: said, tags: [said] }]
    })
  }
  if (line.startsWith("GET ")) return Server.json(response, { ...Server.task("WORKING", said), contextId: said })
  if (body.includes("refuse")) {
    return Server.json(response, { error: { code: 400, status: said, message: said } }, 400)
  }
  const ending = body.includes("fail") ? "FAILED" : "COMPLETED"
  const task = { ...Server.task(ending, said), contextId: said, status: status(ending) }
  return line.endsWith(":stream")
    ? Server.events(response, [
      { task: { ...Server.task("WORKING"), contextId: said } },
      artifact([thought, call, result, file, text]),
      { statusUpdate: { taskId: "t-1", contextId: said, status: status(ending) } }
    ])
    : Server.json(response, { task })
}

describe.concurrent("text of a peer that", () => {
  for (const [title, evil] of dangers) {
    it.live(`${title} is written in visible escapes on a terminal and on stderr`, () =>
      Effect.gen(function*() {
        const { url } = yield* Server.make(saying(evil))
        for (
          const args of [
            ["ask", "hi", "--stream"],
            ["ask", "hi", "--no-stream"],
            ["ask", "please fail", "--stream"],
            ["ask", "please fail", "--no-stream"],
            ["ask", "refuse", "--no-stream", "--verbose"],
            ["task", "get", "t-1"],
            ["card"],
            ["matrix", "hi"]
          ]
        ) {
          for (const isTerminal of [true, false]) {
            const ended = yield* run([...args, args[0] === "card" ? "--card" : "--url", url], { isTerminal })
            const seen = isTerminal ? ended.stderr + ended.stdout : ended.stderr
            assert.notMatch(uncoloured(seen), controls, args.join(" "))
            if (isTerminal) assert.include(seen, visible(`>${evil}<`), args.join(" "))
          }
        }
      }).pipe(Effect.scoped), covers("field:N2-25"))

    it.live(`${title} is exact in a pipe, and has no raw control in documents`, () =>
      Effect.gen(function*() {
        const { url } = yield* Server.make(saying(evil))
        for (const method of ["--stream", "--no-stream"]) {
          assert.strictEqual((yield* run(["ask", "hi", method, "--url", url])).stdout, `>${evil}<\n`)
          const json = yield* run(["ask", "hi", method, "--json", "--url", url], { isTerminal: true })
          assert.notMatch(json.stdout, controls)
          assert.strictEqual(last(json).outcome.text, `>${evil}<`)
        }
        const refused = yield* run(["ask", "refuse", "--json", "--url", url])
        assert.notMatch(refused.stdout + refused.stderr, controls)
        assert.strictEqual(last(refused).error.message, `>${evil}<`)
      }).pipe(Effect.scoped), covers("field:N2-25"))
  }

  it.live("has lines, tabs and other scripts is written as it is", () =>
    Effect.gen(function*() {
      const text = "naïve\t🙂\nשלום \u200f\r\n日本語"
      const { url } = yield* Server.make((_, response) =>
        Server.json(response, { task: Server.task("COMPLETED", text) })
      )
      const ended = yield* run(["ask", "hi", "--no-stream", "--url", url], { isTerminal: true })
      assert.strictEqual(ended.stdout, `${text.replace("\r\n", "\n")}\n`)
    }).pipe(Effect.scoped))

  it.live("arrives in pieces stays inert", () =>
    Effect.gen(function*() {
      const { url } = yield* Server.make((_, response) =>
        Server.events(response, [
          { task: Server.task("WORKING") },
          Server.chunk("a\u001b", false),
          Server.chunk("]0;owned\u0007b", true),
          Server.status("COMPLETED")
        ])
      )
      const ended = yield* run(["ask", "hi", "--url", url], { isTerminal: true })
      assert.strictEqual(ended.stdout, "a\\u001b]0;owned\\u0007b\n")
    }).pipe(Effect.scoped), covers("field:N2-25"))

  it.live("is an answer of a conversation is inert too", () =>
    Effect.gen(function*() {
      const { url } = yield* Server.make(saying(dangers[0][1]))
      const chat = yield* start(["chat", "--url", url], { isTerminal: true, stdin: "hi\nrefuse\n" })
      const { stderr, stdout } = yield* chat.ended
      assert.notMatch(uncoloured(stdout + stderr), controls)
      assert.include(stdout, visible(dangers[0][1]))
    }).pipe(Effect.scoped), covers("field:N2-25"))
})

it.live("documents of resumptions and outcomes are lines of JSON on a terminal too", () =>
  Effect.gen(function*() {
    const { url } = yield* Server.make(Server.cutting)
    const ended = yield* run(["ask", "hi", "--stream", "--json", "--url", url], { isTerminal: true })
    assert.strictEqual(parse(ended).at(-1).outcome.state, "completed")
  }).pipe(Effect.scoped))
