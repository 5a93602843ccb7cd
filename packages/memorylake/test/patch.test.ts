import { AgentError, Id, type Operation, Protocol, ServerHandler } from "@effect-a2a/core"
import { MemoryLake } from "@effect-a2a/memorylake"
import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Result from "effect/Result"
import { covers } from "../../../test/support/covers.ts"

const v1_0 = MemoryLake.servedProtocol(Protocol.v1_0)
const v0_3 = MemoryLake.servedProtocol(Protocol.v0_3)
const protocols: ReadonlyArray<Protocol.Protocol> = [v1_0, v0_3]

/** As it crosses the wire. */
const sent = (json: unknown): unknown => JSON.parse(JSON.stringify(json))

const decoded = (
  dialect: Protocol.Dialect,
  json: string,
  operation: "SendMessage" | "SendStreamingMessage" = "SendMessage"
) => dialect.request[operation]!.decode(JSON.parse(json))
const request = (dialect: Protocol.Dialect, json: string): Operation.SendMessageRequest =>
  Result.getOrThrow(decoded(dialect, json))
const violation = (dialect: Protocol.Dialect, json: string) =>
  Result.getOrThrow(Result.flip(decoded(dialect, json)))[0]?.field

const written = (reason: AgentError.AgentErrorReason) => ServerHandler.fromReason(reason)

/** An A2A error document in a string, as seen in production. */
const notCancelable =
  `{"success":false,"error_code":"INVALID_ARGUMENT","message":"{\\"error\\":{\\"code\\":400,\\"status\\":\\"FAILED_PRECONDITION\\",\\"message\\":\\"Task cannot be canceled: state 3\\",\\"details\\":[{\\"@type\\":\\"type.googleapis.com/google.rpc.ErrorInfo\\",\\"reason\\":\\"TASK_NOT_CANCELABLE\\",\\"domain\\":\\"a2a-protocol.org\\",\\"metadata\\":{}}]}}"}`

describe("MemoryLake.protocol decodes refusals", () => {
  it("from the service's own body, by its code", covers("ML-33"), () => {
    for (const { http } of protocols) {
      for (
        const code of [
          "INVALID_ARGUMENT",
          "QUOTA_EXCEEDED",
          "ACCESS_DENIED",
          "NOT_FOUND",
          "STATE_NOT_READY",
          "ACTOR_INACTIVE",
          "RATE_LIMIT_EXCEEDED"
        ]
      ) {
        const failure = http.failure.decode(JSON.parse(`{"success":false,"message":"no","error_code":"${code}"}`))
        assert.deepInclude(failure, { message: "no", reason: code })
      }
      assert.isUndefined(http.failure.decode(JSON.parse(`{"task":{"id":"run-1"}}`)))
    }
  })

  it("from an A2A error inside the message first, over REST and in JSON-RPC errors", covers("ML-34"), () => {
    for (const { http, jsonRpc } of protocols) {
      const expected = { message: "Task cannot be canceled: state 3", reason: "TASK_NOT_CANCELABLE" }
      assert.deepInclude(http.failure.decode(JSON.parse(notCancelable)), expected)
      assert.deepInclude(jsonRpc.failure.decode({ code: -32603, message: JSON.parse(notCancelable).message }), expected)
    }
  })

  it("with the message as it is if it only looks like an error document", covers("ML-34"), () => {
    for (const message of ["{not json", "{}", `{"errors":1}`]) {
      const failure = v1_0.http.failure.decode({ success: false, error_code: "ACCESS_DENIED", message })
      assert.deepInclude(failure, { message, reason: "ACCESS_DENIED" })
    }
  })

  it("from other bodies as the protocol version does", () => {
    const body = {
      error: {
        code: 404,
        message: "gone",
        details: [{
          "@type": "type.googleapis.com/google.rpc.ErrorInfo",
          reason: "TASK_NOT_FOUND",
          domain: "a2a-protocol.org"
        }]
      }
    }
    assert.strictEqual(v1_0.http.failure.decode(body)?.reason, "TASK_NOT_FOUND")
    assert.strictEqual(v0_3.jsonRpc.failure.decode({ code: -32001, message: "gone" }).code, -32001)
  })
})

