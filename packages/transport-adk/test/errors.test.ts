import { type AdkClient, AdkContent, AdkError } from "@effect-a2a/transport-adk"
import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { covers } from "../../../test/support/covers.ts"
import { event, json, page, plain, serving } from "./support.ts"

const request = { userId: "u", sessionId: "s", newMessage: AdkContent.user(AdkContent.text("hi")) }

const failing = (answer: () => Response) =>
  Effect.gen(function*() {
    const { run, runSse } = yield* serving(answer).client
    const error = yield* Effect.flip(run(request))
    const streamed = yield* Effect.flip(Stream.runDrain(runSse(request)))
    assert.deepStrictEqual(streamed.reason._tag, error.reason._tag)
    assert.deepStrictEqual([error.operation, streamed.operation, error.target], ["run", "runSse", "http://adk.test/"])
    return error
  })

const express = (words: string) =>
  `<!DOCTYPE html>\n<html lang="en"><head><title>Error</title></head><body>\n<pre>${words}<br> &nbsp; &nbsp;at parse (/srv/node_modules/x.js:1:2)<br> &nbsp; &nbsp;at next (/srv/y.js:3:4)</pre>\n</body></html>`

const noRun = (words: string) => `the server has no POST /run (${words}); check its URL and its kind`

/** What answers, the reason, its words, and the reason in A2A. */
const table: ReadonlyArray<readonly [() => Response, AdkError.AdkErrorReason["_tag"], string, string]> = [
  [
    () => json({ detail: "app_name is required" }, 400),
    "AppNameRequiredError",
    "app_name is required",
    "InvalidArgumentError"
  ],
  [() => json({ detail: "no" }, 400), "BadRequestError", "no", "InvalidArgumentError"],
  [
    () => page(express("SyntaxError: Unexpected token &#39;x&#39;"), 400),
    "BadRequestError",
    "SyntaxError: Unexpected token 'x'",
    "InvalidArgumentError"
  ],
  [
    () => json({ detail: "Session not found: s" }, 404),
    "SessionNotFoundError",
    "Session not found: s",
    "NotFoundError"
  ],
  [() => json({ error: "Session not found: s" }, 404), "SessionNotFoundError", "Session not found: s", "NotFoundError"],
  [
    () => json({ detail: "Agent not found: 'app'" }, 404),
    "AppNotFoundError",
    "Agent not found: 'app'",
    "NotFoundError"
  ],
  [() => json({ detail: "No module named 'app'" }, 404), "AppNotFoundError", "No module named 'app'", "NotFoundError"],
  [() => json({ error: "Agent not found: app" }, 500), "AppNotFoundError", "Agent not found: app", "NotFoundError"],
  [() => json({ detail: "Artifact not found" }, 404), "ArtifactNotFoundError", "Artifact not found", "NotFoundError"],
  [() => json({ detail: "Not Found" }, 404), "RouteUnsupportedError", noRun("Not Found"), "UnsupportedOperationError"],
  [
    () => page("<pre>Cannot POST /run</pre>", 404),
    "RouteUnsupportedError",
    noRun("Cannot POST /run"),
    "UnsupportedOperationError"
  ],
  [
    () => plain("404 page not found", 404),
    "RouteUnsupportedError",
    noRun("404 page not found"),
    "UnsupportedOperationError"
  ],
  [() => plain("", 401), "DeniedError", "HTTP 401", "UnauthenticatedError"],
  [() => json({ detail: "no such app: __x" }, 403), "DeniedError", "no such app: __x", "AccessDeniedError"],
  [
    () => page(express("PayloadTooLargeError: too large"), 413),
    "TooLargeError",
    "PayloadTooLargeError: too large",
    "InvalidArgumentError"
  ],
  [() => plain("Internal Server Error", 500), "AgentFailedError", "Internal Server Error", "InternalError"],
  [() => plain("", 503), "UpstreamError", "HTTP 503", "ServiceUnavailableError"],
  [() => plain("slow down", 429), "UpstreamError", "slow down", "RateLimitError"],
  [() => json({ detail: "I am a teapot" }, 418), "BadRequestError", "I am a teapot", "InvalidArgumentError"],
  [() => plain("<html>", 200), "MalformedResponseError", "", "MalformedResponseError"]
]

