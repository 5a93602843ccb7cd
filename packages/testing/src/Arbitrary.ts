/**
 * Random values of the model for property tests, restricted to what a protocol version can express: no empty optional
 * members (absent on the wire), and in 0.3 no media type of texts.
 *
 * ```ts
 * import { Arbitrary } from "@effect-a2a/testing"
 *
 * Object.keys(Arbitrary.requests("1.0")).length // => 11
 * ```
 *
 * @since 0.1.0
 */
import * as AgentCard from "@effect-a2a/core/AgentCard"
import * as Artifact from "@effect-a2a/core/Artifact"
import * as Message from "@effect-a2a/core/Message"
import type * as Operation from "@effect-a2a/core/Operation"
import type * as Part from "@effect-a2a/core/Part"
import * as SecurityScheme from "@effect-a2a/core/SecurityScheme"
import type * as StreamEvent from "@effect-a2a/core/StreamEvent"
import * as Task from "@effect-a2a/core/Task"
import * as TaskState from "@effect-a2a/core/TaskState"
import * as Arbitrary from "effect/Arbitrary"
import * as DateTime from "effect/DateTime"
import * as Schema from "effect/Schema"

/** A dialect that can express the values. */
export type Dialect = "1.0" | "0.3 REST" | "0.3 JSON-RPC"

/** A generator of requests per operation. */
export type Requests = {
  readonly [K in Exclude<Operation.Tag, "GetAgentCard">]: Arbitrary.Arbitrary<Operation.Request<Operation.All[K]>>
}
/** A generator of results per operation. */
export type Successes = {
  readonly [K in Exclude<Operation.Tag, "GetAgentCard">]: Arbitrary.Arbitrary<Operation.Success<Operation.All[K]>>
}

const optional = Schema.optionalKey
const text = optional(Schema.NonEmptyString)
const flag = optional(Schema.Boolean)
/** False is the default, and so not written. */
const mark = optional(Schema.Literal(true))
const some = <S extends Schema.Top>(item: S) => optional(Schema.Array(item).check(Schema.isMinLength(1)))
const texts = some(Schema.String)
const metadata = optional(Schema.Record(Schema.String, Schema.Json).check(Schema.isMinProperties(1)))
const count = optional(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1000 })))
/** Replaced by an instant of this millennium, which every dialect can write. */
const instant = Schema.TaggedStruct("Instant", {
  millis: Schema.Int.check(Schema.isBetween({ minimum: 946_684_800_000, maximum: 32_503_680_000_000 }))
})

/** V8 (13.6) may confuse names that are written with an escape, such as "\\u0000" and "\\\\". */
const replaceEscapes = (name: string): string => name.replace(/[\p{Cc}\p{Cs}"\\]/gu, "_")

const revive = (value: unknown): unknown => {
  // JSON has no negative zero
  if (typeof value === "number") return value + 0
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return value
  if (Array.isArray(value)) return value.map(revive)
  if ("_tag" in value && value._tag === "Instant" && "millis" in value) return DateTime.makeUnsafe(Number(value.millis))
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [replaceEscapes(name), revive(member)]))
}

const of = <A>(schema: Schema.Top): Arbitrary.Arbitrary<A> =>
  Arbitrary.map(Arbitrary.schema(schema), (value) => revive(value) as A)

