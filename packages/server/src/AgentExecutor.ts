/**
 * The agent behind a server: a function from a turn to a stream of replies, or to one message. Canceling the task
 * interrupts it.
 *
 * ```ts
 * import { AgentTransport, Message, Operation, Task } from "@effect-a2a/core"
 * import { AgentExecutor, AgentServer } from "@effect-a2a/server"
 * import { Effect, Layer, Stream } from "effect"
 *
 * // a task, whose result is streamed
 * const echo = AgentExecutor.layer((turn) => Stream.make("You said: ", Message.text(turn.message)))
 * // a message without a task
 * const greeter = AgentExecutor.layer(() => Effect.succeed("Hello"))
 *
 * const send = Effect.gen(function*() {
 *   const transport = yield* AgentTransport.AgentTransport
 *   return yield* transport.call(Operation.SendMessage, { message: yield* Message.user("Hi") })
 * })
 * const card = { name: "Agent", description: "For this example" }
 * const ask = (executor: typeof echo) =>
 *   send.pipe(Effect.provide(AgentServer.layerMemory({ card }).pipe(Layer.provide(executor))))
 *
 * const task = await Effect.runPromise(ask(echo))
 * task._tag === "Task" && Task.text(task) // => "You said: Hi"
 * const message = await Effect.runPromise(ask(greeter))
 * message._tag === "Message" && Message.text(message) // => "Hello"
 * ```
 *
 * @since 0.1.0
 */
import * as Agent from "@effect-a2a/core/Agent"
import type { AgentError, AgentErrorReason } from "@effect-a2a/core/AgentError"
import * as Conversation from "@effect-a2a/core/Conversation"
import * as Id from "@effect-a2a/core/Id"
import * as KeyedLock from "@effect-a2a/core/KeyedLock"
import type * as Message from "@effect-a2a/core/Message"
import type { Metadata } from "@effect-a2a/core/Metadata"
import type * as Operation from "@effect-a2a/core/Operation"
import type * as Task from "@effect-a2a/core/Task"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as RcMap from "effect/RcMap"
import * as References from "effect/References"
import { Scheduler } from "effect/Scheduler"
import * as Scope from "effect/Scope"
import * as Sink from "effect/Sink"
import * as Stream from "effect/Stream"
import { ParentSpan } from "effect/Tracer"
import * as Caller from "./Caller.ts"
import * as Relay from "./internal/relay.ts"
import * as Reply from "./Reply.ts"

/** One message to the agent. */
export interface Turn {
  readonly message: Message.Message
  readonly taskId: Id.TaskId
  readonly contextId: Id.ContextId
  /** The task that the message continues, as it was before the message; `undefined` for a new task. */
  readonly task: Task.Task | undefined
  readonly configuration: Operation.SendMessageConfiguration
  /** The request's metadata; the message has its own. */
  readonly metadata: Metadata
  /** The authenticated caller, see `Caller.Current`. */
  readonly caller: Caller.Caller | undefined
  /** The tenant that the request addresses; `undefined` for the default one. */
  readonly tenant: string | undefined
  /** The extensions that the request asks for. */
  readonly extensions: ReadonlyArray<string>
  /** The headers of the request, in lower case, without credentials. Empty for callers in the same process. */
  readonly headers: Readonly<Record<string, string>>
  /**
   * What was said in the context in earlier turns, oldest first: the messages of the user, and as messages of the agent
   * the text of each artifact, and the message of the last state or without a task. As much as the store keeps.
   */
  readonly earlier: Effect.Effect<ReadonlyArray<Message.Message>>
  /**
   * The messages that are sent to the task while it is at work, if the executor takes them (see {@link Options}). Ends
   * never. Each message is emitted once: run it once.
   */
  readonly updates: Stream.Stream<Message.Message>
}

/** The answer of an agent: replies, which make a task, or one message without a task. */
export type Answer<R = never> = Stream.Stream<Reply.Reply, AgentErrorReason | AgentError, R> | Message.Input

