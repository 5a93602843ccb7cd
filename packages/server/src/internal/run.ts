import { type AgentErrorReason, reason } from "@effect-a2a/core/AgentError"
import * as Id from "@effect-a2a/core/Id"
import type { StreamEvent } from "@effect-a2a/core/StreamEvent"
import * as StreamEvents from "@effect-a2a/core/StreamEvent"
import type * as Task from "@effect-a2a/core/Task"
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Pull from "effect/Pull"
import * as Stream from "effect/Stream"
import type { Turn } from "../AgentExecutor.ts"
import type { Reply } from "../Reply.ts"
import { TaskHub } from "../TaskHub.ts"
import { TaskStore } from "../TaskStore.ts"
import * as Writer from "./writer.ts"

/** What a caller is told of a defect. */
export const internalError = reason("InternalError", { message: "The agent failed unexpectedly" })

/** The agent's work as a span of its own: a child of the request's, which it may outlast. */
export const traced = ({ contextId, taskId }: Turn) =>
  Effect.withSpan("a2a.execute", {
    attributes: { "a2a.task.id": taskId, "a2a.context.id": contextId }
  }, { captureStackTrace: false })

/** Writes events and then tells those who follow the task; the last ones let them go. */
export const commit = Effect.fnUntraced(
  function*(owner: string | undefined, taskId: Id.TaskId, events: ReadonlyArray<StreamEvent>) {
    if (!Arr.isReadonlyArrayNonEmpty(events)) return
    const [store, hub] = [yield* TaskStore, yield* TaskHub]
    const from = yield* store.append(owner, taskId, events)
    yield* hub.publish(taskId, { from, events })
    const last = StreamEvents.state(events[events.length - 1] as StreamEvent)
    if (last !== undefined && Writer.isClosing(last)) yield* hub.end(taskId)
  },
  Effect.uninterruptible
)

/**
 * One turn of work on a task, from its first snapshot to its last state, on a fiber of its own. Interruption is the
 * task's cancellation. Nothing it meets makes it fail: failures are states of the task and reasons to its followers.
 */
export const run = Effect.fnUntraced(
  function*(turn: Turn, first: Task.Task, replies: Stream.Stream<Reply, AgentErrorReason>) {
    const hub = yield* TaskHub
    const store = yield* TaskStore
    const clock = yield* Clock.Clock
    const { contextId, taskId } = turn
    const owner = turn.caller?.id
    const writer = Writer.make({
      taskId,
      contextId,
      state: first.status.state,
      generate: yield* Id.CurrentGenerator,
      now: () => DateTime.makeUnsafe(clock.currentTimeMillisUnsafe())
    })
    const emit = (events: ReadonlyArray<StreamEvent>) => commit(owner, taskId, events)

    const hear = Effect.fnUntraced(function*(replies: ReadonlyArray<Reply>) {
      let rest: ReadonlyArray<Reply> = replies
      while (rest.length > 0 && !writer.isClosed()) {
        const cut = rest.findIndex((reply) => typeof reply !== "string" && reply._tag === "Cut")
        yield* emit(writer.write((cut < 0 ? rest : rest.slice(0, cut)) as Parameters<typeof writer.write>[0]))
        if (cut < 0) return
        yield* emit(writer.flush())
        yield* hub.end(taskId, reason("StreamInterruptedError", { message: "The connection was cut", taskId }))
        rest = rest.slice(cut + 1)
      }
    })

    // lets a piece that is held back go when the next replies are not there at once
    const next = Effect.fnUntraced(function*<A, E>(pull: Effect.Effect<A, E>) {
      const fiber = yield* Effect.forkChild(pull, { startImmediately: true })
      if (fiber.pollUnsafe() === undefined) yield* emit(writer.flush())
      return yield* Effect.onInterrupt(Fiber.join(fiber), () => Fiber.interrupt(fiber))
    })

    const work = Effect.gen(function*() {
      const pull = yield* Stream.toPull(replies)
      while (!writer.isClosed()) yield* hear(yield* writer.isHolding() ? next(pull) : pull)
    }).pipe(Pull.catchDone(() => Effect.void), Effect.scoped)

    const finish = (exit: Exit.Exit<void, AgentErrorReason>): Effect.Effect<void, never, TaskStore | TaskHub> => {
      if (Exit.isSuccess(exit)) return emit(writer.close("completed"))
      if (Cause.hasInterruptsOnly(exit.cause)) return emit(writer.close("canceled"))
      const refusal = Cause.findErrorOption(exit.cause)
      if (Option.isNone(refusal)) {
        return Effect.andThen(
          Effect.logError("An agent died", exit.cause),
          emit(writer.close("failed", internalError.message))
        )
      }
      // the reason takes the place of the last status on the streams, and is that status in the store
      const events = writer.close("failed", refusal.value.message)
      return emit(events.slice(0, -1)).pipe(
        Effect.andThen(store.append(owner, taskId, events.slice(-1))),
        Effect.andThen(hub.end(taskId, refusal.value))
      )
    }

    yield* emit([first])
    yield* Effect.onExit(work, finish)
  },
  (effect, turn) =>
    Effect.catchCause(
      traced(turn)(effect),
      (cause) =>
        Cause.hasInterruptsOnly(cause) || Option.isSome(Cause.findErrorOption(cause))
          ? Effect.void
          : Effect.flatMap(TaskHub, (hub) => hub.end(turn.taskId, internalError))
    )
)
