import { AgentError, Protocol } from "@effect-a2a/core"
import { RestServer } from "@effect-a2a/transport-rest"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as ByteSize from "effect/ByteSize"
import { HttpIncomingMessage } from "effect/http"
import { covers } from "../../../test/support/covers.ts"
import { agent, ask, type Call, type Init, served } from "../../../test/support/serve.ts"

const { v0_3, v1_0, v1_0_0 } = Protocol
const v1 = { "a2a-version": "1.0" }

/** One request to an agent that answers: what came back, and what the agent was asked. */
const asking = Effect.fnUntraced(function*(
  path: string,
  init: Init = {},
  options: RestServer.Options = { protocols: [v1_0, v0_3] }
) {
  const { calls, layer } = agent()
  const answer = yield* ask(path, init).pipe(Effect.provide(served(RestServer.routes(options), layer)))
  return { answer, calls }
})

const post = (body: string | undefined, headers: Record<string, string> = v1): Init => ({
  method: "POST",
  headers,
  ...(body === undefined ? {} : { body })
})

const message = { messageId: "m", role: "ROLE_USER", parts: [{ text: "hi" }] }
const send = JSON.stringify({ message })

const only = (calls: ReadonlyArray<Call>): Call => calls.length === 1 ? calls[0]! : assert.fail(`${calls.length} calls`)

describe("paths", () => {
  it.effect("finds the operation of a method and a path", () =>
    Effect.gen(function*() {
      for (
        const [method, path, operation, request] of [
          ["GET", "/tasks/a%20b%2Fc%3Fd", "GetTask", { id: "a b/c?d" }],
          ["GET", "/tasks/x:cancel", "GetTask", { id: "x:cancel" }],
          ["GET", "/tasks/t-1?historyLength=0", "GetTask", { id: "t-1", historyLength: 0 }],
          ["POST", "/tasks/x%3Acancel:cancel", "CancelTask", { id: "x:cancel" }],
          ["GET", "/tasks/t-1:subscribe", "SubscribeToTask", { id: "t-1" }],
          ["POST", "/tasks/t-1:subscribe", "SubscribeToTask", { id: "t-1" }],
          ["GET", "/tasks?pageSize=5&pageToken=A%2B%2F&status=TASK_STATE_WORKING&includeArtifacts=true", "ListTasks", {
            pageSize: 5,
            pageToken: "A+/",
            status: "working",
            includeArtifacts: true
          }],
          ["GET", "/extendedAgentCard", "GetExtendedAgentCard", {}],
          ["DELETE", "/tasks/t-1/pushNotificationConfigs/c%2F1", "DeleteTaskPushNotificationConfig", {
            taskId: "t-1",
            id: "c/1"
          }]
        ] as const
      ) {
        const { calls } = yield* asking(path, { method, headers: v1 })
        assert.deepStrictEqual(only(calls), { operation, request }, `${method} ${path}`)
      }
    }), covers("field:URL-04"))

  it.effect("0.3 subscribes by GET and POST below /v1", () =>
    Effect.gen(function*() {
      for (const method of ["GET", "POST"] as const) {
        const { answer, calls } = yield* asking("/v1/tasks/t-1:subscribe", { method })
        assert.deepStrictEqual([only(calls).operation, answer.status, answer.type], [
          "SubscribeToTask",
          200,
          "text/event-stream"
        ])
      }
    }))

  it.effect("serves below a path, which may have parameters", () =>
    Effect.gen(function*() {
      for (const [path, at] of [["/a/b", "/a/b"], ["/agents/:agent/a2a", "/agents/x%20y/a2a"]] as const) {
        const { calls } = yield* asking(`${at}/tasks/t-1`, { headers: v1 }, { path, protocols: [v1_0] })
        assert.deepStrictEqual(only(calls).request, { id: "t-1" })
      }
    }))

  it.effect("responds to an unknown path with a JSON 404", () =>
    Effect.gen(function*() {
      for (const path of ["/nothing", "/tasks/a/b", "/v1/nothing"]) {
        const { answer, calls } = yield* asking(path, { headers: v1 })
        assert.deepStrictEqual([answer.status, calls], [404, []], path)
        assert.match(answer.type!, /^application\/(a2a\+)?json$/)
        assert.strictEqual(answer.json.error.details[0].reason, "METHOD_NOT_FOUND")
      }
    }))

  it.effect("responds to an invalid percent-encoding with 404", () =>
    Effect.gen(function*() {
      for (const path of ["/tasks/%zz", "/tasks/%ff", "/%zz/message:send", "/%ff/tasks/t-1"]) {
        const { answer, calls } = yield* asking(path, { headers: v1 })
        assert.deepStrictEqual([answer.status, calls], [404, []])
      }
    }))

  it.effect("responds to a wrong method with a JSON 405", () =>
    Effect.gen(function*() {
      for (
        const [method, path] of [["PUT", "/tasks/t-1"], ["DELETE", "/message:send"], ["GET", "/message:send"]] as const
      ) {
        const { answer } = yield* asking(path, { method, headers: v1 })
        assert.deepStrictEqual([answer.status, answer.json.error.code], [405, 405])
      }
      const { answer } = yield* asking("/v1/message:send", { method: "PUT" })
      assert.deepStrictEqual([answer.status, answer.json.code], [405, -32601])
    }))

  it.effect("reads a tenant from a leading segment, which overrides the body's", () =>
    Effect.gen(function*() {
      const one = yield* asking("/acme%20co/message:send", post(JSON.stringify({ message, tenant: "other" })))
      assert.strictEqual(only(one.calls).request.tenant, "acme co")
      const none = yield* asking("/message:send", post(send))
      assert.isFalse("tenant" in only(none.calls).request)
      const verb = yield* asking("/acme/tasks/t-1:subscribe", { headers: v1 })
      assert.deepStrictEqual(only(verb.calls), { operation: "SubscribeToTask", request: { id: "t-1", tenant: "acme" } })
    }), covers("field:URL-05"))

  it.effect("takes v1 for a tenant only if 0.3 is not served", () =>
    Effect.gen(function*() {
      const legacy = yield* asking("/v1/tasks/t-1")
      assert.deepStrictEqual(only(legacy.calls).request, { id: "t-1" })
      const reserved = yield* asking("/v1/tasks/t-1", { headers: v1 })
      assert.deepStrictEqual([reserved.answer.status, reserved.calls], [404, []])
      const alone = yield* asking("/v1/tasks/t-1", { headers: v1 }, { protocols: [v1_0] })
      assert.deepStrictEqual(only(alone.calls).request, { id: "t-1", tenant: "v1" })
    }))
})

