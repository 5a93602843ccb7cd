import * as Id from "@effect-a2a/core/Id"
import type * as Operation from "@effect-a2a/core/Operation"
import * as Part from "@effect-a2a/core/Part"
import * as Protocol from "@effect-a2a/core/Protocol"
import * as StreamEvent from "@effect-a2a/core/StreamEvent"
import { assert, describe, it } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import { covers } from "../../../../test/support/covers.ts"
import { dialects, read, write } from "./support.ts"

const request: Operation.SendMessageRequest = {
  message: {
    _tag: "Message",
    messageId: Id.MessageId.make("q-1"),
    role: "user",
    parts: [
      Part.text("Where is it?"),
      Part.raw(new Uint8Array([255, 254, 253]), { filename: "map.bin", mediaType: "application/x-map" }),
      Part.url("https://files.test/plan.pdf", { mediaType: "application/pdf" }),
      Part.data({ floor: 2 })
    ]
  },
  configuration: { acceptedOutputModes: ["text/plain"], historyLength: 3, returnImmediately: false },
  metadata: { trace: "x" }
}

const taskId = Id.TaskId.make("run-9")
const contextId = Id.ContextId.make("ctx-4")
const at = DateTime.makeUnsafe("2026-03-04T05:06:07.890Z")
const agent = (text: string) => ({
  _tag: "Message" as const,
  messageId: Id.MessageId.make("a-1"),
  role: "agent" as const,
  parts: [Part.text(text)]
})
const events: ReadonlyArray<StreamEvent.StreamEvent> = [
  { _tag: "Task", id: taskId, contextId, status: { state: "submitted" }, history: [agent("earlier")] },
  StreamEvent.statusUpdate({
    taskId,
    contextId,
    status: { state: "working", message: agent("Looking"), timestamp: at }
  }),
  StreamEvent.artifactUpdate({
    taskId,
    contextId,
    artifact: { artifactId: Id.ArtifactId.make("r"), name: "result", parts: [Part.data({ n: 1 })] },
    append: true,
    lastChunk: true
  }),
  StreamEvent.statusUpdate({ taskId, contextId, status: { state: "canceled" } }),
  agent("Bye")
]

describe("one conversation in three dialects", () => {
  it("1.0 writes a send", covers("ML-06"), () => {
    const json = {
      message: {
        messageId: "q-1",
        role: "ROLE_USER",
        parts: [
          { text: "Where is it?" },
          { raw: "//79", filename: "map.bin", mediaType: "application/x-map" },
          { url: "https://files.test/plan.pdf", mediaType: "application/pdf" },
          { data: { floor: 2 } }
        ]
      },
      configuration: { acceptedOutputModes: ["text/plain"], historyLength: 3, returnImmediately: false },
      metadata: { trace: "x" }
    }
    assert.deepStrictEqual(write(dialects["1.0"].request.SendMessage, request), json)
    assert.deepStrictEqual(write(dialects["1.0"].request.SendStreamingMessage, request), json)
  })

  it("0.3 REST writes a send", covers("ML-06"), () => {
    assert.deepStrictEqual(write(dialects["0.3 REST"].request.SendMessage, request), {
      message: {
        messageId: "q-1",
        role: "ROLE_USER",
        content: [
          { text: "Where is it?" },
          { file: { fileWithBytes: "//79", name: "map.bin", mimeType: "application/x-map" } },
          { file: { fileWithUri: "https://files.test/plan.pdf", mimeType: "application/pdf" } },
          { data: { data: { floor: 2 } } }
        ]
      },
      configuration: { acceptedOutputModes: ["text/plain"], historyLength: 3, blocking: true },
      metadata: { trace: "x" }
    })
  })

  it("0.3 JSON-RPC writes a send", covers("ML-06"), () => {
    assert.deepStrictEqual(write(dialects["0.3 JSON-RPC"].request.SendMessage, request), {
      message: {
        kind: "message",
        messageId: "q-1",
        role: "user",
        parts: [
          { kind: "text", text: "Where is it?" },
          { kind: "file", file: { bytes: "//79", name: "map.bin", mimeType: "application/x-map" } },
          { kind: "file", file: { uri: "https://files.test/plan.pdf", mimeType: "application/pdf" } },
          { kind: "data", data: { floor: 2 } }
        ]
      },
      configuration: { acceptedOutputModes: ["text/plain"], historyLength: 3, blocking: true },
      metadata: { trace: "x" }
    })
  })

  const proto = (content: "parts" | "content", canceled: string, final: { final?: true }, data: unknown) => {
    const said = (text: string) => ({ messageId: "a-1", role: "ROLE_AGENT", [content]: [{ text }] })
    return [
      {
        task: { id: "run-9", contextId: "ctx-4", status: { state: "TASK_STATE_SUBMITTED" }, history: [said("earlier")] }
      },
      {
        statusUpdate: {
          taskId: "run-9",
          contextId: "ctx-4",
          status: { state: "TASK_STATE_WORKING", message: said("Looking"), timestamp: "2026-03-04T05:06:07.890Z" }
        }
      },
      {
        artifactUpdate: {
          taskId: "run-9",
          contextId: "ctx-4",
          artifact: { artifactId: "r", name: "result", parts: [{ data }] },
          append: true,
          lastChunk: true
        }
      },
      { statusUpdate: { taskId: "run-9", contextId: "ctx-4", status: { state: canceled }, ...final } },
      { message: said("Bye") }
    ]
  }
  const said = (text: string) => ({
    kind: "message",
    messageId: "a-1",
    role: "agent",
    parts: [{ kind: "text", text }]
  })
  const streams = {
    "1.0": proto("parts", "TASK_STATE_CANCELED", {}, { n: 1 }),
    "0.3 REST": proto("content", "TASK_STATE_CANCELLED", { final: true }, { data: { n: 1 } }),
    "0.3 JSON-RPC": [
      { kind: "task", id: "run-9", contextId: "ctx-4", status: { state: "submitted" }, history: [said("earlier")] },
      {
        kind: "status-update",
        taskId: "run-9",
        contextId: "ctx-4",
        status: { state: "working", message: said("Looking"), timestamp: "2026-03-04T05:06:07.890Z" },
        final: false
      },
      {
        kind: "artifact-update",
        taskId: "run-9",
        contextId: "ctx-4",
        artifact: { artifactId: "r", name: "result", parts: [{ kind: "data", data: { n: 1 } }] },
        append: true,
        lastChunk: true
      },
      { kind: "status-update", taskId: "run-9", contextId: "ctx-4", status: { state: "canceled" }, final: true },
      said("Bye")
    ]
  }

  it.each(["1.0", "0.3 REST", "0.3 JSON-RPC"] as const)("%s writes and reads a stream", covers("ML-37"), (name) => {
    const codec = dialects[name].success.SendStreamingMessage
    assert.deepStrictEqual(events.map((event) => write(codec, event)), streams[name])
    assert.deepStrictEqual(streams[name].map((event) => read(codec, event)), events)
  })
})

