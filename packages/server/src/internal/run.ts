/** Runs one turn of a task: writes the executor's replies to the store and publishes them. */
import { type AgentErrorReason, reason } from "@effect-a2a/core/AgentError"
import * as Id from "@effect-a2a/core/Id"
import * as StreamEvent from "@effect-a2a/core/StreamEvent"
import type * as Task from "@effect-a2a/core/Task"
import * as TaskState from "@effect-a2a/core/TaskState"
import * as Telemetry from "@effect-a2a/core/Telemetry"
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
import type { TaskHub } from "../TaskHub.ts"
import type { Owner, TaskStore } from "../TaskStore.ts"
import * as Sendable from "./sendable.ts"
import * as Writer from "./writer.ts"

/** The reason for a defect of the executor, whose text stays on the server. */
export const internalError = reason("InternalError", { message: "The agent failed unexpectedly" })

/** The services that a turn writes to. */
export interface Sinks {
  readonly store: TaskStore["Service"]
  readonly hub: TaskHub["Service"]
}

/** The reason for replies that no answer could contain. */
const unsendable = reason("InvalidAgentResponseError", {
  message: `the agent replied with metadata or data that is not ${Sendable.rule}`
})

/** Runs an executor's work in a span, a child of the request's, which may end earlier. */
export const withTurnSpan = ({ contextId, taskId }: Turn) =>
  Effect.withSpan("a2a.execute", {
    attributes: { "a2a.task.id": taskId, "gen_ai.conversation.id": contextId }
  }, { captureStackTrace: false })

/** Notes the last state in the span of the turn, with the code of a failure. */
const annotateEnd = (state: TaskState.TaskState, exit: Exit.Exit<void, AgentErrorReason>): Effect.Effect<void> => {
  const name = Telemetry.stateName(state)
  const refusal = Exit.isFailure(exit) ? Cause.findErrorOption(exit.cause) : Option.none()
  return Effect.annotateCurrentSpan({
    "a2a.task.state": name,
    ...(TaskState.isUnsuccessful(state)
      ? { "error.type": Option.isSome(refusal) ? refusal.value.code : name }
      : undefined)
  })
}

/** Appends events to the store, then publishes them. Ends the subscriptions if the last event ends the stream. */
export const commit = Effect.fnUntraced(
  function*({ hub, store }: Sinks, owner: Owner, taskId: Id.TaskId, events: ReadonlyArray<StreamEvent.StreamEvent>) {
    if (!Arr.isReadonlyArrayNonEmpty(events)) return
    const from = yield* store.append(owner, taskId, events)
    yield* hub.publish(taskId, { from, events })
    const state = StreamEvent.state(Arr.lastNonEmpty(events))
    if (state !== undefined && TaskState.endsStream(state)) yield* hub.end(taskId)
  },
  Effect.uninterruptible
)

/**
 * Pulls the next replies. A part that the writer holds back is flushed if they are not there at once.
 */
const pullNext = Effect.fnUntraced(function*<A, E, E2>(pull: Effect.Effect<A, E>, flush: Effect.Effect<void, E2>) {
  const fiber = yield* Effect.forkChild(pull, { startImmediately: true })
  if (fiber.pollUnsafe() === undefined) yield* flush
  return yield* Effect.onInterrupt(Fiber.join(fiber), () => Fiber.interrupt(fiber))
})

/**
 * Runs a turn behind its first snapshot, up to its last state. Interruption cancels the task. Never fails: failures become
 * states of the task, and reasons for those who follow it.
 */
export const run = (sinks: Sinks, turn: Turn, first: Task.Task, replies: Stream.Stream<Reply, AgentErrorReason>) =>
  Effect.gen(function*() {
    const { hub, store } = sinks
    const { contextId, taskId } = turn
    const owner = turn.caller?.id
    const clock = yield* Clock.Clock
    const writer = Writer.make({
      taskId,
      contextId,
      state: first.status.state,
      generate: yield* Id.CurrentGenerator,
      now: () => DateTime.makeUnsafe(clock.currentTimeMillisUnsafe())
    })
    const emit = (events: ReadonlyArray<StreamEvent.StreamEvent>) => commit(sinks, owner, taskId, events)
    const emitChecked = (events: ReadonlyArray<StreamEvent.StreamEvent>) =>
      events.every(Sendable.canBeSent) ? emit(events) : Effect.fail(unsendable)
    const flush = Effect.suspend(() => emitChecked(writer.flush()))

    const work = Effect.gen(function*() {
      const pull = yield* Stream.toPull(replies)
      while (!writer.isClosed()) {
        yield* emitChecked(writer.write(yield* writer.isHolding() ? pullNext(pull, flush) : pull))
      }
    }).pipe(Pull.catchDone(() => Effect.void), Effect.scoped)

    /** Writes how the task failed, and the reason in its place on the streams. */
    const endWith = (failed: StreamEvent.StatusUpdate, reason: AgentErrorReason) =>
      Effect.andThen(Effect.ignore(store.append(owner, taskId, [failed])), hub.end(taskId, reason))

    /** Writes the last events; a task fails that the store has no room for. */
    const close = (state: TaskState.TaskState, message?: string) =>
      emitChecked(writer.close(state, message)).pipe(
        Effect.catch((refusal) => endWith(writer.fail(refusal.message), refusal))
      )

    const finish = (exit: Exit.Exit<void, AgentErrorReason>): Effect.Effect<void> => {
      if (Exit.isSuccess(exit)) return close("completed")
      if (Cause.hasInterruptsOnly(exit.cause)) return close("canceled")
      const refusal = Cause.findErrorOption(exit.cause)
      return Option.isNone(refusal)
        ? Effect.andThen(Effect.logError("The executor died", exit.cause), close("failed", internalError.message))
        : emitChecked(writer.flush(true)).pipe(
          Effect.ignore,
          Effect.andThen(Effect.suspend(() => endWith(writer.fail(refusal.value.message), refusal.value)))
        )
    }

    yield* Effect.onExit(
      work,
      (exit) => Effect.andThen(finish(exit), Effect.suspend(() => annotateEnd(writer.state(), exit)))
    )
    // the span is an error
    if (TaskState.isUnsuccessful(writer.state())) return yield* Effect.fail(Telemetry.stateName(writer.state()))
  }).pipe(
    withTurnSpan(turn),
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause) || Option.isSome(Cause.findErrorOption(cause))
        ? Effect.void
        : sinks.hub.end(turn.taskId, internalError)
    )
  )
