/** Begins a turn: the executor decides between a task and a message, and the turn of a task runs on. */
import { type AgentError, type AgentErrorReason, reason } from "@effect-a2a/core/AgentError"
import * as Message from "@effect-a2a/core/Message"
import type * as Task from "@effect-a2a/core/Task"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberMap from "effect/FiberMap"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Answer } from "../AgentExecutor.ts"
import type { VersionConflict } from "../TaskStore.ts"
import * as Push from "./push/operations.ts"
import { internalError, run, toReason, withTurnSpan } from "./run.ts"
import * as State from "./state.ts"
import * as Work from "./work.ts"

/** A message without a task, or a turn that runs, with the position of its first event. */
export type Begun = Message.Message | { readonly work: Work.Work; readonly position: number }

/** Calls the executor: it refuses, or decides for replies or a message. */
const decide = (
  { executor }: State.State,
  { turn }: Work.Work
): Effect.Effect<Answer<Scope.Scope>, AgentErrorReason, Scope.Scope> =>
  Effect.suspend((): Effect.Effect<Answer<Scope.Scope>, AgentErrorReason | AgentError, Scope.Scope> => {
    const execution = Result.try(() => executor.execute(turn))
    // a defect of the call is one of the replies it would have returned
    if (Result.isFailure(execution)) return Effect.succeed(Stream.die(execution.failure))
    return Stream.isStream(execution.success) ? Effect.succeed(execution.success) : execution.success
  }).pipe(
    Effect.mapError(toReason),
    Effect.catchDefect((defect) =>
      Effect.andThen(Effect.logError("The executor died", defect), Effect.fail(internalError))
    )
  )

/** Keeps what was said without a task: in the context, and in the history of the task that the message names. */
const keepMessage = (state: State.State, work: Work.Work, message: Message.Message) => {
  const { contextId, message: request, task } = work.turn
  const said = [request, message]
  const kept = task === undefined
    ? Effect.void
    : Work.writeSnapshot(state, work, (task): Task.Task => ({ ...task, history: [...task.history ?? [], ...said] }))
  return Effect.andThen(Effect.ignore(kept), state.store.addWords(work.owner, contextId, said))
}

const storeDied = (defect: unknown) =>
  Effect.andThen(Effect.logError("The store died", defect), Effect.fail(internalError))

const program = (
  state: State.State,
  work: Work.Work,
  first: Task.Task,
  begun: Deferred.Deferred<Begun, AgentErrorReason>
) =>
  Effect.gen(function*(): Effect.fn.Return<void, AgentErrorReason | VersionConflict | string, Scope.Scope> {
    const { contextId, task, taskId } = work.turn
    const answer = yield* decide(state, work)
    if (!Stream.isStream(answer)) {
      const message = yield* Message.agent(answer, { contextId, ...(task === undefined ? undefined : { taskId }) })
      yield* Effect.catchDefect(keepMessage(state, work, message), storeDied)
      yield* Deferred.succeed(begun, message)
      return
    }
    const position = work.length
    const { webhook } = work
    if (webhook !== undefined && state.push !== undefined) {
      // before the first event, which would be missed otherwise
      yield* Effect.catchDefect(Push.save(state.push, work.owner, taskId, webhook), storeDied)
    }
    yield* Effect.catchDefect(Work.write(state, work, [first]), storeDied)
    work.isDeciding = false
    yield* Deferred.succeed(begun, { work, position })
    yield* run(state, work, first.status.state, state.maxTurnDuration, answer)
  })

/** Returns the reason that the caller of a turn gets that was not begun. */
const toRefusal = (
  { canceled, turn: { taskId } }: Work.Work,
  cause: Cause.Cause<AgentErrorReason | VersionConflict | string>
): AgentErrorReason => {
  const failure = Option.getOrUndefined(Cause.findErrorOption(cause))
  if (typeof failure === "object") return failure._tag === "VersionConflict" ? State.busyReason(taskId) : failure
  if (!Cause.hasInterruptsOnly(cause)) return internalError
  return canceled === undefined
    ? reason("ServiceUnavailableError", { message: "the server is shutting down", retryAfter: "1 second" })
    : State.unsupportedReason(`Task ${taskId} was canceled`)
}

/** Ends the work, however its turn ended. */
const leave = (state: State.State, work: Work.Work) =>
  Effect.suspend(() => {
    const { taskId } = work.turn
    work.isOver = true
    state.works.delete(taskId)
    state.running.leave(work.owner)
    if (work.inbox !== undefined) Queue.endUnsafe(work.inbox)
    return state.hub.publish(taskId, work.length)
  })

/**
 * Runs a turn in a fiber of the server, and returns when the executor has decided. A caller that leaves before interrupts
 * it. Fails if another turn of the task is running.
 */
export const begin = (state: State.State, work: Work.Work, first: Task.Task): Effect.Effect<Begun, AgentErrorReason> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.suspend(() => {
      const { taskId } = work.turn
      // nothing is awaited between these looks and entries
      if (state.works.has(taskId)) return Effect.fail(State.busyReason(taskId))
      const refusal = state.running.enter(work.owner)
      if (refusal !== undefined) return Effect.fail(refusal)
      state.works.set(taskId, work)
      const begun = Deferred.makeUnsafe<Begun, AgentErrorReason>()
      const turn = program(state, work, first, begun).pipe(
        Effect.scoped,
        withTurnSpan(work.turn),
        Effect.onExit((exit) => {
          if (Exit.isSuccess(exit)) return Effect.void
          if (work.isDeciding) return Deferred.fail(begun, toRefusal(work, exit.cause))
          if (Option.isSome(Cause.findErrorOption(exit.cause)) || Cause.hasInterruptsOnly(exit.cause)) {
            return Effect.void
          }
          work.refusal = internalError
          return Effect.andThen(Effect.logError("The store died", exit.cause), state.hub.fail(taskId, internalError))
        }),
        Effect.ensuring(leave(state, work)),
        Effect.exit
      )
      return Effect.flatMap(
        FiberMap.run(state.fibers, taskId, turn),
        (fiber) =>
          Effect.onInterrupt(
            restore(Deferred.await(begun)),
            () => work.isDeciding ? Fiber.interrupt(fiber) : Effect.void
          )
      )
    })
  )
