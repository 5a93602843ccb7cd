/**
 * The client: ask an agent, stream its answer, look after its tasks. Speaks through whatever {@link AgentTransport} it
 * is given.
 *
 * ```ts
 * import { Agent, AgentStream, Credentials } from "@effect-a2a/core"
 * import { Rest } from "@effect-a2a/transport-rest"
 * import { Console, Effect, Layer, Stream } from "effect"
 * import { FetchHttpClient } from "effect/http"
 *
 * const program = Agent.stream("A quiet weekend in Lisbon?").pipe(
 *   AgentStream.text,
 *   Stream.runForEach(Console.log),
 *   Effect.catchReason("AgentError", "RateLimitError", (reason) => Console.log("later:", reason.retryAfter))
 * )
 * const layer = Agent.layer.pipe(
 *   Layer.provide(Rest.layer({ url: "https://agent.test" })),
 *   Layer.provide([Credentials.layerNone, FetchHttpClient.layer])
 * )
 * Effect.isEffect(program.pipe(Effect.provide(layer))) // => true
 * ```
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type * as AgentCard from "./AgentCard.ts"
import * as AgentError from "./AgentError.ts"
import { AgentTransport, type Policy } from "./AgentTransport.ts"
import * as Answer from "./Answer.ts"
import type * as Id from "./Id.ts"
import * as Waiting from "./internal/transport/waitForTask.ts"
import * as Message from "./Message.ts"
import type { Metadata } from "./Metadata.ts"
import * as Operation from "./Operation.ts"
import type * as PushNotification from "./PushNotification.ts"
import type * as StreamEvent from "./StreamEvent.ts"
import type * as Task from "./Task.ts"
import type { TaskState } from "./TaskState.ts"

type Failure = AgentError.AgentError

/**
 * How a message is sent. Ids, message metadata and references go into the message; `metadata` is the request's; the
 * rest is its configuration (see `Operation.SendMessageConfiguration`).
 */
export interface Options extends Operation.SendMessageConfiguration, Omit<Message.Options, "metadata"> {
  readonly metadata?: Metadata
  readonly messageMetadata?: Metadata
}

export interface ListOptions extends Omit<Operation.ListTasksRequest, "tenant" | "pageToken" | "status"> {
  readonly status?: TaskState
}

/**
 * How often a task that cannot be followed is asked for, and how long in all; by default after half a second, doubled
 * each time up to ten seconds, for an hour.
 */
export interface WaitOptions {
  readonly policy?: Policy
}

/** Webhooks of a task. A transport that knows the agent's card refuses them locally where the card has none. */
export interface PushConfigs {
  readonly create: (
    config: PushNotification.TaskPushNotificationConfig
  ) => Effect.Effect<PushNotification.TaskPushNotificationConfig, Failure>
  readonly get: (taskId: Id.TaskId, id: string) => Effect.Effect<PushNotification.TaskPushNotificationConfig, Failure>
  readonly list: (
    taskId: Id.TaskId
  ) => Effect.Effect<ReadonlyArray<PushNotification.TaskPushNotificationConfig>, Failure>
  readonly delete: (taskId: Id.TaskId, id: string) => Effect.Effect<void, Failure>
}