/**
 * The work of one turn: replies, or an effect of an answer, which decides between a task and a message.
 *
 * The scope of an effect is the turn's: it closes when the replies end. An effect that fails refuses the call, and nothing is written. It is interrupted if the caller leaves before it ends.
 * When a stream of replies ends, its task is completed, unless its last state says otherwise. To end a task as failed, emit
 * `Reply.status("failed", "why")`. An *error* of the stream fails the task, and the call that began the turn with that
 * reason. A defect fails the task; it is logged and none of its text is sent.
 */
export type Execution<R = never> =
  | Stream.Stream<Reply.Reply, AgentErrorReason | AgentError, R>
  | Effect.Effect<Answer<R>, AgentErrorReason | AgentError, R>

/** The abilities of an executor beyond running a turn. */
export interface Options<R = never> {
  /** Takes messages to a task at work, see `Turn.updates`; a function decides for each turn. Default: they are refused. */
  readonly takesUpdates?: boolean | ((turn: Turn) => boolean) | undefined
  /**
   * Runs before a task at work is canceled. Its message is the last of the task; a failure refuses to cancel. Default: the
   * task is canceled without a message.
   */
  readonly onCancel?: ((turn: Turn) => Effect.Effect<Message.Input | undefined, AgentErrorReason, R>) | undefined
}

/** The service that runs turns. */
export class AgentExecutor extends Context.Service<
  AgentExecutor,
  Options & {
    readonly execute: (turn: Turn) => Execution<Scope.Scope>
  }
>()("@effect-a2a/server/AgentExecutor") {}

/** The services of a turn, which a layer does not replace: its span, scope, scheduler, caller, ids, and annotations of logs. */
const ofTurn = Context.pick(
  ParentSpan,
  Scope.Scope,
  Scheduler,
  Caller.Current,
  Id.CurrentGenerator,
  References.CurrentLogAnnotations,
  References.CurrentLogSpans
)

/**
 * Creates an executor from a function. The services that its turns need are those of the layer, also if a caller in the
 * same process has others under the same keys.
 */
export const layer = <R = never>(
  execute: (turn: Turn) => Execution<R>,
  { onCancel, takesUpdates }: Options<R> = {}
): Layer.Layer<AgentExecutor, never, Exclude<R, Scope.Scope>> =>
  Layer.effect(
    AgentExecutor,
    Effect.map(Effect.context<Exclude<R, Scope.Scope>>(), (context) => {
      const merge = (own: Context.Context<never>) => Context.mergeAll(own, context, ofTurn(own)) as Context.Context<R>
      const provide = <E>(replies: Stream.Stream<Reply.Reply, E, R>) => Stream.updateContext(replies, merge)
      return {
        takesUpdates,
        onCancel: onCancel && ((turn) => Effect.updateContext(onCancel(turn), merge)),
        execute: (turn) => {
          const execution = execute(turn)
          return Stream.isStream(execution)
            ? provide(execution)
            : Effect.map(
              Effect.updateContext(execution, merge),
              (answer) => Stream.isStream(answer) ? provide(answer) : answer
            )
        }
      }
    })
  )

/**
 * Runs the turns of one caller and context one at a time, in order of arrival, for agents whose sessions allow no more.
 * Turns of other contexts run in parallel. A task that waits for its turn is `working` already.
 *
 * ```ts
 * import { AgentTransport, Id, Message, Operation } from "@effect-a2a/core"
 * import { AgentExecutor, AgentServer } from "@effect-a2a/server"
 * import { Effect, Layer, Stream } from "effect"
 *
 * const log: Array<string> = []
 * const slow = AgentExecutor.layer((turn) =>
 *   Stream.fromEffect(Effect.gen(function*() {
 *     log.push(`${Message.text(turn.message)} begins`)
 *     yield* Effect.sleep("10 millis")
 *     log.push(`${Message.text(turn.message)} ends`)
 *     return "done"
 *   }))
 * )
 * const agent = AgentServer.layerMemory({ card: { name: "Slow", description: "Takes its time" } }).pipe(
 *   Layer.provide(AgentExecutor.serialize(slow))
 * )
 * const send = (text: string) =>
 *   Effect.gen(function*() {
 *     const transport = yield* AgentTransport.AgentTransport
 *     const message = yield* Message.user(text, { contextId: Id.ContextId.make("c-1") })
 *     return yield* transport.call(Operation.SendMessage, { message })
 *   })
 * const both = Effect.all([send("one"), send("two")], { concurrency: 2 })
 * await Effect.runPromise(both.pipe(Effect.asVoid, Effect.provide(agent)))
 * log // => ["one begins", "one ends", "two begins", "two ends"]
 * ```
 */
