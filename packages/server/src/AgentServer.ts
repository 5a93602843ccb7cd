/**
 * An agent behind the seam: the A2A operations over an executor, a store and a hub. Callers see it as an
 * `AgentTransport`, in the same process or through the routes of a binding.
 *
 * The rules of the specification that it keeps: validation comes before any write; one turn at a time per task, a second
 * message meanwhile is refused (`UnsupportedOperationError`); streams begin with the task and end at a terminal state or
 * at input-required; a caller who goes away changes nothing; tasks belong to their caller. A message that is sent again is
 * a new message: nothing recognises duplicates by their message id (specification §3.3.1 leaves that open).
 *
 * ```ts
 * import { AgentTransport, Message, Operation, Task } from "@effect-a2a/core"
 * import { AgentExecutor, AgentServer } from "@effect-a2a/server"
 * import { Effect, Layer, Stream } from "effect"
 *
 * const agent = AgentServer.layerMemory({
 *   card: {
 *     name: "Greeter", description: "Greets", version: "1", supportedInterfaces: [], capabilities: {},
 *     defaultInputModes: ["text/plain"], defaultOutputModes: ["text/plain"], skills: []
 *   }
 * }).pipe(Layer.provide(AgentExecutor.layer(() => Stream.make("Hello ", "world"))))
 *
 * const program = Effect.gen(function*() {
 *   const transport = yield* AgentTransport.AgentTransport
 *   const answer = yield* transport.call(Operation.SendMessage, { message: yield* Message.user("Hi") })
 *   return answer._tag === "Task" ? [answer.status.state, Task.text(answer)] : []
 * })
 * await Effect.runPromise(program.pipe(Effect.provide(agent))) // => ["completed", "Hello world"]
 * ```
 *
 * @since 0.1.0
 */
import type * as AgentCard from "@effect-a2a/core/AgentCard"
import { AgentError, type AgentErrorReason, reason } from "@effect-a2a/core/AgentError"
import { AgentTransport } from "@effect-a2a/core/AgentTransport"
import * as Id from "@effect-a2a/core/Id"
import * as Message from "@effect-a2a/core/Message"
import type * as Operation from "@effect-a2a/core/Operation"
import * as ServiceParameters from "@effect-a2a/core/ServiceParameters"
import * as StreamEvent from "@effect-a2a/core/StreamEvent"
import type * as Task from "@effect-a2a/core/Task"
import * as TaskState from "@effect-a2a/core/TaskState"
import * as Arr from "effect/Array"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FiberMap from "effect/FiberMap"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { AgentExecutor, type Turn } from "./AgentExecutor.ts"
import * as Caller from "./Caller.ts"
import * as KeyedLock from "./internal/keyedLock.ts"
import * as Request from "./internal/request.ts"
import { commit, internalError, run, traced } from "./internal/run.ts"
import { isClosing } from "./internal/writer.ts"
import * as TaskHub from "./TaskHub.ts"
import * as TaskStore from "./TaskStore.ts"

/** What a server says of itself, and its policies. */
export interface Options {
  /**
   * Answers `GetAgentCard`; what the server cannot do is struck out of its capabilities. A message that does not ask for
   * every extension it requires is refused.
   */
  readonly card: AgentCard.AgentCard
  /** The interface that the transport names; by default the card's first. */
  readonly target?: AgentCard.AgentInterface
  /**
   * How `SubscribeToTask` begins: `snapshot` (default) with the task, followed by what is new; `events` with all events
   * since the task was made, the task itself left out, as MemoryLake does. Then a completed task can be had again.
   */
  readonly replay?: "snapshot" | "events"
  /** Answers `GetExtendedAgentCard`; without it that operation is not supported. */
  readonly extendedCard?: Effect.Effect<AgentCard.AgentCard, AgentErrorReason>
}

type Result<K extends Operation.Tag> = Effect.Effect<Operation.Success<Operation.All[K]>, AgentErrorReason>
type Handlers = {
  readonly [K in Operation.Tag as Operation.All[K]["mode"] extends "unary" ? K : never]: (
    request: Operation.Request<Operation.All[K]>
  ) => Result<K>
}

const unsupported = (message: string) => Effect.fail(reason("UnsupportedOperationError", { message }))

