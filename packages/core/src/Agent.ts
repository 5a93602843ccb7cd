/**
 * The client: sends messages to an agent, streams its answers, and manages its tasks, over any
 * `AgentTransport.AgentTransport`.
 *
 * ```ts
 * import { Agent } from "@effect-a2a/core"
 * import { AgentTest, Script } from "@effect-a2a/testing"
 * import { Effect, Layer } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const asked = yield* Agent.ask("Plan a weekend")
 *   const answer = yield* Agent.ask("Lisbon", { after: asked })
 *   return [asked.state, asked.question, answer.text]
 * })
 * const agent = Agent.layer.pipe(
 *   Layer.provide(AgentTest.layer),
 *   Layer.provide(Script.layer(({ task }) =>
 *     task === undefined ? [Script.askForInput("Which city?")] : [Script.say("Two days in Lisbon")]
 *   ))
 * )
 * await Effect.runPromise(program.pipe(Effect.provide(agent)))
 * // => ["input-required", "Which city?", "Two days in Lisbon"]
 * ```
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { dual, identity } from "effect/Function"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import type * as AgentCard from "./AgentCard.ts"
import * as AgentError from "./AgentError.ts"
import { AgentTransport, type Policy } from "./AgentTransport.ts"
import * as Answer from "./Answer.ts"
import type * as Id from "./Id.ts"
import { listPages } from "./internal/client/listPages.ts"
import * as Slot from "./internal/client/slot.ts"
import { publicUrl } from "./internal/errors/publicUrl.ts"
import * as Waiting from "./internal/transport/waitForTask.ts"
import * as Baseline from "./internal/turn/baseline.ts"
import * as Foreign from "./internal/turn/foreign.ts"
import * as TaskFold from "./internal/turn/taskFold.ts"
import * as Message from "./Message.ts"
import type { Metadata } from "./Metadata.ts"
import * as Operation from "./Operation.ts"
import type * as PushNotification from "./PushNotification.ts"
import type * as StreamEvent from "./StreamEvent.ts"
import type * as Task from "./Task.ts"
import * as TaskState from "./TaskState.ts"
import * as Timeouts from "./Timeouts.ts"

type Failure = AgentError.AgentError

/** Options of a message that is sent. */
export interface Options {
  /**
   * The answer that this message follows: the message is sent in its context, and to its task unless that is terminal.
   * Ids that are given otherwise, as options or in the message itself, are used instead. If the answer has its `task`,
   * whatever that had is not part of the next answer.
   */
  readonly after?: (Pick<Answer.Answer, "contextId" | "state" | "taskId"> & { readonly task?: Task.Task }) | undefined
  /** The context of the message. Default: the agent creates one. */
  readonly contextId?: Id.ContextId | undefined
  /** The task that the message continues. Default: the agent decides. */
  readonly taskId?: Id.TaskId | undefined
  /** The id of the message. Default: a new one. */
  readonly messageId?: Id.MessageId | undefined
  /** URIs of the extensions that the message uses. */
  readonly extensions?: ReadonlyArray<string> | undefined
  /** Other tasks that the message refers to. */
  readonly referenceTaskIds?: ReadonlyArray<Id.TaskId> | undefined
  /** Metadata of the message; {@link Options.metadata} is the request's. */
  readonly messageMetadata?: Metadata | undefined
  /** Metadata of the request. */
  readonly metadata?: Metadata | undefined
  /** Media types that the answer may have. Default: the agent decides. */
  readonly acceptedOutputModes?: ReadonlyArray<string> | undefined
  /** The number of messages of the task's history to return. Default: the agent decides. */
  readonly historyLength?: number | undefined
  /** Returns the task as soon as it exists instead of waiting until it settles. Default: false. */
  readonly returnImmediately?: boolean | undefined
  /** A webhook that the agent calls on changes of the task. */
  readonly taskPushNotificationConfig?: PushNotification.PushNotificationConfig | undefined
}

