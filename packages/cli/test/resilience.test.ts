import { Protocol } from "@effect-a2a/core"
import { MemoryLakeEmulator } from "@effect-a2a/emulators"
import { MemoryLake } from "@effect-a2a/memorylake"
import { NodeAgentServer } from "@effect-a2a/node"
import { CardServer } from "@effect-a2a/server"
import { AgentTest, Script } from "@effect-a2a/testing"
import { JsonRpcServer } from "@effect-a2a/transport-jsonrpc"
import { RestServer } from "@effect-a2a/transport-rest"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, Layer, Result } from "effect"
import * as Server from "../../../test/support/httpServer.ts"
import { last, parse, run } from "./support/command.ts"

const lines = ({ asked }: { readonly asked: ReadonlyArray<Server.Asked> }) => asked.map(({ line }) => line)

describe.concurrent("dropped streams", () => {
  it.live("RES-01: are taken up again, which is told", () =>
    Effect.gen(function*() {
      const { url } = yield* Server.make(Server.cutting)
      const ended = yield* run(["ask", "hi", "--stream", "--json", "--url", url])
      assert.strictEqual(ended.code, 0, ended.stderr)
      assert.deepStrictEqual(parse(ended).filter(({ resumed }) => resumed), [{
        resumed: { taskId: "t-1", attempt: 1 }
      }])
      assert.strictEqual(last(ended).outcome.text, "Hello you")
      const people = yield* run(["ask", "hi", "--stream", "--url", url])
      assert.strictEqual(people.stdout, "Hello you\n")
      assert.include(people.stderr, "the connection was lost: taking task t-1 up again, attempt 1\n")
    }).pipe(Effect.scoped))

  it.live("RES-01, 4: are not with --no-resume", () =>
    Effect.gen(function*() {
      const server = yield* Server.make(Server.cutting)
      const ended = yield* run(["ask", "hi", "--stream", "--json", "--no-resume", "--url", server.url])
      assert.strictEqual(ended.code, 4, ended.stderr)
      assert.strictEqual(last(ended).error.reason, "StreamInterruptedError")
      assert.strictEqual(last(ended).error.taskId, "t-1")
      assert.include(ended.stderr, "take it up with a2a task watch t-1")
      assert.lengthOf(server.asked, 1)
    }).pipe(Effect.scoped))

  it.live("RES-01, 4: cannot be where the agent does not know the task any more", () =>
    Effect.gen(function*() {
      const { url } = yield* Server.make((asked, response) =>
        asked.line.endsWith(":stream") ? Server.cutting(asked, response) : Server.json(response, {}, 404)
      )
      const ended = yield* run(["ask", "hi", "--stream", "--json", "--url", url])
      assert.strictEqual(ended.code, 4, ended.stderr)
      assert.strictEqual(last(ended).error.reason, "StreamInterruptedError")
    }).pipe(Effect.scoped))

  it.live("ML-09: a conversation waits for what a drop has left before it goes on", () =>
    Effect.gen(function*() {
      const server = yield* Server.make(Server.cutting)
      const ended = yield* run(["chat", "--json", "--no-resume", "--url", server.url], { stdin: "one\ntwo\n" })
      assert.strictEqual(ended.code, 4, ended.stderr)
      assert.deepStrictEqual(lines(server), [
        "POST /message:stream",
        "POST /tasks/t-1:subscribe",
        "POST /message:stream"
      ])
      assert.strictEqual(JSON.parse(server.asked[2]!.body).message.contextId, "c-1")
    }).pipe(Effect.scoped))
})