const noPush = () =>
  Effect.fail(reason("PushNotificationNotSupportedError", { message: "This agent sends no push notifications" }))

const inProcess: AgentCard.AgentInterface = {
  url: "in-process:",
  protocolBinding: "IN-PROCESS",
  protocolVersion: "1.0"
}

const isWaitOver = (batch: TaskHub.Batch) => batch.events.some(StreamEvent.isSettling)

const make = Effect.fnUntraced(function*(options: Options) {
  const executor = yield* AgentExecutor
  const store = yield* TaskStore.TaskStore
  const hub = yield* TaskHub.TaskHub
  const runs = yield* FiberMap.make<Id.TaskId>()
  const lock = yield* KeyedLock.make<Id.TaskId>()
  const locked = (id: Id.TaskId) => <A, E, R>(self: Effect.Effect<A, E, R>) =>
    Effect.scopedWith((scope) => lock(id).pipe(Scope.provide(scope), Effect.andThen(self)))
  const services = Context.make(TaskStore.TaskStore, store).pipe(Context.add(TaskHub.TaskHub, hub))

  const owner = Effect.map(Caller.Current, (caller) => caller?.id)

  const find = Effect.fnUntraced(function*(id: Id.TaskId) {
    const stored = yield* store.get(yield* owner, id)
    if (stored === undefined) {
      return yield* Effect.fail(reason("TaskNotFoundError", { message: `There is no task ${id}` }))
    }
    return stored
  })

  const snapshot = (id: Id.TaskId, historyLength: number | undefined) =>
    Effect.map(find(id), ({ task }) => Request.trim(task, historyLength))

  /** What follows `length` events of the log. */
  const live = (subscription: TaskHub.Subscription, length: number) =>
    Stream.fromQueue(subscription).pipe(Stream.filter((batch) => batch.from >= length))

  const eventsOf = Stream.mapArray((batches: Arr.NonEmptyReadonlyArray<TaskHub.Batch>) =>
    Arr.flatMap(batches, (batch) => batch.events)
  )

  /** Extensions that a caller must ask for. */
  const required = (options.card.capabilities.extensions ?? []).flatMap((one) => one.required === true ? [one.uri] : [])

  const validate = Effect.fnUntraced(function*({ configuration, message }: Operation.SendMessageRequest) {
    yield* Request.check(message.parts.length > 0, "message.parts", "must not be empty")
    yield* Request.checkHistoryLength(configuration?.historyLength, "configuration.historyLength")
    const { extensions } = yield* ServiceParameters.Current
    const missing = required.filter((uri) => !extensions.includes(uri))
    if (missing.length > 0) {
      return yield* Effect.fail(
        reason("ExtensionSupportRequiredError", { message: `This agent requires ${missing.join(", ")}` })
      )
    }
  })

  /**
   * Has the executor answer: the effect of a lone message, yet to be run, or a task whose work is under way and all of
   * which `subscription` gets.
   */
  const answer = Effect.fnUntraced(function*(turn: Turn) {
    const { contextId, message, task, taskId } = turn
    const execution = yield* Effect.sync(() => executor.execute(turn)).pipe(
      Effect.catchCause((cause) => Effect.succeed(Stream.failCause(cause)))
    )
    if (!Stream.isStream(execution)) {
      return traced(turn)(execution).pipe(
        Effect.catchDefect((defect) =>
          Effect.andThen(Effect.logError("An agent died", defect), Effect.fail(internalError))
        ),
        Effect.flatMap((input) => Message.agent(input, { contextId, ...(task === undefined ? undefined : { taskId }) }))
      )
    }
    const subscription = yield* hub.subscribe(taskId)
    const asked = task?.status.message
    const first: Task.Task = {
      _tag: "Task",
      ...task,
      id: taskId,
      contextId,
      status: { state: task === undefined ? "submitted" : "working", timestamp: yield* DateTime.now },
      history: [...task?.history ?? [], ...asked === undefined ? [] : [asked], message]
    }
    yield* FiberMap.run(runs, taskId, Effect.provideContext(run(turn, first, execution), services))
    // the next message to this task must find it at work
    yield* Queue.peek(subscription).pipe(Effect.catchTag("Done", () => Effect.void))
    return Effect.succeed({ taskId, subscription })
  })

  const turnOf = Effect.fnUntraced(
    function*(request: Operation.SendMessageRequest, taskId: Id.TaskId, task: Task.Task | undefined) {
      const contextId = request.message.contextId ?? task?.contextId ?? (yield* Id.contextId)
      const caller = yield* Caller.Current
      const { configuration = {}, metadata = {} } = request
      return {
        message: { ...request.message, taskId, contextId },
        taskId,
        contextId,
        task,
        configuration,
        metadata,
        caller
      } satisfies Turn
    }
  )

  const proceed = Effect.fnUntraced(function*(request: Operation.SendMessageRequest, id: Id.TaskId) {
    const { task } = yield* find(id)
    const { contextId } = request.message
    yield* Request.check(
      contextId === undefined || contextId === task.contextId,
      "message.contextId",
      "is not the context of the task"
    )
    if (TaskState.isTerminal(task.status.state)) {
      return yield* unsupported(`Task ${id} is ${task.status.state}; name it in referenceTaskIds of a new one`)
    }
    const running = FiberMap.getUnsafe(runs, id)
    if (Option.isSome(running)) {
      if (!isClosing(task.status.state)) {
        return yield* unsupported(`Task ${id} is being worked on; wait until it asks for input`)
      }
      yield* Fiber.await(running.value) // all said, and now clearing up
    }
    return yield* answer(yield* turnOf(request, id, task))
  })

  const begin = Effect.fnUntraced(function*(request: Operation.SendMessageRequest) {
    yield* validate(request)
    const { taskId } = request.message
    return yield* taskId === undefined
      ? yield* answer(yield* turnOf(request, yield* Id.taskId, undefined))
      : yield* locked(taskId)(proceed(request, taskId))
  })

  const send = Effect.fnUntraced(function*(request: Operation.SendMessageRequest) {
    const begun = yield* begin(request)
    if ("_tag" in begun) return begun
    const { configuration } = request
    if (configuration?.returnImmediately !== true) {
      yield* live(begun.subscription, 0).pipe(Stream.takeUntil(isWaitOver), Stream.runDrain)
    }
    return yield* snapshot(begun.taskId, configuration?.historyLength)
  }, Effect.scoped)

  const cancel = Effect.fnUntraced(function*(id: Id.TaskId) {
    yield* find(id)
    // a turn that is interrupted writes `canceled` itself, unless it had not even begun or was just done
    const running = FiberMap.getUnsafe(runs, id)
    if (Option.isSome(running)) yield* Fiber.interrupt(running.value)
    const { task } = yield* find(id)
    if (task.status.state === "canceled") return task
    if (TaskState.isTerminal(task.status.state)) {
      return yield* Effect.fail(
        reason("TaskNotCancelableError", { message: `Task ${id} is already ${task.status.state}` })
      )
    }
    const status: Task.TaskStatus = { state: "canceled", timestamp: yield* DateTime.now }
    const contextId = task.contextId === undefined ? undefined : { contextId: task.contextId }
    const event = StreamEvent.statusUpdate({ taskId: id, ...contextId, status })
    yield* Effect.provideContext(commit(yield* owner, id, [event]), services)
    return { ...task, status }
  })

  const list = Effect.fnUntraced(function*(request: Operation.ListTasksRequest) {
    const { contextId, historyLength, includeArtifacts, pageSize = 50, pageToken, status, statusTimestampAfter } =
      request
    yield* Request.check(pageSize >= 1 && pageSize <= 100, "pageSize", "must be between 1 and 100")
    yield* Request.checkHistoryLength(historyLength)
    const page = yield* store.list({
      owner: yield* owner,
      limit: pageSize,
      ...(contextId === undefined ? undefined : { contextId }),
      ...(status === undefined ? undefined : { status }),
      ...(statusTimestampAfter === undefined ? undefined : { since: statusTimestampAfter }),
      ...(pageToken === undefined || pageToken === "" ? undefined : { after: yield* Request.cursor(pageToken) })
    })
    const tasks = page.tasks.map((task) => Request.trim(task, historyLength))
    return {
      tasks: includeArtifacts === true ? tasks : tasks.map(Request.withoutArtifacts),
      nextPageToken: Request.pageToken(page.next),
      pageSize,
      totalSize: page.total
    }
  })

  const sendStreaming = Effect.fnUntraced(function*(request: Operation.SendMessageRequest) {
    const begun = yield* begin(request)
    if ("_tag" in begun) return Stream.succeed(begun)
    return live(begun.subscription, 0).pipe(
      eventsOf,
      Stream.map(Request.trimEvent(request.configuration?.historyLength))
    )
  })

  const subscribe = Effect.fnUntraced(function*({ id }: Operation.Request<Operation.All["SubscribeToTask"]>) {
    // attached before the store is read: what comes in between is in both, and dropped from the live part
    const subscription = yield* hub.subscribe(id)
    const { length, task } = yield* find(id)
    const { state } = task.status
    const isReplay = options.replay === "events"
    if (TaskState.isTerminal(state) && !(isReplay && state === "completed")) {
      return yield* unsupported(`Task ${id} is ${state}`)
    }
    const past: ReadonlyArray<StreamEvent.StreamEvent> = isReplay
      ? ((yield* store.events(yield* owner, id)) ?? []).slice(0, length).filter((event) => event._tag !== "Task")
      : [task]
    const replayed = Stream.fromArray(past)
    return isClosing(state) ? replayed : Stream.concat(replayed, eventsOf(live(subscription, length)))
  })

  const capabilities: AgentCard.AgentCapabilities = {
    streaming: true,
    ...options.card.capabilities,
    pushNotifications: false,
    extendedAgentCard: options.extendedCard !== undefined
  }

  const calls: Handlers & { readonly GetAgentCard: () => Effect.Effect<AgentCard.AgentCard> } = {
    SendMessage: send,
    GetTask: (request) =>
      Effect.andThen(Request.checkHistoryLength(request.historyLength), snapshot(request.id, request.historyLength)),
    ListTasks: list,
    CancelTask: ({ id }) => locked(id)(cancel(id)),
    CreateTaskPushNotificationConfig: noPush,
    GetTaskPushNotificationConfig: noPush,
    ListTaskPushNotificationConfigs: noPush,
    DeleteTaskPushNotificationConfig: noPush,
    GetExtendedAgentCard: () => options.extendedCard ?? unsupported("This agent has no extended card"),
    GetAgentCard: () => Effect.succeed({ ...options.card, capabilities })
  }

  const streams: Record<
    string,
    (request: any) => Effect.Effect<Stream.Stream<StreamEvent.StreamEvent, AgentErrorReason>, AgentErrorReason, any>
  > = { SendStreamingMessage: sendStreaming, SubscribeToTask: subscribe }

  const unknown = (operation: Operation.Any) => () =>
    Effect.fail(reason("MethodNotFoundError", { message: `There is no operation ${operation._tag}` }))

  const because = (operation: Operation.Any) => (reason: AgentErrorReason) =>
    new AgentError({ operation: operation._tag, reason })

  return AgentTransport.of({
    target: options.target ?? options.card.supportedInterfaces[0] ?? inProcess,
    call: (operation, request) => {
      const handle = (calls as Record<string, (request: any) => Effect.Effect<any, AgentErrorReason>>)[operation._tag]
      return Effect.mapError((handle ?? unknown(operation))(request), because(operation))
    },
    stream: (operation, request) => {
      const handle = capabilities.streaming ? streams[operation._tag] : () => unsupported("This agent does not stream")
      return Stream.mapError(Stream.unwrap((handle ?? unknown(operation))(request)), because(operation)) as any
    }
  })
})

/** The server over any store and hub; its work stops with the layer's scope, and what runs then is canceled. */
export const layer = (
  options: Options
): Layer.Layer<AgentTransport, never, AgentExecutor | TaskStore.TaskStore | TaskHub.TaskHub> =>
  Layer.effect(AgentTransport, make(options))

/** The server with everything in memory. */
export const layerMemory = (options: Options): Layer.Layer<AgentTransport, never, AgentExecutor> =>
  layer(options).pipe(Layer.provide([TaskStore.layerMemory(), Layer.fresh(TaskHub.layer)]))