const model = (dialect: Dialect) => {
  const is1 = dialect === "1.0"
  const file = { filename: text, mediaType: text }
  const common = { metadata, ...(is1 ? file : undefined) }
  const part = Schema.Union([
    Schema.TaggedStruct("Text", { ...common, text: Schema.String }),
    Schema.TaggedStruct("Raw", { ...common, ...file, raw: Schema.Uint8Array }),
    Schema.TaggedStruct("Url", { ...common, ...file, url: Schema.String }),
    Schema.TaggedStruct("Data", { ...common, data: Schema.Json })
  ])
  const { extensions: _, messageId, ...ids } = Message.Message.fields
  const message = Schema.TaggedStruct("Message", {
    messageId,
    contextId: ids.contextId,
    taskId: ids.taskId,
    role: Schema.Literals(["user", "agent"]),
    parts: Schema.Array(part).check(Schema.isMinLength(1)),
    metadata,
    extensions: texts,
    ...(dialect === "0.3 REST" ? undefined : { referenceTaskIds: some(Task.Task.fields.id) })
  })
  const artifact = Schema.Struct({
    artifactId: Artifact.Artifact.fields.artifactId,
    name: text,
    description: text,
    parts: Schema.Array(part),
    metadata,
    extensions: texts
  })
  const status = Schema.Struct({ state: TaskState.TaskState, message: optional(message), timestamp: optional(instant) })
  const task = Schema.TaggedStruct("Task", {
    id: Task.Task.fields.id,
    contextId: Task.Task.fields.contextId,
    status,
    artifacts: some(artifact),
    history: some(message),
    metadata
  })
  const update = { taskId: Task.Task.fields.id, contextId: Task.Task.fields.contextId, metadata }
  const event = Schema.Union([
    task,
    message,
    Schema.TaggedStruct("StatusUpdate", { ...update, status }),
    Schema.TaggedStruct("ArtifactUpdate", { ...update, artifact, append: mark, lastChunk: mark })
  ])
  const config = {
    id: text,
    url: Schema.NonEmptyString,
    token: text,
    authentication: optional(Schema.Struct({ scheme: Schema.NonEmptyString, credentials: text }))
  }
  const taskConfig = Schema.Struct({ ...config, taskId: Task.Task.fields.id })
  return { artifact, config, event, is1, message, part, task, taskConfig }
}

const card = (dialect: Dialect) => {
  const is1 = dialect === "1.0"
  const scopes = SecurityScheme.Scopes
  const token = { tokenUrl: Schema.String, refreshUrl: text, scopes }
  const flows = [
    Schema.TaggedStruct("AuthorizationCode", {
      ...token,
      authorizationUrl: Schema.String,
      ...(is1 ? { pkceRequired: mark } : undefined)
    }),
    Schema.TaggedStruct("ClientCredentials", token),
    Schema.TaggedStruct("Implicit", { authorizationUrl: Schema.String, refreshUrl: text, scopes }),
    Schema.TaggedStruct("Password", token)
  ]
  const flow = is1
    ? Schema.Union([...flows, Schema.TaggedStruct("DeviceCode", { ...token, deviceAuthorizationUrl: Schema.String })])
    : Schema.Union(flows)
  const scheme = Schema.Union([
    Schema.TaggedStruct("ApiKey", {
      description: text,
      location: SecurityScheme.ApiKey.fields.location,
      name: Schema.String
    }),
    Schema.TaggedStruct("HttpAuth", { description: text, scheme: Schema.String, bearerFormat: text }),
    Schema.TaggedStruct("OAuth2", {
      description: text,
      flows: Schema.Array(flow).check(Schema.isMaxLength(1)),
      oauth2MetadataUrl: text
    }),
    Schema.TaggedStruct("OpenIdConnect", { description: text, openIdConnectUrl: Schema.String }),
    Schema.TaggedStruct("MutualTls", { description: text })
  ])
  const requirements = some(
    Schema.Record(Schema.NonEmptyString, Schema.Array(Schema.String)).check(Schema.isMinProperties(1))
  )
  const { defaultInputModes, description, skills: _, version } = AgentCard.AgentCard.fields
  return Schema.Struct({
    name: Schema.NonEmptyString,
    description,
    version,
    supportedInterfaces: Schema.Array(Schema.Struct({
      url: Schema.NonEmptyString,
      protocolBinding: Schema.NonEmptyString,
      protocolVersion: is1 ? Schema.Literals(["1.0", "0.3"]) : Schema.Literal("0.3"),
      ...(is1 ? { tenant: text } : undefined)
    })).check(Schema.isMinLength(1), ...(is1 ? [] : [Schema.isMaxLength(1)])),
    provider: AgentCard.AgentCard.fields.provider,
    documentationUrl: text,
    iconUrl: text,
    capabilities: Schema.Struct({
      streaming: flag,
      pushNotifications: flag,
      extendedAgentCard: flag,
      extensions: some(Schema.Struct({ uri: Schema.String, description: text, required: mark, params: metadata }))
    }),
    securitySchemes: optional(Schema.Record(Schema.NonEmptyString, scheme).check(Schema.isMinProperties(1))),
    securityRequirements: requirements,
    defaultInputModes,
    defaultOutputModes: defaultInputModes,
    skills: Schema.Array(Schema.Struct({
      id: Schema.String,
      name: Schema.String,
      description: Schema.String,
      tags: defaultInputModes,
      examples: texts,
      inputModes: texts,
      outputModes: texts,
      securityRequirements: requirements
    })),
    signatures: some(Schema.Struct({ protected: Schema.String, signature: Schema.String, header: metadata }))
  })
}