describe("bodies", () => {
  it.effect("takes an absent, empty or null body for the empty request", () =>
    Effect.gen(function*() {
      for (const body of [undefined, "", "null", "{}", " \n"]) {
        for (const [path, operation] of [["cancel", "CancelTask"], ["subscribe", "SubscribeToTask"]] as const) {
          for (const [prefix, headers] of [["", v1], ["/v1", {}]] as const) {
            const { calls } = yield* asking(`${prefix}/tasks/t-1:${path}`, post(body, headers))
            assert.deepStrictEqual(only(calls), { operation, request: { id: "t-1" } })
          }
        }
      }
    }))

  it.effect("the path overrides the body, and metadata arrives", () =>
    Effect.gen(function*() {
      const { calls } = yield* asking("/tasks/t-1:cancel", post("{\"id\":\"t-2\",\"metadata\":{\"a\":1}}"))
      assert.deepStrictEqual(only(calls).request, { id: "t-1", metadata: { a: 1 } })
    }))

  it.effect("accepts every media type of JSON", () =>
    Effect.gen(function*() {
      for (
        const type of [
          "application/json",
          "application/json; charset=utf-8",
          "application/a2a+json",
          "Application/A2A+JSON; Charset=UTF-8"
        ]
      ) {
        const { answer } = yield* asking("/message:send", post(send, { ...v1, "content-type": type }))
        assert.strictEqual(answer.status, 200, type)
      }
    }), covers("field:RPC-10"))

  it.effect("refuses other media types", () =>
    Effect.gen(function*() {
      for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]) {
        const { answer, calls } = yield* asking("/message:send", post(send, { ...v1, "content-type": type }))
        assert.deepStrictEqual([answer.status, calls], [400, []])
        assert.strictEqual(answer.json.error.details[0].reason, "CONTENT_TYPE_NOT_SUPPORTED")
      }
    }), covers("field:RPC-10"))

  it.effect("responds with application/a2a+json if it is accepted, with JSON otherwise and in 0.3", () =>
    Effect.gen(function*() {
      for (
        const [accept, path, type] of [
          ["*/*", "", "application/a2a+json"],
          ["application/a2a+json, application/json", "", "application/a2a+json"],
          ["application/json", "", "application/json"],
          ["*/*", "/v1", "application/json"]
        ] as const
      ) {
        const headers = { accept, "a2a-version": path === "" ? "1.0" : "0.3" }
        const found = yield* asking(`${path}/tasks/t-1`, { headers })
        const refused = yield* asking(`${path}/tasks/t-1?historyLength=x`, { headers })
        assert.deepStrictEqual([found.answer.type, refused.answer.type], [type, type])
        assert.deepStrictEqual([found.answer.status, refused.answer.status], [200, 400])
      }
    }))

  it.effect("release 1.0.0 responds with application/json whatever is accepted, and with 415 to other media types", () =>
    Effect.gen(function*() {
      const options = { protocols: [v1_0_0, v0_3] } as const
      for (const accept of ["*/*", "application/a2a+json", "application/a2a+json, application/json"]) {
        const headers = { ...v1, accept }
        const sent = yield* asking(
          "/message:send",
          post(send, { ...headers, "content-type": "application/a2a+json" }),
          options
        )
        const refused = yield* asking(
          "/message:send",
          post(send, { ...headers, "content-type": "text/plain" }),
          options
        )
        assert.deepStrictEqual([sent.answer.type, refused.answer.type], ["application/json", "application/json"])
        assert.deepStrictEqual([sent.answer.status, refused.answer.status], [200, 415])
        assert.deepStrictEqual([refused.answer.json.error.code, refused.calls], [415, []])
      }
    }))

  it.effect("reads snake_case in full", () =>
    Effect.gen(function*() {
      const body = JSON.stringify({
        message: { message_id: "m", role: "ROLE_USER", parts: [{ text: "x" }], context_id: "c" },
        configuration: {
          accepted_output_modes: ["text/plain"],
          return_immediately: true,
          task_push_notification_config: { url: "https://hook.test", token: "t" }
        }
      })
      const { calls } = yield* asking("/message:send", post(body))
      assert.deepStrictEqual(only(calls).request, {
        message: {
          _tag: "Message",
          messageId: "m",
          role: "user",
          parts: [{ _tag: "Text", text: "x" }],
          contextId: "c"
        },
        configuration: {
          acceptedOutputModes: ["text/plain"],
          returnImmediately: true,
          taskPushNotificationConfig: { url: "https://hook.test", token: "t" }
        }
      })
    }), covers("field:RPC-11"))

  it.effect("0.3 reads `request`, `content` and snake_case, too", () =>
    Effect.gen(function*() {
      const body = JSON.stringify({
        request: { message_id: "m", role: "ROLE_USER", content: [{ text: "x" }] },
        configuration: { blocking: true, history_length: 2 }
      })
      const { calls } = yield* asking("/v1/message:send", post(body, {}))
      assert.strictEqual(only(calls).request.message.parts[0].text, "x")
      assert.deepStrictEqual(only(calls).request.configuration, { historyLength: 2, returnImmediately: false })
    }))

  it.effect("names a missing member, and does not call the agent", () =>
    Effect.gen(function*() {
      for (
        const [title, broken, field] of [
          ["no messageId", { ...message, messageId: undefined }, "message.messageId"],
          ["no parts", { ...message, parts: undefined }, "message.parts"],
          ["no role", { ...message, role: undefined }, "message.role"],
          ["empty parts", { ...message, parts: [] }, "message.parts"],
          ["no message", undefined, "message"]
        ] as const
      ) {
        const { answer, calls } = yield* asking("/message:send", post(JSON.stringify({ message: broken })))
        assert.deepStrictEqual([answer.status, calls], [400, []])
        const { details, status } = answer.json.error
        assert.deepStrictEqual([status, details[0].reason], ["INVALID_ARGUMENT", "INVALID_PARAMS"])
        const violations = details.find((one: any) => one["@type"] === "type.googleapis.com/google.rpc.BadRequest")
        assert.strictEqual(violations.fieldViolations[0].field, field, title)
      }
    }), covers("field:SCH-11"))

  it.effect("refuses a body that is not a JSON object", () =>
    Effect.gen(function*() {
      for (const body of ["{\"message\":", "[1]", "\"x\"", "1"]) {
        const { answer, calls } = yield* asking("/message:send", post(body))
        assert.deepStrictEqual([answer.status, calls], [400, []], body)
        assert.strictEqual(answer.json.error.details[0].reason, "INVALID_PARAMS")
      }
    }))

  it.effect("refuses a body that is too large with a JSON 413", () =>
    Effect.gen(function*() {
      const { layer } = agent()
      const http = served(RestServer.routes({ protocols: [v1_0, v0_3] }), layer).pipe(
        Layer.provide(Layer.succeed(HttpIncomingMessage.MaxBodySize, ByteSize.fromInputUnsafe(1000)))
      )
      const large = JSON.stringify({ message: { ...message, parts: [{ text: "x".repeat(1000) }] } })
      const now = yield* ask("/message:send", post(large)).pipe(Effect.provide(http))
      assert.deepStrictEqual([now.status, now.json.error.code], [413, 413])
      const legacy = yield* ask("/v1/message:send", post(large, {})).pipe(Effect.provide(http))
      assert.deepStrictEqual([legacy.status, legacy.json.code], [413, -32602])
      assert.strictEqual((yield* ask("/message:send", post(send)).pipe(Effect.provide(http))).status, 200)
    }), covers("field:MEM-07"))

  it.effect("writes non-ASCII text unescaped", () =>
    Effect.gen(function*() {
      const { layer } = agent({ refuse: new AgentError.NotFoundError({ message: "😀 你" }) })
      const { text } = yield* ask("/tasks/t-1", { headers: v1 }).pipe(
        Effect.provide(served(RestServer.routes({ protocols: [v1_0] }), layer))
      )
      assert.include(text, "😀 你")
    }), covers("field:UTF-04"))
})

