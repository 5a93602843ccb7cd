// What becomes of a task if the command ends before it does.
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { covers } from "../../../test/support/covers.ts"
import * as Server from "../../../test/support/httpServer.ts"
import { last, parse, run, start } from "./support/command.ts"

/** An agent whose task works until it is canceled. With `cut`, its stream is cut first, and goes on by subscription. */
const working = (
  options: { readonly cancel?: "hang" | "refuse"; readonly streaming?: boolean; readonly cut?: boolean } = {}
) =>
  Effect.gen(function*() {
    const asked = yield* Deferred.make<void>()
    const canceled = yield* Deferred.make<void>()
    const server = yield* Server.make(({ line }, response) => {
      if (options.streaming === false && line.endsWith(":stream")) return Server.json(response, {}, 404)
      if (line.endsWith(":cancel")) {
        Deferred.doneUnsafe(canceled, Effect.void)
        if (options.cancel === "hang") return
        const refusal = { error: { code: 400, status: "FAILED_PRECONDITION", message: "too late" } }
        return options.cancel === "refuse"
          ? Server.json(response, refusal, 400)
          : Server.json(response, Server.task("CANCELED"))
      }
      if (options.cut === true && line.endsWith(":stream")) {
        return Server.events(response, [{ task: Server.task("WORKING") }], "cut")
      }
      Deferred.doneUnsafe(asked, Effect.void)
      if (/:(stream|subscribe)$/.test(line)) return Server.events(response, [{ task: Server.task("WORKING") }], "hang")
      if (line.startsWith("GET ")) return Server.json(response, Server.task("WORKING"))
    })
    return { ...server, isAsked: Deferred.await(asked), isCanceled: Deferred.await(canceled) }
  })

const cancels = ({ asked }: { readonly asked: ReadonlyArray<Server.Asked> }) =>
  asked.map(({ line }) => line).filter((line) => line.endsWith(":cancel"))

