import * as AgentError from "@effect-a2a/core/AgentError"
import * as Protocol from "@effect-a2a/core/Protocol"
import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import { covers } from "../../../../test/support/covers.ts"
import { fromReason, toReason } from "../../src/internal/protocol/failure.ts"

const { v0_3, v1_0 } = Protocol
const ofTask = { ofTask: true, dialect: "A2A" }
const notOfTask = { ofTask: false, dialect: "A2A" }
const rest = (body: unknown, protocol: Protocol.Protocol = v1_0) => protocol.rest.failure.decode(body)
const tagOf = (failure: Protocol.WireFailure | undefined, context = ofTask) =>
  failure === undefined ? undefined : toReason(failure, context)._tag
const info = (reason: string) => ({
  "@type": "type.googleapis.com/google.rpc.ErrorInfo",
  reason,
  domain: "a2a-protocol.org"
})

/**
 * The reasons that a peer gives: word, HTTP status, google.rpc name and JSON-RPC code (none: HTTP alone carries it), and
 * whether 0.3 adds `data`, as it does if the code does not say it all (A2A 1.0.1 §5.4, JSON-RPC 2.0 §5.1).
 */
const table = [
  ["UnauthenticatedError", "UNAUTHENTICATED", 401, "UNAUTHENTICATED"],
  ["AccessDeniedError", "ACCESS_DENIED", 403, "PERMISSION_DENIED"],
  ["RateLimitError", "RATE_LIMIT_EXCEEDED", 429, "RESOURCE_EXHAUSTED"],
  ["QuotaExceededError", "QUOTA_EXCEEDED", 402, "RESOURCE_EXHAUSTED"],
  ["ServiceUnavailableError", "SERVICE_UNAVAILABLE", 503, "UNAVAILABLE"],
  ["InvalidArgumentError", "INVALID_ARGUMENT", 400, "INVALID_ARGUMENT", -32602, "data"],
  ["NotFoundError", "NOT_FOUND", 404, "NOT_FOUND", -32001, "data"],
  ["StateNotReadyError", "STATE_NOT_READY", 400, "FAILED_PRECONDITION", -32602, "data"],
  ["ActorInactiveError", "ACTOR_INACTIVE", 400, "FAILED_PRECONDITION", -32602, "data"],
  ["TaskNotFoundError", "TASK_NOT_FOUND", 404, "NOT_FOUND", -32001],
  ["TaskNotCancelableError", "TASK_NOT_CANCELABLE", 400, "FAILED_PRECONDITION", -32002],
  ["PushNotificationNotSupportedError", "PUSH_NOTIFICATION_NOT_SUPPORTED", 400, "FAILED_PRECONDITION", -32003],
  ["UnsupportedOperationError", "UNSUPPORTED_OPERATION", 400, "FAILED_PRECONDITION", -32004],
  ["ContentTypeNotSupportedError", "CONTENT_TYPE_NOT_SUPPORTED", 400, "INVALID_ARGUMENT", -32005],
  ["InvalidAgentResponseError", "INVALID_AGENT_RESPONSE", 500, "INTERNAL", -32006],
  ["ExtendedAgentCardNotConfiguredError", "EXTENDED_AGENT_CARD_NOT_CONFIGURED", 400, "FAILED_PRECONDITION", -32007],
  ["ExtensionSupportRequiredError", "EXTENSION_SUPPORT_REQUIRED", 400, "FAILED_PRECONDITION", -32008],
  ["VersionNotSupportedError", "VERSION_NOT_SUPPORTED", 400, "FAILED_PRECONDITION", -32009],
  ["InvalidParamsError", "INVALID_PARAMS", 400, "INVALID_ARGUMENT", -32602],
  ["MethodNotFoundError", "METHOD_NOT_FOUND", 404, "NOT_FOUND", -32601],
  ["InternalError", "INTERNAL_ERROR", 500, "INTERNAL", -32603]
] as const satisfies ReadonlyArray<
  readonly [AgentError.AgentErrorReason["_tag"], string, number, string, number?, "data"?]
>

const message = "because"

/** Both halves of a binding's refusals, for each row: the written form, and the reason that it is read as. */
const halves = (
  write: (failure: Protocol.WireFailure) => unknown,
  read: (written: any) => Protocol.WireFailure | undefined
) =>
  Object.fromEntries(table.map(([tag]) => {
    const written = write(fromReason(AgentError.reason(tag, { message })))
    return [tag, [written, tagOf(read(written))]]
  }))