/** Generates parts. */
export const part = (dialect: Dialect): Arbitrary.Arbitrary<Part.Part> => of(model(dialect).part)

/** Generates messages of either side, with at least one part. */
export const message = (dialect: Dialect): Arbitrary.Arbitrary<Message.Message> => of(model(dialect).message)

/** Generates tasks in any state. */
export const task = (dialect: Dialect): Arbitrary.Arbitrary<Task.Task> => of(model(dialect).task)

/** Generates events. */
export const streamEvent = (dialect: Dialect): Arbitrary.Arbitrary<StreamEvent.StreamEvent> => of(model(dialect).event)

/** Generates cards; in 0.3 with one interface of that version. */
export const agentCard = (dialect: Dialect): Arbitrary.Arbitrary<AgentCard.AgentCard> => of(card(dialect))

/** Generates requests by operation. In 0.3 they always say if the call waits, as that version writes it always. */
export const requests = (dialect: Dialect): Requests => {
  const { config, is1, message, taskConfig } = model(dialect)
  const tenant = is1 ? { tenant: text } : {}
  const id = Task.Task.fields.id
  const wait = { returnImmediately: Schema.Boolean }
  const others = {
    acceptedOutputModes: texts,
    historyLength: count,
    taskPushNotificationConfig: optional(Schema.Struct(config))
  }
  const configuration = is1
    ? Schema.Union([
      Schema.Struct({ ...others, ...wait }),
      Schema.Struct({ ...others, acceptedOutputModes: Schema.NonEmptyArray(Schema.String) })
    ])
    : Schema.Struct({ ...others, ...wait })
  const send = { ...tenant, message, metadata }
  const stream = Schema.Struct({ ...send, configuration: optional(configuration) })
  const ofConfig = Schema.Struct({ ...tenant, taskId: id, id: Schema.NonEmptyString })
  const page = dialect === "0.3 JSON-RPC" ? {} : { pageSize: count, pageToken: text }
  return {
    SendMessage: of(is1 ? stream : Schema.Struct({ ...send, configuration })),
    SendStreamingMessage: of(stream),
    GetTask: of(Schema.Struct({ ...tenant, id, historyLength: count })),
    CancelTask: of(Schema.Struct({ ...tenant, id, metadata })),
    SubscribeToTask: of(Schema.Struct({ ...tenant, id })),
    ListTasks: of(Schema.Struct({
      ...tenant,
      contextId: Task.Task.fields.contextId,
      status: optional(Schema.Literals(TaskState.TaskState.literals.filter((state) => state !== "unspecified"))),
      pageSize: optional(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100 }))),
      pageToken: text,
      historyLength: count,
      statusTimestampAfter: optional(instant),
      includeArtifacts: flag
    })),
    CreateTaskPushNotificationConfig: of(Schema.Struct({ ...tenant, ...taskConfig.fields })),
    GetTaskPushNotificationConfig: of(ofConfig),
    DeleteTaskPushNotificationConfig: of(ofConfig),
    ListTaskPushNotificationConfigs: of(Schema.Struct({ ...tenant, taskId: id, ...page })),
    GetExtendedAgentCard: of(Schema.Struct(tenant))
  }
}

/** Generates results by operation; for a streaming operation, one event. */
export const successes = (dialect: Dialect): Successes => {
  const { event, message, task, taskConfig } = model(dialect)
  const page = dialect === "0.3 JSON-RPC" ? {} : { nextPageToken: text }
  return {
    SendMessage: of(Schema.Union([task, message])),
    SendStreamingMessage: of(event),
    GetTask: of(task),
    CancelTask: of(task),
    SubscribeToTask: of(event),
    ListTasks: of(Schema.Struct({
      tasks: Schema.Array(task),
      nextPageToken: Schema.String,
      pageSize: Schema.Int,
      totalSize: Schema.Int
    })),
    CreateTaskPushNotificationConfig: of(taskConfig),
    GetTaskPushNotificationConfig: of(taskConfig),
    ListTaskPushNotificationConfigs: of(Schema.Struct({ configs: Schema.Array(taskConfig), ...page })),
    DeleteTaskPushNotificationConfig: Arbitrary.Constant<void>(undefined),
    GetExtendedAgentCard: agentCard(dialect)
  }
}