describe.concurrent("Ctrl-C", () => {
  for (
    const [title, args] of [
      ["a stream", ["ask", "hi", "--stream"]],
      ["a send", ["ask", "hi", "--no-stream"]],
      ["watching", ["task", "watch", "t-1"]]
    ] as const
  ) {
    it.live(`cancels the task of ${title} with --cancel-on-interrupt, and waits for that`, () =>
      Effect.gen(function*() {
        // a send does not say which task it has, but it subscribes to it
        const server = yield* working({ cut: title === "a send" })
        const command = yield* start([...args, "--json", "--cancel-on-interrupt", "--url", server.url])
        yield* title === "a send" ? server.isAsked : command.until("\"task\"")
        command.kill("SIGINT")
        const ended = yield* command.ended
        assert.strictEqual(ended.code, 130, ended.stderr)
        assert.deepStrictEqual(cancels(server), ["POST /tasks/t-1:cancel"])
        assert.include(ended.stderr, "a2a: canceled task t-1\n")
        assert.strictEqual(last(ended).error.taskId, "t-1")
        assert.lengthOf(parse(ended).filter(({ error }) => error), 1)
      }).pipe(Effect.scoped))
  }

  it.live("waits for the first event of an answer, to know the task that it cancels", () =>
    Effect.gen(function*() {
      const opened = yield* Deferred.make<() => void>()
      const server = yield* Server.make(({ line }, response) => {
        if (line.endsWith(":cancel")) return Server.json(response, Server.task("CANCELED"))
        Deferred.doneUnsafe(
          opened,
          Effect.succeed(() => Server.events(response, [{ task: Server.task("WORKING") }], "hang"))
        )
      })
      const command = yield* start(["ask", "hi", "--json", "--cancel-on-interrupt", "--url", server.url])
      const begin = yield* Deferred.await(opened)
      command.kill("SIGINT")
      yield* command.until("INTERRUPTED")
      begin()
      assert.strictEqual((yield* command.ended).code, 130)
      assert.deepStrictEqual(cancels(server), ["POST /tasks/t-1:cancel"])
    }).pipe(Effect.scoped))

  it.live("leaves the task at work without it, and says its id", () =>
    Effect.gen(function*() {
      const server = yield* working()
      const command = yield* start(["ask", "hi", "--stream", "--json", "--url", server.url])
      yield* command.until("\"task\"")
      command.kill("SIGINT")
      const ended = yield* command.ended
      assert.strictEqual(ended.code, 130)
      assert.deepStrictEqual(cancels(server), [])
      assert.include(ended.stderr, "task t-1 goes on: follow it with a2a task watch t-1, or cancel it")
    }).pipe(Effect.scoped))

  for (
    const [cancel, message] of [["refuse", "too late"], ["hang", "no response in time"]] as const
  ) {
    it.live(`says why the task could not be canceled: ${message}`, () =>
      Effect.gen(function*() {
        const server = yield* working({ cancel })
        const command = yield* start(["ask", "hi", "--stream", "--json", "--cancel-on-interrupt", "--url", server.url])
        yield* command.until("\"task\"")
        command.kill("SIGINT")
        const ended = yield* command.ended
        assert.strictEqual(ended.code, 130)
        assert.lengthOf(cancels(server), 1)
        assert.include(ended.stderr, `could not cancel task t-1: ${message}`)
      }).pipe(Effect.scoped))
  }

  it.live("says where to look if an agent that does not stream has not named its task", () =>
    Effect.gen(function*() {
      const server = yield* working({ streaming: false })
      const command = yield* start(["ask", "hi", "--json", "--cancel-on-interrupt", "--url", server.url])
      yield* server.isAsked
      command.kill("SIGINT")
      const ended = yield* command.ended
      assert.strictEqual(ended.code, 130)
      assert.include(ended.stderr, "the agent may go on: a2a task list")
      assert.deepStrictEqual(server.asked.map(({ line }) => line), [
        "POST /message:stream",
        "POST /message:send"
      ])
    }).pipe(Effect.scoped))

  it.live("twice quits a conversation without waiting for the cancellation", () =>
    Effect.gen(function*() {
      const server = yield* working({ cancel: "hang" })
      const chat = yield* start(["chat", "--json", "--url", server.url])
      chat.write("hi\n")
      yield* chat.until("\"task\"")
      chat.kill("SIGINT")
      yield* server.isCanceled
      chat.kill("SIGINT")
      const ended = yield* chat.ended
      assert.strictEqual(ended.code, 130)
      assert.strictEqual(last(ended).error.code, "INTERRUPTED")
      assert.lengthOf(cancels(server), 1)
      assert.notInclude(ended.stderr, "could not cancel")
    }).pipe(Effect.scoped))

  for (
    const [title, args] of [
      ["ask", ["ask", "hi"]],
      ["task watch", ["task", "watch", "t-1"]],
      ["task wait", ["task", "wait", "t-1"]]
    ] as const
  ) {
    it.live(`while ${title} fetches the card is in the one last line too`, () =>
      Effect.gen(function*() {
        const isAsked = yield* Deferred.make<void>()
        const { url } = yield* Server.make(() => Deferred.doneUnsafe(isAsked, Effect.void))
        const command = yield* start([...args, "--json", "--card", url])
        yield* Deferred.await(isAsked)
        command.kill("SIGINT")
        const ended = yield* command.ended
        assert.strictEqual(ended.code, 130)
        assert.deepStrictEqual(parse(ended).map(({ error }) => error.code), ["INTERRUPTED"])
      }).pipe(Effect.scoped))
  }
})