describe.concurrent("limits of time", () => {
  for (
    const [name, flags, message] of [
      ["an answer that does not begin", ["ask", "hi", "--timeout-headers", "300ms"], "no answer began within 300ms"],
      [
        "a stream that falls silent",
        ["ask", "hi", "--stream", "--no-resume", "--timeout-silence", "0.3s"],
        "nothing came for 300ms"
      ],
      ["a message", ["ask", "hi", "--timeout", "300ms"], "the call was not done within 300ms"],
      [
        "a stream and its resumption",
        ["ask", "hi", "--stream", "--timeout", "300ms"],
        "the call was not done within 300ms"
      ],
      ["a read and its repeats", ["task", "get", "t-1", "--timeout", "300ms"], "the call was not done within 300ms"],
      ["waiting", ["task", "wait", "t-1", "--timeout", "1s"], "the task did not settle within 1s"]
    ] as const
  ) {
    it.live(`CAN-01, CAN-05, 4: ${name}`, () =>
      Effect.gen(function*() {
        const { url } = yield* Server.make(({ line }, response) => {
          if (line.endsWith(":stream")) Server.events(response, [{ task: Server.task("WORKING") }], "hang")
          else if (line === "GET /tasks/t-1" && name === "waiting") Server.json(response, Server.task("WORKING"))
        })
        const ended = yield* run([...flags, "--json", "--url", url])
        assert.strictEqual(ended.code, 4, ended.stderr)
        assert.strictEqual(last(ended).error.message.split(";")[0], message)
        assert.strictEqual(last(ended).error.code, "TIMEOUT")
      }).pipe(Effect.scoped))
  }
})

describe.concurrent("repeats", () => {
  const requests = (...args: ReadonlyArray<string>) =>
    Effect.gen(function*() {
      const { asked, url } = yield* Server.make((_, response) => Server.json(response, {}, 503))
      const ended = yield* run([...args, url, "--json"])
      assert.strictEqual(last(ended).error.reason, "ServiceUnavailableError")
      return asked.length
    }).pipe(Effect.scoped)

  it.live("RETRY-01: a message is sent once", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* requests("ask", "hi", "--retries", "4", "--url"), 1)
      assert.strictEqual(yield* requests("ask", "hi", "--stream", "--url"), 1)
    }))

  it.live("RETRY-01: a read is repeated twice, a card is one", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* requests("task", "get", "t-1", "--url"), 3)
      assert.strictEqual(yield* requests("card", "--card"), 3)
      assert.strictEqual(yield* requests("ask", "hi", "--retries", "1", "--card"), 2)
    }))

  it.live("RETRY-07: zero means zero", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* requests("task", "get", "t-1", "--retries", "0", "--url"), 1)
      assert.strictEqual(yield* requests("ask", "hi", "--retries", "0", "--card"), 1)
    }))
})

describe.concurrent("tokens", () => {
  const temporary = Effect.flatMap(FileSystem.FileSystem, (files) => files.makeTempDirectoryScoped())

  it.live("AUTH-04: the command is run again when the agent asks for another token", () =>
    Effect.gen(function*() {
      const { asked, url } = yield* Server.make((asked, response) =>
        asked.headers.authorization === "Bearer made-token-2"
          ? Server.cutting(asked, response)
          : Server.json(response, { error: { message: `no ${asked.headers.authorization}` } }, 401)
      )
      const file = `${yield* temporary}/runs`
      const ended = yield* run(["task", "get", "t-1", "--json", "--url", url], {
        env: { A2A_TOKEN_COMMAND: `printf x >> ${file}; echo made-token-$(wc -c < ${file} | tr -d ' ')` }
      })
      assert.strictEqual(ended.code, 0, ended.stderr)
      assert.deepStrictEqual(asked.map(({ headers }) => headers.authorization), [
        "Bearer made-token-1",
        "Bearer made-token-2"
      ])
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer)))

  it.live("ML-02: a token from a file is presented and never told; one that cannot be had is 2", () =>
    Effect.gen(function*() {
      const { asked, url } = yield* Server.make(({ headers }, response) =>
        Server.json(response, { error: { message: `no ${headers.authorization}` } }, 403)
      )
      const path = `${yield* temporary}/token`
      yield* Effect.flatMap(FileSystem.FileSystem, (files) => files.writeFileString(path, "sk_in_a_file\n"))
      const a2a = (A2A_TOKEN_FILE: string) =>
        run(["ask", "hi", "--json", "--verbose", "--url", url], { env: { A2A_TOKEN_FILE } })
      const ended = yield* a2a(path)
      assert.strictEqual(ended.code, 3, ended.stderr)
      assert.strictEqual(asked[0]?.headers.authorization, "Bearer sk_in_a_file")
      assert.notInclude(ended.stdout + ended.stderr, "sk_in_a_file")
      const missing = yield* a2a(`${path}-2`)
      assert.strictEqual(missing.code, 2, missing.stderr)
      assert.strictEqual(last(missing).error.reason, "CredentialsUnavailableError")
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer)))
})

