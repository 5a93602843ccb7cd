import * as Id from "@effect-a2a/core/Id"
import type * as Operation from "@effect-a2a/core/Operation"
import * as Part from "@effect-a2a/core/Part"
import { assert, describe, it } from "@effect/vitest"
import { covers } from "../../../../test/support/covers.ts"
import { dialects, read, refused, unwritable, write } from "./support.ts"

const v1 = dialects["1.0"]
const rest = dialects["0.3 REST"]
const rpc = dialects["0.3 JSON-RPC"]

const ask = (message: object, others: object = {}) => ({
  message: { messageId: "m", role: "ROLE_USER", parts: [{ text: "x" }], ...message },
  ...others
})
const asking = (...parts: ReadonlyArray<Part.Part>): Operation.SendMessageRequest => ({
  message: { _tag: "Message", messageId: Id.MessageId.make("m"), role: "user", parts }
})
const said = (part: object) => ({ message: { messageId: "m", role: "ROLE_AGENT", parts: [part] } })
const partOf = (part: object) => {
  const answer = read(v1.success.SendMessage, said(part))
  return answer._tag === "Message" ? answer.parts[0] : assert.fail("no message")
}
const status = (status: object) => {
  const event = read(v1.success.SendStreamingMessage, { statusUpdate: { taskId: "t", status } })
  return event._tag === "StatusUpdate" ? event.status : assert.fail("no status update")
}
const full = { id: "t", contextId: "c", status: { state: "TASK_STATE_WORKING" } }

describe("strict writer", () => {
  it("writes camelCase and leaves empty members out", () => {
    assert.deepStrictEqual(
      write(v1.success.GetTask, {
        _tag: "Task",
        id: Id.TaskId.make("t"),
        status: { state: "working" },
        artifacts: [],
        history: [],
        metadata: {}
      }),
      { id: "t", status: { state: "TASK_STATE_WORKING" } }
    )
  })
  it("keeps content that is empty: empty text, null data, no bytes", () => {
    const parts = [Part.text(""), Part.data(null), Part.raw(new Uint8Array())]
    assert.deepStrictEqual(write(v1.request.SendMessage, asking(...parts)).message.parts, [
      { text: "" },
      { data: null },
      { raw: "" }
    ])
  })
  it("always writes all members of a page of tasks", () => {
    const page = { tasks: [], nextPageToken: "", pageSize: 50, totalSize: 0 }
    assert.deepStrictEqual(write(v1.success.ListTasks, page), page)
  })
  it("writes timestamps in UTC with milliseconds", () => {
    const { timestamp, ...rest } = status({ state: "TASK_STATE_WORKING", timestamp: "2026-01-02T03:04:05+02:00" })
    assert.isDefined(rest.unrecognized)
    const event = {
      _tag: "StatusUpdate" as const,
      taskId: Id.TaskId.make("t"),
      status: { state: rest.state, timestamp: timestamp! }
    }
    assert.strictEqual(
      write(v1.success.SendStreamingMessage, event).statusUpdate.status.timestamp,
      "2026-01-02T01:04:05.000Z"
    )
  })
  it("writes base64 in the standard alphabet, padded", () => {
    assert.strictEqual(
      write(v1.request.SendMessage, asking(Part.raw(new Uint8Array([251, 255])))).message.parts[0].raw,
      "+/8="
    )
  })
  it("refuses values that are not JSON, by path", () => {
    assert.deepStrictEqual(
      unwritable(v1.request.SendMessage, asking(Part.text("x"), Part.data({ a: [1, Number.NaN] }))),
      [
        "message.parts[1].data.a[1]"
      ]
    )
    const date: any = new Date(0)
    assert.deepStrictEqual(unwritable(rpc.request.SendMessage, { ...asking(Part.text("x")), metadata: { at: date } }), [
      "metadata.at"
    ])
    const loop: any = {}
    loop.loop = loop
    assert.lengthOf(unwritable(rest.request.SendMessage, asking(Part.data(loop))), 1)
  })
  it("never writes an unknown state of a peer", () => {
    const known = read(v1.success.GetTask, { ...full, status: { state: "TASK_STATE_PAUSED" } })
    assert.deepStrictEqual(write(v1.success.GetTask, known).status, { state: "TASK_STATE_UNSPECIFIED" })
  })
  it("refuses requests that every server would refuse", covers("field:SCH-11"), () => {
    assert.deepStrictEqual(unwritable(v1.request.SendMessage, asking()), ["message.parts"])
    assert.deepStrictEqual(unwritable(v1.request.ListTasks, { pageSize: 500 }), ["pageSize"])
  })
  it("refuses tenants in 0.3", () => {
    const request = { ...asking(Part.text("x")), tenant: "acme" }
    assert.deepStrictEqual(unwritable(rest.request.SendMessage, request), ["tenant"])
    assert.deepStrictEqual(unwritable(rpc.request.GetTask, { id: Id.TaskId.make("t"), tenant: "acme" }), ["tenant"])
    assert.strictEqual(write(v1.request.SendMessage, request).tenant, "acme")
  })
  it("wraps data that are not objects in 0.3, and unwraps them", () => {
    for (const dialect of [rest, rpc]) {
      const request = asking(Part.data([1, null], { metadata: { k: 1 } }))
      const json = write(dialect.request.SendMessage, request)
      const part = (json.message.parts ?? json.message.content)[0]
      assert.deepStrictEqual(part.metadata, { k: 1, data_part_compat: true })
      assert.deepStrictEqual(read(dialect.request.SendMessage, json).message.parts, request.message.parts)
    }
  })
})

