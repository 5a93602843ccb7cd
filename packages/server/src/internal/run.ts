/** Runs one turn of a task: writes the executor's replies to the log. */
import { AgentError, type AgentErrorReason, reason } from "@effect-a2a/core/AgentError"
import * as Id from "@effect-a2a/core/Id"
import * as Metadata from "@effect-a2a/core/Metadata"
import type * as StreamEvent from "@effect-a2a/core/StreamEvent"
import type * as Task from "@effect-a2a/core/Task"
import * as TaskState from "@effect-a2a/core/TaskState"
import * as Telemetry from "@effect-a2a/core/Telemetry"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Pull from "effect/Pull"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Turn } from "../AgentExecutor.ts"
import type * as Reply from "../Reply.ts"
import type { VersionConflict } from "../TaskStore.ts"
import * as Sendable from "./sendable.ts"
import * as Work from "./work.ts"
import * as Writer from "./writer.ts"

/** The reason for a defect of the executor, whose text stays on the server. */
export const internalError = reason("InternalError", { message: "The agent failed unexpectedly" })

/** The reason for replies that no answer could contain. */
const unsendable = reason("InvalidAgentResponseError", {
  message: `the agent replied with metadata or data that is not ${Sendable.rule}`
})

export const toReason = (error: AgentErrorReason | AgentError): AgentErrorReason =>
  error instanceof AgentError ? error.reason : error

/** The failures of a write: a conflict means that another writer has taken the task over. */
type Failure = AgentErrorReason | VersionConflict

const isRefusal = (failure: Failure): failure is AgentErrorReason => failure._tag !== "VersionConflict"

/** Runs an executor's work in a span, a child of the request's, which may end earlier. */
export const withTurnSpan = ({ contextId, taskId }: Turn) =>
  Effect.withSpan("a2a.execute", {
    attributes: { "a2a.task.id": taskId, "gen_ai.conversation.id": contextId }
  }, { captureStackTrace: false })

/** Notes the last state in the span of the turn, with the code of a failure. */
const annotateEnd = (state: TaskState.TaskState, refusal: AgentErrorReason | undefined): Effect.Effect<void> => {
  const name = Telemetry.stateName(state)
  return Effect.annotateCurrentSpan({
    "a2a.task.state": name,
    ...(TaskState.isUnsuccessful(state) ? { "error.type": refusal?.code ?? name } : undefined)
  })
}

/**
 * Pulls the next replies. A part that the writer holds back is flushed if they are not there at once.
 */
const pullNext = Effect.fnUntraced(function*<A, E, E2>(pull: Effect.Effect<A, E>, flush: Effect.Effect<void, E2>) {
  const fiber = yield* Effect.forkChild(pull, { startImmediately: true })
  if (fiber.pollUnsafe() === undefined) yield* flush
  return yield* Effect.onInterrupt(Fiber.join(fiber), () => Fiber.interrupt(fiber))
})

/** Writes events; metadata of the task becomes a snapshot. */
const emitter = (sinks: Work.Sinks, work: Work.Work) => {
  const write = (events: ReadonlyArray<StreamEvent.StreamEvent>): Effect.Effect<void, Failure> =>
    events.every(Sendable.canBeSent) ? Work.write(sinks, work, events) : Effect.fail(unsendable)

  const set = (metadata: Metadata.Metadata): Effect.Effect<void, Failure> =>
    Metadata.isJson(metadata)
      ? Work.writeSnapshot(sinks, work, (task): Task.Task => ({ ...task, metadata: { ...task.metadata, ...metadata } }))
      : Effect.fail(unsendable)

  const emit = (events: ReadonlyArray<Writer.Event>): Effect.Effect<void, Failure> => {
    const at = events.findIndex(({ _tag }) => _tag === "TaskMetadata")
    const change = events[at]
    return change?._tag !== "TaskMetadata"
      ? write(events as ReadonlyArray<StreamEvent.StreamEvent>)
      : write(events.slice(0, at) as ReadonlyArray<StreamEvent.StreamEvent>).pipe(
        Effect.andThen(set(change.metadata)),
        Effect.andThen(Effect.suspend(() => emit(events.slice(at + 1))))
      )
  }
  return emit
}

