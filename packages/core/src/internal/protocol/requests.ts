/** Requests and responses that both versions write alike. */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as AgentError from "../../AgentError.ts"
import type * as Dialect from "../../Dialect.ts"
import type * as Id from "../../Id.ts"
import type * as Operation from "../../Operation.ts"
import type * as TaskState from "../../TaskState.ts"
import { makeDecoder, makeRequestCodec, type UnsupportedFields, variant } from "./codec.ts"
import { readState, stateNames } from "./enums.ts"
import type { Model } from "./model.ts"
import * as Wire from "./wireSchema.ts"

/** Returns the members of a request that a version cannot express. */
type WithoutTenant = UnsupportedFields<{ readonly tenant?: string }>

type Request<K extends Operation.Tag> = Operation.Request<Operation.All[K]>

/** Creates the codec of a request whose members have the same names and types in the model. */
const plainRequest = <K extends Operation.Tag>(
  fields: () => Schema.Struct.Fields,
  unsupportedFields?: WithoutTenant
) =>
  makeRequestCodec<Request<K>>({
    message: "must be an object",
    variants: () => {
      const members = fields()
      const names = Object.keys(members)
      return [
        variant(
          Wire.struct(members) as Schema.Top as Schema.Codec<Wire.Members>,
          (wire) => Wire.compact(Object.fromEntries(names.map((name) => [name, wire[name]]))) as Request<K>
        )
      ]
    },
    write: (value) => Wire.compact(value) as Schema.Json,
    unsupportedFields: unsupportedFields as ((value: Request<K>) => ReadonlyArray<AgentError.Violation>) | undefined
  })

const ofTask = { tenant: Wire.text, id: Wire.id }
/** A2A 1.0 §3.1.4. */
const pageSize = Wire.optional(
  Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100 }, { expected: "a whole number from 1 to 100" }))
)
const listFields = {
  tenant: Wire.text,
  contextId: Wire.text,
  status: Wire.optional(stateNames),
  pageSize,
  pageToken: Wire.text,
  historyLength: Wire.count,
  statusTimestampAfter: Wire.optional(Wire.timestamp),
  includeArtifacts: Wire.flag
}

/** Creates the codecs of requests that name tasks. */
export const makeTaskRequests = (
  states: Readonly<Record<TaskState.TaskState, string>>,
  unsupportedFields?: WithoutTenant
) => ({
  GetTask: plainRequest<"GetTask">(() => ({ ...ofTask, historyLength: Wire.count }), unsupportedFields),
  CancelTask: plainRequest<"CancelTask">(() => ({ ...ofTask, metadata: Wire.metadata }), unsupportedFields),
  SubscribeToTask: plainRequest<"SubscribeToTask">(() => ofTask, unsupportedFields),
  GetExtendedAgentCard: plainRequest<"GetExtendedAgentCard">(() => ({ tenant: Wire.text }), unsupportedFields),
  ListTasks: makeRequestCodec<Operation.ListTasksRequest>({
    message: "must be an object",
    variants: () => [
      variant(Wire.struct(listFields), (wire): Operation.ListTasksRequest => {
        const status = wire.status === undefined ? undefined : readState(wire.status)
        return Wire.compact({
          tenant: wire.tenant,
          contextId: wire.contextId as Id.ContextId | undefined,
          status: status === "unspecified" ? undefined : status,
          pageSize: wire.pageSize,
          pageToken: wire.pageToken,
          historyLength: wire.historyLength,
          statusTimestampAfter: wire.statusTimestampAfter ? Wire.readTimestamp(wire.statusTimestampAfter) : undefined,
          includeArtifacts: wire.includeArtifacts
        })
      })
    ],
    write: ({ status, statusTimestampAfter, ...rest }) =>
      Wire.compact({
        ...rest,
        status: status === undefined || status === "unspecified" ? undefined : states[status],
        statusTimestampAfter: statusTimestampAfter && Wire.writeTimestamp(statusTimestampAfter)
      }),
    unsupportedFields
  })
})

const ofConfig = () => ({ tenant: Wire.text, taskId: Wire.id, id: Wire.id })

/** Creates the codecs of requests that name a push configuration, for 1.0 and for 0.3 over REST. */
export const makeConfigRequests = (unsupportedFields?: WithoutTenant) => ({
  GetTaskPushNotificationConfig: plainRequest<"GetTaskPushNotificationConfig">(ofConfig, unsupportedFields),
  DeleteTaskPushNotificationConfig: plainRequest<"DeleteTaskPushNotificationConfig">(ofConfig, unsupportedFields),
  ListTaskPushNotificationConfigs: plainRequest<"ListTaskPushNotificationConfigs">(
    () => ({ tenant: Wire.text, taskId: Wire.id, pageSize: Wire.integer, pageToken: Wire.text }),
    unsupportedFields
  )
})

/** Creates the decoder of pages of tasks. A bare list, as in the tables of 0.3, is one whole page. */
export const makeTaskPage = (model: Model): Dialect.Decoder<Operation.ListTasksResponse> =>
  makeDecoder({
    message: "must be a page of tasks",
    variants: () => {
      const tasks = Schema.Array(model.schemas().task)
      const page = Wire.struct({
        tasks: Wire.optional(tasks),
        nextPageToken: Wire.text,
        pageSize: Wire.integer,
        totalSize: Wire.integer
      })
      const toPage = (wire: typeof page.Type): Operation.ListTasksResponse => ({
        tasks: (wire.tasks ?? []).map(model.readTask),
        nextPageToken: wire.nextPageToken ?? "",
        pageSize: wire.pageSize ?? wire.tasks?.length ?? 0,
        totalSize: wire.totalSize ?? wire.tasks?.length ?? 0
      })
      return [variant(page, toPage), variant(tasks, (tasks) => toPage({ tasks }))]
    }
  })

/** Reads the response to a deletion: anything is success. */
export const emptyResult: Dialect.Decoder<void> = { decode: () => Result.succeed(undefined) }