export const serialize = <E, R>(self: Layer.Layer<AgentExecutor, E, R>): Layer.Layer<AgentExecutor, E, R> =>
  Layer.effect(
    AgentExecutor,
    Effect.gen(function*() {
      const executor = yield* AgentExecutor
      const lock = yield* KeyedLock.make<string>()
      return {
        ...executor,
        execute: (turn) => {
          const execution = executor.execute(turn)
          const { caller, contextId, tenant } = turn
          const taken = lock.take(JSON.stringify([tenant, caller?.id, contextId]))
          return Stream.isStream(execution)
            ? Stream.concat(Stream.make(Reply.status("working")), Stream.unwrap(Effect.as(taken, execution)))
            : Effect.andThen(taken, execution)
        }
      }
    })
  ).pipe(Layer.provide(self))

/** Options of {@link delegate}. */
export interface DelegateOptions {
  /** The time after its last turn for which the conversation of a context is kept. Default: 1 hour. */
  readonly idleTimeToLive?: Duration.Input | undefined
}

/**
 * Relays each turn to a remote agent, in one conversation for each of our contexts: its artifacts, messages and states
 * become replies, its question ours, and its refusal refuses before a task exists. Its lone message is ours. Canceling our
 * task cancels the remote one.
 *
 * ```ts
 * import { Agent } from "@effect-a2a/core"
 * import { AgentExecutor, AgentServer } from "@effect-a2a/server"
 * import { Effect, Layer, Stream } from "effect"
 *
 * const remote = Agent.layer.pipe(
 *   Layer.provide(AgentServer.layerMemory({ card: { name: "Remote", description: "Far away" } })),
 *   Layer.provide(AgentExecutor.layer(() => Stream.make("Hello from afar")))
 * )
 * const relay = AgentServer.layerMemory({ card: { name: "Relay", description: "Passes messages on" } }).pipe(
 *   Layer.provide(AgentExecutor.delegate()),
 *   Layer.provide(remote)
 * )
 * const answer = Agent.ask("Hi").pipe(Effect.provide(Layer.provide(Layer.fresh(Agent.layer), Layer.fresh(relay))))
 * await Effect.runPromise(Effect.map(answer, ({ text }) => text)) // => "Hello from afar"
 * ```
 */
export const delegate = (options: DelegateOptions = {}): Layer.Layer<AgentExecutor, never, Agent.Agent> =>
  Layer.unwrap(Effect.gen(function*() {
    const agent = yield* Agent.Agent
    const conversations = yield* RcMap.make({
      lookup: (_key: string) => Conversation.of(agent),
      idleTimeToLive: options.idleTimeToLive ?? "1 hour"
    })
    return layer((turn) =>
      Effect.gen(function*() {
        const { caller, contextId, message, metadata, tenant } = turn
        const conversation = yield* RcMap.get(conversations, JSON.stringify([tenant, caller?.id, contextId]))
        const events = conversation.stream(message.parts, Object.keys(metadata).length === 0 ? {} : { metadata })
        const [first, rest] = yield* Stream.peel(Stream.rechunk(events, 1), Sink.head())
        if (Option.isNone(first)) return Stream.empty
        if (first.value._tag === "Message") return first.value.parts
        return Relay.relay(Stream.concat(Stream.succeed(first.value), rest)).pipe(
          Stream.onExit((exit) => Exit.hasInterrupts(exit) ? Effect.ignore(conversation.cancel) : Effect.void)
        )
      })
    )
  }))