describe("versions", () => {
  const get = (path: string, headers: Record<string, string>, protocols: RestServer.Options["protocols"]) =>
    asking(path, { headers }, { protocols })

  it.effect("ignores the patch number of a version", () =>
    Effect.gen(function*() {
      for (const named of ["1.0", "1.0.0", "1.0.7"]) {
        const { answer } = yield* get("/tasks/t-1", { "a2a-version": named }, [v1_0, v0_3])
        assert.strictEqual(answer.json.status.state, "TASK_STATE_COMPLETED")
      }
    }), covers("field:VER-01"))

  it.effect("reads the version from the query", () =>
    Effect.gen(function*() {
      const { answer, calls } = yield* get("/tasks/t-1?A2A-Version=1.0&historyLength=1", {}, [v1_0])
      assert.strictEqual(answer.status, 200)
      assert.deepStrictEqual(only(calls).request, { id: "t-1", historyLength: 1 })
    }))

  it.effect(
    "takes a request without a version for one of 0.3; 1.0 refuses it and lists the versions",
    () =>
      Effect.gen(function*() {
        for (const headers of [{}, { "a2a-version": "" }]) {
          const legacy = yield* get("/v1/tasks/t-1", headers, [v1_0, v0_3])
          assert.strictEqual(legacy.answer.status, 200)
          for (const protocols of [[v1_0], [v1_0, v0_3]] as const) {
            const { answer, calls } = yield* get("/tasks/t-1", headers, protocols)
            assert.deepStrictEqual([answer.status, calls], [400, []])
            const [info] = answer.json.error.details
            assert.strictEqual(info.reason, "VERSION_NOT_SUPPORTED")
            assert.deepStrictEqual(info.metadata, {
              supportedVersions: protocols.map(({ version }) => version).join(",")
            })
          }
        }
      }),
    covers("field:VER-02")
  )

  it.effect("refuses a version that is not served, and a path of another version", () =>
    Effect.gen(function*() {
      for (const named of ["2.0", "1.7", "0.5", "x"]) {
        const { answer } = yield* get("/tasks/t-1", { "a2a-version": named }, [v1_0, v0_3])
        assert.strictEqual(answer.json.error.details[0].reason, "VERSION_NOT_SUPPORTED", named)
        assert.include(answer.json.error.message, named)
      }
      const { answer } = yield* get("/tasks/t-1", { "a2a-version": "0.3" }, [v1_0, v0_3])
      assert.strictEqual(answer.status, 404)
    }))

  it.effect("over REST of 0.3 a send without `blocking` waits, as over JSON-RPC", () =>
    Effect.gen(function*() {
      const body = JSON.stringify({ message: { messageId: "m", role: "ROLE_USER", content: [{ text: "x" }] } })
      const { calls } = yield* asking("/v1/message:send", post(body, {}))
      assert.isUndefined(only(calls).request.configuration?.returnImmediately)
    }), covers("field:VER-07"))
})