/** Filters for {@link listTasks}. Without any, all tasks are listed. */
export interface ListOptions {
  /** Tasks of this context only. */
  readonly contextId?: Id.ContextId | undefined
  /** Tasks in this state only. */
  readonly status?: TaskState.TaskState | undefined
  /** Tasks whose status changed after this instant only. */
  readonly statusTimestampAfter?: Operation.ListTasksRequest["statusTimestampAfter"] | undefined
  /** Tasks per request, 1 to 100. Default: the agent decides. */
  readonly pageSize?: number | undefined
  /** The number of messages of each task's history to return. Default: the agent decides. */
  readonly historyLength?: number | undefined
  /** Returns the artifacts of each task too. Default: false. */
  readonly includeArtifacts?: boolean | undefined
  /**
   * The most pages that are requested. Default: 10,000. Fails with `InvalidAgentResponseError` if the agent has more, and
   * after 100 empty pages in a row, a page token that it returned before, or one of more than 4,096 characters.
   */
  readonly maxPages?: number | undefined
}

/** Options of {@link getTask}. */
export interface GetOptions {
  /** The number of messages of the task's history to return. Default: the agent decides. */
  readonly historyLength?: number | undefined
}

/** Options of {@link cancel}. */
export interface CancelOptions {
  /** Metadata of the request. */
  readonly metadata?: Metadata | undefined
}

/** Options of {@link waitFor}. */
export interface WaitOptions {
  /**
   * The intervals at which a task is polled if it cannot be subscribed to. Default: 500 ms, doubled each time up to 10 s,
   * for an hour.
   */
  readonly policy?: Policy | undefined
}

/**
 * Manages webhooks of a task. A transport that knows the agent's card refuses all of them with
 * `PushNotificationNotSupportedError` if the card does not declare push notifications.
 */
export interface PushConfigs<R = never> {
  /** Registers a webhook and returns it as the agent stored it. */
  readonly create: (
    config: PushNotification.TaskPushNotificationConfig
  ) => Effect.Effect<PushNotification.TaskPushNotificationConfig, Failure, R>
  /** Returns one webhook. */
  readonly get: (
    taskId: Id.TaskId,
    id: string
  ) => Effect.Effect<PushNotification.TaskPushNotificationConfig, Failure, R>
  /** Returns all webhooks of a task. */
  readonly list: (
    taskId: Id.TaskId
  ) => Effect.Effect<ReadonlyArray<PushNotification.TaskPushNotificationConfig>, Failure, R>
  /** Deletes one webhook. */
  readonly delete: (taskId: Id.TaskId, id: string) => Effect.Effect<void, Failure, R>
}

/** The operations of an agent. `R` is the service that they need: nothing if the agent is a value. */
export interface Client<R> {
  /** Fetches the public agent card. */
  readonly card: Effect.Effect<AgentCard.AgentCard, Failure, R>
  /** Fetches the extended agent card, which an agent shows to authenticated callers only. */
  readonly extendedCard: Effect.Effect<AgentCard.AgentCard, Failure, R>
  /**
   * Sends a message and waits until the task settles, unless `returnImmediately` is set. A task that the agent returns at
   * work nevertheless is waited for as {@link waitFor} does, within the total timeout, or an hour. Fails with
   * `TaskFailedError`, `TaskCanceledError` or `TaskRejectedError` if the task ended so; input-required and auth-required
   * count as success.
   * Interrupting it closes the connection and leaves the agent at work, unless `AgentTransport.cancelOnInterrupt` cancels
   * the task.
   */
  readonly send: (input: Message.Input, options?: Options) => Effect.Effect<Task.Task | Message.Message, Failure, R>
  /** Sends a message as {@link send} does, and returns the result as an answer. */
  readonly ask: (input: Message.Input, options?: Options) => Effect.Effect<Answer.Answer, Failure, R>
  /**
   * Sends a message and emits every event as it arrives. Fails after the event that reports a failed, canceled or
   * rejected task, and with `StreamInterruptedError` if the connection ends before the task settles. A consumer that stops
   * early closes the connection and leaves the agent at work, unless `AgentTransport.cancelOnInterrupt` cancels the task.
   */
  readonly stream: (input: Message.Input, options?: Options) => Stream.Stream<StreamEvent.StreamEvent, Failure, R>
  /** Returns a task as it stands, whatever its state. */
  readonly getTask: (id: Id.TaskId, options?: GetOptions) => Effect.Effect<Task.Task, Failure, R>
  /** Emits all tasks that match, newest first, page by page. */
  readonly listTasks: (options?: ListOptions) => Stream.Stream<Task.Task, Failure, R>
  /** Subscribes to a task that is not terminal, and ends as {@link stream} does. */
  readonly subscribe: (id: Id.TaskId) => Stream.Stream<StreamEvent.StreamEvent, Failure, R>
  /**
   * Waits until a task settles: subscribes to it if the agent allows it, and otherwise polls at the intervals of the
   * policy. Interrupting it leaves the task at work. Fails as {@link send} does, with `TimeoutError` if the task does not
   * settle within the policy, and with `StreamInterruptedError` if it completed and its answer cannot be retrieved, which
   * happens only with a vendor whose `GetTask` leaves it out.
   */
  readonly waitFor: (task: Id.TaskId | Task.Task, options?: WaitOptions) => Effect.Effect<Task.Task, Failure, R>
  /** Cancels a task and returns it. */
  readonly cancel: (id: Id.TaskId, options?: CancelOptions) => Effect.Effect<Task.Task, Failure, R>
  /** Manages webhooks of a task. */
  readonly pushConfigs: PushConfigs<R>
}