describe("refusals", () => {
  for (const [answer, tag, words, a2a] of table) {
    const { status } = answer()
    it.effect(`HTTP ${status} "${words}" becomes ${tag}`, () =>
      Effect.gen(function*() {
        const error = yield* failing(answer)
        assert.strictEqual(error.reason._tag, tag)
        assert.include(error.reason.message, words)
        if (words !== "") assert.deepStrictEqual([error.reason.message, error.reason.status], [words, status])
        assert.strictEqual(AdkError.toAgentError(error).reason._tag, a2a)
        assert.isFalse(error.isRetryable)
        assert.isTrue(AdkError.isAdkError(error))
      }), covers("ADK-06"))
  }

  it.effect("the issues of HTTP 422 are kept, undocumented members included", () =>
    Effect.gen(function*() {
      const detail = [
        {
          loc: ["body", "newMessage", "parts", 0, "zzz"],
          msg: "Extra inputs are not permitted",
          type: "extra_forbidden",
          input: null,
          url: "https://x"
        },
        {
          loc: ["body", 11],
          msg: "JSON decode error",
          type: "json_invalid",
          input: {},
          ctx: { error: "Expecting value" }
        }
      ]
      const error = yield* failing(() => json({ detail }, 422))
      assert(error.reason._tag === "ValidationFailedError")
      assert.deepStrictEqual(error.reason.issues, detail as never)
      assert.strictEqual(error.reason.message, "Extra inputs are not permitted; JSON decode error")
      const { reason } = AdkError.toAgentError(error)
      assert(reason._tag === "InvalidParamsError")
      assert.deepStrictEqual(reason.violations, [
        { field: "newMessage.parts.0.zzz", description: "Extra inputs are not permitted" },
        { field: "11", description: "JSON decode error" }
      ])
    }), covers("ADK-06"))

  it.effect("a failed run keeps the events before the failure", () =>
    Effect.gen(function*() {
      const { reason } = yield* failing(() =>
        json({ error: "boom\n    at f (/srv/x.js:1:2)", events: [event("1", "a"), 7] }, 500)
      )
      assert(reason._tag === "AgentFailedError")
      assert.deepStrictEqual([reason.message, reason.events], ["boom", [event("1", "a")]])
    }), covers("ADK-06"))

  it.effect("a Python traceback is left out of the message", () =>
    Effect.gen(function*() {
      const trace = "Traceback (most recent call last):\n  File \"x.py\", line 1, in f\n    boom()\nValueError: boom"
      assert.strictEqual((yield* failing(() => plain(trace, 500))).reason.message, "ValueError: boom")
    }), covers("ADK-06"))

  it.effect("a refusal of the Host header names the header", () =>
    Effect.gen(function*() {
      for (
        const words of [
          "Forbidden: host not allowed",
          "Forbidden: origin not allowed",
          "Forbidden: possible DNS-rebinding request"
        ]
      ) {
        const { reason } = yield* failing(() => plain(words, 403))
        assert.strictEqual(reason._tag, "GuardRefusedError")
        assert.include(reason.message, "Host header")
      }
    }), covers("ADK-06"))

  it.effect("only requests that read are retryable", () =>
    Effect.gen(function*() {
      const { listApps } = yield* serving(() => new Response("", { status: 503, headers: { "retry-after": "2" } }))
        .client
      const { reason } = yield* Effect.flip(listApps)
      assert(reason._tag === "UpstreamError")
      assert.deepStrictEqual([reason.isRetryable, reason.retryAfter], [true, Duration.seconds(2)])
    }), covers("ADK-06"))

  it.effect("the error for a missing session names the session", () =>
    Effect.gen(function*() {
      const { reason } = yield* failing(() => json({ detail: "Session not found: s" }, 404))
      assert(reason._tag === "SessionNotFoundError")
      assert.deepStrictEqual([reason.appName, reason.userId, reason.sessionId], ["app", "u", "s"])
    }), covers("ADK-06"))

  it.effect("an error survives encoding to JSON and back", () =>
    Effect.gen(function*() {
      const error = yield* failing(() => json({ error: "boom", events: [event("1", "a")] }, 500))
      const codec = Schema.toCodecJson(AdkError.AdkError)
      const back = yield* Schema.decodeUnknownEffect(codec)(
        JSON.parse(JSON.stringify(yield* Schema.encodeEffect(codec)(error)))
      )
      assert.deepStrictEqual([back.message, back.reason._tag], [error.message, error.reason._tag])
    }), covers("ADK-06"))
})

describe("a page in place of a response", () => {
  const login = "<!doctype html>\n<title>Sign\u0000 in\u001b[2J</title> back to /apps/app/users/me%40x.test/sessions"
  const calls = {
    "POST /run_sse": (client: AdkClient.Service) => Stream.runDrain(client.runSse({ ...request, userId: "me@x.test" })),
    "GET /apps/app/users/{user}/sessions/{session}": (client: AdkClient.Service) =>
      client.getSession({ userId: "me@x.test", sessionId: "s" })
  }
  for (const [route, call] of Object.entries(calls)) {
    it.effect(`is reported with route, status, content type and its beginning: ${route}`, () =>
      Effect.gen(function*() {
        const { client } = serving(() => page(login, 200))
        const { reason } = yield* Effect.flip(Effect.flatMap(client, call))
        assert(reason._tag === "MalformedResponseError")
        const url = `http://adk.test${route.split(" ")[1]}`
        assert.deepStrictEqual([reason.url, reason.status, reason.contentType], [url, 200, "text/html"])
        assert.match(
          reason.message,
          /^expected (?:JSON|an event stream), got text\/html \(HTTP 200\) from http:\S+: <!doctype html> <title>Sign in \[2J<\/title> back to \//
        )
        assert.notMatch(reason.message, /me(@|%40)x.test/)
      }), covers("field:N2-42"))
  }
})