describe.concurrent("--card", () => {
  const card = {
    ...AgentTest.card,
    supportedInterfaces: [
      { url: "https://agent.test/grpc", protocolBinding: "GRPC", protocolVersion: "1.0" },
      { url: "/agents/foo/rpc", protocolBinding: "JSONRPC", protocolVersion: "0.3" },
      { url: "/agents/foo/rest", protocolBinding: "HTTP+JSON", protocolVersion: "1.0" }
    ]
  }
  const saying = (text: string) =>
    Layer.fresh(AgentTest.layerWith({ card })).pipe(Layer.provide(Script.layer(Script.say(text))))
  const protocols = [Protocol.v1_0, Protocol.v0_3] as const
  const routes = Layer.mergeAll(
    JsonRpcServer.routes({ path: "/agents/foo/rpc", protocols }).pipe(Layer.provide(saying("JSON-RPC"))),
    RestServer.routes({ path: "/agents/foo/rest", protocols }).pipe(Layer.provide(saying("REST"))),
    CardServer.routes({ path: "/agents/foo", protocols }).pipe(Layer.provide(saying("nothing")))
  )
  const served = <A, E>(use: (url: string) => Effect.Effect<A, E>) =>
    Effect.flatMap(NodeAgentServer.url, (url) => use(`${url}/agents/foo`)).pipe(
      Effect.provide(NodeAgentServer.layer({ routes, port: 0 }))
    )

  for (
    const [flags, text] of [
      [[], "JSON-RPC"],
      [["--protocol", "1.0"], "REST"],
      [["--binding", "rest"], "REST"],
      [["--protocol", "0.3", "--binding", "jsonrpc"], "JSON-RPC"]
    ] as const
  ) {
    it.live(`CARD-01, CARD-07: what the card prefers ${flags.join(" ")}`, () =>
      served((url) =>
        Effect.map(run(["ask", "hi", ...flags, "--card", url]), ({ code, stderr, stdout }) => {
          assert.strictEqual(code, 0, stderr)
          assert.strictEqual(stdout, `${text}\n`)
        })
      ))
  }

  it.live("CARD-02, 2: the card's own URL; what it does not offer is said with what is installed", () =>
    served((url) =>
      Effect.gen(function*() {
        const flags = ["--protocol", "1.0", "--binding", "jsonrpc", "--card", `${url}/.well-known/agent-card.json`]
        const { error } = last(yield* run(["ask", "hi", "--json", ...flags]))
        assert.strictEqual(error.reason, "NoCompatibleInterfaceError")
        assert.include(error.message, "offered are GRPC 1.0, JSONRPC 0.3, HTTP+JSON 1.0; installed are JSONRPC 1.0")
        const rows = parse(yield* run(["matrix", "hi", "--json", "--card", url]))
        assert.deepStrictEqual(rows.map(({ answer, error }) => answer ?? error.reason), [
          "REST",
          "REST",
          "NoCompatibleInterfaceError",
          "NoCompatibleInterfaceError",
          "NoCompatibleInterfaceError",
          "NoCompatibleInterfaceError",
          "JSON-RPC",
          "JSON-RPC"
        ])
      })
    ))

  it.live("CARD-01: a2a card says what can be used", () =>
    served((url) =>
      Effect.gen(function*() {
        const { code, stderr, stdout } = yield* run(["card", "--card", url])
        assert.strictEqual(code, 0, stderr)
        assert.include(stdout, "  not usable  A2A 1.0 GRPC at https://agent.test/grpc\n")
        assert.include(stdout, `  usable      A2A 0.3 JSONRPC at ${url}/rpc\n`)
        assert.include(stdout, `  usable      A2A 1.0 HTTP+JSON at ${url}/rest\n`)
        const json = last(yield* run(["card", "--json", "--card", url]))
        assert.strictEqual(json.supportedInterfaces[2].url, `${url}/rest`)
      })
    ))

  it.live("2: a card that leads into a private network is shown, not followed", () =>
    Effect.gen(function*() {
      const other = yield* Server.make(Server.cutting)
      const { url } = yield* Server.make((_, response) =>
        Server.json(response, {
          ...AgentTest.card,
          supportedInterfaces: [{ url: other.url, protocolBinding: "HTTP+JSON", protocolVersion: "1.0" }]
        })
      )
      const ended = yield* run(["ask", "hi", "--json", "--card", url])
      assert.strictEqual(ended.code, 2, ended.stderr)
      assert.include(last(ended).error.message, "refusing to connect to 127.0.0.1 (loopback address)")
      assert.lengthOf(other.asked, 0)
      assert.include((yield* run(["card", "--card", url])).stdout, `at ${other.url}`)
    }).pipe(Effect.scoped))

  it.live("4: nobody there", () =>
    Effect.gen(function*() {
      for (const args of [["card"], ["ask", "hi"]]) {
        const ended = yield* run([...args, "--json", "--card", "http://127.0.0.1:1"])
        assert.strictEqual(ended.code, 4, ended.stderr)
        assert.strictEqual(last(ended).error.code, "CONNECTION")
      }
    }))
})

