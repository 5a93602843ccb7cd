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
import type * as AgentCard from "./AgentCard.ts"
import * as Id from "./Id.ts"
import * as Message from "./Message.ts"
import { Metadata } from "./Metadata.ts"
import * as PushNotification from "./PushNotification.ts"
import type * as StreamEvent from "./StreamEvent.ts"
import * as Task from "./Task.ts"
import { TaskState } from "./TaskState.ts"

/** The purpose of an operation: to send a message, to read or change a task, its webhooks, or the agent's card. */
export type Kind = "send" | "task" | "push" | "card"

/** One operation. */
export interface Operation<
  Tag extends string,
  Mode extends "unary" | "streaming",
  Req extends Schema.Top,
  Result
> {
  /** The name of the operation. */
  readonly _tag: Tag
  /** `unary`: one result. `streaming`: a stream of events. */
  readonly mode: Mode
  readonly kind: Kind
  /** True if repeating the operation has no second effect. */
  readonly idempotent: boolean
  /** The schema of requests. */
  readonly request: Req
  /** The type of results: of the whole result, or of one event of a stream. For the compiler only, never set. */
  readonly success?: { readonly Type: Result }
}

/** Addresses one of several agents behind one URL. Absent: the tenant of the agent's interface (A2A 1.0 §3.3.4). */
const tenant = Schema.optionalKey(Schema.String)
/** The number of latest messages to return. 0: none. Absent: the server's default. */
const historyLength = Schema.optionalKey(Schema.Int)
const ofTask = { tenant, id: Id.TaskId }
const ofConfig = { tenant, taskId: Id.TaskId, id: Schema.NonEmptyString }

/** Settings of a send. */
export class SendMessageConfiguration extends Schema.Opaque<SendMessageConfiguration>()(
  Schema.Struct({
    /** Media types that the caller accepts. */
    acceptedOutputModes: Schema.optionalKey(Schema.Array(Schema.String)),
    historyLength,
    /** True: return the task at once. Default: wait until it settles. */
    returnImmediately: Schema.optionalKey(Schema.Boolean),
    /** A webhook for the task that the message creates. */
    taskPushNotificationConfig: Schema.optionalKey(PushNotification.PushNotificationConfig)
  }).annotate({ identifier: "SendMessageConfiguration" })
) {}

/** The request of both sends. */
export class SendMessageRequest extends Schema.Opaque<SendMessageRequest>()(
  Schema.Struct({
    tenant,
    message: Message.Message,
    configuration: Schema.optionalKey(SendMessageConfiguration),
    metadata: Schema.optionalKey(Metadata)
  }).annotate({ identifier: "SendMessageRequest" })
) {}

/** The result of a send: a task, or a message if the agent creates no task. */
export const SendMessageResponse = Schema.Union([Task.Task, Message.Message]).annotate({
  identifier: "SendMessageResponse"
})
/** The result of a send: a task, or a message if the agent creates no task. */
export type SendMessageResponse = Task.Task | Message.Message

/** Sends a message; results in a task or a message (A2A 1.0 §3.1.1). */
export const SendMessage: Operation<"SendMessage", "unary", typeof SendMessageRequest, SendMessageResponse> = {
  _tag: "SendMessage",
  mode: "unary",
  kind: "send",
  idempotent: false,
  request: SendMessageRequest
}

/** Sends a message and streams the events of its task (A2A 1.0 §3.1.2). */
export const SendStreamingMessage: Operation<
  "SendStreamingMessage",
  "streaming",
  typeof SendMessageRequest,
  StreamEvent.StreamEvent
> = {
  _tag: "SendStreamingMessage",
  mode: "streaming",
  kind: "send",
  idempotent: false,
  request: SendMessageRequest
}

/** The request of {@link GetTask}. */
export class GetTaskRequest extends Schema.Opaque<GetTaskRequest>()(
  Schema.Struct({ ...ofTask, historyLength }).annotate({ identifier: "GetTaskRequest" })
) {}

/** Reads a task (A2A 1.0 §3.1.3). */
export const GetTask: Operation<"GetTask", "unary", typeof GetTaskRequest, Task.Task> = {
  _tag: "GetTask",
  mode: "unary",
  kind: "task",
  idempotent: true,
  request: GetTaskRequest
}