/**
 * An agent as a value. It lacks `waitFor`, so that programs that do not wait do not load it: provide the agent to
 * {@link waitFor}, as `Effect.provideService(Agent.Agent, agent)`.
 */
export interface Service extends Omit<Client<never>, "waitFor"> {
  /** The transport that carries the operations. */
  readonly transport: AgentTransport["Service"]
}

type OmitUndefined<A> = { [K in keyof A]: Exclude<A[K], undefined> }

/** Removes members that are `undefined`: in the model, absent members are left out. */
const omitUndefined = <A extends object>(options: A) =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as OmitUndefined<A>

/** The ids of a message, by precedence: options, the message itself, the answer before. */
const placeOf = (input: Message.Input, { after, ...options }: Options) => {
  const given = Message.isMessage(input) ? input : undefined
  const contextId = options.contextId ?? given?.contextId ?? after?.contextId
  const isOpen = after !== undefined && after.state !== "message" && !TaskState.isTerminal(after.state) &&
    after.contextId === contextId
  return { contextId, taskId: options.taskId ?? given?.taskId ?? (isOpen ? after.taskId : undefined) }
}

/** Creates the request that {@link send} and {@link stream} send, with a new message id unless one is given. */
export const toRequest = Effect.fnUntraced(function*(
  input: Message.Input,
  options: Options = {}
): Effect.fn.Return<Operation.SendMessageRequest> {
  const {
    acceptedOutputModes,
    after: _,
    historyLength,
    messageMetadata,
    metadata,
    returnImmediately,
    taskPushNotificationConfig,
    ...message
  } = options
  const configuration = omitUndefined({
    acceptedOutputModes,
    historyLength,
    returnImmediately,
    taskPushNotificationConfig
  })
  return {
    message: yield* Message.user(
      input,
      omitUndefined({ ...message, ...placeOf(input, options), metadata: messageMetadata })
    ),
    ...(Object.keys(configuration).length > 0 && { configuration }),
    ...(metadata && { metadata })
  }
})

/** Returns what was known of the task that a request continues, if it continues one. */
const baselineOf = ({ message: { taskId } }: Operation.SendMessageRequest, after: Options["after"]) =>
  taskId === undefined ? undefined : { taskId, task: after?.task?.id === taskId ? after.task : undefined }

/** Gives the events of a turn their past, which views leave out. */
const withBaseline = (request: Operation.SendMessageRequest, options: Options = {}) => {
  const baseline = baselineOf(request, options.after)
  return baseline === undefined
    ? identity<Stream.Stream<StreamEvent.StreamEvent, Failure>>
    : Stream.map((event: StreamEvent.StreamEvent) =>
      Foreign.isForeign(baseline, event) ? Foreign.mark(baseline.taskId, event) : Baseline.set(event, baseline)
    )
}

/**
 * Fails after the last event if the task failed, was canceled or was rejected. The task in the error has its ids and its
 * status: content that the caller has seen and dropped is not kept.
 */