describe("lenient reader", () => {
  it("reads snake_case without losing a member; camelCase wins", covers("field:RPC-11"), () => {
    const request = read(v1.request.SendMessage, {
      message: {
        message_id: "m",
        role: "ROLE_USER",
        parts: [{ text: "x", media_type: "text/plain" }],
        context_id: "other",
        contextId: "c",
        reference_task_ids: ["t"]
      },
      configuration: { push_notification_config: { url: "https://hook.test" }, accepted_output_modes: ["a/b"] }
    })
    assert.strictEqual(request.message.contextId, "c")
    assert.strictEqual(request.message.parts[0]?.mediaType, "text/plain")
    assert.deepStrictEqual<ReadonlyArray<string> | undefined>(request.message.referenceTaskIds, ["t"])
    assert.deepStrictEqual(request.configuration, {
      acceptedOutputModes: ["a/b"],
      taskPushNotificationConfig: { url: "https://hook.test" }
    })
  })
  it("reads a single snake_case member in a strict document", () => {
    assert.strictEqual<string | undefined>(
      read(v1.success.GetTask, { id: "t", context_id: "c", status: { state: "TASK_STATE_WORKING" } }).contextId,
      "c"
    )
  })
  it("reads 0.3 REST requests with proto names", () => {
    const request = read(rest.request.SendMessage, {
      request: {
        message_id: "m",
        role: "ROLE_USER",
        content: [{ file: { file_with_uri: "https://x", mime_type: "a/b" } }]
      },
      configuration: { push_notification: { url: "https://hook.test" }, history_length: 2, blocking: true }
    })
    assert.deepStrictEqual(request.message.parts, [Part.url("https://x", { mediaType: "a/b" })])
    assert.deepStrictEqual(request.configuration, {
      historyLength: 2,
      returnImmediately: false,
      taskPushNotificationConfig: { url: "https://hook.test" }
    })
  })
  it("ignores unknown members anywhere", covers("field:SCH-01"), () => {
    assert.deepStrictEqual(
      read(v1.success.SendStreamingMessage, {
        traceId: "x",
        task: {
          ...full,
          createdAt: 1,
          status: { state: "TASK_STATE_WORKING", progress: 0.4 },
          artifacts: [{ artifactId: "a", parts: [{ text: "x", x: 1 }], y: 2 }]
        }
      }),
      {
        _tag: "Task",
        id: Id.TaskId.make("t"),
        contextId: Id.ContextId.make("c"),
        status: { state: "working" },
        artifacts: [{ artifactId: Id.ArtifactId.make("a"), parts: [Part.text("x")] }]
      }
    )
  })
  it("leaves unknown members of requests out of the model", () => {
    assert.deepStrictEqual<object>(read(v1.request.GetTask, { id: "t", filter: "x" }), { id: "t" })
    assert.deepStrictEqual(read(v1.request.ListTasks, { filter: "x" }), {})
  })
  it("reads null as absent", covers("field:SCH-04"), () => {
    assert.deepStrictEqual(
      read(v1.success.GetTask, {
        ...full,
        status: { state: "TASK_STATE_SUBMITTED", message: null, timestamp: null },
        artifacts: null,
        history: null,
        metadata: null
      }),
      {
        _tag: "Task",
        id: Id.TaskId.make("t"),
        contextId: Id.ContextId.make("c"),
        status: { state: "submitted" }
      }
    )
    assert.deepStrictEqual(
      status({ state: "TASK_STATE_SUBMITTED", message: { messageId: "m", role: "ROLE_AGENT" } }).message?.parts,
      []
    )
  })
  it("reads null data as data, in lenient documents too", () => {
    assert.deepStrictEqual(partOf({ data: null }), Part.data(null))
    assert.deepStrictEqual(partOf({ data: null, text: null, media_type: "a/b" }), Part.data(null, { mediaType: "a/b" }))
  })
  it("keeps unknown states and roles as they were sent", covers("field:SCH-02"), () => {
    assert.deepStrictEqual(status({ state: "TASK_STATE_PAUSED" }), {
      state: "unspecified",
      unrecognized: { state: "TASK_STATE_PAUSED" }
    })
    const answer = read(v1.success.SendMessage, { message: { messageId: "m", role: "ROLE_TOOL", parts: [] } })
    assert.deepStrictEqual(answer._tag === "Message" && [answer.role, answer.unrecognizedRole], [
      "unspecified",
      "ROLE_TOOL"
    ])
  })
  it("reads enumerations by number", () => {
    assert.strictEqual(status({ state: 3 }).state, "completed")
    assert.strictEqual(read(v1.request.SendMessage, ask({ role: 1 })).message.role, "user")
  })
  it("reads every spelling of a state in every dialect", covers("field:VER-08"), () => {
    for (const state of ["canceled", "cancelled", "TASK_STATE_CANCELED", "TASK_STATE_CANCELLED"]) {
      assert.deepStrictEqual(status({ state }), { state: "canceled" })
      const task = read(rpc.success.GetTask, { ...full, kind: "task", status: { state } })
      assert.strictEqual(task.status.state, "canceled")
      assert.strictEqual(write(v1.success.GetTask, task).status.state, "TASK_STATE_CANCELED")
      assert.strictEqual(write(rest.success.GetTask, task).status.state, "TASK_STATE_CANCELLED")
      assert.strictEqual(write(rpc.success.GetTask, task).status.state, "canceled")
    }
    assert.strictEqual(status({ state: "input-required" }).state, "input-required")
  })
  it("reads integers as text or with a zero fraction, and no other numbers", () => {
    assert.strictEqual(read(v1.request.GetTask, { id: "t", historyLength: "5" }).historyLength, 5)
    assert.strictEqual(read(v1.request.GetTask, { id: "t", historyLength: 5.0 }).historyLength, 5)
    assert.deepStrictEqual(refused(v1.request.GetTask, { id: "t", historyLength: "x" }), ["historyLength"])
    assert.deepStrictEqual(refused(v1.request.GetTask, { id: "t", historyLength: 1.5 }), ["historyLength"])
    assert.deepStrictEqual(refused(v1.request.GetTask, { id: "t", historyLength: -1 }), ["historyLength"])
  })
  it("refuses text instead of a boolean", () => {
    assert.deepStrictEqual(
      refused(v1.request.SendMessage, ask({}, { configuration: { returnImmediately: "false" } })),
      [
        "configuration.returnImmediately"
      ]
    )
  })
  it("refuses two members that exclude each other", () => {
    assert.deepStrictEqual(refused(v1.request.SendMessage, ask({ parts: [{ text: "a", url: "b" }] })), [
      "message.parts[0]"
    ])
    assert.lengthOf(refused(v1.success.SendMessage, { task: full, message: { messageId: "m", role: "ROLE_AGENT" } }), 1)
  })
  it("refuses parts without content in requests and skips them in results", () => {
    assert.deepStrictEqual(refused(v1.request.SendMessage, ask({ parts: [{ text: "a" }, {}] })), ["message.parts[1]"])
    assert.strictEqual(partOf({ video: 1 }), undefined)
    const message = {
      kind: "message",
      messageId: "m",
      role: "agent",
      parts: [{ kind: "video", video: 1 }, { kind: "text", text: "x" }]
    }
    const answer = read(rpc.success.SendMessage, message)
    assert.deepStrictEqual(answer._tag === "Message" && answer.parts, [Part.text("x")])
  })
  it("reads base64 of either alphabet, padded or not, and refuses garbage", () => {
    for (const raw of ["+/8=", "-_8=", "-_8", "+/8"]) {
      assert.deepStrictEqual(partOf({ raw }), Part.raw(new Uint8Array([251, 255])))
    }
    for (const raw of ["a", "a b=", "====", "+/8=="]) {
      assert.deepStrictEqual(refused(v1.request.SendMessage, ask({ parts: [{ raw }] })), ["message.parts[0].raw"])
    }
  })
  it("reads the timestamps of peers, and keeps their text if ours would differ", covers("field:SCH-05"), () => {
    const at = (timestamp: string) => {
      const { timestamp: instant, unrecognized } = status({ state: "TASK_STATE_WORKING", timestamp })
      return [instant?.epochMilliseconds, unrecognized?.timestamp]
    }
    const millis = Date.UTC(2025, 3, 16, 13, 38, 21)
    for (
      const [text, fraction] of [
        ["2025-04-16T13:38:21.503444", 503],
        ["2025-04-16T13:38:21Z", 0],
        ["2025-04-16T13:38:21.5+00:00", 500],
        ["2025-04-16T15:38:21.5+02:00", 500],
        ["2025-04-16T13:38:21.123456789Z", 123]
      ] as const
    ) {
      assert.deepStrictEqual(at(text), [millis + fraction, text])
    }
    assert.deepStrictEqual(at("2025-04-16T13:38:21.503Z"), [millis + 503, undefined])
    assert.deepStrictEqual(at("2025-08-31T00:00:00.000Z"), [Date.UTC(2025, 7, 31), undefined])
    assert.deepStrictEqual(at("2024-02-29T23:59:59.999Z"), [Date.UTC(2024, 1, 29, 23, 59, 59, 999), undefined])
    assert.deepStrictEqual(at(""), [undefined, undefined])
    assert.deepStrictEqual(at("yesterday"), [undefined, "yesterday"])
    assert.deepStrictEqual(refused(v1.request.ListTasks, { statusTimestampAfter: "yesterday" }), [
      "statusTimestampAfter"
    ])
  })
  it("reads empty members as absent", () => {
    assert.deepStrictEqual(
      read(v1.success.ListTasks, {
        tasks: [{
          ...full,
          contextId: "",
          artifacts: [],
          metadata: {},
          history: [{
            messageId: "m",
            role: "ROLE_USER",
            taskId: "",
            contextId: "",
            parts: [{ text: "x", filename: "" }],
            metadata: {}
          }]
        }],
        pageSize: 1,
        totalSize: 1
      }),
      {
        tasks: [{
          _tag: "Task",
          id: Id.TaskId.make("t"),
          status: { state: "working" },
          history: [{ _tag: "Message", messageId: Id.MessageId.make("m"), role: "user", parts: [Part.text("x")] }]
        }],
        nextPageToken: "",
        pageSize: 1,
        totalSize: 1
      }
    )
  })
  it("reads 3.0 as the integer 3", covers("ML-25", "field:SCH-07"), () => {
    assert.deepStrictEqual(partOf(JSON.parse(`{"data":{"revision":3.0}}`)), Part.data({ revision: 3 }))
  })
  it("supplies a missing `kind`", () => {
    const parts = [{ text: "x" }, { file: { fileWithUri: "https://x" } }, { data: { a: 1 } }]
    assert.deepStrictEqual(
      read(rpc.request.SendMessage, { message: { messageId: "m", role: "user", parts } }).message.parts,
      [
        Part.text("x"),
        Part.url("https://x"),
        Part.data({ a: 1 })
      ]
    )
    const codec = rpc.success.SendStreamingMessage
    const { status } = full
    assert.strictEqual(read(codec, full)._tag, "Task")
    assert.strictEqual(read(codec, { taskId: "t", status, final: true })._tag, "StatusUpdate")
    assert.strictEqual(read(codec, { taskId: "t", artifact: { artifactId: "a", parts } })._tag, "ArtifactUpdate")
    assert.strictEqual(read(codec, { messageId: "m", role: "agent", parts })._tag, "Message")
  })
  it("reads `parts` and `content` for each other, in requests and results", () => {
    const parts = [{ text: "x" }]
    const message = { messageId: "m", role: "ROLE_USER" }
    assert.lengthOf(read(rest.request.SendMessage, { message: { ...message, parts } }).message.parts, 1)
    assert.lengthOf(read(v1.request.SendMessage, { message: { ...message, content: parts } }).message.parts, 1)
    const answer = read(rest.success.SendMessage, { message: { ...message, parts } })
    assert.deepStrictEqual(answer._tag === "Message" && answer.parts, [Part.text("x")])
  })
  it("names the members that a message lacks", covers("field:SCH-11"), () => {
    assert.deepStrictEqual(refused(v1.request.SendMessage, ask({ parts: [] })), ["message.parts"])
    assert.deepStrictEqual(refused(v1.request.SendMessage, { message: {} }), [
      "message.messageId",
      "message.role",
      "message.parts"
    ])
    assert.deepStrictEqual(refused(v1.request.SendMessage, ask({ messageId: "" })), ["message.messageId"])
    assert.deepStrictEqual(refused(v1.request.SendMessage, ask({ role: "ROLE_TOOL" })), ["message.role"])
    assert.deepStrictEqual(refused(v1.request.SendMessage, ask({ parts: [{ text: 5 }] })), ["message.parts[0].text"])
    assert.deepStrictEqual(refused(v1.request.SendMessage, undefined), ["message"])
    assert.deepStrictEqual(refused(v1.request.ListTasks, { pageSize: 500 }), ["pageSize"])
    assert.deepStrictEqual(
      refused(rpc.request.SendMessage, { message: { kind: "message", messageId: "m", role: "user", parts: [] } }),
      [
        "message.parts"
      ]
    )
  })
  it("refuses metadata that is a list", () => {
    assert.deepStrictEqual(refused(v1.request.SendMessage, ask({}, { metadata: [] })), ["metadata"])
  })
  it("takes the last of two equal members", () => {
    assert.strictEqual<string>(read(v1.request.GetTask, JSON.parse(`{"id":"a","id":"b"}`)).id, "b")
  })
  it("reads an absent body as an empty request", () => {
    for (const body of [undefined, null, {}]) assert.deepStrictEqual(read(v1.request.GetExtendedAgentCard, body), {})
  })
})

