/** `SendMessage` and `SendStreamingMessage`: validates a message, begins or continues a task, and follows the turn. */
import type { AgentExtension } from "@effect-a2a/core/AgentCard"
import { AgentError, type AgentErrorReason, reason } from "@effect-a2a/core/AgentError"
import * as Id from "@effect-a2a/core/Id"
import * as Message from "@effect-a2a/core/Message"
import type * as Operation from "@effect-a2a/core/Operation"
import * as ServiceParameters from "@effect-a2a/core/ServiceParameters"
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
import type { Execution, Turn } from "../AgentExecutor.ts"
import * as Caller from "../Caller.ts"
import type { Batch, Subscription } from "../TaskHub.ts"
import { commit, internalError, run, withTurnSpan } from "./run.ts"
import * as Sendable from "./sendable.ts"
import * as State from "./state.ts"
import * as Trim from "./trim.ts"
import * as Validation from "./validation.ts"

/** A task whose turn is running; `subscription` receives all of it. */
interface Started {
  readonly taskId: Id.TaskId
  readonly subscription: Subscription
}

/** Fails if the message is invalid or does not ask for every required extension. Nothing is written before. */
const validate = Effect.fnUntraced(function*(
  extensions: ReadonlyArray<AgentExtension>,
  { configuration, message }: Operation.SendMessageRequest
) {
  yield* Validation.check(message.parts.length > 0, "message.parts", "must not be empty")
  yield* Validation.checkHistoryLength(configuration?.historyLength, "configuration.historyLength")
  const requested = (yield* ServiceParameters.Current).extensions
  const missing = extensions.filter(({ required, uri }) => required === true && !requested.includes(uri))
  if (missing.length > 0) {
    const message = `This agent requires ${missing.map(({ uri }) => uri).join(", ")}`
    return yield* Effect.fail(reason("ExtensionSupportRequiredError", { message }))
  }
})

const toTurn = Effect.fnUntraced(function*(
  request: Operation.SendMessageRequest,
  taskId: Id.TaskId,
  task: Task.Task | undefined
): Effect.fn.Return<Turn> {
  const { configuration = {}, message, metadata = {} } = request
  const contextId = message.contextId ?? task?.contextId ?? (yield* Id.contextId)
  return {
    message: { ...message, taskId, contextId },
    taskId,
    contextId,
    task,
    configuration,
    metadata,
    caller: yield* Caller.Current
  }
})

/** Calls the executor. Its errors become reasons; a defect of the call is one of the stream it would have returned. */
const execute = (state: State.State, turn: Turn): Effect.Effect<Execution> =>
  Effect.sync(() => state.executor.execute(turn)).pipe(
    Effect.catchCause((cause) => Effect.succeed(Stream.failCause(cause)))
  )

const toReason = (error: AgentErrorReason | AgentError): AgentErrorReason =>
  error instanceof AgentError ? error.reason : error

/** Runs an executor that returns a message without a task. */
const toMessage = (
  turn: Turn,
  message: Effect.Effect<Message.Input, AgentErrorReason | AgentError>
): Effect.Effect<Message.Message, AgentErrorReason> => {
  const { contextId, task, taskId } = turn
  return message.pipe(
    withTurnSpan(turn),
    Effect.mapError(toReason),
    Effect.catchDefect((defect) =>
      Effect.andThen(Effect.logError("The executor died", defect), Effect.fail(internalError))
    ),
    Effect.flatMap((input) => Message.agent(input, { contextId, ...(task === undefined ? undefined : { taskId }) }))
  )
}

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

