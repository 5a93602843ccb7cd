/** Every body that a refusal comes in, in every cell, before a stream and within one. */
import { Agent, type AgentError, Id } from "@effect-a2a/core"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Layer, Stream } from "effect"
import { type Asked, type Cell, cells, chunks, frame, isRpc, result, rpcError, talkTo } from "../support/peer.ts"

const taskId = Id.TaskId.make("t-1")

interface Expected {
  readonly tag: AgentError.AgentErrorReason["_tag"]
  readonly code?: string
  readonly status?: number
  readonly message?: string
  readonly retryAfter?: Duration.Duration
  readonly violations?: ReadonlyArray<AgentError.Violation>
  readonly challenge?: string
  readonly isRetryable?: boolean
}

const check = (reason: AgentError.AgentErrorReason, expected: Expected, details?: unknown) => {
  const { tag, ...fields } = expected
  const told = Object.fromEntries(Object.keys(fields).map((name) => [name, (reason as any)[name]]))
  // what a gateway that gave up on a message says goes on with a warning of this side's (RETRY-01)
  if ("messageId" in reason && typeof told.message === "string") {
    told.message = told.message.split("; outcome unknown")[0]
  }
  assert.deepStrictEqual({ tag: reason._tag, ...told }, { tag, ...fields })
  if (details !== undefined) assert.deepStrictEqual(reason.details, details)
}

/** What a peer's answer comes to, for a unary call on a task and for a streaming one that names none. */
const reasons = Effect.fnUntraced(function*(cell: Cell, answer: (asked: Asked) => Response) {
  const { layer } = talkTo(cell, answer)
  const agent = Agent.layer.pipe(Layer.provide(layer))
  const call = yield* Effect.flip(Agent.getTask(taskId)).pipe(Effect.provide(agent))
  const stream = yield* Effect.flip(Stream.runDrain(Agent.stream("hi"))).pipe(Effect.provide(agent))
  return { call: call.reason, stream: stream.reason }
})

const http = (status: number, body: string, headers: Record<string, string> = {}) => () =>
  new Response(body, { status, headers: { "content-type": "application/json", ...headers } })

const info = (reason: string, metadata: Record<string, string> = {}) => ({
  "@type": "type.googleapis.com/google.rpc.ErrorInfo",
  reason,
  domain: "a2a-protocol.org",
  metadata
})

/** §4.1: name, JSON-RPC code, HTTP status now and in 1.0.0, word. */
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

/** §4.2 */
const standard = [
  ["InvalidParamsError", -32700, 400, "INVALID_REQUEST"],
  ["InvalidParamsError", -32600, 400, "INVALID_REQUEST"],
  ["MethodNotFoundError", -32601, 404, "METHOD_NOT_FOUND"],
  ["InvalidParamsError", -32602, 400, "INVALID_PARAMS"],
  ["InternalError", -32603, 500, "INTERNAL_ERROR"]
] as const

const codes: ReadonlyArray<readonly [AgentError.AgentErrorReason["_tag"], number]> = [
  ...a2a.map(([tag, code]) => [tag, code] as const),
  ...standard.map(([tag, code]) => [tag, code] as const)
]

