/** The operations on tasks: get, list, cancel, subscribe. */
import { type AgentErrorReason, reason } from "@effect-a2a/core/AgentError"
import type * as Operation from "@effect-a2a/core/Operation"
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
import * as TaskStore from "../TaskStore.ts"
import * as Paging from "./paging.ts"
import { commit } from "./run.ts"
import * as State from "./state.ts"
import * as Trim from "./trim.ts"
import * as Validation from "./validation.ts"

type Request<K extends Operation.Tag> = Operation.Request<Operation.All[K]>

/** Reads a task. */
export const get = (state: State.State) =>
  Effect.fnUntraced(function*(
    { historyLength, id }: Request<"GetTask">
  ): Effect.fn.Return<Task.Task, AgentErrorReason> {
    yield* Validation.checkHistoryLength(historyLength)
    const { task } = yield* State.findTask(state, id)
    return Trim.trimHistory(task, historyLength)
  })

/** Lists the caller's tasks, newest status first. */
export const list = (state: State.State) =>
  Effect.fnUntraced(function*(
    request: Operation.ListTasksRequest
  ): Effect.fn.Return<Operation.ListTasksResponse, AgentErrorReason> {
    const { contextId, historyLength, includeArtifacts, pageSize = 50, pageToken, status, statusTimestampAfter } =
      request
    yield* Validation.check(pageSize >= 1 && pageSize <= 100, "pageSize", "must be between 1 and 100")
    yield* Validation.checkHistoryLength(historyLength)
    const page = yield* state.store.list({
      owner: yield* State.owner,
      limit: pageSize,
      ...(contextId === undefined ? undefined : { contextId }),
      ...(status === undefined ? undefined : { status }),
      ...(statusTimestampAfter === undefined ? undefined : { since: statusTimestampAfter }),
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

const interruptTurn = Effect.fnUntraced(function*(
  state: State.State,
  { id }: Request<"CancelTask">
): Effect.fn.Return<Task.Task, AgentErrorReason> {
  yield* State.findTask(state, id)
  // an interrupted turn writes `canceled` itself, unless it had not begun or had just ended
  const running = FiberMap.getUnsafe(state.turns, id)
  if (Option.isSome(running)) yield* Fiber.interrupt(running.value)
  const { task } = yield* State.findTask(state, id)
  if (task.status.state === "canceled") return task
  if (TaskState.isTerminal(task.status.state)) {
    return yield* Effect.fail(
      reason("TaskNotCancelableError", { message: `Task ${id} is already ${task.status.state}` })
    )
  }
  const status: Task.TaskStatus = { state: "canceled", timestamp: yield* DateTime.now }
  const contextId = task.contextId === undefined ? undefined : { contextId: task.contextId }
  const event = StreamEvent.statusUpdate({ taskId: id, ...contextId, status })
  yield* commit(state, yield* State.owner, id, [event])
  return { ...task, status }
})

/** Cancels a task: interrupts its turn and waits for the executor's finalizers. */
export const cancel = (state: State.State) => (request: Request<"CancelTask">) =>
  // nobody waits for another caller's task
  Effect.andThen(State.findTask(state, request.id), state.lock.withLock(request.id)(interruptTurn(state, request)))

const follow = Effect.fnUntraced(function*(
  state: State.State,
  replay: "snapshot" | "events",
  { id }: Request<"SubscribeToTask">
): Effect.fn.Return<Stream.Stream<StreamEvent.StreamEvent, AgentErrorReason>, AgentErrorReason, Scope.Scope> {
  // subscribed before the store is read: what is written in between is in both, and left out of the live part
  const subscription = yield* state.hub.subscribe(id)
  const { length, task } = yield* State.findTask(state, id)
  const { state: taskState } = task.status
  const isReplay = replay === "events"
  if (TaskState.isTerminal(taskState) && !(isReplay && taskState === "completed")) {
    return yield* Effect.fail(State.unsupportedReason(`Task ${id} is ${taskState}`))
  }
  const past: ReadonlyArray<StreamEvent.StreamEvent> = isReplay
    ? ((yield* state.store.events(yield* State.owner, id)) ?? []).slice(0, length).filter(({ _tag }) => _tag !== "Task")
    : [task]
  const live = subscription.pipe(Stream.filter((batch) => batch.from >= length), State.toEvents)
  return TaskState.endsStream(taskState) ? Stream.fromArray(past) : Stream.concat(Stream.fromArray(past), live)
})

/** Streams a task: its snapshot, or its past events, and what follows. */
export const subscribe = (state: State.State, replay: "snapshot" | "events" = "snapshot") =>
(
  request: Request<"SubscribeToTask">
): Stream.Stream<StreamEvent.StreamEvent, AgentErrorReason> => Stream.unwrap(follow(state, replay, request))