describe("results and events", () => {
  it("a send results in a task or a message, wrapped or bare", covers("field:SCH-10"), () => {
    const message = { messageId: "m", role: "ROLE_AGENT", parts: [{ text: "x" }] }
    const tag = (json: unknown) => read(v1.success.SendMessage, json)._tag
    assert.deepStrictEqual([{ task: full }, { message }, full, message, { msg: message }].map(tag), [
      "Task",
      "Message",
      "Task",
      "Message",
      "Message"
    ])
    for (const dialect of Object.values(dialects)) {
      for (const json of [{}, null, "ok", []]) {
        const result = dialect.success.SendMessage!.decode(json)
        assert.deepStrictEqual(result._tag === "Failure" && result.failure, [
          { field: "", description: "is neither a task nor a message" }
        ])
      }
    }
  })
  it("a message is the same in three dialects", covers("field:SCH-08"), () => {
    const expected = { _tag: "Message", messageId: Id.MessageId.make("m"), role: "agent", parts: [Part.text("x")] }
    const shapes = [
      read(v1.success.SendMessage, { message: { messageId: "m", role: "ROLE_AGENT", parts: [{ text: "x" }] } }),
      read(rpc.success.SendMessage, {
        kind: "message",
        messageId: "m",
        role: "agent",
        parts: [{ kind: "text", text: "x" }]
      }),
      read(rest.success.SendMessage, { message: { message_id: "m", role: "ROLE_AGENT", content: [{ text: "x" }] } })
    ]
    for (const shape of shapes) assert.deepStrictEqual<object>(shape, expected)
  })
  it("escaped and raw characters are the same text", covers("field:UTF-04"), () => {
    assert.deepStrictEqual(partOf(JSON.parse(`{"text":"\\ud83d\\ude00 \\u4f60"}`)), Part.text("😀 你"))
  })
  it("events of a later version differ from broken ones", () => {
    for (const dialect of Object.values(dialects)) {
      const isKnown = dialect.success.SendStreamingMessage!.isKnown!
      assert.deepStrictEqual([{}, { progress: 1 }, { kind: "heartbeat", taskId: "t" }].map(isKnown), [
        false,
        false,
        false
      ])
      assert.deepStrictEqual(
        [{ statusUpdate: 5 }, { status_update: {} }, full, { kind: "task" }, { taskId: "t" }, null, "x"].map(isKnown),
        [true, true, true, true, true, true, true]
      )
    }
    assert.deepStrictEqual(refused(v1.success.SendStreamingMessage, { statusUpdate: { taskId: "t", status: {} } }), [
      "statusUpdate.status.state"
    ])
  })
  it("a task of 0.3 REST is read with `update`, nested data and empty metadata", covers("ML-37"), () => {
    const task = read(rest.success.GetTask, {
      id: "run-1",
      contextId: "ctx-1",
      status: {
        state: "TASK_STATE_CANCELLED",
        update: { messageId: "m", role: "ROLE_AGENT", content: [{ text: "why" }] }
      },
      artifacts: [{
        artifactId: "r",
        parts: [{ data: { data: { kind: "attachments" } }, metadata: { k: 1 } }],
        metadata: {}
      }]
    })
    assert.strictEqual(task.status.state, "canceled")
    assert.deepStrictEqual(task.status.message?.parts, [Part.text("why")])
    assert.deepStrictEqual(task.artifacts?.[0]?.parts, [Part.data({ kind: "attachments" }, { metadata: { k: 1 } })])
  })
  it("a deletion succeeds with any result", () => {
    for (const json of [undefined, null, {}, "gone"]) {
      for (const { success } of Object.values(dialects)) {
        assert.strictEqual(read(success.DeleteTaskPushNotificationConfig, json), undefined)
      }
    }
  })
  it("a bare list of tasks is a page", () => {
    assert.deepInclude(read(rest.success.ListTasks, [full]), { nextPageToken: "", pageSize: 1, totalSize: 1 })
  })
})

describe("a tenant, which 0.3 does not have", () => {
  for (const [name, dialect] of Object.entries({ REST: rest, "JSON-RPC": rpc })) {
    it(`is not read from a request of ${name}, so that what is read can be written`, () => {
      const { request } = dialect
      const codecs = [
        [request.GetTask, { id: "t" }],
        [request.CancelTask, { id: "t" }],
        [request.SubscribeToTask, { id: "t" }],
        [request.ListTasks, {}],
        [request.GetTaskPushNotificationConfig, { id: "t", taskId: "t" }],
        [request.GetExtendedAgentCard, {}]
      ] as const
      for (const [codec, body] of codecs) {
        if (codec === undefined) continue
        const value = read(codec as never, { ...body, tenant: "acme" })
        assert.notProperty(value, "tenant")
        write(codec as never, value as never)
      }
    })
  }
})