const failOnUnsuccessful =
  (operation: Operation.Streaming, target: string) =>
  (self: Stream.Stream<StreamEvent.StreamEvent, Failure>): Stream.Stream<StreamEvent.StreamEvent, Failure> =>
    Stream.suspend(() => {
      let task: Task.Task | undefined
      return self.pipe(
        Stream.mapArray((events) => {
          for (const event of events) task = TaskFold.applyStatus(task, event)
          return events
        }),
        Stream.concat(Stream.suspend(() => {
          const reason = task && AgentError.fromTask(task)
          return reason === undefined
            ? Stream.empty
            : Stream.fail(new AgentError.AgentError({ operation: operation._tag, target, reason }))
        }))
      )
    })

const successful = <A extends Task.Task | Message.Message>(
  operation: string,
  target: string,
  result: A
): Effect.Effect<A, Failure> => {
  const reason = result._tag === "Task" ? AgentError.fromTask(result) : undefined
  return reason === undefined
    ? Effect.succeed(result)
    : Effect.fail(new AgentError.AgentError({ operation, target, reason }))
}

/**
 * Loads what waits for a task: agents seldom return one early, and a page loads that only then. It may fail, as in a page
 * that is older than a new deployment. The agent has the message: the task can be subscribed to, or waited for.
 */
const loadSettle = (target: string, taskId: Id.TaskId) =>
  Effect.tryPromise({
    try: () => import("./internal/transport/settle.ts"),
    catch: (cause) =>
      new AgentError.AgentError({
        operation: Operation.SendMessage._tag,
        target,
        reason: new AgentError.StreamInterruptedError({
          message: `the agent returned task ${taskId} at work, and the module that waits for it cannot be loaded: ` +
            "subscribe to the task, or load the page again",
          isRetryable: false,
          delivery: "delivered",
          taskId,
          cause
        })
      })
  })

/** Creates a client over a transport. */
export const make: Effect.Effect<Service, never, AgentTransport> = Effect.map(AgentTransport, (transport) => {
  const { call } = transport
  const target = publicUrl(transport.target.url)

  const send = Effect.fnUntraced(function*(input: Message.Input, options?: Options) {
    const request = yield* toRequest(input, options)
    const began = yield* Clock.currentTimeMillis
    const result = yield* call(Operation.SendMessage, request)
    const isEarly = result._tag === "Task" && TaskState.isAtWork(result.status.state) && !options?.returnImmediately
    return yield* successful(
      Operation.SendMessage._tag,
      target,
      isEarly ? yield* (yield* loadSettle(target, result.id)).settle(transport, request, result, began) : result
    )
  })

  return Slot.attach<Service>({
    transport,
    card: call(Operation.GetAgentCard, {}),
    extendedCard: call(Operation.GetExtendedAgentCard, {}),
    send,
    ask: (input, options) => Effect.map(send(input, options), (result) => Answer.from(result, options?.after?.task)),
    stream: (input, options) =>
      Stream.unwrap(
        Effect.map(
          toRequest(input, options),
          (request) => withBaseline(request, options)(transport.stream(Operation.SendStreamingMessage, request))
        )
      ).pipe(failOnUnsuccessful(Operation.SendStreamingMessage, target)),
    getTask: (id, options) => call(Operation.GetTask, { id, ...omitUndefined({ ...options }) }),
    listTasks: ({ maxPages, ...options } = {}) => listPages(transport, omitUndefined(options), maxPages),
    subscribe: (id) =>
      transport.stream(Operation.SubscribeToTask, { id }).pipe(
        Stream.map((event) => Foreign.mark(id, event)),
        failOnUnsuccessful(Operation.SubscribeToTask, target)
      ),
    cancel: (id, options) => call(Operation.CancelTask, { id, ...omitUndefined({ ...options }) }),
    pushConfigs: {
      create: (config) => call(Operation.CreateTaskPushNotificationConfig, config),
      get: (taskId, id) => call(Operation.GetTaskPushNotificationConfig, { taskId, id }),
      list: (taskId) =>
        Effect.map(call(Operation.ListTaskPushNotificationConfigs, { taskId }), ({ configs }) => configs),
      delete: (taskId, id) => call(Operation.DeleteTaskPushNotificationConfig, { taskId, id })
    }
  })
})