/** Starts the executor: returns the effect of a message, yet to run, or a task whose turn is running. */
const start = Effect.fnUntraced(function*(
  state: State.State,
  turn: Turn
): Effect.fn.Return<Effect.Effect<Message.Message | Started, AgentErrorReason>, AgentErrorReason, Scope.Scope> {
  const owner = turn.caller?.id
  const first = yield* toFirstSnapshot(turn)
  yield* Validation.check(Sendable.canBeSent(first), "message", `must have ${Sendable.rule} only`)
  yield* state.running.check(owner)
  const execution = yield* execute(state, turn)
  if (!Stream.isStream(execution)) return toMessage(turn, execution)
  const { taskId } = turn
  const subscription = yield* state.hub.subscribe(taskId)
  // written before the turn runs: the next message to this task must find it working
  yield* commit(state, owner, taskId, [first]).pipe(
    Effect.catchDefect((defect) =>
      Effect.andThen(Effect.logError("The store died", defect), Effect.fail(internalError))
    ),
    Effect.andThen(FiberMap.run(
      state.turns,
      taskId,
      state.running.count(owner)(run(state, turn, first, Stream.mapError(execution, toReason)))
    )),
    Effect.uninterruptible
  )
  return Effect.succeed({ taskId, subscription })
})

/** Continues a task. Fails if the task has ended or is working. */
const proceed = Effect.fnUntraced(function*(
  state: State.State,
  request: Operation.SendMessageRequest,
  id: Id.TaskId
) {
  const { task } = yield* State.findTask(state, id)
  const { contextId } = request.message
  yield* Validation.check(
    contextId === undefined || contextId === task.contextId,
    "message.contextId",
    "is not the context of the task"
  )
  const { state: taskState } = task.status
  if (TaskState.isTerminal(taskState)) {
    return yield* Effect.fail(
      State.unsupportedReason(`Task ${id} is ${taskState}; name it in referenceTaskIds of a new one`)
    )
  }
  const running = FiberMap.getUnsafe(state.turns, id)
  if (Option.isSome(running)) {
    if (!TaskState.endsStream(taskState)) {
      return yield* Effect.fail(State.unsupportedReason(`Task ${id} is being worked on; wait until it asks for input`))
    }
    yield* Fiber.await(running.value) // its last event is written, its finalizers run
  }
  return yield* start(state, yield* toTurn(request, id, task))
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
  extensions: ReadonlyArray<AgentExtension>,
  request: Operation.SendMessageRequest
): Effect.fn.Return<Message.Message | Started, AgentErrorReason, Scope.Scope> {
  if (state.turns.state._tag === "Closed") return yield* Effect.fail(closedReason())
  yield* validate(extensions, request)
  const { taskId } = request.message
  // a message without a task runs outside the lock
  return yield* yield* taskId === undefined
    ? start(state, yield* toTurn(request, yield* Id.taskId, undefined))
    // nobody waits for another caller's task
    : Effect.andThen(State.findTask(state, taskId), state.lock.withLock(taskId)(proceed(state, request, taskId)))
})

const isSettling = (batch: Batch): boolean => batch.events.some(StreamEvent.isSettling)

/** Sends a message and waits until the task settles, unless the request returns immediately. */
export const send = (state: State.State, extensions: ReadonlyArray<AgentExtension>) =>
  Effect.fnUntraced(function*(
    request: Operation.SendMessageRequest
  ): Effect.fn.Return<Task.Task | Message.Message, AgentErrorReason, Scope.Scope> {
    const result = yield* begin(state, extensions, request)
    if ("_tag" in result) return result
    const { configuration } = request
    if (configuration?.returnImmediately !== true) {
      yield* result.subscription.pipe(Stream.takeUntil(isSettling), Stream.runDrain)
    }
    const { task } = yield* State.findTask(state, result.taskId)
    return Trim.trimHistory(task, configuration?.historyLength)
  }, Effect.scoped)

/** Sends a message and streams the turn. */
export const sendStreaming = (state: State.State, extensions: ReadonlyArray<AgentExtension>) =>
(
  request: Operation.SendMessageRequest
): Stream.Stream<StreamEvent.StreamEvent, AgentErrorReason> =>
  Stream.unwrap(Effect.map(begin(state, extensions, request), (result) =>
    "_tag" in result
      ? Stream.succeed(result)
      : result.subscription.pipe(
        State.toEvents,
        Stream.map(Trim.trimEvent(request.configuration?.historyLength))
      )))