for (const cell of cells) {
  describe(`refusals over HTTP, ${cell.name}`, () => {
    const both = (title: string, answer: (asked: Asked) => Response, expected: Expected, details?: unknown) =>
      it.effect(title, () =>
        Effect.gen(function*() {
          const { call, stream } = yield* reasons(cell, answer)
          check(call, expected, details)
          check(stream, expected, details)
        }))

    for (const [tag, , now, before, word] of a2a) {
      for (const status of new Set([now, before])) {
        const error = { code: status, status: "X", message: "no", details: [info(word, { a: "b" })] }
        both(
          `§4.1 §4.3 C15: ${word} with ${status}`,
          http(status, JSON.stringify({ error })),
          { tag, code: word, status, message: "no", isRetryable: false },
          error
        )
      }
    }

    for (const [tag, , status, word] of standard) {
      const error = { code: status, status: "X", message: "no", details: [info(word)] }
      both(`§4.2: ${word} with ${status}`, http(status, JSON.stringify({ error })), { tag, status })
    }

    it.effect("§4.3: which members are wrong, and when to come again", () =>
      Effect.gen(function*() {
        const error = {
          code: 400,
          status: "INVALID_ARGUMENT",
          message: "no",
          details: [
            {
              "@type": "type.googleapis.com/google.rpc.BadRequest",
              fieldViolations: [{ field: "message.parts", description: "empty" }]
            },
            { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "1.5s" }
          ]
        }
        const { call } = yield* reasons(cell, http(400, JSON.stringify({ error })))
        check(call, {
          tag: "InvalidParamsError",
          violations: [{ field: "message.parts", description: "empty" }],
          retryAfter: Duration.millis(1500)
        })
      }))

    both(
      "ERR-05: an ErrorInfo of the protocol's domain wins over others",
      http(
        400,
        JSON.stringify({
          error: { code: 400, message: "no", details: [{ ...info("OTHER"), domain: "x.test" }, info("TASK_NOT_FOUND")] }
        })
      ),
      { tag: "TaskNotFoundError", status: 400 }
    )
    both(
      "an unknown word falls back on the status, and is kept",
      http(403, JSON.stringify({ error: { code: 403, message: "no", details: [info("ORG_LOCKED")] } })),
      { tag: "AccessDeniedError", code: "ORG_LOCKED", status: 403 }
    )
    both(
      "an unknown word with an unknown status is an unknown error with both",
      http(418, JSON.stringify({ error: { code: 418, message: "tea", details: [info("TEAPOT")] } })),
      { tag: "UnknownError", code: "TEAPOT", status: 418, message: "tea" }
    )

    for (const [tag, code] of codes) {
      const body = { code, message: "no", data: { k: 1 } }
      both(`§4.5: bare ${code}`, http(400, JSON.stringify(body)), { tag, status: 400, message: "no" }, body)
    }

    both("§4.5: a class name", http(500, JSON.stringify({ type: "TaskNotFoundError", message: "gone" })), {
      tag: "TaskNotFoundError",
      status: 500,
      message: "gone"
    })
    for (
      const [status, tag] of [
        [400, "InvalidArgumentError"],
        [401, "UnauthenticatedError"],
        [403, "AccessDeniedError"],
        [409, "UnknownError"],
        [415, "ContentTypeNotSupportedError"],
        [422, "InvalidArgumentError"],
        [500, "InternalError"],
        [501, "MethodNotFoundError"],
        [502, "ServiceUnavailableError"]
      ] as const
    ) {
      both(`§4.5: a message alone with ${status}`, http(status, JSON.stringify({ message: "no" })), {
        tag,
        status,
        message: "no"
      })
    }

    it.effect("§4.5: 404 on a task is the task's, elsewhere it is not", () =>
      Effect.gen(function*() {
        for (const body of ["{\"message\":\"x\"}", "", "<html>x</html>"]) {
          const { call, stream } = yield* reasons(cell, http(404, body))
          assert.deepStrictEqual([call._tag, stream._tag], ["TaskNotFoundError", "NotFoundError"])
        }
      }))

    both(
      "FastAPI's list of problems",
      http(422, JSON.stringify({ detail: [{ loc: ["body", "message", "parts"], msg: "field required" }] })),
      {
        tag: "InvalidParamsError",
        status: 422,
        message: "field required",
        violations: [{ field: "message.parts", description: "field required" }]
      }
    )

    both(
      "ERR-10: problem details by their type",
      http(
        404,
        JSON.stringify({
          type: "https://a2a-protocol.org/errors/task-not-found",
          title: "Task Not Found",
          status: 404
        }),
        { "content-type": "application/problem+json" }
      ),
      { tag: "TaskNotFoundError", status: 404, message: "Task Not Found" }
    )
    both(
      "ERR-10: problem details of an unknown type",
      http(418, JSON.stringify({ type: "about:blank", title: "Teapot", status: 418 }), {
        "content-type": "application/problem+json"
      }),
      { tag: "UnknownError", status: 418, message: "Teapot" }
    )

    both(
      "§4.6: 401 and its challenge",
      http(401, "", { "www-authenticate": "Bearer realm=\"x\"", "content-type": "text/plain" }),
      { tag: "UnauthenticatedError", status: 401, challenge: "Bearer realm=\"x\"", isRetryable: false }
    )

    for (
      const [status, tag, isRetryable] of [
        [403, "AccessDeniedError", false],
        [402, "QuotaExceededError", false],
        [429, "RateLimitError", true],
        [500, "InternalError", false],
        [503, "ServiceUnavailableError", true],
        [504, "ServiceUnavailableError", true],
        [408, "ServiceUnavailableError", true],
        [522, "ServiceUnavailableError", true],
        [529, "ServiceUnavailableError", true]
      ] as const
    ) {
      for (
        const [name, body, type] of [["empty", "", "text/plain"], ["HTML", "<html>no</html>", "text/html"]] as const
      ) {
        both(
          `§4.6 ERR-11: ${status}, ${name}, with Retry-After`,
          http(status, body, { "content-type": type, "retry-after": "2" }),
          { tag, status, isRetryable, retryAfter: Duration.seconds(2) }
        )
      }
    }

    both(
      "ERR-11: of a long page a few hundred characters are kept",
      http(503, `<html>${"x".repeat(10_000)}`, { "content-type": "text/html" }),
      { tag: "ServiceUnavailableError", message: `<html>${"x".repeat(194)}…` }
    )
    both(
      "Retry-After as a date, seen from the test clock's 1970",
      http(429, "", { "retry-after": "Thu, 01 Jan 1970 00:01:00 GMT" }),
      { tag: "RateLimitError", retryAfter: Duration.minutes(1) }
    )
    both("Retry-After that is nonsense", http(429, "", { "retry-after": "soon" }), {
      tag: "RateLimitError",
      retryAfter: undefined as never
    })
  })

  describe(`refusals in a stream, ${cell.name}`, () => {
    /** What a frame within the stream comes to, as the first one and after an event. */
    const within = Effect.fnUntraced(function*(text: (asked: Asked) => string) {
      const working = {
        kind: "status-update",
        final: false,
        taskId: "t-1",
        contextId: "c-1",
        status: { state: cell.name === "0.3 JSONRPC" ? "working" : "TASK_STATE_WORKING" }
      }
      const event = cell.name === "0.3 JSONRPC" ? working : { statusUpdate: working }
      const ends = []
      for (const before of [false, true]) {
        const { layer } = talkTo(
          cell,
          (asked) => chunks([...before ? [frame(result(cell, asked, event))] : [], text(asked)])
        )
        let events = 0
        const error = yield* Agent.stream("hi").pipe(
          Stream.runForEach(() => Effect.sync(() => (events += 1))),
          Effect.flip,
          Effect.provide(Agent.layer.pipe(Layer.provide(layer)))
        )
        assert.strictEqual(events, before ? 1 : 0)
        ends.push(error.reason)
      }
      return ends
    })

    const ways = (json: (asked: Asked) => string): ReadonlyArray<(asked: Asked) => string> => [
      (asked) => `event: error\n${frame(json(asked))}`,
      (asked) => frame(json(asked))
    ]

    for (const [tag, , status, , word] of a2a) {
      it.effect(`§4.7 ERR-01 ERR-02: ${word}, named and unnamed`, () =>
        Effect.gen(function*() {
          const error = { code: status, status: "X", message: "no", details: [info(word)] }
          for (const way of ways(() => JSON.stringify({ error }))) {
            for (const reason of yield* within(way)) check(reason, { tag, status, message: "no" }, error)
          }
        }))
    }

    for (const [tag, code] of codes) {
      it.effect(`§4.7: ${code}, bare and in an envelope, named and unnamed`, () =>
        Effect.gen(function*() {
          for (const way of ways(() => JSON.stringify({ code, message: "no" }))) {
            for (const reason of yield* within(way)) check(reason, { tag, message: "no" })
          }
          if (!isRpc(cell)) return
          for (const way of ways((asked) => rpcError(asked, { code, message: "no" }))) {
            for (const reason of yield* within(way)) check(reason, { tag, message: "no" })
          }
        }))
    }

    it.effect("ERR-02, field case ADK-04: an error that is but a text", () =>
      Effect.gen(function*() {
        for (const way of ways(() => "{\"error\":\"boom\"}")) {
          for (const reason of yield* within(way)) check(reason, { tag: "UnknownError", message: "boom" })
        }
      }))

    it.effect("§4.7: an error event whose data says nothing known still ends the stream", () =>
      Effect.gen(function*() {
        for (const reason of yield* within(() => "event: error\ndata: {\"oops\":true}\n\n")) {
          assert.include(["UnknownError", "MalformedResponseError"], reason._tag)
          assert.deepStrictEqual(reason.details, { oops: true })
        }
        for (const reason of yield* within(() => "event: error\ndata: oops\n\n")) {
          assert.strictEqual(reason._tag, "MalformedResponseError")
          assert.include(reason.message, "oops")
        }
      }))
  })

  if (isRpc(cell)) {
    describe(`JSON-RPC errors, ${cell.name}`, () => {
      for (const [tag, code] of codes) {
        for (const status of [200, 400, 500]) {
          it.effect(`C22 §4.4: ${code} in ${status}`, () =>
            Effect.gen(function*() {
              const { call, stream } = yield* reasons(cell, (asked) =>
                http(status, rpcError(asked, { code, message: "no" }))())
              for (const reason of [call, stream]) {
                check(reason, { tag, message: "no" })
              }
            }))
        }
      }

      it.effect("ERR-04: three forms of data, all kept", () =>
        Effect.gen(function*() {
          for (const data of [[info("TASK_NOT_FOUND", { taskId: "t-1" })], { taskId: "t-1" }, "free text", null]) {
            const error = { code: -32001, message: "no", data }
            const { call } = yield* reasons(cell, (asked) => http(200, rpcError(asked, error))())
            check(call, { tag: "TaskNotFoundError", message: "no" }, error)
          }
        }))

      it.effect("§4.4: the word in data wins over the one code that some peers know; an id of null is nobody else's", () =>
        Effect.gen(function*() {
          const error = { code: -32603, message: "no", data: [info("TASK_NOT_CANCELABLE")] }
          const { call } = yield* reasons(cell, http(200, JSON.stringify({ jsonrpc: "2.0", id: null, error })))
          check(call, { tag: "TaskNotCancelableError" }, error)
        }))

      it.effect("VER-05: the versions that a peer supports can be read", () =>
        Effect.gen(function*() {
          const data = [info("VERSION_NOT_SUPPORTED", { supportedVersions: "0.3" })]
          const { call } = yield* reasons(cell, (asked) =>
            http(200, rpcError(asked, { code: -32009, message: "no", data }))())
          check(call, { tag: "VersionNotSupportedError", isRetryable: false })
          assert.strictEqual((call.details as any).data[0].metadata.supportedVersions, "0.3")
        }))

      it.effect("an unknown code is an unknown error that keeps it", () =>
        Effect.gen(function*() {
          const { call } = yield* reasons(
            cell,
            (asked) => http(200, rpcError(asked, { code: -32099, message: "no" }))()
          )
          check(call, { tag: "UnknownError", code: "-32099" })
        }))

      it.effect("what is no JSON-RPC response in a 200", () =>
        Effect.gen(function*() {
          for (const body of ["{}", "[]", "null", "1", "\"x\"", "{\"jsonrpc\":\"2.0\"}", "{\"result\":{}}"]) {
            const { call } = yield* reasons(cell, http(200, body))
            assert.strictEqual(call._tag, "MalformedResponseError", body)
          }
        }))
    })
  }
}