describe("other differences between the versions", () => {
  const ofTask = { id: taskId }
  it("method names", covers("ML-05"), () => {
    assert.deepStrictEqual(Object.keys(Protocol.v1_0.jsonRpc.methods), Object.values(Protocol.v1_0.jsonRpc.methods))
    const { CancelTask, GetTask, ListTasks, SendMessage, SendStreamingMessage, SubscribeToTask } =
      Protocol.v0_3.jsonRpc.methods
    assert.deepStrictEqual(
      [SendMessage, SendStreamingMessage, GetTask, CancelTask, SubscribeToTask, ListTasks],
      ["message/send", "message/stream", "tasks/get", "tasks/cancel", "tasks/resubscribe", undefined]
    )
  })

  it("prefix, verbs of subscribing, version and extension headers", covers("ML-04"), () => {
    const verbs = (protocol: Protocol.Protocol) => protocol.rest.routes.SubscribeToTask?.map(({ method }) => method)
    assert.deepStrictEqual(verbs(Protocol.v1_0), ["POST", "GET"])
    assert.deepStrictEqual(verbs(Protocol.v0_3), ["GET", "POST"])
    assert.deepStrictEqual([Protocol.v1_0.rest.prefix, Protocol.v0_3.rest.prefix], [undefined, "/v1"])
    assert.deepStrictEqual([Protocol.v1_0.versionRequired, Protocol.v0_3.versionRequired], [true, false])
    assert.deepStrictEqual([Protocol.v1_0.extensionsHeader, Protocol.v0_3.extensionsHeader], [
      "A2A-Extensions",
      "X-A2A-Extensions"
    ])
  })

  it("a history length of zero is sent, an absent one is not", covers("field:HIST-01", "ML-07"), () => {
    for (const dialect of Object.values(dialects)) {
      assert.deepStrictEqual(write(dialect.request.GetTask, { ...ofTask, historyLength: 0 }), {
        id: "run-9",
        historyLength: 0
      })
      assert.deepStrictEqual(write(dialect.request.GetTask, ofTask), { id: "run-9" })
    }
  })

  it("0.3 always writes `blocking` in a send, and in a stream only beside other settings", covers("ML-07"), () => {
    const { configuration: _, ...plain } = request
    for (const name of ["0.3 REST", "0.3 JSON-RPC"] as const) {
      const { SendMessage, SendStreamingMessage } = dialects[name].request
      assert.deepStrictEqual(write(SendMessage, plain).configuration, { blocking: true })
      assert.deepStrictEqual(
        write(SendMessage, { ...plain, configuration: { returnImmediately: true } }).configuration,
        {
          blocking: false
        }
      )
      assert.notProperty(write(SendStreamingMessage, plain), "configuration")
      assert.deepStrictEqual(
        write(SendStreamingMessage, { ...plain, configuration: { historyLength: 1 } }).configuration,
        {
          historyLength: 1,
          blocking: true
        }
      )
    }
    assert.notProperty(write(dialects["1.0"].request.SendMessage, plain), "configuration")
  })

  it("a 0.3 request without `blocking` waits, over JSON-RPC and over REST", () => {
    const { configuration: _, ...plain } = request
    const silent = (name: "0.3 REST" | "0.3 JSON-RPC") => {
      const { configuration: _, ...json } = write(dialects[name].request.SendMessage, plain)
      return read(dialects[name].request.SendMessage, json).configuration
    }
    assert.strictEqual(silent("0.3 JSON-RPC"), undefined)
    assert.strictEqual(silent("0.3 REST"), undefined)
  })

  it("each dialect has another name for the push configuration of a message", () => {
    const push = { url: "https://hook.test", authentication: { scheme: "Bearer", credentials: "s" } }
    const wish = { ...request, configuration: { taskPushNotificationConfig: push } }
    const schemes = { url: "https://hook.test", authentication: { schemes: ["Bearer"], credentials: "s" } }
    const configuration = (name: keyof typeof dialects) => write(dialects[name].request.SendMessage, wish).configuration
    assert.deepStrictEqual(configuration("1.0"), { taskPushNotificationConfig: push })
    assert.deepStrictEqual(configuration("0.3 REST"), { pushNotification: schemes, blocking: true })
    assert.deepStrictEqual(configuration("0.3 JSON-RPC"), { pushNotificationConfig: schemes, blocking: true })
  })

  it("push configurations of a task", () => {
    const config = { taskId, id: "c", url: "https://hook.test", token: "t" }
    const { taskId: _, ...inner } = config
    assert.deepStrictEqual(write(dialects["1.0"].success.GetTaskPushNotificationConfig, config), {
      ...inner,
      taskId: "run-9"
    })
    assert.deepStrictEqual(write(dialects["0.3 JSON-RPC"].success.GetTaskPushNotificationConfig, config), {
      taskId: "run-9",
      pushNotificationConfig: inner
    })
    assert.deepStrictEqual(write(dialects["0.3 REST"].success.GetTaskPushNotificationConfig, config), {
      name: "tasks/run-9/pushNotificationConfigs/c",
      pushNotificationConfig: inner
    })
    const page = (name: keyof typeof dialects) =>
      write(dialects[name].success.ListTaskPushNotificationConfigs, { configs: [config] })
    assert.isArray(page("0.3 JSON-RPC"))
    assert.lengthOf(page("0.3 REST").configs, 1)
    assert.deepStrictEqual(read(dialects["1.0"].success.ListTaskPushNotificationConfigs, page("1.0").configs), {
      configs: [config]
    })
  })

  it("0.3 REST reads push configurations in three forms", () => {
    const pushNotificationConfig = { url: "https://hook.test" }
    const { CreateTaskPushNotificationConfig } = dialects["0.3 REST"].request
    const forms = [
      { name: "tasks/run-9/pushNotificationConfigs/c", pushNotificationConfig },
      {
        parent: "tasks/run-9",
        config_id: "c",
        config: { name: "tasks/run-9/pushNotificationConfigs/c", push_notification_config: pushNotificationConfig }
      },
      { taskId: "run-9", configId: "c", config: { pushNotificationConfig } }
    ]
    const config = { taskId, id: "c", url: "https://hook.test" }
    for (const form of forms) assert.deepStrictEqual(read(CreateTaskPushNotificationConfig, form), config)
    // and goes out in the first two at once, since each server reads but one of them
    const pair = { name: "tasks/run-9/pushNotificationConfigs/c", pushNotificationConfig: { id: "c", url: config.url } }
    assert.deepStrictEqual(write(CreateTaskPushNotificationConfig, config), {
      ...pair,
      taskId,
      parent: "tasks/run-9",
      configId: "c",
      config: pair
    })
    assert.deepStrictEqual(
      read(CreateTaskPushNotificationConfig, { name: "tasks/run-9/pushNotificationConfigs/", pushNotificationConfig }),
      { taskId, url: "https://hook.test" }
    )
  })
})
