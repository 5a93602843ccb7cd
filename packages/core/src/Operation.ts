/**
 * The operations of the A2A specification (§3.1), as values. A transport carries them; a protocol version defines how
 * each is written on the wire, or leaves it out.
 *
 * ```ts
 * import { Operation } from "@effect-a2a/core"
 *
 * Operation.GetTask.idempotent // => true
 * Operation.SendStreamingMessage.mode // => "streaming"
 * Object.values(Operation.all).filter(({ kind }) => kind === "card").map(({ _tag }) => _tag)
 * // => ["GetExtendedAgentCard", "GetAgentCard"]
 * ```
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import * as AgentCard from "./AgentCard.ts"
import * as Id from "./Id.ts"
import * as Message from "./Message.ts"
import { Metadata } from "./Metadata.ts"
import * as PushNotification from "./PushNotification.ts"
import * as StreamEvent from "./StreamEvent.ts"
import * as Task from "./Task.ts"
import { TaskState } from "./TaskState.ts"

/** The purpose of an operation: to send a message, to read or change a task, its webhooks, or the agent's card. */
export type Kind = "send" | "task" | "push" | "card"

/**
 * One operation. `idempotent` operations can be repeated without a second effect. The `success` of a streaming operation
 * is one event.
 */
export interface Operation<
  Tag extends string,
  Mode extends "unary" | "streaming",
  Req extends Schema.Top,
  Res extends Schema.Top
> {
  readonly _tag: Tag
  readonly mode: Mode
  readonly kind: Kind
  readonly idempotent: boolean
  readonly request: Req
  readonly success: Res
}

const operation = <
  const Tag extends string,
  const Mode extends "unary" | "streaming",
  Req extends Schema.Top,
  Res extends Schema.Top
>(
  _tag: Tag,
  options: {
    readonly mode: Mode
    readonly kind: Kind
    readonly idempotent: boolean
    readonly request: Req
    readonly success: Res
  }
): Operation<Tag, Mode, Req, Res> => ({ _tag, ...options })

/** Addresses one of several agents behind one URL; filled in from the chosen interface (specification §3.3.4). */
const tenant = Schema.optionalKey(Schema.String)
const historyLength = Schema.optionalKey(Schema.Int)
const ofTask = { tenant, id: Id.TaskId }
const ofConfig = { tenant, taskId: Id.TaskId, id: Schema.NonEmptyString }

/**
 * How a message is to be handled. `returnImmediately`: give back the task at once instead of waiting for it (default:
 * wait). `historyLength`: how many of the latest messages to return; 0 is none, absent is the server's default.
 */
export const SendMessageConfiguration = Schema.Struct({
  acceptedOutputModes: Schema.optionalKey(Schema.Array(Schema.String)),
  historyLength,
  returnImmediately: Schema.optionalKey(Schema.Boolean),
  taskPushNotificationConfig: Schema.optionalKey(PushNotification.PushNotificationConfig)
})
export type SendMessageConfiguration = typeof SendMessageConfiguration.Type

export const SendMessageRequest = Schema.Struct({
  tenant,
  message: Message.Message,
  configuration: Schema.optionalKey(SendMessageConfiguration),
  metadata: Schema.optionalKey(Metadata)
})
export type SendMessageRequest = typeof SendMessageRequest.Type

export const ListTasksRequest = Schema.Struct({
  tenant,
  contextId: Schema.optionalKey(Id.ContextId),
  status: Schema.optionalKey(TaskState),
  /** 1 to 100. */
  pageSize: Schema.optionalKey(Schema.Int),
  pageToken: Schema.optionalKey(Schema.String),
  historyLength,
  statusTimestampAfter: Schema.optionalKey(Schema.DateTimeUtc),
  includeArtifacts: Schema.optionalKey(Schema.Boolean)
})
export type ListTasksRequest = typeof ListTasksRequest.Type

export const ListTasksResponse = Schema.Struct({
  tasks: Schema.Array(Task.Task),
  /** Empty on the last page. */
  nextPageToken: Schema.String,
  pageSize: Schema.Int,
  totalSize: Schema.Int
})
export type ListTasksResponse = typeof ListTasksResponse.Type

