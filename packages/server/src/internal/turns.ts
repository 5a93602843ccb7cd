/** `SendMessage` and `SendStreamingMessage`: validates a message, begins or continues a task, and follows the turn. */
import { type AgentErrorReason, reason } from "@effect-a2a/core/AgentError"
import * as Id from "@effect-a2a/core/Id"
import type * as Message from "@effect-a2a/core/Message"
import type * as Operation from "@effect-a2a/core/Operation"
import * as ServiceParameters from "@effect-a2a/core/ServiceParameters"
import * as StreamEvent from "@effect-a2a/core/StreamEvent"
import type * as Task from "@effect-a2a/core/Task"
import * as TaskState from "@effect-a2a/core/TaskState"
import type * as Cause from "effect/Cause"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FiberMap from "effect/FiberMap"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Turn } from "../AgentExecutor.ts"
import * as Owner from "../Owner.ts"
import type { Subscription } from "../TaskHub.ts"
import type { Stored } from "../TaskStore.ts"
import { begin as beginWork, type Begun } from "./begin.ts"
import * as Ends from "./ends.ts"
import { follow } from "./follow.ts"
import * as Push from "./push/operations.ts"
import * as Sendable from "./sendable.ts"
import * as State from "./state.ts"
import * as Trim from "./trim.ts"
import * as Turns from "./turn.ts"
import * as Validation from "./validation.ts"
import * as Work from "./work.ts"

/** Fails if the message is invalid or does not ask for every required extension. Nothing is written before. */
const validate = Effect.fnUntraced(function*(
  { extensions, push }: State.State,
  { configuration, message }: Operation.SendMessageRequest
) {
  yield* Validation.check(message.parts.length > 0, "message.parts", "must not be empty")
  yield* Validation.checkHistoryLength(configuration?.historyLength, "configuration.historyLength")
  const webhook = configuration?.taskPushNotificationConfig
  if (webhook !== undefined) yield* push === undefined ? Effect.fail(State.noPush) : push.check(webhook)
  const requested = (yield* ServiceParameters.Current).extensions
  const missing = extensions.filter(({ required, uri }) => required === true && !requested.includes(uri))
  if (missing.length > 0) {
    const message = `This agent requires ${missing.map(({ uri }) => uri).join(", ")}`
    return yield* Effect.fail(reason("ExtensionSupportRequiredError", { message }))
  }
})

/** The task as the turn begins: with the message and the question it answers in its history. */
const toFirstSnapshot = ({ contextId, message, task, taskId }: Turn): Effect.Effect<Task.Task> =>
  Effect.map(DateTime.now, (timestamp) => {
    const question = task?.status.message
    return {
      _tag: "Task",
      ...task,
      id: taskId,
      contextId,
      status: { state: task === undefined ? "submitted" : "working", timestamp },
      history: [...task?.history ?? [], ...question === undefined ? [] : [question], message]
    }
  })

/** Begins a turn on a task, or on a new one. */
const start = Effect.fnUntraced(function*(
  state: State.State,
  owner: Owner.Owner,
  request: Operation.SendMessageRequest,
  taskId: Id.TaskId,
  stored: Stored | undefined
): Effect.fn.Return<Begun, AgentErrorReason> {
  const { takesUpdates = false } = state.executor
  const inbox = takesUpdates === false ? undefined : yield* Queue.unbounded<Message.Message, Cause.Done>()
  const turn = yield* Turns.make(state, owner, request, taskId, stored?.task, inbox)
  const first = yield* toFirstSnapshot(turn)
  yield* Validation.check(Sendable.canBeSent(first), "message", `must have ${Sendable.rule} only`)
  const webhook = request.configuration?.taskPushNotificationConfig
  const takes = typeof takesUpdates === "function" ? takesUpdates(turn) : takesUpdates
  return yield* beginWork(state, Work.make(owner, turn, stored?.length ?? 0, takes ? inbox : undefined, webhook), first)
})

/** The most messages that a turn takes while it is at work. */
const maxUpdates = 1000

/** Passes a message to the turn that is at work on its task. */
const update = Effect.fnUntraced(function*(
  state: State.State,
  work: Work.Work,
  { configuration, message }: Operation.SendMessageRequest
): Effect.fn.Return<Begun, AgentErrorReason> {
  const { contextId, taskId } = work.turn
  const received = { ...message, taskId, contextId }
  if (work.received.length >= maxUpdates) {
    const message = `Task ${taskId} has taken ${maxUpdates} messages while at work, the most that are allowed`
    return yield* Effect.fail(reason("RateLimitError", { message }))
  }
  const webhook = configuration?.taskPushNotificationConfig
  if (webhook !== undefined && state.push !== undefined) yield* Push.save(state.push, work.owner, taskId, webhook)
  const position = yield* Work.writeSnapshot(
    state,
    work,
    (task): Task.Task | undefined =>
      TaskState.endsStream(task.status.state) ? undefined : { ...task, history: [...task.history ?? [], received] }
  ).pipe(
    Effect.catchTag("VersionConflict", () => Effect.undefined)
  )
  if (position === undefined) {
    return yield* Effect.fail(State.unsupportedReason(`Task ${taskId} has just ended; read it again`))
  }
  work.received.push(received)
  if (work.inbox !== undefined) Queue.offerUnsafe(work.inbox, received)
  return { work, position }
})

