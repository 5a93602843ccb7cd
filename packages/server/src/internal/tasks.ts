/** The operations on tasks: get, list, cancel, subscribe. */
import { type AgentErrorReason, reason } from "@effect-a2a/core/AgentError"
import * as EventPosition from "@effect-a2a/core/EventPosition"
import * as Message from "@effect-a2a/core/Message"
import type * as Operation from "@effect-a2a/core/Operation"
import * as ServerHandler from "@effect-a2a/core/ServerHandler"
import * as StreamEvent from "@effect-a2a/core/StreamEvent"
import type * as Task from "@effect-a2a/core/Task"
import * as TaskState from "@effect-a2a/core/TaskState"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FiberMap from "effect/FiberMap"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Owner from "../Owner.ts"
import * as TaskStore from "../TaskStore.ts"
import * as Ends from "./ends.ts"
import { follow } from "./follow.ts"
import * as Paging from "./paging.ts"
import * as State from "./state.ts"
import * as Trim from "./trim.ts"
import * as Validation from "./validation.ts"
import * as Work from "./work.ts"

type Request<K extends Operation.Tag> = Operation.Request<Operation.All[K]>

/** Reads a task. */
export const get = (state: State.State) =>
  Effect.fnUntraced(function*(
    { historyLength, id, tenant }: Request<"GetTask">
  ): Effect.fn.Return<Task.Task, AgentErrorReason> {
    yield* Validation.checkHistoryLength(historyLength)
    const { task } = yield* State.findTask(state, yield* Owner.current(tenant), id)
    return Trim.trimHistory(task, historyLength)
  })

/** Lists the caller's tasks, newest status first. */
export const list = (state: State.State) =>
  Effect.fnUntraced(function*(
    request: Operation.ListTasksRequest
  ): Effect.fn.Return<Operation.ListTasksResponse, AgentErrorReason> {
    const {
      contextId,
      historyLength,
      includeArtifacts,
      pageSize = 50,
      pageToken,
      status,
      statusTimestampAfter,
      tenant
    } = request
    yield* Validation.check(pageSize >= 1 && pageSize <= 100, "pageSize", "must be between 1 and 100")
    yield* Validation.checkHistoryLength(historyLength)
    const page = yield* state.store.list({
      owner: yield* Owner.current(tenant),
      limit: pageSize,
      ...(contextId === undefined ? undefined : { contextId }),
      ...(status === undefined ? undefined : { status }),
      ...(statusTimestampAfter === undefined ? undefined : { since: statusTimestampAfter, tenant }),
      ...(pageToken === undefined || pageToken === "" ? undefined : { after: yield* Paging.fromToken(pageToken) })
    })
    const trimmed = page.tasks.map((task) => Trim.trimHistory(task, historyLength))
    const all = includeArtifacts === true ? trimmed : trimmed.map(Trim.withoutArtifacts)
    const tasks = Paging.fit(all)
    const last = tasks.at(-1)
    return {
      tasks,
      nextPageToken: Paging.toToken(
        last !== undefined && tasks.length < all.length ? TaskStore.cursor(last) : page.next
      ),
      pageSize,
      totalSize: page.total
    }
  })

/** Runs the executor's `onCancel`, once for all who cancel the task. Fails if it refuses. */
const lastWordOf = Effect.fnUntraced(function*(
  { cancelPatience, executor: { onCancel } }: State.State,
  work: Work.Work
): Effect.fn.Return<Message.Input | undefined, AgentErrorReason> {
  if (onCancel === undefined || work.isDeciding) return undefined
  work.lastWord ??= yield* Effect.cached(
    Effect.map(Effect.timeoutOption(onCancel(work.turn), cancelPatience), Option.getOrUndefined)
  )
  return yield* Effect.tapError(work.lastWord, () =>
    Effect.sync(() => {
      work.lastWord = undefined
    }))
})

/** Cancels the turn that runs, which writes so itself, and waits for the executor's finalizers, with patience. */
const interruptTurn = Effect.fnUntraced(function*(state: State.State, work: Work.Work) {
  const word = yield* lastWordOf(state, work)
  work.canceled ??= { word }
  const fiber = FiberMap.getUnsafe(state.fibers, work.turn.taskId)
  if (Option.isSome(fiber)) yield* Effect.timeoutOption(Fiber.interrupt(fiber.value), state.cancelPatience)
})

const canceledStatus = Effect.fnUntraced(function*(
  { contextId, id }: Task.Task,
  word: Message.Input | undefined
): Effect.fn.Return<Task.TaskStatus> {
  const message = word === undefined
    ? undefined
    : yield* Message.agent(word, { taskId: id, ...(contextId === undefined ? undefined : { contextId }) })
  return { state: "canceled", timestamp: yield* DateTime.now, ...(message === undefined ? undefined : { message }) }
})

