/**
 * Serves an executor: the A2A operations over an {@link AgentExecutor}, a store and a hub, as an `AgentTransport`.
 * Callers use it in the same process, or through the routes of a binding.
 *
 * It keeps these rules of the specification: a request is validated before anything is written; a task runs one turn at
 * a time, and a message meanwhile is refused with `UnsupportedOperationError` unless the executor takes it; the stream of
 * a message begins with the task and ends at a terminal state or at input-required, a subscription at a terminal state
 * (A2A 1.0 §3.1.6); a caller that disconnects changes nothing; a task belongs to its `Owner`. A message that is sent twice
 * makes two turns: message ids are not deduplicated (A2A 1.0 §3.3.1).
 *
 * ```ts
 * import { AgentTransport, Message, Operation, Task } from "@effect-a2a/core"
 * import { AgentExecutor, AgentServer } from "@effect-a2a/server"
 * import { Effect, Layer, Stream } from "effect"
 *
 * const agent = AgentServer.layerMemory({ card: { name: "Greeter", description: "Greets" } }).pipe(
 *   Layer.provide(AgentExecutor.layer(() => Stream.make("Hello ", "world")))
 * )
 * const program = Effect.gen(function*() {
 *   const transport = yield* AgentTransport.AgentTransport
 *   const result = yield* transport.call(Operation.SendMessage, { message: yield* Message.user("Hi") })
 *   return result._tag === "Task" ? [result.status.state, Task.text(result)] : []
 * })
 * await Effect.runPromise(program.pipe(Effect.provide(agent))) // => ["completed", "Hello world"]
 * ```
 *
 * @since 0.1.0
 */
import type * as AgentCard from "@effect-a2a/core/AgentCard"
import { type AgentErrorReason, reason } from "@effect-a2a/core/AgentError"
import * as AgentTransport from "@effect-a2a/core/AgentTransport"
import type * as Id from "@effect-a2a/core/Id"
import type * as Operation from "@effect-a2a/core/Operation"
import type * as SecurityScheme from "@effect-a2a/core/SecurityScheme"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberMap from "effect/FiberMap"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { AgentExecutor } from "./AgentExecutor.ts"
import * as Caller from "./Caller.ts"
import * as Push from "./internal/push/operations.ts"
import * as Running from "./internal/running.ts"
import { type State, unsupportedReason } from "./internal/state.ts"
import * as Tasks from "./internal/tasks.ts"
import * as Turns from "./internal/turns.ts"
import { PushSender } from "./PushSender.ts"
import * as TaskHub from "./TaskHub.ts"
import * as TaskStore from "./TaskStore.ts"

/**
 * An agent card of which only name and description are required. Defaults: version `1.0.0`, text in and out, no skills,
 * and the interfaces that the application serves (see `CardServer`).
 */
export type Card = Pick<AgentCard.AgentCard, "name" | "description"> & Partial<AgentCard.AgentCard>

/** The card of a server, and its policies. */
export interface Options {
  /**
   * The response to `GetAgentCard`; capabilities that the server lacks are removed. A message that does not ask for
   * every extension that the card requires is refused.
   */
  readonly card: Card
  /** The interface in the transport's `target`. Default: the card's first. */
  readonly target?: AgentCard.AgentInterface
  /**
   * The beginning of `SubscribeToTask`. `snapshot` (default): with the task, followed by new events; a terminal task is
   * refused. `events`: with all events since the task was made, without the task itself; a completed task is replayed
   * too.
   */
  readonly replay?: "snapshot" | "events"
  /**
   * The most tasks at work; beyond it messages are refused with `ServiceUnavailableError`, before the executor is called.
   * Default: 2,000.
   */
  readonly maxRunning?: number | undefined
  /**
   * The most tasks at work of one authenticated caller; beyond it messages are refused with `RateLimitError`. Default:
   * 1,000.
   */
  readonly maxRunningPerOwner?: number | undefined
  /** The longest duration of a turn; the task fails then. Default: 1 day. */
  readonly maxTurnDuration?: Duration.Input | undefined
  /**
   * The longest wait for an executor whose task is canceled; then the task is canceled, and what the executor still replies
   * is dropped. Default: 10 seconds.
   */
  readonly cancelPatience?: Duration.Input | undefined
  /**
   * The response to `GetExtendedAgentCard`, or a function that makes it by the request's tenant. If the card declares
   * `securitySchemes`, a request without `Caller.Current` fails with `UnauthenticatedError`; otherwise anybody gets it.
   * Default: the operation is not supported.
   */
  readonly extendedCard?:
    | Effect.Effect<AgentCard.AgentCard, AgentErrorReason>
    | ((request: Operation.GetExtendedAgentCardRequest) => Effect.Effect<AgentCard.AgentCard, AgentErrorReason>)
}

