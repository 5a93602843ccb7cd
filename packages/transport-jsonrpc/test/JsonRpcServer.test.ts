import { AgentError, Protocol } from "@effect-a2a/core"
import { JsonRpcServer } from "@effect-a2a/transport-jsonrpc"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as ByteSize from "effect/ByteSize"
import { HttpIncomingMessage } from "effect/http"
import { covers } from "../../../test/support/covers.ts"
import { agent, ask, type Call, served } from "../../../test/support/serve.ts"

const { v0_3, v1_0 } = Protocol
const v1 = { "a2a-version": "1.0" }
const protocols = [v1_0, v0_3] as const

const asking = Effect.fnUntraced(function*(
  body: unknown,
  headers: Record<string, string> = v1,
  options: JsonRpcServer.Options = { path: "/rpc", protocols }
) {
  const { calls, layer } = agent()
  const text = typeof body === "string" ? body : JSON.stringify(body)
  const answer = yield* ask(options.path ?? "/", { method: "POST", headers, body: text }).pipe(
    Effect.provide(served(JsonRpcServer.routes(options), layer))
  )
  return { answer, calls }
})

const message = { messageId: "m", role: "ROLE_USER", parts: [{ text: "hi" }] }
const kind = { kind: "message", messageId: "m", role: "user", parts: [{ kind: "text", text: "hi" }] }

const request = (method: string, params: unknown = { id: "t-1" }, id: unknown = 7) => ({
  jsonrpc: "2.0",
  id,
  method,
  params
})

const only = (calls: ReadonlyArray<Call>): Call => calls.length === 1 ? calls[0]! : assert.fail(`${calls.length} calls`)

