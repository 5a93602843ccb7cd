import { NodeAgentServer } from "@effect-a2a/node"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { covers } from "../../../test/support/covers.ts"
import { last, run } from "./support/command.ts"

/** Responds to every request in the same way, repeating its headers. */
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

describe.concurrent("a2a fails with the exit code of its reason", () => {
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
    it.live(`a2a ${args.join(" ")} ends with ${code}`, () =>
      Effect.gen(function*() {
        const ended = yield* run([...args, "--json"])
        assert.strictEqual(ended.code, code, ended.stderr)
        assert.strictEqual(last(ended).error?.code, word)
        if (word !== undefined) {
          // one line: what went wrong, and what to do
          assert.match(ended.stderr, /^a2a: (?!no agent given).+; .+\n$|a2a: (?!no agent given).+\n$/m)
          assert.notMatch(ended.stderr, /^\s+at /m)
        }
      }))
  }

  it.live("a rate limit says when to try again", () =>
    Effect.gen(function*() {
      const ended = yield* run(["ask", "hi", "--json"], { env: { A2A_TOKEN: "sk_limited" } })
      assert.strictEqual(ended.code, 3)
      const { error } = last(ended)
      assert.match(error.url, /^http:\/\/127\.0\.0\.1:\d+\/openapi\/.+\/a2a$/)
      assert.deepInclude(error, {
        message: "too many requests",
        reason: "RateLimitError",
        code: "RATE_LIMIT_EXCEEDED",
        operation: "SendMessage",
        retryable: true,
        delivery: "refused",
        retryAfterMs: 2000,
        status: 429
      })
      assert.include(ended.stderr, "try again in 2s")
    }), covers("ML-36"))

  it.live("a response that is not A2A ends with 5", () =>
    Effect.gen(function*() {
      const url = yield* NodeAgentServer.url
      for (const binding of ["rest", "jsonrpc"]) {
        const ended = yield* run(["ask", "hi", "--json", "--url", url, "--binding", binding])
        assert.strictEqual(ended.code, 5, ended.stderr)
        const { error } = last(ended)
        assert.strictEqual(error.reason, "MalformedResponseError")
        assert.deepStrictEqual([error.status, error.contentType], [200, "text/html"])
        assert.include(error.message, "<p>welcome</p>")
        assert.isTrue(error.url.startsWith(url))
        assert.include(ended.stderr, "got text/html (HTTP 200) from ")
      }
    }).pipe(Effect.provide(echoing(200, () => HttpServerResponse.html("<p>welcome</p>")))), covers("field:N2-42"))

  it.live("an error names the URL without what may be secret", () =>
    Effect.gen(function*() {
      const origin = yield* NodeAgentServer.url
      for (const method of ["--stream", "--no-stream"]) {
        const { error } = last(yield* run(["ask", "hi", method, "--json", "--url", `${origin}/a/b?key=hidden#there`]))
        assert.include([`${origin}/a/b`, `${origin}/a/b/message:send`, `${origin}/a/b/message:stream`], error.url)
        assert.deepInclude(error, { status: 200, contentType: "text/html" })
      }
      const local = last(yield* run(["ask", "hi", "--json", "--url", "agent.test"]))
      assert.isUndefined(local.error.url)
    }).pipe(Effect.provide(echoing(200, () => HttpServerResponse.html("<p>welcome</p>")))), covers("field:N2-42"))

  for (
    const [status, delivery, retryable] of [[429, "refused", true], [503, "refused", true], [
      502,
      "unknown",
      false
    ]] as const
  ) {
    it.live(`a message that is refused with HTTP ${status} is said to be ${delivery}`, () =>
      Effect.gen(function*() {
        const url = yield* NodeAgentServer.url
        for (const method of ["--stream", "--no-stream"]) {
          const ended = yield* run(["ask", "hi", method, "--json", "--url", url])
          assert.deepInclude(last(ended).error, { delivery, retryable, status })
          assert.strictEqual(ended.stderr.includes("see a2a task list before you ask again"), delivery === "unknown")
        }
      }).pipe(Effect.provide(echoing(status, () => HttpServerResponse.jsonUnsafe({})))))
  }

  it.live("a message to an agent that does not run is not sent, and only messages have a delivery", () =>
    Effect.gen(function*() {
      const flags = ["--json", "--retries", "0", "--url", "http://127.0.0.1:1"]
      assert.strictEqual(last(yield* run(["ask", "hi", ...flags])).error.delivery, "not-sent")
      assert.notProperty(last(yield* run(["task", "get", "t-1", ...flags])).error, "delivery")
    }))

  it.live("help and version end with 0", () =>
    Effect.gen(function*() {
      for (const args of [["--help"], ["ask", "--help"], ["--version"]]) {
        const { code, stdout } = yield* run(args)
        assert.strictEqual(code, 0)
        assert.isNotEmpty(stdout)
      }
    }))
})

describe.concurrent("a2a redacts secrets that the peer repeats", covers("ML-02"), () => {
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
      it.live(`${Object.keys(env).join() || "--header"} in a response with status ${status}`, () =>
        Effect.gen(function*() {
          const url = `${yield* NodeAgentServer.url}/a2a?key=${secret}`
          for (const more of [["--json"], ["--stream", "--binding", "jsonrpc"]]) {
            const ended = yield* run(["ask", "hi", "--verbose", "--url", url, ...flags, ...more], { env })
            assert.notStrictEqual(ended.code, 0)
            assert.notInclude(ended.stdout + ended.stderr, secret)
            // it was sent nevertheless
            assert.include(ended.stderr, "<redacted>")
          }
        }).pipe(Effect.provide(echoing(status, error))))
    }
  }
})