/** The class that {@link Tag} creates: a service key, its layer, and all operations of its agent. */
export interface TagClass<in out Self, in out Key extends string>
  extends Context.ServiceClass<Self, Key, Service>, Client<Self>
{
  /** Creates the agent over a transport. Not memoised, see {@link layer}. */
  readonly layer: Layer.Layer<Self, never, AgentTransport>
}

// memoised, it would be the same agent over each transport
const layerOf = <Self>(tag: Context.Key<Self, Service>): Layer.Layer<Self, never, AgentTransport> =>
  Layer.fresh(Layer.effect(tag, make))

const clientOf = <Self>(tag: Context.Key<Self, Service>): Client<Self> => {
  const access = <A, E>(f: (agent: Service) => Effect.Effect<A, E>) => Effect.flatMap(tag, f)
  const accessStream = <A, E>(f: (agent: Service) => Stream.Stream<A, E>) => Stream.unwrap(Effect.map(tag, f))
  return {
    card: access((agent) => agent.card),
    extendedCard: access((agent) => agent.extendedCard),
    send: (input, options) => access((agent) => agent.send(input, options)),
    ask: (input, options) => access((agent) => agent.ask(input, options)),
    stream: (input, options) => accessStream((agent) => agent.stream(input, options)),
    getTask: (id, options) => access((agent) => agent.getTask(id, options)),
    listTasks: (options) => accessStream((agent) => agent.listTasks(options)),
    subscribe: (id) => accessStream((agent) => agent.subscribe(id)),
    waitFor: (task, options) => access((agent) => Waiting.waitForSuccess(agent, task, options?.policy)),
    cancel: (id, options) => access((agent) => agent.cancel(id, options)),
    pushConfigs: {
      create: (config) => access((agent) => agent.pushConfigs.create(config)),
      get: (taskId, id) => access((agent) => agent.pushConfigs.get(taskId, id)),
      list: (taskId) => access((agent) => agent.pushConfigs.list(taskId)),
      delete: (taskId, id) => access((agent) => agent.pushConfigs.delete(taskId, id))
    }
  }
}

/**
 * Creates a service key for an agent, for applications that talk to several. The key has a `layer` and the operations of
 * its agent; `Conversation.of` accepts it too.
 *
 * ```ts
 * import { Agent } from "@effect-a2a/core"
 * import { AgentTest, Script } from "@effect-a2a/testing"
 * import { Effect, Layer } from "effect"
 *
 * class Weather extends Agent.Tag<Weather>()("app/Weather") {}
 * class Travel extends Agent.Tag<Travel>()("app/Travel") {}
 *
 * const scripted = (text: string) => AgentTest.layerWith().pipe(Layer.provide(Script.layer(Script.say(text))))
 * const agents = Layer.mergeAll(
 *   Weather.layer.pipe(Layer.provide(scripted("Sunny"))),
 *   Travel.layer.pipe(Layer.provide(scripted("Take the train")))
 * )
 * const both = Effect.all([Weather.ask("Lisbon?"), Travel.ask("To Lisbon?")])
 * const answers = await Effect.runPromise(both.pipe(Effect.provide(agents)))
 * answers.map(({ text }) => text) // => ["Sunny", "Take the train"]
 * ```
 */
export const Tag = <Self>() => <const Key extends string>(key: Key): TagClass<Self, Key> => {
  const tag = Context.Service<Self, Service>()(key)
  return Object.assign(tag, { layer: layerOf(tag) }, clientOf(tag))
}

/** The agent of an application that talks to one. For several, give each a {@link Tag}. */
export class Agent extends Context.Service<Agent, Service>()("@effect-a2a/core/Agent") {}

/**
 * Creates the agent over a transport. Not memoised, so that it uses the transport that is provided with it, also inside an
 * application that has an agent over another one. For several agents at once, give each a {@link Tag}.
 */
export const layer: Layer.Layer<Agent, never, AgentTransport> = /*#__PURE__*/ layerOf(Agent)

const access = <A, E>(f: (agent: Service) => Effect.Effect<A, E>) => Effect.flatMap(Agent, f)

const accessStream = <A, E>(f: (agent: Service) => Stream.Stream<A, E>) => Stream.unwrap(Effect.map(Agent, f))