/** Writes that a task is canceled, unless it is already. Read again if another writer was faster. */
const writeCanceled = (
  state: State.State,
  owner: Owner.Owner,
  id: Operation.CancelTaskRequest["id"],
  word: Message.Input | undefined
): Effect.Effect<Task.Task, AgentErrorReason> =>
  Effect.gen(function*() {
    const { length, task } = yield* State.findTask(state, owner, id)
    if (task.status.state === "canceled") return task
    if (TaskState.isTerminal(task.status.state)) {
      const message = `Task ${id} is already ${task.status.state}`
      return yield* Effect.fail(reason("TaskNotCancelableError", { message }))
    }
    const status = yield* canceledStatus(task, word)
    const contextId = task.contextId === undefined ? undefined : { contextId: task.contextId }
    const event = StreamEvent.statusUpdate({ taskId: id, ...contextId, status })
    return yield* state.store.append(owner, id, { expected: length, events: [event] }).pipe(
      Effect.tap((length) => state.hub.publish(id, length)),
      Effect.tap(() => Work.notify(state, owner, id, [event])),
      Effect.as({ ...task, status }),
      Effect.uninterruptible,
      Effect.catchTag("VersionConflict", () => writeCanceled(state, owner, id, word))
    )
  })

/** Cancels a task: interrupts its turn and waits for the executor's finalizers. */
export const cancel = (state: State.State) =>
  Effect.fnUntraced(function*(
    { id, tenant }: Request<"CancelTask">
  ): Effect.fn.Return<Task.Task, AgentErrorReason> {
    const owner = yield* Owner.current(tenant)
    yield* State.findTask(state, owner, id)
    const work = state.works.get(id)
    if (work !== undefined) yield* interruptTurn(state, work)
    return yield* writeCanceled(state, owner, id, work?.canceled?.word)
  })

/** Returns the position behind the last event that the client names, if the log has what follows. */
const continuation = Effect.fnUntraced(function*(
  { store }: State.State,
  owner: Owner.Owner,
  id: Task.Task["id"],
  length: number
) {
  const last = (yield* ServerHandler.CurrentHeaders)["last-event-id"]
  if (last === undefined || !/^\d{1,15}$/.test(last)) return undefined
  const from = Number(last) + 1
  if (from > length) return undefined
  const slice = yield* store.read(owner, id, from)
  return slice?.from === from ? from : undefined
})

/** Streams a task: the events behind the last that the client has, otherwise a snapshot and what follows. */
const fromSnapshot = Effect.fnUntraced(function*(
  state: State.State,
  { id, tenant }: Request<"SubscribeToTask">
): Effect.fn.Return<Stream.Stream<StreamEvent.StreamEvent, AgentErrorReason>, AgentErrorReason, Scope.Scope> {
  const owner = yield* Owner.current(tenant)
  const subscription = yield* state.hub.subscribe(id)
  const { length, task } = yield* State.findTask(state, owner, id)
  const from = yield* continuation(state, owner, id, length)
  const { state: taskState } = task.status
  if (TaskState.isTerminal(taskState) && (from === undefined || from === length)) {
    return yield* Effect.fail(State.unsupportedReason(`Task ${id} is ${taskState}`))
  }
  const rest = follow(state.store, {
    owner,
    id,
    subscription,
    from: from ?? length,
    until: length,
    isLast: Ends.endsTask
  })
  return from === undefined
    ? Stream.concat(Stream.succeed(EventPosition.set({ ...task }, length - 1)), rest)
    : rest
})

/** Streams the events since the task was made, and what follows until the turn ends. */
const fromEvents = Effect.fnUntraced(function*(
  state: State.State,
  { id, tenant }: Request<"SubscribeToTask">
): Effect.fn.Return<Stream.Stream<StreamEvent.StreamEvent, AgentErrorReason>, AgentErrorReason, Scope.Scope> {
  const owner = yield* Owner.current(tenant)
  const subscription = yield* state.hub.subscribe(id)
  const { length, task } = yield* State.findTask(state, owner, id)
  const { state: taskState } = task.status
  if (TaskState.isTerminal(taskState) && taskState !== "completed") {
    return yield* Effect.fail(State.unsupportedReason(`Task ${id} is ${taskState}`))
  }
  const { events = [] } = (yield* state.store.read(owner, id, 0)) ?? {}
  const past = Stream.fromArray(events.slice(0, length).filter(({ _tag }) => _tag !== "Task"))
  return TaskState.endsStream(taskState)
    ? past
    : Stream.concat(
      past,
      follow(state.store, { owner, id, subscription, from: length, until: length, isLast: Ends.endsTurn })
    )
})

/** Streams a task: its snapshot, or its past events, and what follows. */
export const subscribe = (state: State.State, replay: "snapshot" | "events" = "snapshot") =>
(
  request: Request<"SubscribeToTask">
): Stream.Stream<StreamEvent.StreamEvent, AgentErrorReason> =>
  Stream.unwrap(replay === "events" ? fromEvents(state, request) : fromSnapshot(state, request))