describe("the envelope", () => {
  it.effect("refuses a body that is not JSON, in both versions", () =>
    Effect.gen(function*() {
      for (const headers of [v1, {}]) {
        for (const body of ["{\"jsonrpc\":\"2.0\",", "nonsense", "{'a':1}"]) {
          const { answer, calls } = yield* asking(body, headers)
          assert.deepStrictEqual([answer.status, answer.type, calls], [200, "application/json", []])
          const { error, id, jsonrpc } = answer.json
          assert.deepStrictEqual([jsonrpc, id, error.code], ["2.0", null, -32700])
        }
      }
    }), covers("field:RPC-04"))

  const faults: ReadonlyArray<readonly [title: string, body: unknown, code: number, id: unknown]> = [
    ...[{}, [1], true, 1.5].map((id) =>
      [`id ${JSON.stringify(id)}`, request("GetTask", {}, id), -32600, null] as const
    ),
    ["jsonrpc 1.0", { ...request("GetTask"), jsonrpc: "1.0" }, -32600, 7],
    ["no jsonrpc", { id: 7, method: "GetTask" }, -32600, 7],
    ["no method", { jsonrpc: "2.0", id: 7, params: {} }, -32600, 7],
    ["empty method", request(""), -32600, 7],
    ["method 5", request(5 as never), -32600, 7],
    ["an unknown method", request("Nope"), -32601, 7],
    ["a method of Object", request("toString"), -32601, 7],
    ["params \"x\"", request("GetTask", "x"), -32602, 7],
    ["params [1]", request("GetTask", [1]), -32602, 7],
    ["a batch", [request("GetTask")], -32600, null],
    ["an empty batch", [], -32600, null],
    ["a number", 5, -32600, null],
    ["null", null, -32600, null],
    ["nothing", "", -32600, null]
  ]
  it.effect("refuses an invalid envelope by its code, with the id if it is valid", () =>
    Effect.gen(function*() {
      for (const [title, body, code, id] of faults) {
        const { answer, calls } = yield* asking(body)
        assert.deepStrictEqual(calls, [])
        assert.deepStrictEqual([answer.status, answer.json.error.code, answer.json.id], [200, code, id], title)
      }
    }), covers("field:RPC-05"))

  it.effect("returns ids as they were sent", () =>
    Effect.gen(function*() {
      for (const id of [0, "", "a", -1, null]) {
        const good = yield* asking(request("GetTask", { id: "t-1" }, id))
        assert.strictEqual(good.answer.json.id, id)
        assert.strictEqual(good.answer.json.result.id, "t-1")
        assert.isFalse("error" in good.answer.json)
        const bad = yield* asking(request("Nope", {}, id))
        assert.strictEqual(bad.answer.json.id, id)
        assert.isFalse("result" in bad.answer.json)
      }
    }), covers("field:RPC-05"))

  it.effect("accepts absent params if no member is required", () =>
    Effect.gen(function*() {
      for (const params of [undefined, null, {}]) {
        const { calls } = yield* asking(request("ListTasks", params))
        assert.deepStrictEqual(only(calls), { operation: "ListTasks", request: {} })
      }
      const missing = yield* asking(request("GetTask", {}))
      assert.strictEqual(missing.answer.json.error.code, -32602)
      assert.deepStrictEqual(missing.calls, [])
    }))

  it.effect(
    "accepts application/json with parameters, and refuses other media types with a JSON-RPC error",
    () =>
      Effect.gen(function*() {
        for (const type of ["application/json; charset=utf-8", "Application/JSON", "application/a2a+json"]) {
          const { answer } = yield* asking(request("GetTask"), { ...v1, "content-type": type })
          assert.strictEqual(answer.json.result.id, "t-1")
        }
        const { answer, calls } = yield* asking(request("GetTask"), { ...v1, "content-type": "text/plain" })
        assert.deepStrictEqual([answer.json.error.code, calls], [-32005, []])
      }),
    covers("field:RPC-10")
  )

  it.effect("refuses a body that is too large with 413 and a JSON-RPC error", () =>
    Effect.gen(function*() {
      const { layer } = agent()
      const http = served(JsonRpcServer.routes({ protocols }), layer).pipe(
        Layer.provide(Layer.succeed(HttpIncomingMessage.MaxBodySize, ByteSize.fromInputUnsafe(1000)))
      )
      const body = JSON.stringify(request("GetTask", { id: "x".repeat(1000) }))
      const answer = yield* ask("/", { method: "POST", headers: v1, body }).pipe(Effect.provide(http))
      assert.deepStrictEqual([answer.status, answer.type, answer.json.id], [413, "application/json", null])
      assert.strictEqual(answer.json.jsonrpc, "2.0")
      assert.isBelow(answer.json.error.code, -32000)
    }), covers("field:MEM-07"))
})

describe("params", () => {
  it.effect("reads snake_case", () =>
    Effect.gen(function*() {
      const { calls } = yield* asking(request("SendMessage", {
        message: { message_id: "m", role: "ROLE_USER", parts: [{ text: "x" }], context_id: "c" },
        configuration: { task_push_notification_config: { url: "https://hook.test" } }
      }))
      const { configuration, message } = only(calls).request
      assert.deepStrictEqual([message.messageId, message.contextId], ["m", "c"])
      assert.deepStrictEqual(configuration.taskPushNotificationConfig, { url: "https://hook.test" })
    }), covers("field:RPC-11"))

  it.effect("names a missing member, and does not call the agent", () =>
    Effect.gen(function*() {
      for (
        const [title, broken, field] of [
          ["no messageId", { ...message, messageId: undefined }, "message.messageId"],
          ["no parts", { ...message, parts: undefined }, "message.parts"],
          ["no role", { ...message, role: undefined }, "message.role"],
          ["empty parts", { ...message, parts: [] }, "message.parts"]
        ] as const
      ) {
        const { answer, calls } = yield* asking(request("SendMessage", { message: broken }))
        const { code, data } = answer.json.error
        assert.deepStrictEqual([code, data[0].reason, calls], [-32602, "INVALID_PARAMS", []])
        assert.strictEqual(data[1].fieldViolations[0].field, field, title)
      }
    }), covers("field:SCH-11"))

  it.effect("reads a tenant from the params", () =>
    Effect.gen(function*() {
      const { calls } = yield* asking(request("GetTask", { id: "t-1", tenant: "acme" }))
      assert.deepStrictEqual(only(calls).request, { id: "t-1", tenant: "acme" })
    }), covers("field:URL-05"))

  it.effect("message/send waits without `blocking`, and does not with `blocking: false`", () =>
    Effect.gen(function*() {
      const returns = Effect.fnUntraced(function*(configuration: unknown) {
        const { calls } = yield* asking(request("message/send", { message: kind, configuration }), {})
        return only(calls).request.configuration?.returnImmediately ?? false
      })
      assert.isFalse(yield* returns({ acceptedOutputModes: ["text/plain"] }))
      assert.isFalse(yield* returns({}))
      assert.isFalse(yield* returns(undefined))
      assert.isFalse(yield* returns({ blocking: true }))
      assert.isTrue(yield* returns({ blocking: false }))
    }), covers("field:VER-07"))
})