/** What an agent can be asked. */
export interface Interface {
  /** The public card. */
  readonly card: Effect.Effect<AgentCard.AgentCard, Failure>
  readonly extendedCard: Effect.Effect<AgentCard.AgentCard, Failure>
  /** Sends and waits for the task to settle, unless `returnImmediately`. Fails where the task did not succeed. */
  readonly send: (input: Message.Input, options?: Options) => Effect.Effect<Task.Task | Message.Message, Failure>
  /** {@link send}, as an answer. */
  readonly ask: (input: Message.Input, options?: Options) => Effect.Effect<Answer.Answer, Failure>
  /** Every event as it comes; after the event that tells of a failed, canceled or rejected task the stream fails. */
  readonly stream: (input: Message.Input, options?: Options) => Stream.Stream<StreamEvent.StreamEvent, Failure>
  readonly getTask: (
    id: Id.TaskId,
    options?: { readonly historyLength?: number }
  ) => Effect.Effect<Task.Task, Failure>
  /** All tasks that match, newest first, page by page. */
  readonly listTasks: (options?: ListOptions) => Stream.Stream<Task.Task, Failure>
  /** Follows a task that is under way; ends as {@link stream} does. */
  readonly subscribe: (id: Id.TaskId) => Stream.Stream<StreamEvent.StreamEvent, Failure>
  /**
   * Waits for a task to settle, by following it where it can be followed, else by asking again and again; fails as
   * {@link send} does. Where the answer of a completed task cannot be had it fails with `StreamInterruptedError` (ML-27),
   * and with `TimeoutError` where the task outlasts the policy.
   */
  readonly waitFor: (task: Id.TaskId | Task.Task, options?: WaitOptions) => Effect.Effect<Task.Task, Failure>
  readonly cancel: (id: Id.TaskId, options?: { readonly metadata?: Metadata }) => Effect.Effect<Task.Task, Failure>
  readonly pushConfigs: PushConfigs
}

/** The client as a service. For several agents, give each a tag of its own and fill it with {@link make}. */
export class Agent extends Context.Service<Agent, Interface>()("@effect-a2a/core/Agent") {}

const toRequest = Effect.fnUntraced(function*(input: Message.Input, options: Options = {}) {
  const {
    acceptedOutputModes,
    historyLength,
    messageMetadata,
    metadata,
    returnImmediately,
    taskPushNotificationConfig,
    ...message
  } = options
  const configuration: Operation.SendMessageConfiguration = {
    ...(acceptedOutputModes && { acceptedOutputModes }),
    ...(historyLength === undefined ? undefined : { historyLength }),
    ...(returnImmediately === undefined ? undefined : { returnImmediately }),
    ...(taskPushNotificationConfig && { taskPushNotificationConfig })
  }
  return {
    message: yield* Message.user(input, { ...message, ...(messageMetadata && { metadata: messageMetadata }) }),
    ...(Object.keys(configuration).length > 0 && { configuration }),
    ...(metadata && { metadata })
  } satisfies Operation.SendMessageRequest as Operation.SendMessageRequest
})

/** Every event, and behind the last one the failure that it tells of. */
const failing =
  (operation: Operation.Streaming, target: string) =>
  (self: Stream.Stream<StreamEvent.StreamEvent, Failure>): Stream.Stream<StreamEvent.StreamEvent, Failure> =>
    Stream.suspend(() => {
      const collected = Answer.collector()
      return self.pipe(
        Stream.mapArray((events) => {
          for (const event of events) collected.add(event)
          return events
        }),
        Stream.concat(Stream.suspend(() => {
          const task = collected.task()
          const reason = task && AgentError.fromTask(task)
          return reason === undefined
            ? Stream.empty
            : Stream.fail(new AgentError.AgentError({ operation: operation._tag, target, reason }))
        }))
      )
    })

