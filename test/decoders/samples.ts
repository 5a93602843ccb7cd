/** Values that use every member of their type that a protocol version can write. */
import type { AgentCard, Message, Operation, PushNotification, StreamEvent, Task } from "@effect-a2a/core"
import { Id } from "@effect-a2a/core"
import * as DateTime from "effect/DateTime"
import type { Combination } from "../support/peer.ts"

const taskId = Id.TaskId.make("t-1")
const contextId = Id.ContextId.make("c-1")
const timestamp = DateTime.makeUnsafe(1_767_225_600_123)
const metadata = { note: "n" }
const file = { filename: "f.txt", mediaType: "text/plain", metadata }

const message: Message.Message = {
  _tag: "Message",
  messageId: Id.MessageId.make("m-1"),
  role: "user",
  contextId,
  taskId,
  parts: [
    { _tag: "Text", text: "hi", metadata },
    { _tag: "Raw", raw: new Uint8Array([1, 2, 3]), ...file },
    { _tag: "Url", url: "https://files.test/f", ...file },
    { _tag: "Data", data: [1], metadata }
  ],
  metadata,
  extensions: ["https://ext.test"]
}

const answer: Message.Message = { ...message, role: "agent" }

/** A message of one part, where messages are a part of something. */
const short: Message.Message = {
  _tag: "Message",
  messageId: Id.MessageId.make("m-2"),
  role: "agent",
  parts: [{ _tag: "Text", text: "hi" }]
}

const artifact = {
  artifactId: Id.ArtifactId.make("a-1"),
  name: "n",
  description: "d",
  parts: message.parts,
  metadata,
  extensions: ["https://ext.test"]
}

const small = { artifactId: artifact.artifactId, parts: short.parts }

const status: Task.TaskStatus = { state: "completed", timestamp, message: short }

/** A task of small parts, where tasks are a part of something. */
const done: Task.Task = { _tag: "Task", id: taskId, status: { state: "completed" }, artifacts: [small] }

const task: Task.Task = { ...done, contextId, status, artifacts: [artifact], history: [short], metadata }

const events: ReadonlyArray<StreamEvent.StreamEvent> = [
  done,
  short,
  { _tag: "StatusUpdate", taskId, contextId, status, metadata },
  { _tag: "ArtifactUpdate", taskId, contextId, artifact: small, append: true, lastChunk: true, metadata }
]

const config: PushNotification.TaskPushNotificationConfig = {
  id: "p-1",
  taskId,
  url: "https://hook.test",
  token: "secret",
  authentication: { scheme: "Bearer", credentials: "x" }
}

/** A card; 0.3 has neither tenants nor the device flow. */
export const card = (is03: boolean): AgentCard.AgentCard => ({
  name: "Agent",
  description: "d",
  version: "1",
  supportedInterfaces: [{
    url: "https://agent.test/a2a",
    protocolBinding: "JSONRPC",
    protocolVersion: is03 ? "0.3" : "1.0",
    ...(is03 ? undefined : { tenant: "t" })
  }],
  provider: { url: "https://provider.test", organization: "o" },
  documentationUrl: "https://docs.test",
  iconUrl: "https://icon.test",
  capabilities: {
    streaming: true,
    pushNotifications: true,
    extendedAgentCard: true,
    extensions: [{ uri: "https://ext.test", description: "d", required: true, params: metadata }]
  },
  securitySchemes: {
    key: { _tag: "ApiKey", location: "header", name: "x-key" },
    http: { _tag: "HttpAuth", scheme: "bearer" },
    oauth: {
      _tag: "OAuth2",
      flows: [{
        _tag: "AuthorizationCode",
        authorizationUrl: "https://auth.test",
        tokenUrl: "https://token.test",
        scopes: { read: "reads" }
      }]
    },
    oidc: { _tag: "OpenIdConnect", openIdConnectUrl: "https://auth.test" },
    tls: { _tag: "MutualTls", description: "d" }
  },
  securityRequirements: [{ key: [], oauth: ["read"] }],
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: [{
    id: "s-1",
    name: "n",
    description: "d",
    tags: ["t"],
    examples: ["e"],
    inputModes: ["text/plain"],
    outputModes: ["text/plain"],
    securityRequirements: [{ key: [] }]
  }],
  signatures: [{ protected: "p", signature: "s", header: metadata }]
})

type Requests = { readonly [K in Exclude<Operation.Tag, "GetAgentCard">]: Operation.Request<Operation.All[K]> }

/** Requests of every operation. */
export const requests = ({ protocol }: Combination): Requests => {
  const tenant = protocol.version === "1.0" ? { tenant: "t" } : {}
  const { taskId: _, ...taskPushNotificationConfig } = config
  const configuration = {
    acceptedOutputModes: ["text/plain"],
    historyLength: 1,
    returnImmediately: true,
    taskPushNotificationConfig
  }
  const send = { ...tenant, message, metadata, configuration }
  return {
    SendMessage: send,
    SendStreamingMessage: send,
    GetTask: { ...tenant, id: taskId, historyLength: 1 },
    CancelTask: { ...tenant, id: taskId, metadata },
    SubscribeToTask: { ...tenant, id: taskId },
    ListTasks: {
      ...tenant,
      contextId,
      status: "working",
      pageSize: 5,
      pageToken: "p",
      historyLength: 1,
      statusTimestampAfter: timestamp,
      includeArtifacts: true
    },
    CreateTaskPushNotificationConfig: { ...tenant, ...config },
    GetTaskPushNotificationConfig: { ...tenant, taskId, id: "p-1" },
    DeleteTaskPushNotificationConfig: { ...tenant, taskId, id: "p-1" },
    ListTaskPushNotificationConfigs: { ...tenant, taskId },
    GetExtendedAgentCard: tenant
  }
}

type Results = {
  readonly [K in Exclude<Operation.Tag, "GetAgentCard">]: ReadonlyArray<Operation.Success<Operation.All[K]>>
}

/** Results of every operation; for a streaming operation, its events. */
export const results = ({ protocol }: Combination): Results => ({
  SendMessage: [done, answer],
  SendStreamingMessage: events,
  GetTask: [task],
  CancelTask: [task],
  SubscribeToTask: [done],
  ListTasks: [{ tasks: [done], nextPageToken: "p", pageSize: 1, totalSize: 1 }],
  CreateTaskPushNotificationConfig: [config],
  GetTaskPushNotificationConfig: [config],
  DeleteTaskPushNotificationConfig: [undefined],
  ListTaskPushNotificationConfigs: [{ configs: [config] }],
  GetExtendedAgentCard: [card(protocol.version === "0.3")]
})
