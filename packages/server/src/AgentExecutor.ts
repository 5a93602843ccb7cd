/**
 * The agent itself: a turn in, a stream of replies out. Canceling a task interrupts the stream.
 *
 * ```ts
 * import { AgentExecutor } from "@effect-a2a/server"
 * import { Message } from "@effect-a2a/core"
 * import { Effect, Stream } from "effect"
 *
 * // a task, whose answer is streamed
 * const echo = AgentExecutor.layer((turn) => Stream.make("You said: ", Message.text(turn.message)))
 * // no task, just a message
 * const greeter = AgentExecutor.layer(() => Effect.succeed("Hello"))
 * ```
 *
 * @since 0.1.0
 */
import type { AgentErrorReason } from "@effect-a2a/core/AgentError"
import type * as Id from "@effect-a2a/core/Id"
import type * as Message from "@effect-a2a/core/Message"
import type { Metadata } from "@effect-a2a/core/Metadata"
import type * as Operation from "@effect-a2a/core/Operation"
import type * as Task from "@effect-a2a/core/Task"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import type { Caller } from "./Caller.ts"
import * as KeyedLock from "./internal/keyedLock.ts"
import * as Reply from "./Reply.ts"

/** What there is to answer. `task` is the task that the message continues, as it was before the message. */
export interface Turn {
  readonly message: Message.Message
  readonly taskId: Id.TaskId
  readonly contextId: Id.ContextId
  readonly task: Task.Task | undefined
  readonly configuration: Operation.SendMessageConfiguration
  /** The request's metadata, not the message's. */
  readonly metadata: Metadata
  readonly caller: Caller | undefined
}

/**
 * A stream makes a task; an effect is a lone message without one, and runs on the caller's own fiber.
 *
 * How a turn ends: the stream ends and the task is completed, unless the last state says otherwise. A *reason* in the
 * error channel refuses the call: every call that waits on the task fails with it, and the task is failed. A task that
 * merely did not succeed is a value, `Reply.status("failed", "why")`. A defect makes the task failed, its text is logged
 * and not told.
 */
export type Answer<R = never> =
  | Stream.Stream<Reply.Reply, AgentErrorReason, R>
  | Effect.Effect<Message.Input, AgentErrorReason, R>

export class AgentExecutor extends Context.Service<AgentExecutor, {
  readonly execute: (turn: Turn) => Answer
}>()("@effect-a2a/server/AgentExecutor") {}

/** An executor from a function; what its answers need is taken from the layer's own surroundings. */
export const layer = <R = never>(execute: (turn: Turn) => Answer<R>): Layer.Layer<AgentExecutor, never, R> =>
  Layer.effect(
    AgentExecutor,
    Effect.map(Effect.context<R>(), (context) => {
      // the turn's own surroundings (its span, its caller) come before those the layer was built in
      const merge = (own: Context.Context<never>) => Context.merge(context, own)
      return {
        execute: (turn) => {
          const answer = execute(turn)
          return Stream.isStream(answer) ? Stream.updateContext(answer, merge) : Effect.updateContext(answer, merge)
        }
      }
    })
  )

/**
 * The same executor, with the turns of one caller and context one after another in order of arrival, for agents whose
 * sessions are not made for more; other contexts go on meanwhile. A task that waits for its turn is already `working`,
 * and the end of one, whatever it is, lets the next begin.
 *
 * ```ts
 * import { AgentExecutor } from "@effect-a2a/server"
 * import { Stream } from "effect"
 *
 * const executor = AgentExecutor.serialized(AgentExecutor.layer(() => Stream.make("One at a time")))
 * ```
 */
export const serialized = <E, R>(self: Layer.Layer<AgentExecutor, E, R>): Layer.Layer<AgentExecutor, E, R> =>
  Layer.effect(
    AgentExecutor,
    Effect.gen(function*() {
      const { execute } = yield* AgentExecutor
      const lock = yield* KeyedLock.make<string>()
      return {
        execute: (turn) => {
          const answer = execute(turn)
          const mine = lock(JSON.stringify([turn.caller?.id, turn.contextId]))
          return Stream.isStream(answer)
            ? Stream.concat(Stream.make(Reply.status("working")), Stream.unwrap(Effect.as(mine, answer)))
            : Effect.scoped(Effect.andThen(mine, answer))
        }
      }
    })
  ).pipe(Layer.provide(self))