describe.concurrent("with --cancel-on-interrupt", () => {
  for (const method of ["--stream", "--no-stream"]) {
    it.live(`a reader that leaves cancels the task of ask ${method}`, () =>
      Effect.gen(function*() {
        const server = yield* working({ cut: true })
        const command = yield* start(["ask", "hi", method, "--cancel-on-interrupt", "--url", server.url])
        yield* server.isAsked
        command.closeStdout()
        const ended = yield* command.ended
        assert.strictEqual(ended.code, 0, ended.stderr)
        assert.deepStrictEqual(cancels(server), ["POST /tasks/t-1:cancel"])
        assert.include(ended.stderr, "a2a: canceled task t-1\n")
      }).pipe(Effect.scoped))
  }

  for (const method of ["--stream", "--no-stream"]) {
    it.live(`--timeout cancels the task of ask ${method}`, () =>
      Effect.gen(function*() {
        const server = yield* working()
        const flags = ["--json", "--timeout", "500ms", "--url", server.url]
        const ended = yield* run(["ask", "hi", method, "--cancel-on-interrupt", ...flags])
        assert.strictEqual(ended.code, 4, ended.stderr)
        assert.deepStrictEqual(cancels(server), ["POST /tasks/t-1:cancel"])
        const { phase, reason, taskId } = last(ended).error
        assert.deepStrictEqual({ phase, reason, taskId }, { phase: "total", reason: "TimeoutError", taskId: "t-1" })
        const without = yield* run(["ask", "hi", method, ...flags])
        assert.strictEqual(without.code, 4)
        assert.lengthOf(cancels(server), 1)
      }).pipe(Effect.scoped))
  }

  it.live("an answer that is not streamed is one document, and ends where a send ends", () =>
    Effect.gen(function*() {
      for (
        const [state, code, text] of [["COMPLETED", 0, "Hello"], ["AUTH_REQUIRED", 6, "Hel"], [
          "FAILED",
          1,
          undefined
        ]] as const
      ) {
        const { asked, url } = yield* Server.make(({ line }, response) => {
          if (!line.endsWith(":stream")) return Server.json(response, {}, 404)
          Server.events(response, [
            { task: Server.task("WORKING") },
            Server.chunk("Hel", false),
            ...(state === "AUTH_REQUIRED" ? [Server.status(state)] : []),
            Server.chunk("lo", true),
            Server.status(state === "FAILED" ? state : "COMPLETED")
          ])
        })
        const ended = yield* run(["ask", "hi", "--json", "--cancel-on-interrupt", "--url", url])
        assert.strictEqual(ended.code, code, ended.stderr)
        assert.deepStrictEqual(parse(ended).map((line) => Object.keys(line).join()), [
          "task",
          text === undefined ? "error" : "outcome"
        ])
        assert.strictEqual(last(ended).outcome?.text, text)
        assert.deepStrictEqual(cancels({ asked }), [])
      }
    }).pipe(Effect.scoped))

  it.live("an agent that refuses to stream is sent the message once more, without a stream", () =>
    Effect.gen(function*() {
      const refusal = { error: { code: -32004, message: "no streams here" } }
      const { url } = yield* Server.make(({ body }, response) => {
        if (body === "") return Server.json(response, {}, 404)
        const { id, method } = JSON.parse(body)
        Server.json(response, {
          jsonrpc: "2.0",
          id,
          ...(method === "SendMessage" ? { result: { task: Server.task("COMPLETED", "sent") } } : refusal)
        })
      })
      const ended = yield* run(["ask", "hi", "--cancel-on-interrupt", "--binding", "jsonrpc", "--url", url])
      assert.deepStrictEqual([ended.code, ended.stdout], [0, "sent\n"], ended.stderr)
    }).pipe(Effect.scoped))
})

describe("a task that is returned early", () => {
  it.live("is waited for, and named if the time runs out", () =>
    Effect.gen(function*() {
      const { url } = yield* Server.make(({ line }, response) =>
        line.endsWith(":subscribe")
          ? Server.json(response, {}, 405)
          : Server.json(response, line.endsWith(":send") ? { task: Server.task("WORKING") } : Server.task("WORKING"))
      )
      const ended = yield* run(["ask", "hi", "--url", url, "--timeout", "300ms"])
      assert.strictEqual(ended.code, 4)
      assert.include(ended.stderr, "a2a task get t-1")
    }).pipe(Effect.scoped), covers("attack:S2-55"))
})