describe("MemoryLake.protocol encodes refusals", () => {
  const policy = [
    [new AgentError.InvalidArgumentError({ message: "busy" }), 400, "INVALID_ARGUMENT"],
    [new AgentError.StateNotReadyError({ message: "no actor" }), 400, "STATE_NOT_READY"],
    [new AgentError.ActorInactiveError({ message: "deleted" }), 400, "ACTOR_INACTIVE"],
    [new AgentError.UnauthenticatedError({ message: "no key" }), 401, "UNAUTHENTICATED"],
    [new AgentError.QuotaExceededError({ message: "used up" }), 402, "QUOTA_EXCEEDED"],
    [new AgentError.AccessDeniedError({ message: "no" }), 403, "ACCESS_DENIED"],
    [new AgentError.NotFoundError({ message: "no agent" }), 404, "NOT_FOUND"],
    [new AgentError.RateLimitError({ message: "slower", retryAfter: Duration.seconds(2) }), 429, "RATE_LIMIT_EXCEEDED"]
  ] as const

  for (const [reason, status, code] of policy) {
    it(`with ${code} as HTTP ${status} and the same body over both bindings`, covers("ML-33", "ML-35"), () => {
      for (const { http, jsonRpc } of protocols) {
        const body = { success: false, message: reason.message, error_code: code }
        assert.deepStrictEqual(sent(http.failure.encode(written(reason))), { status, body })
        assert.deepStrictEqual(sent(jsonRpc.failure.encode(written(reason))), { _tag: "Response", status, body })
        assert.strictEqual(http.failure.decode(body)?.reason, code)
      }
    })
  }

  it("of the agent as documents inside the body over REST, and decodes them again", covers("ML-34"), () => {
    const reason = new AgentError.TaskNotCancelableError({ message: "Task cannot be canceled" })
    for (const { http } of protocols) {
      const { body, status } = http.failure.encode(written(reason))
      assert.strictEqual(status, 400)
      assert.deepInclude(body, { success: false, error_code: "INVALID_ARGUMENT" })
      assert.strictEqual(
        JSON.parse((body as { message: string }).message).error.details[0].reason,
        "TASK_NOT_CANCELABLE"
      )
      assert.deepInclude(http.failure.decode(sent(body)), { reason: "TASK_NOT_CANCELABLE", message: reason.message })
    }
    const missing = v1_0.http.failure.encode(written(new AgentError.TaskNotFoundError({ message: "gone" })))
    assert.deepInclude(missing.body, { error_code: "NOT_FOUND" })
    assert.strictEqual(missing.status, 404)
  })

  it("over JSON-RPC as errors in HTTP 200, in 0.3 always -32603, and decodes the same reason", covers("ML-35"), () => {
    const refusal = written(new AgentError.TaskNotCancelableError({ message: "no" }))
    for (const [{ jsonRpc }, code] of [[v1_0, -32002], [v0_3, -32603]] as const) {
      const answer = jsonRpc.failure.encode(refusal)
      assert.strictEqual(answer._tag, "Error")
      assert.strictEqual(answer.status, 200)
      if (answer._tag === "Error") {
        assert.deepInclude(answer.error, { code, message: "no" })
        assert.strictEqual(jsonRpc.failure.decode(sent(answer.error)).reason, "TASK_NOT_CANCELABLE")
      }
    }
    const unnamed = v0_3.jsonRpc.failure.encode(written(new AgentError.TaskNotFoundError({ message: "gone" })))
    assert.deepInclude(unnamed._tag === "Error" ? unnamed.error : {}, { code: -32603 })
  })
})