/** The client over the transport at hand. */
export const make: Effect.Effect<Interface, never, AgentTransport> = Effect.gen(function*() {
  const transport = yield* AgentTransport
  const { call } = transport
  const where = transport.target.url.replace(/[?#][^]*$/, "")
  const card = call(Operation.GetAgentCard, {})

  const wait = Waiting.waitFor(transport, where)

  const successful = <A extends Task.Task | Message.Message>(
    operation: string,
    answer: A
  ): Effect.Effect<A, Failure> => {
    const reason = answer._tag === "Task" ? AgentError.fromTask(answer) : undefined
    return reason === undefined
      ? Effect.succeed(answer)
      : Effect.fail(new AgentError.AgentError({ operation, target: where, reason }))
  }

  const send = (input: Message.Input, options?: Options) =>
    toRequest(input, options).pipe(
      Effect.flatMap((request) => call(Operation.SendMessage, request)),
      Effect.flatMap((answer) => successful(Operation.SendMessage._tag, answer))
    )

  const listPages = (options: ListOptions): Stream.Stream<Task.Task, Failure> =>
    Stream.suspend(() => {
      const seen = new Set<string>()
      return Stream.paginate(
        "",
        Effect.fnUntraced(function*(pageToken: string) {
          if (seen.has(pageToken)) {
            return yield* new AgentError.AgentError({
              operation: Operation.ListTasks._tag,
              target: where,
              reason: new AgentError.InvalidAgentResponseError({
                message: `the page token ${pageToken} comes round again`
              })
            })
          }
          seen.add(pageToken)
          const page = yield* call(Operation.ListTasks, { ...options, ...(pageToken !== "" && { pageToken }) })
          return [page.tasks, page.nextPageToken === "" ? Option.none() : Option.some(page.nextPageToken)] as const
        })
      )
    })

  return Agent.of({
    card,
    extendedCard: call(Operation.GetExtendedAgentCard, {}),
    send,
    ask: (input, options) => Effect.map(send(input, options), Answer.from),
    stream: (input, options) =>
      Stream.unwrap(
        Effect.map(toRequest(input, options), (request) => transport.stream(Operation.SendStreamingMessage, request))
      ).pipe(
        failing(Operation.SendStreamingMessage, where)
      ),
    getTask: (id, options) => call(Operation.GetTask, { id, ...options }),
    listTasks: (options = {}) => listPages(options),
    subscribe: (id) =>
      transport.stream(Operation.SubscribeToTask, { id }).pipe(failing(Operation.SubscribeToTask, where)),
    waitFor: (task, options) =>
      Effect.flatMap(
        wait(task, options?.policy),
        (settled) => successful(Waiting.operation, settled)
      ),
    cancel: (id, options) => call(Operation.CancelTask, { id, ...options }),
    pushConfigs: {
      create: (config) => call(Operation.CreateTaskPushNotificationConfig, config),
      get: (taskId, id) => call(Operation.GetTaskPushNotificationConfig, { taskId, id }),
      list: (taskId) =>
        Effect.map(call(Operation.ListTaskPushNotificationConfigs, { taskId }), ({ configs }) => configs),
      delete: (taskId, id) => call(Operation.DeleteTaskPushNotificationConfig, { taskId, id })
    }
  })
})

/** {@link make} as a layer; never shared, since each use may be over another transport. */
export const layer: Layer.Layer<Agent, never, AgentTransport> = Layer.fresh(Layer.effect(Agent, make))

const access = <A, E>(f: (agent: Interface) => Effect.Effect<A, E>): Effect.Effect<A, E, Agent> =>
  Effect.flatMap(Agent, f)

const accessStream = <A, E>(f: (agent: Interface) => Stream.Stream<A, E>): Stream.Stream<A, E, Agent> =>
  Stream.unwrap(Effect.map(Agent, f))

export const card: Effect.Effect<AgentCard.AgentCard, Failure, Agent> = access((agent) => agent.card)

export const send = (
  input: Message.Input,
  options?: Options
): Effect.Effect<Task.Task | Message.Message, Failure, Agent> => access((agent) => agent.send(input, options))

export const ask = (input: Message.Input, options?: Options): Effect.Effect<Answer.Answer, Failure, Agent> =>
  access((agent) => agent.ask(input, options))

export const stream = (
  input: Message.Input,
  options?: Options
): Stream.Stream<StreamEvent.StreamEvent, Failure, Agent> => accessStream((agent) => agent.stream(input, options))

export const getTask = (
  id: Id.TaskId,
  options?: { readonly historyLength?: number }
): Effect.Effect<Task.Task, Failure, Agent> => access((agent) => agent.getTask(id, options))

export const listTasks = (options?: ListOptions): Stream.Stream<Task.Task, Failure, Agent> =>
  accessStream((agent) => agent.listTasks(options))

export const subscribe = (id: Id.TaskId): Stream.Stream<StreamEvent.StreamEvent, Failure, Agent> =>
  accessStream((agent) => agent.subscribe(id))

export const waitFor = (
  task: Id.TaskId | Task.Task,
  options?: WaitOptions
): Effect.Effect<Task.Task, Failure, Agent> => access((agent) => agent.waitFor(task, options))

export const cancel = (
  id: Id.TaskId,
  options?: { readonly metadata?: Metadata }
): Effect.Effect<Task.Task, Failure, Agent> => access((agent) => agent.cancel(id, options))
