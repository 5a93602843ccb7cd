import { TaskFeedback } from "@effect-a2a/memorylake"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { covers } from "../../../test/support/covers.ts"
import * as Server from "../../../test/support/httpServer.ts"
import { last, run } from "./support/command.ts"

const flags = (...headers: ReadonlyArray<string>) => headers.flatMap((header) => ["--header", header])

/** Returns the headers of the request that the command sends. */
const sent = (args: ReadonlyArray<string>, env: Record<string, string> = {}) =>
  Effect.gen(function*() {
    const { asked, url } = yield* Server.make((_, response) => Server.json(response, Server.task("COMPLETED", "done")))
    const ended = yield* run([...args, "--json", "--url", url], { env })
    assert.strictEqual(ended.code, 0, ended.stderr)
    return asked[0]!.headers
  }).pipe(Effect.scoped)

const get = ["task", "get", "t-1"]

describe.concurrent("--header", () => {
  it.live("given twice is one header with both values", () =>
    Effect.gen(function*() {
      const headers = yield* sent([
        ...get,
        ...flags("X-Tag: a", "Cookie: a=1", "x-tag: b, c", "Cookie: b=2", "X-Other: d", "X-Tag: e")
      ])
      assert.strictEqual(headers["x-tag"], "a, b, c, e")
      assert.strictEqual(headers["x-other"], "d")
      assert.strictEqual(headers.cookie, "a=1; b=2")
    }), covers("field:N2-45"))

  for (const [protocol, name] of [["1.0", "a2a-extensions"], ["0.3", "x-a2a-extensions"]] as const) {
    it.live(`of extensions is merged with those of the command over ${protocol}`, () =>
      Effect.gen(function*() {
        const given = flags("A2A-Extensions: https://e.test/1", "a2a-extensions: https://e.test/2,https://e.test/1")
        const version = ["--protocol", protocol]
        const plain = yield* sent([...get, ...given, ...version])
        assert.strictEqual(plain[name], "https://e.test/1, https://e.test/2")
        const ours = yield* sent([...get, ...given, ...version, "--memorylake"])
        assert.strictEqual(ours["a2a-extensions"], `https://e.test/1, https://e.test/2, ${TaskFeedback.uri}`)
      }), covers("field:N2-45"))
  }

  it.live("given twice is refused if the header has one value", () =>
    Effect.gen(function*() {
      const ended = yield* run([
        ...get,
        "--json",
        ...flags("Authorization: Bearer abc1234", "authorization: Basic def")
      ])
      assert.strictEqual(ended.code, 2)
      assert.include(last(ended).error.message, "authorization is given twice")
      assert.notInclude(ended.stdout + ended.stderr, "abc1234")
    }), covers("field:N2-45"))
})

describe.concurrent("a variable", () => {
  for (const blank of ["\n", "\r\n", " ", "\t"]) {
    it.live(
      `that ends with ${JSON.stringify(blank)} is trimmed; a blank one counts as missing`,
      () =>
        Effect.gen(function*() {
          const token = yield* sent(get, { A2A_TOKEN: `secret-1${blank}`, A2A_API_KEY: `${blank}key-1${blank}` })
          assert.strictEqual(token.authorization, "Bearer secret-1")
          assert.strictEqual(token["x-api-key"], "key-1")
          const next = yield* sent(get, {
            A2A_TOKEN: blank,
            MEMORYLAKE_API_KEY: `secret-2${blank}`,
            A2A_API_KEY: blank
          })
          assert.strictEqual(next.authorization, "Bearer secret-2")
          assert.isUndefined(next["x-api-key"])
          const command = yield* sent(get, { A2A_TOKEN: blank, A2A_TOKEN_COMMAND: `echo secret-3${blank}` })
          assert.strictEqual(command.authorization, "Bearer secret-3")
        }),
      covers("field:N2-52")
    )
  }

  it.live("of the agent's URL is trimmed too", () =>
    Effect.gen(function*() {
      const { url } = yield* Server.make((_, response) => Server.json(response, Server.task("COMPLETED")))
      assert.strictEqual((yield* run(get, { env: { A2A_URL: `${url}\n` } })).code, 0)
    }).pipe(Effect.scoped), covers("field:N2-52"))
})

describe.concurrent("a2a task feedback", () => {
  const rate = (...args: ReadonlyArray<string>) =>
    Effect.gen(function*() {
      const { asked, url } = yield* Server.make(({ line }, response) =>
        line.includes("agent-card")
          ? Server.json(response, {
            name: "Lake",
            description: "Remembers",
            version: "1",
            supportedInterfaces: [{ url: "/agents/a", protocolBinding: "HTTP+JSON", protocolVersion: "0.3" }],
            capabilities: {},
            defaultInputModes: [],
            defaultOutputModes: [],
            skills: []
          })
          : Server.json(response, { success: true })
      )
      const at = args.includes("--card") ? [url] : ["--url", `${url}/any/path`]
      const ended = yield* run(["task", "feedback", "t-1", "up", "--json", ...args, ...at])
      return { ended, requests: asked.filter(({ line }) => line.startsWith("POST")) }
    }).pipe(Effect.scoped)

  for (
    const [title, args, line] of [
      ["a URL", ["--memorylake"], "POST /any/path/tasks/t-1:feedback"],
      ["a URL over 0.3", ["--memorylake", "--protocol", "0.3"], "POST /any/path/v1/tasks/t-1:feedback"],
      ["a URL over JSON-RPC", ["--memorylake", "--binding", "jsonrpc"], "POST /any/path/tasks/t-1:feedback"],
      ["the interface on a card", ["--memorylake", "--card"], "POST /agents/a/v1/tasks/t-1:feedback"]
    ] as const
  ) {
    it.live(`is sent to the route of ${title}`, () =>
      Effect.gen(function*() {
        const { ended, requests: [request] } = yield* rate("--comment", "Just so.", ...args)
        assert.strictEqual(ended.code, 0, ended.stderr)
        assert.strictEqual(request?.line, line)
        assert.deepStrictEqual(JSON.parse(request!.body), { rating: "up", comment: "Just so." })
        assert.deepStrictEqual(last(ended), { feedback: { taskId: "t-1", rating: "up", comment: "Just so." } })
      }), covers("field:N2-46"))
  }

  it.live("is refused for an agent that is not MemoryLake's", () =>
    Effect.gen(function*() {
      const { ended, requests } = yield* rate()
      assert.strictEqual(ended.code, 2)
      assert.include(last(ended).error.message, "--memorylake")
      assert.lengthOf(requests, 0)
    }), covers("field:N2-46"))
})
