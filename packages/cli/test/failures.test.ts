import { NodeAgentServer } from "@effect-a2a/node"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { last, run } from "./support/command.ts"

/** Answers everything in the same way, with the request's headers repeated in it. */
const echoing = (status: number, body: (headers: string) => HttpServerResponse.HttpServerResponse) =>
  NodeAgentServer.layer({
    port: 0,
    routes: HttpRouter.add(
      "*",
      "/*",
      (request) => Effect.succeed(HttpServerResponse.setStatus(body(JSON.stringify(request.headers)), status))
    )
  })

const error = (headers: string) => HttpServerResponse.jsonUnsafe({ error: { message: `refused ${headers}` } })

describe.concurrent("exit codes", () => {
  const cases = [
    [0, ["ask", "hi"], undefined],
    [1, ["ask", "please fail"], "TASK_STATE_FAILED"],
    [1, ["ask", "please fail", "--stream"], "TASK_STATE_FAILED"],
    [1, ["ask", "hi", "--model", "no-such-model"], "TASK_STATE_FAILED"],
    [2, ["ask"], "INVALID_REQUEST"],
    [2, [], "INVALID_REQUEST"],
    [2, ["ask", "hi", "--bogus"], "INVALID_REQUEST"],
    [2, ["ask", ""], "INVALID_REQUEST"],
    [2, ["ask", "hi", "--actor", "jane"], "INVALID_REQUEST"],
    [2, ["ask", "hi", "--header", "no colon"], "INVALID_REQUEST"],
    [2, ["ask", "hi", "--url", "agent.test"], "INVALID_REQUEST"],
    [2, ["ask", "hi", "--url", "http://127.0.0.1:1", "--skip-memory"], "INVALID_REQUEST"],
    [2, ["ask", "hi", "--workspace", "ws-1"], "INVALID_REQUEST"],
    [2, ["ask", "hi", "--file", "no-such-file"], "INVALID_REQUEST"],
    [2, ["ask", "hi", "--file", "https://files.test/a.pdf"], "INVALID_REQUEST"],
    [2, ["ask", "hi", "--retries", "-1"], "INVALID_REQUEST"],
    [2, ["ask", "hi", "--timeout", "soon"], "INVALID_REQUEST"],
    [2, ["ask", "hi", "--url", "http://127.0.0.1:1", "--card", "http://127.0.0.1:1"], "INVALID_REQUEST"],
    [3, ["ask", "refuse with QUOTA_EXCEEDED"], "QUOTA_EXCEEDED"],
    [3, ["task", "get", "run-0"], "TASK_NOT_FOUND"],
    [4, ["ask", "hi", "--url", "http://127.0.0.1:1/a2a"], "CONNECTION"],
    [6, ["ask", "ask me"], undefined],
    [6, ["ask", "ask me", "--stream"], undefined]
  ] as const
  for (const [code, args, word] of cases) {
    it.live(`${code}: a2a ${args.join(" ")}`, () =>
      Effect.gen(function*() {
        const ended = yield* run([...args, "--json"])
        assert.strictEqual(ended.code, code, ended.stderr)
        assert.strictEqual(last(ended).error?.code, word)
        if (word !== undefined) {
          // one line: what, and what to do
          assert.match(ended.stderr, /^a2a: (?!no agent given).+; .+\n$|a2a: (?!no agent given).+\n$/m)
          assert.notMatch(ended.stderr, /^\s+at /m)
        }
      }))
  }

  it.live("ML-36: a rate limit says when to come back", () =>
    Effect.gen(function*() {
      const ended = yield* run(["ask", "hi", "--json"], { env: { A2A_TOKEN: "sk_limited" } })
      assert.strictEqual(ended.code, 3)
      const { error } = last(ended)
      assert.deepStrictEqual({ ...error, details: undefined }, {
        details: undefined,
        message: "too many requests",
        reason: "RateLimitError",
        code: "RATE_LIMIT_EXCEEDED",
        operation: "SendMessage",
        retryable: true,
        retryAfterMs: 2000,
        status: 429
      })
      assert.include(ended.stderr, "try again in 2s")
    }))

  it.live("5: an answer that is none of A2A's", () =>
    Effect.gen(function*() {
      const url = yield* NodeAgentServer.url
      for (const binding of ["rest", "jsonrpc"]) {
        const ended = yield* run(["ask", "hi", "--json", "--url", url, "--binding", binding])
        assert.strictEqual(ended.code, 5, ended.stderr)
        assert.strictEqual(last(ended).error.reason, "MalformedResponseError")
      }
    }).pipe(Effect.provide(echoing(200, () => HttpServerResponse.html("<p>welcome</p>")))))

  it.live("help and version are no failures", () =>
    Effect.gen(function*() {
      for (const args of [["--help"], ["ask", "--help"], ["--version"]]) {
        const { code, stdout } = yield* run(args)
        assert.strictEqual(code, 0)
        assert.isNotEmpty(stdout)
      }
    }))
})

describe.concurrent("ML-02: secrets are nowhere", () => {
  const secret = "sk_do_not_tell_0123"
  for (const status of [200, 401, 500]) {
    for (
      const [env, flags] of [
        [{ A2A_TOKEN: secret }, []],
        [{ MEMORYLAKE_API_KEY: secret }, []],
        [{ A2A_API_KEY: secret }, ["--api-key-header", "X-Mine"]],
        [{}, ["--header", `X-Auth-Key: ${secret}`]]
      ] as const
    ) {
      it.live(`${status}, ${Object.keys(env).join() || "--header"}`, () =>
        Effect.gen(function*() {
          const url = `${yield* NodeAgentServer.url}/a2a?key=${secret}`
          for (const more of [["--json"], ["--stream", "--binding", "jsonrpc"]]) {
            const ended = yield* run(["ask", "hi", "--verbose", "--url", url, ...flags, ...more], { env })
            assert.notStrictEqual(ended.code, 0)
            assert.notInclude(ended.stdout + ended.stderr, secret)
            // it was sent all the same
            assert.include(ended.stderr, "<redacted>")
          }
        }).pipe(Effect.provide(echoing(status, error))))
    }
  }
})