/** The request of {@link ListTasks}: filters, and a page. */
export class ListTasksRequest extends Schema.Opaque<ListTasksRequest>()(
  Schema.Struct({
    tenant,
    contextId: Schema.optionalKey(Id.ContextId),
    status: Schema.optionalKey(TaskState),
    /** 1 to 100. Absent: the server's default. */
    pageSize: Schema.optionalKey(Schema.Int),
    /** The `nextPageToken` of the page before. */
    pageToken: Schema.optionalKey(Schema.String),
    historyLength,
    /** Only tasks whose status is newer. */
    statusTimestampAfter: Schema.optionalKey(Schema.DateTimeUtc),
    /** Default: false. */
    includeArtifacts: Schema.optionalKey(Schema.Boolean)
  }).annotate({ identifier: "ListTasksRequest" })
) {}

/** A page of tasks, the latest first. */
export class ListTasksResponse extends Schema.Opaque<ListTasksResponse>()(
  Schema.Struct({
    tasks: Schema.Array(Task.Task),
    /** Empty on the last page. */
    nextPageToken: Schema.String,
    pageSize: Schema.Int,
    /** The number of tasks on all pages. */
    totalSize: Schema.Int
  }).annotate({ identifier: "ListTasksResponse" })
) {}

/** Lists tasks, by page (A2A 1.0 §3.1.4). */
export const ListTasks: Operation<"ListTasks", "unary", typeof ListTasksRequest, ListTasksResponse> = {
  _tag: "ListTasks",
  mode: "unary",
  kind: "task",
  idempotent: true,
  request: ListTasksRequest
}

/** The request of {@link CancelTask}. */
export class CancelTaskRequest extends Schema.Opaque<CancelTaskRequest>()(
  Schema.Struct({ ...ofTask, metadata: Schema.optionalKey(Metadata) }).annotate({ identifier: "CancelTaskRequest" })
) {}

/** Cancels a task (A2A 1.0 §3.1.5). */
export const CancelTask: Operation<"CancelTask", "unary", typeof CancelTaskRequest, Task.Task> = {
  _tag: "CancelTask",
  mode: "unary",
  kind: "task",
  idempotent: true,
  request: CancelTaskRequest
}

/** The request of {@link SubscribeToTask}. */
export class SubscribeToTaskRequest extends Schema.Opaque<SubscribeToTaskRequest>()(
  Schema.Struct(ofTask).annotate({ identifier: "SubscribeToTaskRequest" })
) {}

/** Streams the events of an existing task (A2A 1.0 §3.1.6). */
export const SubscribeToTask: Operation<
  "SubscribeToTask",
  "streaming",
  typeof SubscribeToTaskRequest,
  StreamEvent.StreamEvent
> = {
  _tag: "SubscribeToTask",
  mode: "streaming",
  kind: "task",
  idempotent: true,
  request: SubscribeToTaskRequest
}

/** The request of {@link CreateTaskPushNotificationConfig}. */
export class CreateTaskPushNotificationConfigRequest extends Schema.Opaque<CreateTaskPushNotificationConfigRequest>()(
  Schema.Struct({ tenant, ...PushNotification.TaskPushNotificationConfig.fields }).annotate({
    identifier: "CreateTaskPushNotificationConfigRequest"
  })
) {}

/** Adds a webhook to a task (A2A 1.0 §3.1.7). */
export const CreateTaskPushNotificationConfig: Operation<
  "CreateTaskPushNotificationConfig",
  "unary",
  typeof CreateTaskPushNotificationConfigRequest,
  PushNotification.TaskPushNotificationConfig
> = {
  _tag: "CreateTaskPushNotificationConfig",
  mode: "unary",
  kind: "push",
  idempotent: false,
  request: CreateTaskPushNotificationConfigRequest
}

/** The request of {@link GetTaskPushNotificationConfig}. */
export class GetTaskPushNotificationConfigRequest extends Schema.Opaque<GetTaskPushNotificationConfigRequest>()(
  Schema.Struct(ofConfig).annotate({ identifier: "GetTaskPushNotificationConfigRequest" })
) {}