describe.concurrent("a2a task wait", () => {
  it.live("ML-20: until the task has settled, or waits itself: 0, 1, 3, 6", () =>
    Effect.gen(function*() {
      const host = yield* NodeAgentServer.url
      const { url } = Result.getOrThrow(MemoryLake.endpoint(MemoryLakeEmulator.address(host)))
      const a2a = (...args: ReadonlyArray<string>) =>
        run([...args, "--json", "--memorylake", "--url", url], { env: { A2A_TOKEN: MemoryLakeEmulator.apiKey } })
      const waited = (text: string) =>
        Effect.gen(function*() {
          const { taskId } = last(yield* a2a("ask", text, "--no-wait")).outcome
          return yield* a2a("task", "wait", taskId)
        })
      const [done, asking, failed, unknown] = yield* Effect.all(
        [waited("be slow"), waited("ask me"), waited("please fail"), a2a("task", "wait", "run-0")],
        { concurrency: 2 }
      )
      assert.strictEqual(done.code, 0, done.stderr)
      assert.deepStrictEqual(parse(done).map((line) => Object.keys(line).join()), ["task", "outcome"])
      assert.strictEqual(last(done).outcome.text, "You asked: be slow")
      assert.strictEqual(asking.code, 6, asking.stderr)
      assert.strictEqual(last(asking).outcome.state, "input-required")
      assert.strictEqual(failed.code, 1, failed.stderr)
      assert.strictEqual(last(failed).error.code, "TASK_STATE_FAILED")
      assert.strictEqual(unknown.code, 3, unknown.stderr)
    }).pipe(Effect.provide(NodeAgentServer.layer({ routes: MemoryLakeEmulator.routes, port: 0 }))))

  it.live("4: nobody there", () =>
    Effect.gen(function*() {
      const ended = yield* run(["task", "wait", "t-1", "--json", "--retries", "0", "--url", "http://127.0.0.1:1"])
      assert.strictEqual(ended.code, 4, ended.stderr)
      assert.strictEqual(last(ended).error.taskId, undefined)
    }))
})