/** Continues a task. Fails if the task has ended, or is at work and takes no further message. */
const proceed = (
  state: State.State,
  owner: Owner.Owner,
  request: Operation.SendMessageRequest,
  id: Id.TaskId
): Effect.Effect<Begun, AgentErrorReason> =>
  Effect.gen(function*() {
    const stored = yield* State.findTask(state, owner, id)
    const { task } = stored
    const { contextId } = request.message
    yield* Validation.check(
      contextId === undefined || contextId === task.contextId,
      "message.contextId",
      "is not the context of the task"
    )
    const { state: taskState } = task.status
    if (TaskState.isTerminal(taskState)) {
      const hint = "name it in referenceTaskIds of a new one"
      return yield* Effect.fail(State.unsupportedReason(`Task ${id} is ${taskState}; ${hint}`))
    }
    const work = state.works.get(id)
    if (work === undefined && !TaskState.isAtWork(taskState)) return yield* start(state, owner, request, id, stored)
    if (work !== undefined && work.inbox !== undefined && !work.isDeciding && !TaskState.endsStream(taskState)) {
      return yield* update(state, work, request)
    }
    if (work === undefined || work.isDeciding || !TaskState.endsStream(taskState)) {
      return yield* Effect.fail(State.busyReason(id))
    }
    // its last event is written, its finalizers run
    const fiber = FiberMap.getUnsafe(state.fibers, id)
    if (Option.isSome(fiber)) yield* Fiber.await(fiber.value)
    return yield* proceed(state, owner, request, id)
  })

/** A turn cannot run in a scope that is closed; the caller would be interrupted. */
const closedReason = () =>
  reason("ServiceUnavailableError", {
    message:
      "the layer of the agent is closed: call the agent while its layer is provided, or hold the layer in a ManagedRuntime",
    isRetryable: false
  })

const begin = Effect.fnUntraced(function*(
  state: State.State,
  request: Operation.SendMessageRequest
): Effect.fn.Return<Message.Message | Followed, AgentErrorReason, Scope.Scope> {
  if (state.fibers.state._tag === "Closed") return yield* Effect.fail(closedReason())
  yield* validate(state, request)
  const { taskId } = request.message
  const owner = yield* Owner.current(request.tenant)
  const id = taskId ?? (yield* Id.taskId)
  const subscription = yield* state.hub.subscribe(id)
  const begun = yield* taskId === undefined
    ? start(state, owner, request, id, undefined)
    : proceed(state, owner, request, id)
  return "_tag" in begun ? begun : { ...begun, subscription }
})

/** A turn that runs, and the subscription to its task, which was made before. */
interface Followed {
  readonly work: Work.Work
  readonly position: number
  readonly subscription: Subscription
}

const followTurn = (
  { store }: State.State,
  { position, subscription, work }: Followed,
  isLast: (event: StreamEvent.StreamEvent) => boolean
) =>
  follow(store, {
    owner: work.owner,
    id: work.turn.taskId,
    subscription,
    from: position,
    until: position,
    isLast,
    isOver: (position) => work.isOver && position >= work.length,
    refusal: () => work.refusal
  })

/** Sends a message and waits until the task settles, unless the request returns immediately. */
export const send = (state: State.State) =>
  Effect.fnUntraced(function*(
    request: Operation.SendMessageRequest
  ): Effect.fn.Return<Task.Task | Message.Message, AgentErrorReason, Scope.Scope> {
    const begun = yield* begin(state, request)
    if ("_tag" in begun) return begun
    const { work } = begun
    const { configuration } = request
    if (configuration?.returnImmediately !== true) {
      yield* Stream.runDrain(followTurn(state, begun, StreamEvent.isSettling))
    }
    const { task } = yield* State.findTask(state, work.owner, work.turn.taskId)
    return Trim.trimHistory(task, configuration?.historyLength)
  }, Effect.scoped)

/** Sends a message and streams the turn. */
export const sendStreaming =
  (state: State.State) =>
  (request: Operation.SendMessageRequest): Stream.Stream<StreamEvent.StreamEvent, AgentErrorReason> =>
    Stream.unwrap(Effect.map(begin(state, request), (begun) =>
      "_tag" in begun
        ? Stream.succeed(begun)
        : Stream.map(
          followTurn(state, begun, Ends.endsTurn),
          Trim.trimEvent(request.configuration?.historyLength)
        )))