const readRefusal = (protocol: Protocol.Protocol) => (refusal: Protocol.WireRefusal) =>
  refusal._tag === "Error" ? protocol.jsonRpc.failure.decode(refusal.error) : rest(refusal.body, protocol)

describe("the table of reasons, written and read", () => {
  it("1.0 over REST", () => {
    assert.deepStrictEqual(
      halves(v1_0.rest.failure.encode, ({ body }) => rest(body)),
      Object.fromEntries(table.map(([tag, word, status, name]) => [
        tag,
        [{ status, body: { error: { code: status, status: name, message, details: [info(word)] } } }, tag]
      ]))
    )
  })

  it("1.0 over JSON-RPC", () => {
    assert.deepStrictEqual(
      halves(v1_0.jsonRpc.failure.encode, readRefusal(v1_0)),
      Object.fromEntries(table.map(([tag, word, status, name, code]) => [tag, [
        code === undefined
          ? {
            _tag: "Response",
            status,
            body: { error: { code: status, status: name, message, details: [info(word)] } }
          }
          : { _tag: "Error", status: 200, error: { code, message, data: [info(word)] } },
        tag
      ]]))
    )
  })

  const bare = (word: string, code: number | undefined, data: "data" | undefined) => ({
    code: code ?? -32603,
    message,
    ...(code === undefined || data === "data" ? { data: [info(word)] } : undefined)
  })

  it("0.3 over REST", () => {
    assert.deepStrictEqual(
      halves(v0_3.rest.failure.encode, ({ body }) => rest(body, v0_3)),
      Object.fromEntries(
        table.map(([tag, word, status, , code, data]) => [tag, [{ status, body: bare(word, code, data) }, tag]])
      )
    )
  })

  it("0.3 over JSON-RPC", () => {
    assert.deepStrictEqual(
      halves(v0_3.jsonRpc.failure.encode, readRefusal(v0_3)),
      Object.fromEntries(table.map(([tag, word, status, , code, data]) => [tag, [
        code === undefined
          ? { _tag: "Response", status, body: bare(word, code, data) }
          : { _tag: "Error", status: 200, error: bare(word, code, data) },
        tag
      ]]))
    )
  })

  it("violations and delays are written and read", () => {
    const violations = [{ field: "message.parts", description: "must not be empty" }]
    const invalid = fromReason(new AgentError.InvalidParamsError({ message: "no", violations }))
    const limited = fromReason(AgentError.reason("RateLimitError", { message: "slow", retryAfter: "1.5 seconds" }))
    for (const protocol of [v1_0, v0_3]) {
      const reason = toReason(rest(protocol.rest.failure.encode(invalid).body)!, ofTask)
      assert.deepStrictEqual(reason._tag === "InvalidParamsError" && reason.violations, violations)
      const wait = toReason(rest(protocol.rest.failure.encode(limited).body)!, ofTask).retryAfter
      assert.strictEqual(wait === undefined ? undefined : Duration.toMillis(wait), 1500)
    }
  })

  it("reasons that are raised on this side are internal errors for the caller of a server", () => {
    const { body, status } = v1_0.rest.failure.encode(fromReason(new AgentError.ConnectionError({ message: "gone" })))
    assert.strictEqual(status, 500)
    assert.strictEqual(tagOf(rest(body)), "InternalError")
  })

  it("a malformed response names its dialect", () => {
    const reason = toReason({ message: "no envelope", isMalformed: true }, { ofTask: false, dialect: "A2A 0.3 REST" })
    assert.deepInclude({ ...reason }, { _tag: "MalformedResponseError", dialect: "A2A 0.3 REST", issue: "no envelope" })
  })
})

