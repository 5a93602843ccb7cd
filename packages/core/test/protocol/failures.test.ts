import * as AgentError from "@effect-a2a/core/AgentError"
import * as Protocol from "@effect-a2a/core/Protocol"
import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import { rows, type Tag } from "../../src/internal/errors/errorTable.ts"
import { fromReason, toReason } from "../../src/internal/protocol/failure.ts"

const { v0_3, v1_0 } = Protocol
const ofTask = { ofTask: true, dialect: "A2A" }
const rest = (body: unknown, protocol: Protocol.Protocol = v1_0) => protocol.rest.failure.decode(body)
const tagOf = (failure: Protocol.WireFailure | undefined, context = ofTask) =>
  failure === undefined ? undefined : toReason(failure, context)._tag
const info = (reason: string) => ({
  "@type": "type.googleapis.com/google.rpc.ErrorInfo",
  reason,
  domain: "a2a-protocol.org"
})

const told = (Object.keys(rows) as Array<Tag>).filter((tag) =>
  rows[tag].origin === "policy" || rows[tag].origin === "agent"
)

describe("every reason a peer can give, told and understood", () => {
  for (const tag of told) {
    const reason = AgentError.reason(tag as "NotFoundError", { message: "because" })
    const failure = fromReason(reason)
    it(`${tag}: 1.0 REST`, () => {
      const { body, status } = v1_0.rest.failure.encode(failure)
      assert.deepStrictEqual(body, {
        error: { code: rows[tag].http, status: rows[tag].status, message: "because", details: [info(rows[tag].word)] }
      })
      assert.strictEqual(status, rows[tag].http)
      assert.strictEqual(tagOf(rest(body)), tag)
    })
    it(`${tag}: JSON-RPC of both editions`, () => {
      for (const { jsonRpc } of [v1_0, v0_3]) {
        const refusal = jsonRpc.failure.encode(failure)
        const hasCode = "jsonRpc" in rows[tag]
        assert.strictEqual(refusal._tag, hasCode ? "Error" : "Response")
        assert.strictEqual(refusal.status, hasCode ? 200 : rows[tag].http)
        assert.strictEqual(
          tagOf(refusal._tag === "Error" ? jsonRpc.failure.decode(refusal.error) : rest(refusal.body)),
          tag
        )
      }
    })
    it(`${tag}: 0.3 REST`, () => {
      const { body, status } = v0_3.rest.failure.encode(failure)
      assert.strictEqual(tagOf(rest(body, v0_3)), tag)
      assert.strictEqual(status, rows[tag].http)
    })
  }

  it("§4.5: 0.3 tells no more than code and message where they say it all", () => {
    const failure = fromReason(new AgentError.TaskNotFoundError({ message: "no t-1" }))
    assert.deepStrictEqual(v0_3.rest.failure.encode(failure), {
      status: 404,
      body: { code: -32001, message: "no t-1" }
    })
    assert.deepStrictEqual(v0_3.jsonRpc.failure.encode(failure), {
      _tag: "Error",
      status: 200,
      error: { code: -32001, message: "no t-1" }
    })
  })

  it("what is wrong with a request, and how long to wait, travel along", () => {
    const violations = [{ field: "message.parts", description: "must not be empty" }]
    const invalid = fromReason(new AgentError.InvalidParamsError({ message: "no", violations }))
    const limited = fromReason(new AgentError.RateLimitError({ message: "slow", retryAfter: Duration.millis(1500) }))
    for (const protocol of [v1_0, v0_3]) {
      const reason = toReason(rest(protocol.rest.failure.encode(invalid).body)!, ofTask)
      assert.deepStrictEqual(reason._tag === "InvalidParamsError" && reason.violations, violations)
      const wait = toReason(rest(protocol.rest.failure.encode(limited).body)!, ofTask).retryAfter
      assert.strictEqual(wait === undefined ? undefined : Duration.toMillis(wait), 1500)
    }
  })

  it("a failed task or a local fault is an internal error to a caller of this server", () => {
    const { body, status } = v1_0.rest.failure.encode(fromReason(new AgentError.ConnectionError({ message: "gone" })))
    assert.strictEqual(status, 500)
    assert.strictEqual(tagOf(rest(body)), "InternalError")
  })
})

describe("what peers send", () => {
  it("ERR-02: the status object as a plain event", () => {
    const body = { error: { code: 404, status: "NOT_FOUND", message: "x", details: [info("TASK_NOT_FOUND")] } }
    const failure = rest(body)
    assert.deepInclude(failure, { message: "x", status: 404, reason: "TASK_NOT_FOUND", details: body.error })
    assert.strictEqual(tagOf(failure, { ofTask: false, dialect: "A2A" }), "TaskNotFoundError")
    assert.deepStrictEqual(rest({ error: "text" }), { message: "text", details: "text" })
    assert.strictEqual(tagOf(rest({ error: "text" })), "UnknownError")
  })

  it("ERR-04: three shapes of data, all kept", () => {
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

  it("ERR-10: problem details, by type", () => {
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

  it("§4.5: bare codes, bare messages and FastAPI's detail", () => {
    assert.strictEqual(tagOf(rest({ code: -32002, message: "x" }, v0_3)), "TaskNotCancelableError")
    assert.strictEqual(rest({ message: "no such task" }, v0_3)?.message, "no such task")
    assert.strictEqual(rest({ detail: "Not Found" })?.message, "Not Found")
    const failure = rest({ detail: [{ loc: ["body", "message", "parts"], msg: "required" }] })
    assert.deepStrictEqual(failure?.violations, [{ field: "message.parts", description: "required" }])
    assert.strictEqual(tagOf({ ...failure!, status: 422 }), "InvalidParamsError")
  })

  it("§4.1: words decide before codes, codes before statuses", () => {
    const base = { message: "x" }
    assert.strictEqual(
      tagOf({ ...base, reason: "TASK_NOT_CANCELABLE", code: -32001, status: 404 }),
      "TaskNotCancelableError"
    )
    assert.strictEqual(tagOf({ ...base, code: -32004, status: 404 }), "UnsupportedOperationError")
    assert.strictEqual(tagOf({ ...base, status: 404 }), "TaskNotFoundError")
    assert.strictEqual(tagOf({ ...base, status: 404 }, { ofTask: false, dialect: "A2A" }), "NotFoundError")
    const vendor = toReason({ ...base, reason: "DRIVE_ITEM_CONFLICT" }, ofTask)
    assert.deepStrictEqual([vendor._tag, vendor.code], ["UnknownError", "DRIVE_ITEM_CONFLICT"])
    const more = toReason({ ...base, reason: "DRIVE_ITEM_CONFLICT", status: 403 }, ofTask)
    assert.deepStrictEqual([more._tag, more.code], ["AccessDeniedError", "DRIVE_ITEM_CONFLICT"])
    assert.strictEqual(toReason({ ...base, code: -32050 }, ofTask).code, "-32050")
  })

  it("a challenge reaches the reason and leaves it again", () => {
    const reason = toReason({ message: "x", status: 401, challenge: "Bearer" }, ofTask)
    assert.strictEqual(reason._tag === "UnauthenticatedError" && reason.challenge, "Bearer")
    assert.strictEqual(fromReason(reason).challenge, "Bearer")
  })

  it("answers and events are no refusals", () => {
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