describe("MemoryLake.protocol decodes requests", () => {
  const v1 = (message: string, rest = "") =>
    `{"message":{"role":"ROLE_USER",${message}},"metadata":{"memorylake":{}}${rest}}`
  const text = `[{"text":"hi"}]`
  const kinds = `{"message":{"role":"user","parts":[{"kind":"text","text":"hi"}]},"metadata":{"memorylake":{}}}`

  it("without a message id, as documented, in all three dialects", covers("ML-06"), () => {
    for (
      const read of [
        request(v1_0.rest.dialect, v1(`"parts":${text}`)),
        request(v1_0.jsonRpc.dialect, v1(`"parts":${text}`)),
        request(v0_3.rest.dialect, v1(`"content":${text}`)),
        request(v0_3.jsonRpc.dialect, kinds)
      ]
    ) {
      assert.deepInclude(read.message, {
        role: "user",
        parts: [{ _tag: "Text", text: "hi" }],
        messageId: MemoryLake.missingMessageId
      })
      assert.deepStrictEqual(read.metadata, { memorylake: {} })
    }
    assert.strictEqual(
      request(v1_0.rest.dialect, v1(`"messageId":"m","parts":${text}`)).message.messageId as string,
      "m"
    )
  })

  it("and refuses a body of the other protocol version", covers("ML-06"), () => {
    assert.strictEqual(violation(v1_0.rest.dialect, v1(`"content":${text}`)), "message.content")
    assert.strictEqual(violation(v0_3.rest.dialect, v1(`"parts":${text}`)), "message.parts")
    const streamed = decoded(v1_0.rest.dialect, v1(`"content":${text}`), "SendStreamingMessage")
    assert.isTrue(Result.isFailure(streamed))
  })

  it("of 0.3 REST without waiting and without history by default", covers("ML-07"), () => {
    assert.deepStrictEqual(request(v0_3.rest.dialect, v1(`"content":${text}`)).configuration, {
      historyLength: 0,
      returnImmediately: true
    })
    const told = v1(`"content":${text}`, `,"configuration":{"blocking":true,"historyLength":10}`)
    assert.deepStrictEqual(request(v0_3.rest.dialect, told).configuration, {
      historyLength: 10,
      returnImmediately: false
    })
    assert.isUndefined(request(v0_3.jsonRpc.dialect, kinds).configuration?.historyLength)
    assert.notStrictEqual(request(v0_3.jsonRpc.dialect, kinds).configuration?.returnImmediately, true)
    assert.isUndefined(request(v1_0.rest.dialect, v1(`"parts":${text}`)).configuration?.historyLength)
  })

  it("of 1.0 without regard to `blocking`", covers("ML-07"), () => {
    const configuration =
      request(v1_0.rest.dialect, v1(`"parts":${text}`, `,"configuration":{"blocking":false}`)).configuration
    assert.isUndefined(configuration?.returnImmediately)
  })
})

describe("MemoryLake.protocol", () => {
  it("writes no timestamp into the result of Get over 0.3 REST", covers("ML-37"), () => {
    const task =
      `{"id":"run-1","contextId":"c","status":{"state":"TASK_STATE_CANCELLED","timestamp":"2026-01-02T03:04:05Z"}}`
    const canonical = Result.getOrThrow(v0_3.rest.dialect.success.GetTask!.decode(JSON.parse(task)))
    assert.strictEqual(canonical.status.state, "canceled")
    const status = (dialect: Protocol.Dialect) =>
      (sent(Result.getOrThrow(dialect.success.GetTask!.encode(canonical))) as { status: object }).status
    assert.deepStrictEqual(status(v0_3.rest.dialect), { state: "TASK_STATE_CANCELLED" })
    assert.hasAllKeys(status(v1_0.rest.dialect), ["state", "timestamp"])
    assert.hasAllKeys(status(v0_3.jsonRpc.dialect), ["state", "timestamp"])
  })

  it("subscribes by GET first, then by POST", covers("ML-29"), () => {
    for (const { rest } of protocols) {
      assert.deepStrictEqual(rest.routes.SubscribeToTask?.map(({ method }) => method), ["GET", "POST"])
    }
  })

  it("requires no version of requests in 1.0", covers("ML-05"), () => {
    assert.isFalse(v1_0.versionRequired)
    assert.strictEqual(v1_0.version, "1.0")
  })

  it("decodes the requests that it encodes, in every combination", () => {
    const canonical: Operation.SendMessageRequest = {
      message: {
        _tag: "Message",
        messageId: Id.MessageId.make("m"),
        role: "user",
        parts: [{ _tag: "Text", text: "hi" }]
      },
      configuration: { historyLength: 3, returnImmediately: false },
      metadata: { memorylake: { skipMemory: true } }
    }
    for (const { jsonRpc, rest } of protocols) {
      for (const { dialect } of [rest, jsonRpc]) {
        const codec = dialect.request.SendMessage!
        assert.deepStrictEqual(
          Result.getOrThrow(codec.decode(sent(Result.getOrThrow(codec.encode(canonical))))),
          canonical
        )
      }
    }
  })
})