const inProcess: AgentCard.AgentInterface = {
  url: "in-process:",
  protocolBinding: "IN-PROCESS",
  protocolVersion: "1.0"
}

const toCard = ({ card, extendedCard }: Options, pushNotifications: boolean): AgentCard.AgentCard => ({
  version: "1.0.0",
  supportedInterfaces: [],
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: [],
  ...card,
  capabilities: {
    streaming: true,
    ...card.capabilities,
    pushNotifications,
    extendedAgentCard: extendedCard !== undefined
  }
})

/** Returns the challenge of the first scheme that has one: API keys and certificates have no name in HTTP. */
const challengeOf = (schemes: ReadonlyArray<SecurityScheme.SecurityScheme>): string | undefined => {
  for (const scheme of schemes) {
    if (scheme._tag === "HttpAuth") return scheme.scheme
    if (scheme._tag === "OAuth2" || scheme._tag === "OpenIdConnect") return "Bearer"
  }
  return undefined
}

/** Returns the extended card, which needs a caller if the card declares any security scheme (A2A 1.0 §13.3). */
const extendedCardOf = ({ card, extendedCard }: Options) => (request: Operation.GetExtendedAgentCardRequest) =>
  Effect.gen(function*() {
    if (extendedCard === undefined) return yield* Effect.fail(unsupportedReason("This agent has no extended card"))
    const schemes = Object.values(card.securitySchemes ?? {})
    if (schemes.length === 0 || (yield* Caller.Current) !== undefined) {
      return yield* Effect.isEffect(extendedCard) ? extendedCard : extendedCard(request)
    }
    const challenge = challengeOf(schemes)
    return yield* Effect.fail(reason("UnauthenticatedError", {
      ...(challenge === undefined ? undefined : { challenge }),
      message: "the extended card needs an authenticated caller: send credentials of the card's security schemes"
    }))
  })

const make = Effect.fnUntraced(function*(options: Options) {
  const push = Option.getOrUndefined(yield* Effect.serviceOption(PushSender))
  const card = toCard(options, push !== undefined)
  const state: State = {
    executor: yield* AgentExecutor,
    store: yield* TaskStore.TaskStore,
    hub: yield* TaskHub.TaskHub,
    push,
    works: new Map(),
    fibers: yield* FiberMap.make<Id.TaskId>(),
    running: Running.make({
      maxRunning: options.maxRunning ?? 2000,
      maxRunningPerOwner: options.maxRunningPerOwner ?? 1000
    }),
    maxTurnDuration: Duration.fromInputUnsafe(options.maxTurnDuration ?? "1 day"),
    cancelPatience: Duration.fromInputUnsafe(options.cancelPatience ?? "10 seconds"),
    extensions: card.capabilities.extensions ?? []
  }
  const noStream = () => Stream.fail(unsupportedReason("This agent does not stream"))
  const isStreaming = card.capabilities.streaming === true
  return AgentTransport.fromHandlers(options.target ?? card.supportedInterfaces[0] ?? inProcess, {
    SendMessage: Turns.send(state),
    SendStreamingMessage: isStreaming ? Turns.sendStreaming(state) : noStream,
    SubscribeToTask: isStreaming ? Tasks.subscribe(state, options.replay) : noStream,
    GetTask: Tasks.get(state),
    ListTasks: Tasks.list(state),
    CancelTask: Tasks.cancel(state),
    ...Push.make(state),
    GetExtendedAgentCard: extendedCardOf(options),
    GetAgentCard: () => Effect.succeed(card)
  })
})

/**
 * Serves an executor over any store and hub, and sends push notifications if a `PushSender` is provided. Turns run in the layer's scope: closing it cancels them.
 */
export const layer = (
  options: Options
): Layer.Layer<AgentTransport.AgentTransport, never, AgentExecutor | TaskStore.TaskStore | TaskHub.TaskHub> =>
  Layer.effect(AgentTransport.AgentTransport, make(options))

/** Serves an executor with store and hub in memory, within the limits of `TaskStore.layerMemory` and `TaskHub.layer`. */
export const layerMemory = (options: Options): Layer.Layer<AgentTransport.AgentTransport, never, AgentExecutor> =>
  layer(options).pipe(
    Layer.provide([
      TaskStore.layerMemory({ maxLogSize: options.replay === "events" ? "all" : undefined }),
      Layer.fresh(TaskHub.layer)
    ])
  )