/** Reads a webhook of a task (A2A 1.0 §3.1.8). */
export const GetTaskPushNotificationConfig: Operation<
  "GetTaskPushNotificationConfig",
  "unary",
  typeof GetTaskPushNotificationConfigRequest,
  PushNotification.TaskPushNotificationConfig
> = {
  _tag: "GetTaskPushNotificationConfig",
  mode: "unary",
  kind: "push",
  idempotent: true,
  request: GetTaskPushNotificationConfigRequest
}

/** The request of {@link ListTaskPushNotificationConfigs}. */
export class ListTaskPushNotificationConfigsRequest extends Schema.Opaque<ListTaskPushNotificationConfigsRequest>()(
  Schema.Struct({
    tenant,
    taskId: Id.TaskId,
    pageSize: Schema.optionalKey(Schema.Int),
    pageToken: Schema.optionalKey(Schema.String)
  }).annotate({ identifier: "ListTaskPushNotificationConfigsRequest" })
) {}

/** A page of webhooks. */
export class ListTaskPushNotificationConfigsResponse extends Schema.Opaque<ListTaskPushNotificationConfigsResponse>()(
  Schema.Struct({
    configs: Schema.Array(PushNotification.TaskPushNotificationConfig),
    /** Absent on the last page. */
    nextPageToken: Schema.optionalKey(Schema.String)
  }).annotate({ identifier: "ListTaskPushNotificationConfigsResponse" })
) {}

/** Lists the webhooks of a task, by page (A2A 1.0 §3.1.9). */
export const ListTaskPushNotificationConfigs: Operation<
  "ListTaskPushNotificationConfigs",
  "unary",
  typeof ListTaskPushNotificationConfigsRequest,
  ListTaskPushNotificationConfigsResponse
> = {
  _tag: "ListTaskPushNotificationConfigs",
  mode: "unary",
  kind: "push",
  idempotent: true,
  request: ListTaskPushNotificationConfigsRequest
}

/** The request of {@link DeleteTaskPushNotificationConfig}. */
export class DeleteTaskPushNotificationConfigRequest extends Schema.Opaque<DeleteTaskPushNotificationConfigRequest>()(
  Schema.Struct(ofConfig).annotate({ identifier: "DeleteTaskPushNotificationConfigRequest" })
) {}

/** Removes a webhook from a task (A2A 1.0 §3.1.10). */
export const DeleteTaskPushNotificationConfig: Operation<
  "DeleteTaskPushNotificationConfig",
  "unary",
  typeof DeleteTaskPushNotificationConfigRequest,
  void
> = {
  _tag: "DeleteTaskPushNotificationConfig",
  mode: "unary",
  kind: "push",
  idempotent: true,
  request: DeleteTaskPushNotificationConfigRequest
}

/** The request of {@link GetExtendedAgentCard}. */
export class GetExtendedAgentCardRequest extends Schema.Opaque<GetExtendedAgentCardRequest>()(
  Schema.Struct({ tenant }).annotate({ identifier: "GetExtendedAgentCardRequest" })
) {}

/** Reads the card for authenticated callers (A2A 1.0 §3.1.11). */
export const GetExtendedAgentCard: Operation<
  "GetExtendedAgentCard",
  "unary",
  typeof GetExtendedAgentCardRequest,
  AgentCard.AgentCard
> = {
  _tag: "GetExtendedAgentCard",
  mode: "unary",
  kind: "card",
  idempotent: true,
  request: GetExtendedAgentCardRequest
}

/**
 * The public card (A2A 1.0 §8.2). The specification lists no operation for it; as a value like the others it lets one
 * transport serve in-process agents, gateways and HTTP alike.
 */
export const GetAgentCard: Operation<"GetAgentCard", "unary", Schema.Struct<{}>, AgentCard.AgentCard> = {
  _tag: "GetAgentCard",
  mode: "unary",
  kind: "card",
  idempotent: true,
  request: Schema.Struct({})
}

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
export type Success<Op extends Any> = NonNullable<Op["success"]>["Type"]
