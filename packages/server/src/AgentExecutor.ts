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
import type { AgentError, AgentErrorReason } from "@effect-a2a/core/AgentError"
import * as Id from "@effect-a2a/core/Id"
import * as KeyedLock from "@effect-a2a/core/KeyedLock"
import type * as Message from "@effect-a2a/core/Message"
import type { Metadata } from "@effect-a2a/core/Metadata"
import type * as Operation from "@effect-a2a/core/Operation"
import type * as Task from "@effect-a2a/core/Task"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as References from "effect/References"
import { Scheduler } from "effect/Scheduler"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { ParentSpan } from "effect/Tracer"
import * as Caller from "./Caller.ts"
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
}

/**
 * The work of one turn. A stream makes a task; an effect makes a message without a task, and runs on the caller's fiber.
 *
 * When a stream ends, its task is completed, unless its last state says otherwise. To end a task as failed, emit
 * `Reply.status("failed", "why")`. An *error* refuses the call: every call that waits for the task fails with that
 * reason, and the task is failed. A defect fails the task; it is logged and none of its text is sent.
 */
export type Execution<R = never> =
  | Stream.Stream<Reply.Reply, AgentErrorReason | AgentError, R>
  | Effect.Effect<Message.Input, AgentErrorReason | AgentError, R>

/** The service that runs turns. */
export class AgentExecutor extends Context.Service<AgentExecutor, {
  readonly execute: (turn: Turn) => Execution
}>()("@effect-a2a/server/AgentExecutor") {}

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
export const layer = <R = never>(execute: (turn: Turn) => Execution<R>): Layer.Layer<AgentExecutor, never, R> =>
  Layer.effect(
    AgentExecutor,
    Effect.map(Effect.context<R>(), (context) => {
      const merge = (own: Context.Context<never>): Context.Context<R> => Context.mergeAll(own, context, ofTurn(own))
      return {
        execute: (turn) => {
          const execution = execute(turn)
          return Stream.isStream(execution)
            ? Stream.updateContext(execution, merge)
            : Effect.updateContext(execution, merge)
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
      const { execute } = yield* AgentExecutor
      const lock = yield* KeyedLock.make<string>()
      return {
        execute: (turn) => {
          const execution = execute(turn)
          const key = JSON.stringify([turn.caller?.id, turn.contextId])
          return Stream.isStream(execution)
            ? Stream.concat(Stream.make(Reply.status("working")), Stream.unwrap(Effect.as(lock.take(key), execution)))
            : lock.withLock(key)(execution)
        }
      }
    })
  ).pipe(Layer.provide(self))