/** Fetches the public agent card. */
export const card: Client<Agent>["card"] = /*#__PURE__*/ access((agent) => agent.card)

/** Fetches the extended agent card, which an agent shows to authenticated callers only. */
export const extendedCard: Client<Agent>["extendedCard"] = /*#__PURE__*/ access((agent) => agent.extendedCard)

/**
 * Sends a message and waits until the task settles, unless `returnImmediately` is set. A task that the agent returns at
 * work nevertheless is waited for as {@link waitFor} does, within the total timeout, or an hour. Fails with
 * `TaskFailedError`, `TaskCanceledError` or `TaskRejectedError` if the task ended so; input-required and auth-required
 * count as success.
 * Interrupting it closes the connection and leaves the agent at work, unless `AgentTransport.cancelOnInterrupt` cancels
 * the task.
 */
export const send: Client<Agent>["send"] = (input, options) => access((agent) => agent.send(input, options))

/** Sends a message as {@link send} does, and returns the result as an answer. */
export const ask: Client<Agent>["ask"] = (input, options) => access((agent) => agent.ask(input, options))

/**
 * Sends a message and emits every event as it arrives. Fails after the event that reports a failed, canceled or rejected
 * task, and with `StreamInterruptedError` if the connection ends before the task settles. A consumer that stops early
 * closes the connection and leaves the agent at work, unless `AgentTransport.cancelOnInterrupt` cancels the task.
 */
export const stream: Client<Agent>["stream"] = (input, options) => accessStream((agent) => agent.stream(input, options))

/** Returns a task as it stands, whatever its state. */
export const getTask: Client<Agent>["getTask"] = (id, options) => access((agent) => agent.getTask(id, options))

/** Emits all tasks that match, newest first, page by page. */
export const listTasks: Client<Agent>["listTasks"] = (options) => accessStream((agent) => agent.listTasks(options))

/** Subscribes to a task that is not terminal, and ends as {@link stream} does. */
export const subscribe: Client<Agent>["subscribe"] = (id) => accessStream((agent) => agent.subscribe(id))

/**
 * Waits until a task settles: subscribes to it if the agent allows it, and otherwise polls at the intervals of the
 * policy. Interrupting it leaves the task at work. Fails as {@link send} does, with `TimeoutError` if the task does not
 * settle within the policy, and with `StreamInterruptedError` if it completed and its answer cannot be retrieved, which
 * happens only with a vendor whose `GetTask` leaves it out.
 */
export const waitFor: Client<Agent>["waitFor"] = (task, options) =>
  access((agent) => Waiting.waitForSuccess(agent, task, options?.policy))

/** Cancels a task and returns it. */
export const cancel: Client<Agent>["cancel"] = (id, options) => access((agent) => agent.cancel(id, options))

/** Manages webhooks of a task. */
export const pushConfigs: PushConfigs<Agent> = {
  create: (config) => access((agent) => agent.pushConfigs.create(config)),
  get: (taskId, id) => access((agent) => agent.pushConfigs.get(taskId, id)),
  list: (taskId) => access((agent) => agent.pushConfigs.list(taskId)),
  delete: (taskId, id) => access((agent) => agent.pushConfigs.delete(taskId, id))
}

type Call = Effect.Effect<unknown, unknown, unknown> | Stream.Stream<unknown, unknown, unknown>

/**
 * Limits the time that calls to agents within an effect or a stream may take; they fail with `TimeoutError`. A send that
 * waits for its task gets no response until the task settles, so `response` must be longer than that.
 */
export const withTimeouts: {
  (timeouts: Timeouts.Timeouts): <A extends Call>(self: A) => A
  <A extends Call>(self: A, timeouts: Timeouts.Timeouts): A
} = /*#__PURE__*/ dual(2, (self: Call, timeouts: Timeouts.Timeouts) => {
  const merge = (outer: Timeouts.Timeouts) => ({ ...outer, ...omitUndefined(timeouts) })
  return Stream.isStream(self)
    ? Stream.updateService(self, Timeouts.CurrentTimeouts, merge)
    : Effect.updateService(self, Timeouts.CurrentTimeouts, merge)
})
