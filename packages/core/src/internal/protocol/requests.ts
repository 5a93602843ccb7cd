/** Requests and answers that both editions write alike. */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as AgentError from "../../AgentError.ts"
import type * as Protocol from "../../Dialect.ts"
import type * as Id from "../../Id.ts"
import type * as Operation from "../../Operation.ts"
import type * as TaskState from "../../TaskState.ts"
import { codec, form, request } from "./codec.ts"
import { readState, stateNames } from "./enums.ts"
import type { Model } from "./model.ts"
import * as Wire from "./wireSchema.ts"

/** Names the members of a request that an edition has no place for. */
export type Inexpressible = (value: { readonly tenant?: string }) => ReadonlyArray<AgentError.Violation>

type Request<K extends Operation.Tag> = Operation.Request<Operation.All[K]>

/** A request whose members have the same names and types in the model. */
const plain = <K extends Operation.Tag>(fields: () => Schema.Struct.Fields, inexpressible?: Inexpressible) =>
  request<Request<K>>({
    expected: "must be an object",
    forms: () => {
      const members = fields()
      const names = Object.keys(members)
      return [
        form(
          Wire.struct(members) as Schema.Top as Schema.Codec<Wire.Members>,
          (wire) => Wire.compact(Object.fromEntries(names.map((name) => [name, wire[name]]))) as Request<K>
        )
      ]
    },
    write: (value) => Wire.compact(value) as Schema.Json,
    inexpressible: inexpressible as ((value: Request<K>) => ReadonlyArray<AgentError.Violation>) | undefined
  })

const ofTask = { tenant: Wire.text, id: Wire.id }
/** Specification §3.1.4. */
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

export const taskRequests = (
  states: Readonly<Record<TaskState.TaskState, string>>,
  inexpressible?: Inexpressible
) => ({
  GetTask: plain<"GetTask">(() => ({ ...ofTask, historyLength: Wire.count }), inexpressible),
  CancelTask: plain<"CancelTask">(() => ({ ...ofTask, metadata: Wire.metadata }), inexpressible),
  SubscribeToTask: plain<"SubscribeToTask">(() => ofTask, inexpressible),
  GetExtendedAgentCard: plain<"GetExtendedAgentCard">(() => ({ tenant: Wire.text }), inexpressible),
  ListTasks: request<Operation.ListTasksRequest>({
    expected: "must be an object",
    forms: () => [
      form(Wire.struct(listFields), (wire): Operation.ListTasksRequest => {
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
    inexpressible
  })
})

const ofConfig = () => ({ tenant: Wire.text, taskId: Wire.id, id: Wire.id })

/** Push configurations by task and id, in the words of 1.0 and of both REST editions. */
export const configRequests = (inexpressible?: Inexpressible) => ({
  GetTaskPushNotificationConfig: plain<"GetTaskPushNotificationConfig">(ofConfig, inexpressible),
  DeleteTaskPushNotificationConfig: plain<"DeleteTaskPushNotificationConfig">(ofConfig, inexpressible),
  ListTaskPushNotificationConfigs: plain<"ListTaskPushNotificationConfigs">(
    () => ({ tenant: Wire.text, taskId: Wire.id, pageSize: Wire.integer, pageToken: Wire.text }),
    inexpressible
  )
})

/** Pages of tasks; a bare list, as the 0.3 tables have it, is one whole page. */
export const taskPage = (model: Model): Protocol.Codec<Operation.ListTasksResponse> =>
  codec({
    expected: "must be a page of tasks",
    forms: () => {
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
      return [form(page, toPage), form(tasks, (tasks) => toPage({ tasks }))]
    },
    write: ({ tasks, ...rest }) => ({ ...rest, tasks: tasks.map(model.writeTask) })
  })

/** What answers a deletion: whatever comes is taken for it. */
export const nothing = (written: Schema.Json): Protocol.Codec<void> => ({
  decode: () => Result.succeed(undefined),
  encode: () => Result.succeed(written)
})
