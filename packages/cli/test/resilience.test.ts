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
import { covers } from "../../../test/support/covers.ts"
import * as Server from "../../../test/support/httpServer.ts"
import { last, parse, run } from "./support/command.ts"

const lines = ({ asked }: { readonly asked: ReadonlyArray<Server.Asked> }) => asked.map(({ line }) => line)

describe.concurrent("a dropped stream", () => {
  it.live("is resumed, and the command says so", () =>
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
      assert.include(people.stderr, "the connection dropped: resuming task t-1, attempt 1\n")
    }).pipe(Effect.scoped), covers("field:RES-01"))

  it.live("ends with 4 with --no-resume", () =>
    Effect.gen(function*() {
      const server = yield* Server.make(Server.cutting)
      const ended = yield* run(["ask", "hi", "--stream", "--json", "--no-resume", "--url", server.url])
      assert.strictEqual(ended.code, 4, ended.stderr)
      assert.strictEqual(last(ended).error.reason, "StreamInterruptedError")
      assert.strictEqual(last(ended).error.taskId, "t-1")
      assert.include(ended.stderr, "resume it with a2a task watch t-1")
      assert.lengthOf(server.asked, 1)
    }).pipe(Effect.scoped), covers("field:RES-01"))

  it.live("ends with 4 if the agent does not know the task any more", () =>
    Effect.gen(function*() {
      const { url } = yield* Server.make((asked, response) =>
        asked.line.endsWith(":stream") ? Server.cutting(asked, response) : Server.json(response, {}, 404)
      )
      const ended = yield* run(["ask", "hi", "--stream", "--json", "--url", url])
      assert.strictEqual(ended.code, 4, ended.stderr)
      assert.strictEqual(last(ended).error.reason, "StreamInterruptedError")
    }).pipe(Effect.scoped), covers("field:RES-01"))

  it.live("leaves a task that the conversation awaits before the next message", () =>
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
    }).pipe(Effect.scoped), covers("ML-09"))
})

describe.concurrent("a timeout ends with 4", () => {
  for (
    const [name, flags, phase, message] of [
      [
        "a response that does not begin",
        ["ask", "hi", "--timeout-headers", "300ms"],
        "response",
        "no response headers within 300ms"
      ],
      [
        "a stream that falls silent",
        ["ask", "hi", "--stream", "--no-resume", "--timeout-silence", "0.3s"],
        "idle",
        "no byte received for 300ms"
      ],
      ["a message", ["ask", "hi", "--timeout", "300ms"], "total", "the call took longer than 300ms"],
      [
        "a stream and its resumptions",
        ["ask", "hi", "--stream", "--timeout", "300ms"],
        "total",
        "the call took longer than 300ms"
      ],
      [
        "a read and its retries",
        ["task", "get", "t-1", "--timeout", "300ms"],
        "total",
        "the call took longer than 300ms"
      ],
      ["waiting", ["task", "wait", "t-1", "--timeout", "1s"], "total", "the task did not settle within 1s"]
    ] as const
  ) {
    it.live(`for ${name}`, () =>
      Effect.gen(function*() {
        const { url } = yield* Server.make(({ line }, response) => {
          if (line.endsWith(":stream")) Server.events(response, [{ task: Server.task("WORKING") }], "hang")
          else if (line === "GET /tasks/t-1" && name === "waiting") Server.json(response, Server.task("WORKING"))
        })
        const ended = yield* run([...flags, "--json", "--url", url])
        assert.strictEqual(ended.code, 4, ended.stderr)
        assert.strictEqual(last(ended).error.message.split(";")[0], message)
        assert.deepInclude(last(ended).error, { code: "TIMEOUT", phase })
      }).pipe(Effect.scoped), covers("field:CAN-01", "field:CAN-05"))
  }
})

describe.concurrent("retries", () => {
  const requests = (...args: ReadonlyArray<string>) =>
    Effect.gen(function*() {
      const { asked, url } = yield* Server.make((_, response) => Server.json(response, {}, 503))
      const ended = yield* run([...args, url, "--json"])
      assert.strictEqual(last(ended).error.reason, "ServiceUnavailableError")
      return asked.length
    }).pipe(Effect.scoped)

  it.live("a message is sent once", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* requests("ask", "hi", "--retries", "4", "--url"), 1)
      assert.strictEqual(yield* requests("ask", "hi", "--stream", "--url"), 1)
    }), covers("field:RETRY-01"))

  it.live("reads are retried twice, and a card is a read", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* requests("task", "get", "t-1", "--url"), 3)
      assert.strictEqual(yield* requests("card", "--card"), 3)
      assert.strictEqual(yield* requests("ask", "hi", "--retries", "1", "--card"), 2)
    }), covers("field:RETRY-01"))

  it.live("--retries 0 retries nothing", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* requests("task", "get", "t-1", "--retries", "0", "--url"), 1)
      assert.strictEqual(yield* requests("ask", "hi", "--retries", "0", "--card"), 1)
    }), covers("field:RETRY-07"))
})