/** Writes the end of a turn, however it ended. Never fails. */
const finisher = (sinks: Work.Sinks, work: Work.Work, writer: Writer.Writer, emit: ReturnType<typeof emitter>) => {
  /** Writes how the task failed; the call that began the turn fails with the reason. */
  const endWith = (refusal: AgentErrorReason) => {
    work.refusal = refusal
    return Effect.ignore(Work.write(sinks, work, [writer.fail(refusal.message)]))
  }

  /** Writes the last events; a task fails that the store has no room for. */
  const close = (state: TaskState.TaskState, message?: Parameters<Writer.Writer["close"]>[1]) =>
    Effect.suspend(() => emit(writer.close(state, message))).pipe(
      Effect.catch((failure) => isRefusal(failure) ? endWith(failure) : Effect.void)
    )

  return (exit: Exit.Exit<string | void, Failure>): Effect.Effect<void> => {
    if (Exit.isSuccess(exit)) return exit.value === undefined ? close("completed") : close("failed", exit.value)
    if (Cause.hasInterruptsOnly(exit.cause)) {
      if (work.canceled !== undefined) return close("canceled", work.canceled.word)
      return sinks.store.isDurable ? Effect.void : close("canceled", "the server was shut down")
    }
    const failure = Cause.findErrorOption(exit.cause)
    if (Option.isNone(failure)) {
      return Effect.andThen(Effect.logError("The executor died", exit.cause), close("failed", internalError.message))
    }
    const refusal = failure.value
    return isRefusal(refusal)
      ? Effect.andThen(
        Effect.ignore(Effect.suspend(() => emit(writer.flush(true)))),
        Effect.suspend(() => endWith(refusal))
      )
      : Effect.logWarning("The turn was stopped, since another process has changed its task")
  }
}

/**
 * Runs a turn behind its first snapshot, up to its last state. Interruption cancels the task. Never fails: failures become
 * states of the task.
 */
export const run = Effect.fnUntraced(function*(
  sinks: Work.Sinks,
  work: Work.Work,
  state: TaskState.TaskState,
  maxDuration: Duration.Duration,
  replies: Stream.Stream<Reply.Reply, AgentErrorReason | AgentError, Scope.Scope>
) {
  const { contextId, taskId } = work.turn
  const clock = yield* Clock.Clock
  const writer = Writer.make({
    taskId,
    contextId,
    state,
    generate: yield* Id.CurrentGenerator,
    now: () => DateTime.makeUnsafe(clock.currentTimeMillisUnsafe())
  })
  const emit = emitter(sinks, work)
  const flush = Effect.suspend(() => emit(writer.flush()))

  const loop = Effect.gen(function*() {
    const pull = yield* Stream.toPull(Stream.mapError(replies, toReason))
    while (!writer.isClosed()) {
      yield* emit(writer.write(yield* writer.isHolding() ? pullNext(pull, flush) : pull))
    }
  }).pipe(Pull.catchDone(() => Effect.void), Effect.scoped)

  const timed = Duration.isFinite(maxDuration)
    ? Effect.timeoutOrElse(loop, {
      duration: maxDuration,
      orElse: () => Effect.succeed(`the agent did not finish within ${Duration.format(maxDuration)}`)
    })
    : loop
  const finish = finisher(sinks, work, writer, emit)
  yield* Effect.uninterruptibleMask((restore) =>
    Effect.gen(function*() {
      yield* finish(yield* Effect.exit(restore(timed)))
      yield* Work.keepWords(sinks, work)
      yield* annotateEnd(writer.state(), work.refusal)
      // the span is an error
      if (TaskState.isUnsuccessful(writer.state())) return yield* Effect.fail(Telemetry.stateName(writer.state()))
    })
  )
})