describe("the bodies of peers", () => {
  it("a status object as a plain event", covers("field:ERR-02"), () => {
    const body = { error: { code: 404, status: "NOT_FOUND", message: "x", details: [info("TASK_NOT_FOUND")] } }
    const failure = rest(body)
    assert.deepInclude(failure, { message: "x", status: 404, reason: "TASK_NOT_FOUND", details: body.error })
    assert.strictEqual(tagOf(failure, notOfTask), "TaskNotFoundError")
    assert.deepStrictEqual(rest({ error: "text" }), { message: "text", details: "text" })
    assert.strictEqual(tagOf(rest({ error: "text" })), "UnknownError")
  })

  it("three shapes of data, all kept", covers("field:ERR-04"), () => {
    const decode = v1_0.jsonRpc.failure.decode
    const error = (data: unknown) => ({ code: -32001, message: "x", data })
    for (const data of [[info("TASK_NOT_FOUND")], { taskId: "t-1" }, "free text", null]) {
      const failure = decode(error(data))
      assert.strictEqual(tagOf(failure), "TaskNotFoundError")
      assert.deepStrictEqual(failure.details, error(data) as any)
    }
    assert.strictEqual(decode("broken").message, "broken")
    assert.strictEqual(decode({ code: -32603, data: "free text" }).message, "free text")
    assert.isTrue(Schema.is(Schema.String)(decode(null).message))
  })

  it("problem details by their type", covers("field:ERR-10"), () => {
    const failure = rest({
      type: "https://a2a-protocol.org/errors/task-not-found",
      title: "Task Not Found",
      status: 404
    })
    assert.deepInclude(failure, { reason: "TASK_NOT_FOUND", message: "Task Not Found", status: 404 })
    assert.strictEqual(tagOf(rest({ type: "TaskNotCancelableError", message: "x" })), "TaskNotCancelableError")
    const unknown = toReason(rest({ type: "https://errors.test/teapot", title: "Teapot", status: 418 })!, ofTask)
    assert.deepInclude({ ...unknown }, { _tag: "UnknownError", code: "418", status: 418 })
    assert.strictEqual(unknown.message, "Teapot")
  })

  it("bare codes, bare messages and the details of FastAPI", () => {
    assert.strictEqual(tagOf(rest({ code: -32002, message: "x" }, v0_3)), "TaskNotCancelableError")
    assert.strictEqual(rest({ message: "no such task" }, v0_3)?.message, "no such task")
    assert.strictEqual(rest({ detail: "Not Found" })?.message, "Not Found")
    const failure = rest({ detail: [{ loc: ["body", "message", "parts"], msg: "required" }] })
    assert.deepStrictEqual(failure?.violations, [{ field: "message.parts", description: "required" }])
    assert.strictEqual(tagOf({ ...failure!, status: 422 }), "InvalidParamsError")
  })

  it("words decide before codes, codes before statuses", () => {
    const base = { message: "x" }
    assert.strictEqual(
      tagOf({ ...base, reason: "TASK_NOT_CANCELABLE", code: -32001, status: 404 }),
      "TaskNotCancelableError"
    )
    assert.strictEqual(tagOf({ ...base, code: -32004, status: 404 }), "UnsupportedOperationError")
    assert.strictEqual(tagOf({ ...base, status: 404 }), "TaskNotFoundError")
    assert.strictEqual(tagOf({ ...base, status: 404 }, notOfTask), "NotFoundError")
    const vendor = toReason({ ...base, reason: "DRIVE_ITEM_CONFLICT" }, ofTask)
    assert.deepStrictEqual([vendor._tag, vendor.code], ["UnknownError", "DRIVE_ITEM_CONFLICT"])
    const more = toReason({ ...base, reason: "DRIVE_ITEM_CONFLICT", status: 403 }, ofTask)
    assert.deepStrictEqual([more._tag, more.code], ["AccessDeniedError", "DRIVE_ITEM_CONFLICT"])
    assert.strictEqual(toReason({ ...base, code: -32050 }, ofTask).code, "-32050")
  })

  it("a challenge is read and written", () => {
    const reason = toReason({ message: "x", status: 401, challenge: "Bearer" }, ofTask)
    assert.strictEqual(reason._tag === "UnauthenticatedError" && reason.challenge, "Bearer")
    assert.strictEqual(fromReason(reason).challenge, "Bearer")
  })

  it("results and events are not read as refusals", () => {
    const status = { state: "TASK_STATE_FAILED" }
    const message = { messageId: "m", role: "ROLE_AGENT", parts: [{ text: "error" }] }
    for (
      const body of [
        { statusUpdate: { taskId: "t", status } },
        { id: "t", status },
        { task: { id: "t", status }, error: null },
        { message },
        message,
        { tasks: [] },
        [],
        null,
        "x"
      ]
    ) assert.strictEqual(rest(body), undefined)
  })
})