describe.concurrent("tokens", () => {
  const temporary = Effect.flatMap(FileSystem.FileSystem, (files) => files.makeTempDirectoryScoped())

  it.live("a token command runs again if the agent refuses the token", () =>
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
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer)), covers("field:AUTH-04"))

  it.live("a token file is sent and redacted; a missing one ends with 2", () =>
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
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer)), covers("ML-02"))
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
  const scripted = (text: string) =>
    Layer.fresh(AgentTest.layerWith({ card })).pipe(Layer.provide(Script.layer(Script.say(text))))
  const protocols = [Protocol.v1_0, Protocol.v0_3] as const
  const routes = Layer.mergeAll(
    JsonRpcServer.routes({ path: "/agents/foo/rpc", protocols }).pipe(Layer.provide(scripted("JSON-RPC"))),
    RestServer.routes({ path: "/agents/foo/rest", protocols }).pipe(Layer.provide(scripted("REST"))),
    CardServer.routes({ path: "/agents/foo", protocols }).pipe(Layer.provide(scripted("nothing")))
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
    it.live(
      `uses the interface that the card prefers ${flags.join(" ")}`,
      () =>
        served((url) =>
          Effect.map(run(["ask", "hi", ...flags, "--card", url]), ({ code, stderr, stdout }) => {
            assert.strictEqual(code, 0, stderr)
            assert.strictEqual(stdout, `${text}\n`)
          })
        ),
      covers("field:CARD-01", "field:CARD-07")
    )
  }

  it.live(
    "accepts the card's own URL, and ends with 2 if no interface is usable",
    () =>
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
      ),
    covers("field:CARD-02")
  )

  it.live("a2a card shows the usable interfaces", () =>
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
    ), covers("field:CARD-01"))

  it.live(
    "a card that leads to another origin is shown, and followed only if the user allows it",
    () =>
      Effect.gen(function*() {
        const other = yield* Server.make(Server.cutting)
        const { url } = yield* Server.make((_, response) =>
          Server.json(response, {
            ...AgentTest.card,
            supportedInterfaces: [{ url: `${other.url}/a2a`, protocolBinding: "HTTP+JSON", protocolVersion: "1.0" }]
          })
        )
        const get = ["task", "get", "t-1", "--json", "--card", url]
        const env = { A2A_TOKEN: "sk_for_the_card" }
        const ended = yield* run(get, { env })
        assert.strictEqual(ended.code, 2, ended.stderr)
        assert.include(
          last(ended).error.message,
          `the card of ${url} names an interface on another origin, ${other.url}`
        )
        assert.include(last(ended).error.message, `--allow-origin ${other.url}`)
        assert.lengthOf(other.asked, 0)
        const shown = yield* run(["card", "--card", url])
        assert.include(
          shown.stdout,
          `  not usable  A2A 1.0 HTTP+JSON at ${other.url}/a2a (another origin: --allow-origin`
        )

        const allowed = yield* run([...get, "--allow-origin", "https://a.test", "--allow-origin", `${other.url}/`], {
          env
        })
        assert.strictEqual(allowed.code, 0, allowed.stderr)
        assert.deepStrictEqual(other.asked.map(({ headers, line }) => [line, headers.authorization]), [
          ["GET /a2a/tasks/t-1", "Bearer sk_for_the_card"]
        ])
        assert.strictEqual((yield* run([...get, "--allow-origin", "a.test"])).code, 2)
      }).pipe(Effect.scoped),
    covers("field:N2-44")
  )

  it.live("an unreachable agent ends with 4", () =>
    Effect.gen(function*() {
      for (const args of [["card"], ["ask", "hi"]]) {
        const ended = yield* run([...args, "--json", "--card", "http://127.0.0.1:1"])
        assert.strictEqual(ended.code, 4, ended.stderr)
        assert.strictEqual(last(ended).error.code, "CONNECTION")
      }
    }))
})

describe.concurrent("a2a task wait", () => {
  it.live("waits until the task settles, and ends with the code of its state", () =>
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
    }).pipe(Effect.provide(NodeAgentServer.layer({ routes: MemoryLakeEmulator.routes, port: 0 }))), covers("ML-20"))

  it.live("an unreachable agent ends with 4", () =>
    Effect.gen(function*() {
      const ended = yield* run(["task", "wait", "t-1", "--json", "--retries", "0", "--url", "http://127.0.0.1:1"])
      assert.strictEqual(ended.code, 4, ended.stderr)
      assert.strictEqual(last(ended).error.taskId, undefined)
    }))
})
