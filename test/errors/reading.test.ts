/** Every body that carries a refusal, in every combination, before a stream and within one. */
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { covers } from "../support/covers.ts"
import { combinations, isRpc, rpcError } from "../support/peer.ts"
import {
  checkCalls,
  checkStreams,
  errorInfo,
  type Expected,
  http,
  readCalls,
  readStreams,
  type Row,
  type Tag
} from "./support.ts"

/** A2A 1.0 §5.4: JSON-RPC code, HTTP status of 1.0.1 and of 1.0.0, word. */
const a2a = [
  ["TaskNotFoundError", -32001, 404, 404, "TASK_NOT_FOUND"],
  ["TaskNotCancelableError", -32002, 400, 409, "TASK_NOT_CANCELABLE"],
  ["PushNotificationNotSupportedError", -32003, 400, 400, "PUSH_NOTIFICATION_NOT_SUPPORTED"],
  ["UnsupportedOperationError", -32004, 400, 400, "UNSUPPORTED_OPERATION"],
  ["ContentTypeNotSupportedError", -32005, 400, 415, "CONTENT_TYPE_NOT_SUPPORTED"],
  ["InvalidAgentResponseError", -32006, 500, 502, "INVALID_AGENT_RESPONSE"],
  ["ExtendedAgentCardNotConfiguredError", -32007, 400, 400, "EXTENDED_AGENT_CARD_NOT_CONFIGURED"],
  ["ExtensionSupportRequiredError", -32008, 400, 400, "EXTENSION_SUPPORT_REQUIRED"],
  ["VersionNotSupportedError", -32009, 400, 400, "VERSION_NOT_SUPPORTED"]
] as const

/** JSON-RPC 2.0 §5.1. */
const jsonRpc = [
  ["InvalidParamsError", -32700, 400, "INVALID_REQUEST"],
  ["InvalidParamsError", -32600, 400, "INVALID_REQUEST"],
  ["MethodNotFoundError", -32601, 404, "METHOD_NOT_FOUND"],
  ["InvalidParamsError", -32602, 400, "INVALID_PARAMS"],
  ["InternalError", -32603, 500, "INTERNAL_ERROR"]
] as const

const codes: ReadonlyArray<readonly [Tag, number]> = [...a2a, ...jsonRpc].map(([_tag, code]) => [_tag, code])

/** The body of 1.0. */
const status = (code: number, details: ReadonlyArray<unknown>, message = "no") => ({
  error: { code, status: "X", message, details }
})

const fromStatus = (code: number, details: ReadonlyArray<unknown>, expected: Expected): Row<Response> => [
  `${code} ${JSON.stringify(details)}`,
  http(code, status(code, details)),
  { ...expected, status: code, details: status(code, details).error }
]

const words: ReadonlyArray<Row<Response>> = [
  ...a2a.flatMap(([_tag, , now, before, word]) =>
    Array.from(
      new Set([now, before]),
      (code) => fromStatus(code, [errorInfo(word, { a: "b" })], { _tag, code: word, message: "no", isRetryable: false })
    )
  ),
  ...jsonRpc.filter(([, code]) => code !== -32600).map(([_tag, , code, word]) =>
    fromStatus(code, [errorInfo(word)], { _tag })
  ),
  fromStatus(400, [{ ...errorInfo("OTHER"), domain: "x.test" }, errorInfo("TASK_NOT_FOUND")], {
    _tag: "TaskNotFoundError"
  }),
  // unknown words are kept, and the status decides
  fromStatus(403, [errorInfo("ORG_LOCKED")], { _tag: "AccessDeniedError", code: "ORG_LOCKED" }),
  fromStatus(418, [errorInfo("TEAPOT")], { _tag: "UnknownError", code: "TEAPOT", message: "no" }),
  fromStatus(400, [
    {
      "@type": "type.googleapis.com/google.rpc.BadRequest",
      fieldViolations: [{ field: "message.parts", description: "empty" }]
    },
    { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "1.5s" }
  ], {
    _tag: "InvalidParamsError",
    violations: [{ field: "message.parts", description: "empty" }],
    retryAfter: Duration.millis(1500)
  })
]

const problem = { "content-type": "application/problem+json" }

