/** The operations on push configurations. They exist for the owner of the task only (A2A 1.0 §3.1.7 – 3.1.10). */
import { type AgentErrorReason, reason } from "@effect-a2a/core/AgentError"
import * as Id from "@effect-a2a/core/Id"
import type * as Operation from "@effect-a2a/core/Operation"
import type * as PushNotification from "@effect-a2a/core/PushNotification"
import * as ServerHandler from "@effect-a2a/core/ServerHandler"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Owner from "../../Owner.ts"
import type { PushSender } from "../../PushSender.ts"
import type { Stored } from "../../PushStore.ts"
import * as State from "../state.ts"
import { check } from "../validation.ts"

type Config = PushNotification.TaskPushNotificationConfig
type Request<K extends Operation.Tag> = Operation.Request<Operation.All[K]>

/** Returns the version of the request that is served. */
const version = Effect.map(
  ServerHandler.CurrentDialect,
  (name) =>
    ServerHandler.protocols.find(({ jsonRpc, rest }) => name === rest.dialect.name || name === jsonRpc.dialect.name)
      ?.version ?? "1.0"
)

/** Checks a configuration and keeps it for a task; without an id it gets one. */
export const save = Effect.fnUntraced(function*(
  push: PushSender["Service"],
  owner: Owner.Owner,
  taskId: Id.TaskId,
  { authentication, id: given, token, url }: PushNotification.PushNotificationConfig
): Effect.fn.Return<Config, AgentErrorReason> {
  const served = yield* version
  // in 0.3 the configuration without an id is read back by the id of its task
  const id = given ?? (served === "0.3" ? taskId : yield* Id.messageId)
  const config: Config = {
    id,
    taskId,
    url,
    ...(token === undefined ? undefined : { token }),
    ...(authentication === undefined ? undefined : { authentication })
  }
  yield* push.check(config)
  yield* check(id.length <= 256, "id", "must have at most 256 characters")
  yield* push.store.put(owner, { id, taskId, version: served, config: Redacted.make(config) })
  return config
})

const configsOf = Effect.fnUntraced(function*(
  state: State.State,
  push: PushSender["Service"],
  { taskId, tenant }: { readonly taskId: Id.TaskId; readonly tenant?: string | undefined }
): Effect.fn.Return<{ readonly owner: Owner.Owner; readonly configs: ReadonlyArray<Stored> }, AgentErrorReason> {
  const owner = yield* Owner.current(tenant)
  yield* State.findTask(state, owner, taskId)
  return { owner, configs: yield* push.store.list(owner, taskId) }
})

const refuse = () => Effect.fail(State.noPush)

/** Page tokens are ids of configurations, the last of the page before. */
const page = (
  configs: ReadonlyArray<Stored>,
  { pageSize = 100, pageToken = "" }: Request<"ListTaskPushNotificationConfigs">
) => {
  const from = pageToken === "" ? 0 : configs.findIndex(({ id }) => id === pageToken) + 1
  const shown = configs.slice(from, from + pageSize)
  const last = shown.at(-1)
  return {
    configs: shown.map(({ config }) => Redacted.value(config)),
    ...(last !== undefined && from + shown.length < configs.length ? { nextPageToken: last.id } : undefined)
  }
}

/** Makes the handlers; all refuse if the server sends no notifications. */
export const make = (state: State.State) => {
  const { push } = state
  if (push === undefined) {
    return {
      CreateTaskPushNotificationConfig: refuse,
      GetTaskPushNotificationConfig: refuse,
      ListTaskPushNotificationConfigs: refuse,
      DeleteTaskPushNotificationConfig: refuse
    }
  }
  return {
    CreateTaskPushNotificationConfig: (request: Request<"CreateTaskPushNotificationConfig">) =>
      Effect.flatMap(configsOf(state, push, request), ({ owner }) => save(push, owner, request.taskId, request)),
    GetTaskPushNotificationConfig: (request: Request<"GetTaskPushNotificationConfig">) =>
      Effect.flatMap(configsOf(state, push, request), ({ configs }) => {
        const found = configs.find(({ id }) => id === request.id)
        return found === undefined
          ? Effect.fail(reason("TaskNotFoundError", {
            message: `unknown push configuration ${request.id} of task ${request.taskId}`
          }))
          : Effect.succeed(Redacted.value(found.config))
      }),
    ListTaskPushNotificationConfigs: (request: Request<"ListTaskPushNotificationConfigs">) =>
      check(request.pageSize === undefined || request.pageSize >= 1, "pageSize", "must be at least 1").pipe(
        Effect.andThen(configsOf(state, push, request)),
        Effect.map(({ configs }) => page(configs, request))
      ),
    DeleteTaskPushNotificationConfig: (request: Request<"DeleteTaskPushNotificationConfig">) =>
      Effect.flatMap(
        configsOf(state, push, request),
        ({ owner }) => push.store.remove(owner, request.taskId, request.id)
      )
  }
}