export const SendMessage = operation("SendMessage", {
  mode: "unary",
  kind: "send",
  idempotent: false,
  request: SendMessageRequest,
  success: Schema.Union([Task.Task, Message.Message])
})

export const SendStreamingMessage = operation("SendStreamingMessage", {
  mode: "streaming",
  kind: "send",
  idempotent: false,
  request: SendMessageRequest,
  success: StreamEvent.StreamEvent
})

export const GetTask = operation("GetTask", {
  mode: "unary",
  kind: "task",
  idempotent: true,
  request: Schema.Struct({ ...ofTask, historyLength }),
  success: Task.Task
})

export const ListTasks = operation("ListTasks", {
  mode: "unary",
  kind: "task",
  idempotent: true,
  request: ListTasksRequest,
  success: ListTasksResponse
})

export const CancelTask = operation("CancelTask", {
  mode: "unary",
  kind: "task",
  idempotent: true,
  request: Schema.Struct({ ...ofTask, metadata: Schema.optionalKey(Metadata) }),
  success: Task.Task
})

export const SubscribeToTask = operation("SubscribeToTask", {
  mode: "streaming",
  kind: "task",
  idempotent: true,
  request: Schema.Struct(ofTask),
  success: StreamEvent.StreamEvent
})

export const CreateTaskPushNotificationConfig = operation("CreateTaskPushNotificationConfig", {
  mode: "unary",
  kind: "push",
  idempotent: false,
  request: Schema.Struct({ tenant, ...PushNotification.TaskPushNotificationConfig.fields }),
  success: PushNotification.TaskPushNotificationConfig
})

export const GetTaskPushNotificationConfig = operation("GetTaskPushNotificationConfig", {
  mode: "unary",
  kind: "push",
  idempotent: true,
  request: Schema.Struct(ofConfig),
  success: PushNotification.TaskPushNotificationConfig
})

export const ListTaskPushNotificationConfigs = operation("ListTaskPushNotificationConfigs", {
  mode: "unary",
  kind: "push",
  idempotent: true,
  request: Schema.Struct({
    tenant,
    taskId: Id.TaskId,
    pageSize: Schema.optionalKey(Schema.Int),
    pageToken: Schema.optionalKey(Schema.String)
  }),
  success: Schema.Struct({
    configs: Schema.Array(PushNotification.TaskPushNotificationConfig),
    nextPageToken: Schema.optionalKey(Schema.String)
  })
})

export const DeleteTaskPushNotificationConfig = operation("DeleteTaskPushNotificationConfig", {
  mode: "unary",
  kind: "push",
  idempotent: true,
  request: Schema.Struct(ofConfig),
  success: Schema.Void
})

export const GetExtendedAgentCard = operation("GetExtendedAgentCard", {
  mode: "unary",
  kind: "card",
  idempotent: true,
  request: Schema.Struct({ tenant }),
  success: AgentCard.AgentCard
})

/**
 * The public card (A2A 1.0 §8.2). The specification lists no operation for it; as a value like the others it lets one
 * transport serve in-process agents, gateways and HTTP alike.
 */
export const GetAgentCard = operation("GetAgentCard", {
  mode: "unary",
  kind: "card",
  idempotent: true,
  request: Schema.Struct({}),
  success: AgentCard.AgentCard
})

/** Every operation by name: the specification's eleven remote ones, and the public card. */
export const all = {
  SendMessage,
  SendStreamingMessage,
  GetTask,
  ListTasks,
  CancelTask,
  SubscribeToTask,
  CreateTaskPushNotificationConfig,
  GetTaskPushNotificationConfig,
  ListTaskPushNotificationConfigs,
  DeleteTaskPushNotificationConfig,
  GetExtendedAgentCard,
  GetAgentCard
} as const

/** The type of {@link all}. */
export type All = typeof all

/** The name of an operation. */
export type Tag = keyof All

/** Any of the operations in {@link all}. */
export type Any = All[Tag]

/** An operation with one result. */
export type Unary = Extract<Any, { readonly mode: "unary" }>

/** An operation with a stream of events. */
export type Streaming = Extract<Any, { readonly mode: "streaming" }>

/** The request of an operation. */
export type Request<Op extends Any> = Op["request"]["Type"]

/** The result of an operation: one value, or one event of its stream. */
export type Success<Op extends Any> = Op["success"]["Type"]