const otherBodies: ReadonlyArray<Row<Response>> = [
  ...codes.map(([_tag, code]): Row<Response> => {
    const body = { code, message: "no", data: { k: 1 } }
    return [`bare ${code}`, http(400, body), { _tag, status: 400, message: "no", details: body }]
  }),
  ["a class name", http(500, { type: "TaskNotFoundError", message: "gone" }), {
    _tag: "TaskNotFoundError",
    status: 500,
    message: "gone"
  }],
  ...([
    [400, "InvalidArgumentError"],
    [401, "UnauthenticatedError"],
    [403, "AccessDeniedError"],
    [409, "UnknownError"],
    [415, "ContentTypeNotSupportedError"],
    [422, "InvalidArgumentError"],
    [500, "InternalError"],
    [501, "MethodNotFoundError"],
    [502, "ServiceUnavailableError"]
  ] as const).map(([status, _tag]): Row<Response> => [
    `a message with ${status}`,
    http(status, { message: "no" }),
    { _tag, status, message: "no" }
  ]),
  [
    "a list of problems of FastAPI",
    http(422, { detail: [{ loc: ["body", "message", "parts"], msg: "field required" }] }),
    {
      _tag: "InvalidParamsError",
      status: 422,
      message: "field required",
      violations: [{ field: "message.parts", description: "field required" }]
    }
  ],
  [
    "problem details of a known type",
    http(
      404,
      { type: "https://a2a-protocol.org/errors/task-not-found", title: "Task Not Found", status: 404 },
      problem
    ),
    { _tag: "TaskNotFoundError", status: 404, message: "Task Not Found" }
  ],
  [
    "problem details of an unknown type",
    http(418, { type: "about:blank", title: "Teapot", status: 418 }, problem),
    { _tag: "UnknownError", status: 418, message: "Teapot" }
  ]
]

const withoutBody: ReadonlyArray<Row<Response>> = [
  ["401 and its challenge", http(401, "", { "www-authenticate": "Bearer realm=\"x\"", "content-type": "text/plain" }), {
    _tag: "UnauthenticatedError",
    status: 401,
    challenge: "Bearer realm=\"x\"",
    isRetryable: false
  }],
  ...([
    [402, "QuotaExceededError", false],
    [403, "AccessDeniedError", false],
    // a send is another matter: the gateway may have forwarded it
    [408, "ServiceUnavailableError", undefined],
    [429, "RateLimitError", true],
    [500, "InternalError", false],
    [503, "ServiceUnavailableError", true],
    [504, "ServiceUnavailableError", undefined],
    [522, "ServiceUnavailableError", undefined],
    [529, "ServiceUnavailableError", true]
  ] as const).flatMap(([status, _tag, isRetryable]) =>
    ([["empty", "", "text/plain"], ["HTML", "<html>no</html>", "text/html"]] as const).map(
      ([name, body, type]): Row<Response> => [
        `${status}, ${name}, with Retry-After`,
        http(status, body, { "content-type": type, "retry-after": "2" }),
        { _tag, status, retryAfter: Duration.seconds(2), ...(isRetryable === undefined ? undefined : { isRetryable }) }
      ]
    )
  ),
  [
    "a long page, of which an excerpt is kept",
    http(503, `<html>${"x".repeat(10_000)}`, { "content-type": "text/html" }),
    {
      _tag: "ServiceUnavailableError",
      message: `<html>${"x".repeat(194)}…`
    }
  ],
  // the test clock shows 1970
  ["Retry-After with a date", http(429, "", { "retry-after": "Thu, 01 Jan 1970 00:01:00 GMT" }), {
    _tag: "RateLimitError",
    retryAfter: Duration.minutes(1)
  }],
  ["Retry-After with nonsense", http(429, "", { "retry-after": "soon" }), {
    _tag: "RateLimitError",
    retryAfter: undefined
  }]
]

const events: ReadonlyArray<Row<string>> = [
  ...a2a.map(([_tag, , code, , word]): Row<string> => [
    word,
    () => JSON.stringify(status(code, [errorInfo(word)])),
    { _tag, status: code, message: "no", details: status(code, [errorInfo(word)]).error }
  ]),
  ...codes.map(([_tag, code]): Row<string> => [
    `bare ${code}`,
    () => JSON.stringify({ code, message: "no" }),
    { _tag, message: "no" }
  ]),
  ["a text", () => JSON.stringify({ error: "boom" }), { _tag: "UnknownError", message: "boom" }]
]

