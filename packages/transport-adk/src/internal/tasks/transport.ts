/** The operations of A2A over a client of ADK. Tested in test/adk/transport.test.ts. */
import * as AgentError from "@effect-a2a/core/AgentError"
import * as AgentTransport from "@effect-a2a/core/AgentTransport"
import type * as Id from "@effect-a2a/core/Id"
import type * as Operation from "@effect-a2a/core/Operation"
import * as StreamEvent from "@effect-a2a/core/StreamEvent"
import type * as Task from "@effect-a2a/core/Task"
import * as TaskState from "@effect-a2a/core/TaskState"
import * as DateTime from "effect/DateTime"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Stream from "effect/Stream"
import * as Struct from "effect/Struct"
import type { AdkClient } from "../../AdkClient.ts"
import * as AdkError from "../../AdkError.ts"
import * as Card from "./card.ts"
import * as CurrentUser from "./currentUser.ts"
import * as Run from "./run.ts"
import * as TaskRegistry from "./taskRegistry.ts"
import * as Turn from "./turn.ts"

type Reason = AgentError.AgentErrorReason

export const protocolBinding = "https://google.github.io/adk-docs/api-server"

export interface Settings extends Turn.Settings, Run.Settings {}

const refuse = (message: string): Effect.Effect<never, Reason> =>
  Effect.fail(AgentError.reason("UnsupportedOperationError", { message }))

/** The operations that ADK servers cannot serve. */
const refusals = () => ({
  ListTasks: () => refuse("ADK servers store no tasks to list; list sessions with AdkClient instead"),
  SubscribeToTask: () =>
    Stream.fromEffect(refuse("ADK streams cannot be joined or resumed; read the task with GetTask instead")),
  GetExtendedAgentCard: () => refuse("ADK servers have no agent cards"),
  ...AgentTransport.refusePush(Turn.pushNotSupported())
})

/** Without a length the history is complete; a length of 0 omits it (A2A 1.0 §3.2.4). */
const trimHistory = (task: Task.Task, length: number | undefined): Task.Task => {
  if (length === undefined || task.history === undefined) return task
  return length <= 0 ? Struct.omit(task, ["history"]) : { ...task, history: task.history.slice(-length) }
}

/** The tasks of a transport, and the user of calls that name none. */
interface Tasks {
  readonly tasks: TaskRegistry.TaskRegistry
  readonly settings: Pick<Settings, "userId">
}

const find = (
  { settings, tasks }: Tasks,
  id: Id.TaskId
): Effect.Effect<readonly [TaskRegistry.TaskEntry, Task.Task], Reason> =>
  Effect.flatMap(CurrentUser.get(settings.userId), (user) => {
    const entry = tasks.get(user, id)
    const task = entry?.task()
    return entry === undefined || task === undefined
      ? Effect.fail(Turn.unknownTask(id))
      : Effect.succeed([entry, task] as const)
  })

const cancel = Effect.fnUntraced(function*(tasks: Tasks, id: Id.TaskId) {
  const [entry, { status: { state } }] = yield* find(tasks, id)
  if (TaskState.isTerminal(state)) {
    return yield* Effect.fail(
      AgentError.reason("TaskNotCancelableError", { message: `task ${id} is already ${state}` })
    )
  }
  const { contextId, taskId } = entry
  const timestamp = yield* DateTime.now
  entry.add([StreamEvent.statusUpdate({ taskId, contextId, status: { state: "canceled", timestamp } })])
  entry.pending = []
  if (entry.cancel !== undefined) yield* Deferred.succeed(entry.cancel, undefined)
  return (yield* find(tasks, id))[1]
})

const makeCard = Effect.fnUntraced(function*({ appName, listApps, target }: AdkClient["Service"]) {
  const apps = yield* Effect.mapError(listApps, (error) => AdkError.toAgentError(error).reason)
  const [only] = apps
  const defaultName = only !== undefined && apps.length === 1 ? only : "default application"
  if (appName !== undefined && !apps.includes(appName)) {
    return yield* Effect.fail(AgentError.reason("NotFoundError", {
      message: `the server has no application ${appName}; it has ${apps.join(", ") || "none"}`
    }))
  }
  return Card.make({ ...target, protocolBinding }, appName ?? defaultName)
})

/** Creates the transport. */
export const make = Effect.fnUntraced(function*(client: AdkClient["Service"], settings: Settings) {
  const target = { ...client.target, protocolBinding }
  const tasks = TaskRegistry.make()
  const runner = { client, tasks, settings } satisfies Run.Runner
  const background = yield* FiberSet.make()

  const send = Effect.fnUntraced(function*(request: Operation.SendMessageRequest) {
    const { historyLength, returnImmediately } = request.configuration ?? {}
    const turn = yield* Turn.make(tasks, settings, request)
    if (returnImmediately !== true) yield* Stream.runDrain(Run.runTurn(runner, turn, "whole"))
    else {
      const accepted = yield* Deferred.make<void, Reason>()
      yield* Run.runTurn(runner, turn, "events").pipe(
        Stream.runForEachArray(() => Deferred.succeed(accepted, undefined)),
        Effect.catch((reason) => Deferred.fail(accepted, reason)),
        FiberSet.run(background)
      )
      yield* Deferred.await(accepted)
    }
    const task = turn.entry.task()
    return task === undefined
      ? yield* Effect.fail(Turn.unknownTask(turn.entry.taskId))
      : trimHistory(task, historyLength)
  })

  return AgentTransport.fromHandlers(target, {
    ...refusals(),
    SendMessage: send,
    SendStreamingMessage: (request) =>
      Stream.unwrap(
        Effect.map(Turn.make(tasks, settings, request), (turn) => Run.runTurn(runner, turn, "pieces"))
      ).pipe(
        Stream.map((event) => event._tag === "Task" ? trimHistory(event, request.configuration?.historyLength) : event)
      ),
    GetTask: ({ historyLength, id }) => Effect.map(find(runner, id), ([, task]) => trimHistory(task, historyLength)),
    CancelTask: ({ id }) => cancel(runner, id),
    GetAgentCard: () => makeCard(client)
  })
})
