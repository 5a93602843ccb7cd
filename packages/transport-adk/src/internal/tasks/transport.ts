/** The operations of A2A over a client of ADK: those that it can do, and why not the others. */
import * as AgentError from "@effect-a2a/core/AgentError"
import { AgentTransport } from "@effect-a2a/core/AgentTransport"
import type * as Id from "@effect-a2a/core/Id"
import type * as Operation from "@effect-a2a/core/Operation"
import type * as StreamEvent from "@effect-a2a/core/StreamEvent"
import type * as Task from "@effect-a2a/core/Task"
import * as TaskState from "@effect-a2a/core/TaskState"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Stream from "effect/Stream"
import type { AdkClient } from "../../AdkClient.ts"
import * as AdkError from "../../AdkError.ts"
import * as Card from "./card.ts"
import * as Run from "./run.ts"
import * as Tasks from "./taskRegistry.ts"
import * as Turn from "./turn.ts"

type Reason = AgentError.AgentErrorReason

export const protocolBinding = "https://google.github.io/adk-docs/api-server"

export interface Settings extends Turn.Settings, Run.Settings {}

const push = ["PushNotificationNotSupportedError", "ADK servers send no push notifications"] as const

/** What an ADK server has nothing for. */
const refusals: { readonly [operation: string]: readonly [tag: keyof typeof tags, message: string] } = {
  ListTasks: ["UnsupportedOperationError", "ADK servers have sessions and keep no tasks that could be listed"],
  SubscribeToTask: [
    "UnsupportedOperationError",
    "ADK streams cannot be joined or taken up again; read the task instead"
  ],
  GetExtendedAgentCard: ["UnsupportedOperationError", "ADK servers have no cards"],
  CreateTaskPushNotificationConfig: push,
  GetTaskPushNotificationConfig: push,
  ListTaskPushNotificationConfigs: push,
  DeleteTaskPushNotificationConfig: push
}
const tags = { UnsupportedOperationError: true, PushNotificationNotSupportedError: true } as const

const refuse = (operation: string): Effect.Effect<never, Reason> => {
  const [tag, message] = refusals[operation] ?? ["UnsupportedOperationError", `ADK has no ${operation}`]
  return Effect.fail(AgentError.reason(tag, { message }))
}

const trim = <E extends StreamEvent.StreamEvent>(event: E, length: number | undefined): E =>
  event._tag !== "Task" || length === undefined || event.history === undefined
    ? event
    : { ...event, history: length <= 0 ? [] : event.history.slice(-length) }

export const make = Effect.fnUntraced(function*(client: AdkClient["Service"], settings: Settings) {
  const target = { ...client.target, protocolBinding }
  const tasks = Tasks.make()
  const run = Run.make(client, tasks, settings)
  const background = yield* FiberSet.make()

  const find = (id: Id.TaskId): Effect.Effect<readonly [Tasks.Entry, Task.Task], Reason> => {
    const entry = tasks.get(id)
    const task = entry?.task()
    return entry === undefined || task === undefined
      ? Effect.fail(AgentError.reason("TaskNotFoundError", {
        message: `the task ${id} is none of this transport's, and ADK servers keep no tasks`
      }))
      : Effect.succeed([entry, task] as const)
  }

  const prepare = (request: Operation.SendMessageRequest) => Turn.make(tasks, settings, request)

  const send = Effect.fnUntraced(function*(request: Operation.SendMessageRequest) {
    const { historyLength, returnImmediately } = request.configuration ?? {}
    const turn = yield* prepare(request)
    if (returnImmediately !== true) yield* Stream.runDrain(run(turn, "whole"))
    else {
      const taken = yield* Deferred.make<void, Reason>()
      yield* run(turn, "events").pipe(
        Stream.runForEachArray(() => Deferred.succeed(taken, undefined)),
        Effect.catch((reason) => Deferred.fail(taken, reason)),
        FiberSet.run(background)
      )
      yield* Deferred.await(taken)
    }
    return trim(turn.entry.task()!, historyLength)
  })

  const cancel = Effect.fnUntraced(function*(id: Id.TaskId) {
    const [entry, { status: { state } }] = yield* find(id)
    if (TaskState.isTerminal(state)) {
      return yield* Effect.fail(AgentError.reason("TaskNotCancelableError", {
        message: `the task ${id} is ${state} already, and ADK cannot stop what an agent does`
      }))
    }
    entry.add([yield* Run.canceled(entry)])
    entry.pending = []
    if (entry.cancel !== undefined) yield* Deferred.succeed(entry.cancel, undefined)
    return entry.task()!
  })

  const card = Effect.gen(function*() {
    const apps = yield* Effect.mapError(client.listApps, (error) => AdkError.toAgentError(error).reason)
    const { appName } = client
    if (appName === undefined) return Card.make(target, apps.length === 1 ? apps[0]! : "default application")
    return apps.includes(appName)
      ? Card.make(target, appName)
      : yield* Effect.fail(AgentError.reason("NotFoundError", {
        message: `the server has no application ${appName}; it has ${apps.join(", ") || "none"}`
      }))
  })

  const calls: { readonly [operation: string]: (request: any) => Effect.Effect<unknown, Reason> } = {
    SendMessage: send,
    GetTask: ({ historyLength, id }: Operation.Request<Operation.All["GetTask"]>) =>
      Effect.map(find(id), ([, task]) => trim(task, historyLength)),
    CancelTask: ({ id }: Operation.Request<Operation.All["CancelTask"]>) => cancel(id),
    GetAgentCard: () => card
  }

  const stream = (request: Operation.SendMessageRequest) =>
    Stream.unwrap(Effect.map(prepare(request), (turn) => run(turn, "pieces"))).pipe(
      Stream.map((event) => trim(event, request.configuration?.historyLength))
    )

  const failing = (operation: string) => (reason: Reason) =>
    new AgentError.AgentError({ operation, target: target.url.replace(/[?#][^]*$/, ""), reason })

  return AgentTransport.of({
    target,
    call: ({ _tag }, request) =>
      Effect.suspend(() => calls[_tag]?.(request) ?? refuse(_tag)).pipe(Effect.mapError(failing(_tag))) as never,
    stream: ({ _tag }, request) =>
      Stream.mapError(
        _tag === "SendStreamingMessage" ? stream(request as never) : Stream.fromEffect(refuse(_tag)),
        failing(_tag)
      ) as never
  })
})