describe("versions", () => {
  it.effect(
    "serves the methods of 0.3 without a version; without 0.3 it lists the versions it serves",
    () =>
      Effect.gen(function*() {
        for (const headers of [{}, { "a2a-version": "" }]) {
          const legacy = yield* asking(request("tasks/get"), headers)
          assert.strictEqual(legacy.answer.json.result.status.state, "completed")
          const alone = yield* asking(request("SendMessage", { message }), headers, { protocols: [v1_0] })
          const { code, data } = alone.answer.json.error
          assert.deepStrictEqual([code, alone.calls], [-32009, []])
          assert.deepStrictEqual([data[0].reason, data[0].metadata], ["VERSION_NOT_SUPPORTED", {
            supportedVersions: "1.0"
          }])
        }
      }),
    covers("field:VER-02")
  )

  it.effect("refuses a method of 1.0 without a version", () =>
    Effect.gen(function*() {
      const { answer, calls } = yield* asking(request("GetTask"), {})
      assert.deepStrictEqual([answer.json.error.code, calls], [-32601, []])
    }), covers("field:VER-02"))

  it.effect("refuses a method that the named version lacks", () =>
    Effect.gen(function*() {
      for (const [named, method] of [["1.0", "tasks/get"], ["0.3", "GetTask"]] as const) {
        const { answer } = yield* asking(request(method), { "a2a-version": named })
        assert.strictEqual(answer.json.error.code, -32601)
      }
      for (const named of ["1.0.0", "0.3.0"]) {
        const method = named === "1.0.0" ? "GetTask" : "tasks/get"
        const { answer } = yield* asking(request(method), { "a2a-version": named })
        assert.strictEqual(answer.json.result.id, "t-1")
      }
      for (const named of ["2.0", "1.7", "x"]) {
        const { answer } = yield* asking(request("GetTask"), { "a2a-version": named })
        assert.strictEqual(answer.json.error.code, -32009)
      }
    }))

  it.effect("reads the version from the query", () =>
    Effect.gen(function*() {
      const { layer } = agent()
      const answer = yield* ask("/rpc?A2A-Version=1.0", {
        method: "POST",
        body: JSON.stringify(request("GetTask"))
      }).pipe(Effect.provide(served(JsonRpcServer.routes({ path: "/rpc", protocols: [v1_0] }), layer)))
      assert.strictEqual(answer.json.result.id, "t-1")
    }))

  it.effect("0.3 has no method to list tasks", () =>
    Effect.gen(function*() {
      const { answer } = yield* asking(request("tasks/list", {}), {})
      assert.strictEqual(answer.json.error.code, -32601)
    }))
})

it.effect("writes non-ASCII text unescaped", () =>
  Effect.gen(function*() {
    const { layer } = agent({ refuse: new AgentError.TaskNotFoundError({ message: "😀 你" }) })
    const { text } = yield* ask("/", { method: "POST", headers: v1, body: JSON.stringify(request("GetTask")) }).pipe(
      Effect.provide(served(JsonRpcServer.routes({ protocols }), layer))
    )
    assert.include(text, "😀 你")
  }), covers("field:UTF-04"))