for (const combination of combinations) {
  describe(`reading refusals over ${combination.name}`, () => {
    it.effect(
      "a word decides, whatever the status, and the whole error is kept",
      () => checkCalls(combination, words),
      {
        ...covers("field:ERR-05")
      }
    )

    it.effect(
      "bare codes, class names, messages and problem details are read",
      () => checkCalls(combination, otherBodies),
      {
        ...covers("field:ERR-10")
      }
    )

    it.effect(
      "without a readable body the HTTP status and headers decide",
      () => checkCalls(combination, withoutBody),
      {
        ...covers("field:ERR-11")
      }
    )

    it.effect("404 means the task if the request names one", () =>
      Effect.gen(function*() {
        for (const body of ["{\"message\":\"x\"}", "", "<html>x</html>"]) {
          const { call, stream } = yield* readCalls(combination, http(404, body))
          assert.deepStrictEqual([call._tag, stream._tag], ["TaskNotFoundError", "NotFoundError"])
        }
      }))

    it.effect(
      "errors within a stream have the reasons of calls, as named events and as plain ones",
      () => checkStreams(combination, events),
      covers("field:ERR-01", "field:ERR-02", "field:ADK-04")
    )

    it.effect("an error event with unreadable data ends the stream", () =>
      Effect.gen(function*() {
        const { first, later } = yield* readStreams(combination, () => "event: error\ndata: {\"oops\":true}\n\n")
        for (const reason of [first, later]) {
          assert.include(["UnknownError", "MalformedResponseError"], reason._tag)
          assert.deepStrictEqual(reason.details, { oops: true })
        }
        const text = yield* readStreams(combination, () => "event: error\ndata: oops\n\n")
        for (const reason of [text.first, text.later]) {
          assert.strictEqual(reason._tag, "MalformedResponseError")
          assert.include(reason.message, "oops")
        }
      }))
  })
}

const rpcRow = (name: string, httpStatus: number, error: object, expected: Expected): Row<Response> => [
  name,
  (asked) => http(httpStatus, rpcError(asked, error))(),
  expected
]

const rpcErrors: ReadonlyArray<Row<Response>> = [
  ...codes.flatMap(([_tag, code]) =>
    [200, 400, 500].map((status) =>
      rpcRow(`${code} in ${status}`, status, { code, message: "no" }, { _tag, message: "no" })
    )
  ),
  ...[[errorInfo("TASK_NOT_FOUND", { taskId: "t-1" })], { taskId: "t-1" }, "free text", null].map((data) => {
    const error = { code: -32001, message: "no", data }
    return rpcRow(`data ${JSON.stringify(data)}`, 200, error, {
      _tag: "TaskNotFoundError",
      message: "no",
      details: error
    })
  }),
  rpcRow(
    "the supported versions",
    200,
    { code: -32009, message: "no", data: [errorInfo("VERSION_NOT_SUPPORTED", { supportedVersions: "0.3" })] },
    { _tag: "VersionNotSupportedError", isRetryable: false, supportedVersions: ["0.3"] }
  ),
  rpcRow("an unknown code", 200, { code: -32099, message: "no" }, { _tag: "UnknownError", code: "-32099" }),
  [
    "a word beside the general code, under the id null",
    http(200, {
      jsonrpc: "2.0",
      id: null,
      error: { code: -32603, message: "no", data: [errorInfo("TASK_NOT_CANCELABLE")] }
    }),
    {
      _tag: "TaskNotCancelableError",
      details: { code: -32603, message: "no", data: [errorInfo("TASK_NOT_CANCELABLE")] }
    }
  ]
]

for (const combination of combinations.filter(isRpc)) {
  describe(`reading JSON-RPC errors of ${combination.protocol.version}`, () => {
    it.effect(
      "codes decide whatever the HTTP status, and data stay readable",
      () => checkCalls(combination, rpcErrors),
      {
        ...covers("field:ERR-04", "field:VER-05")
      }
    )

    it.effect("within a stream, in envelopes", () =>
      checkStreams(
        combination,
        codes.map(([_tag, code]) => [
          String(code),
          (asked) => rpcError(asked, { code, message: "no" }),
          { _tag, message: "no" }
        ])
      ), covers("field:ERR-01"))

    it.effect("anything but a JSON-RPC response is malformed", () =>
      checkCalls(
        combination,
        ["{}", "[]", "null", "1", "\"x\"", "{\"jsonrpc\":\"2.0\"}", "{\"result\":{}}"].map((body) => [
          body,
          http(200, body),
          { _tag: "MalformedResponseError" }
        ])
      ))
  })
}
