/** The end of following a task: it goes on, or is canceled if the user wants that. */
import type * as Agent from "@effect-a2a/core/Agent"
import * as AgentTransport from "@effect-a2a/core/AgentTransport"
import * as Id from "@effect-a2a/core/Id"
import * as StreamEvent from "@effect-a2a/core/StreamEvent"
import * as Timeouts from "@effect-a2a/core/Timeouts"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { oneLine, Output } from "./output.ts"

/** The longest wait for a cancellation; the user wants to be gone. */
const patience = "5 seconds"

type Leaving = (taskId: string | undefined) => Effect.Effect<void, never, Output>

/** The ends of following a task, whose id may be unknown. */
export interface Leave {
  /** Runs if a signal or a closed pipe ends the command. */
  readonly onInterrupt: Leaving
  /** Runs if a time limit passed, before that is reported. */
  readonly onTimeout: (taskId: string | undefined, phase: Timeouts.Phase) => Effect.Effect<void, never, Output>
}

const say = (line: string) => Effect.flatMap(Output, (output) => output.say(`a2a: ${line}`))

const nothing: Leaving = () => Effect.void

const goesOn: Leaving = (taskId) =>
  say(
    taskId === undefined
      ? "the agent may go on: a2a task list shows its tasks"
      : `task ${taskId} goes on: follow it with a2a task watch ${taskId}, or cancel it with a2a task cancel ${taskId}`
  )

/** Leaves the task to the agent, and says how to follow or cancel it. */
export const leave: Leave = { onInterrupt: goesOn, onTimeout: nothing }

/** Leaves a task that the command cannot reach again. */
export const abandon: Leave = { onInterrupt: nothing, onTimeout: nothing }

/** Cancels the task, and waits until the agent confirms that. */
const cancelTask = ({ cancel }: Agent.Service): Leaving => (taskId) =>
  taskId === undefined ? goesOn(taskId) : cancel(Id.TaskId.make(taskId)).pipe(
    // a finalizer waits for what cannot be interrupted
    Effect.interruptible,
    Effect.timeoutOption(patience),
    Effect.ignore
  )

/** Cancels a task that the command follows, and did not begin. */
export const cancelFollowed = (api: Agent.Service): Leave => ({
  onInterrupt: cancelTask(api),
  onTimeout: cancelTask(api)
})

/** Cancels the tasks that the command begins. */
export interface Canceling {
  /** Makes a transport cancel the tasks of sends that are left, also before they are known, and say what came of it. */
  readonly decorate: AgentTransport.Decorator
  readonly leave: (api: Agent.Service) => Leave
  /** Returns the task of the latest send, if it is known. */
  readonly taskId: () => string | undefined
}

/** Makes what cancels nothing. The task of a send is known once the agent returned it, and is waited for. */
export const makeNone: Effect.Effect<Canceling> = Effect.sync(() => {
  let taskId: string | undefined
  const decorate = AgentTransport.intercept({
    SendMessage: (request, next) =>
      Effect.tap(next(request), (result) =>
        Effect.sync(() => {
          taskId = result._tag === "Task" ? result.id : taskId
        }))
  })
  return { decorate, leave: () => leave, taskId: () => taskId }
})

/** Makes what cancels the tasks that the command begins. The scope closes when that is done. */
export const makeCanceling: Effect.Effect<Canceling, never, Output | Scope.Scope> = Effect.gen(function*() {
  const output = yield* Output
  let isLeft = false
  let isTried = false
  let taskId: string | undefined
  // after the transport has waited for its cancellations
  yield* Effect.addFinalizer(() => isLeft && !isTried ? goesOn(undefined) : Effect.void)
  const report = (id: string, why: string) => output.say(`a2a: could not cancel task ${id}: ${why}`)
  const reporting = AgentTransport.intercept({
    SendStreamingMessage: (request, next) =>
      Stream.onFirst(next(request), (event) =>
        Effect.sync(() => {
          taskId = StreamEvent.taskId(event)
        })),
    CancelTask: (request, next) => {
      isTried = true
      return next(request).pipe(
        // the time limits of the flags may have passed already
        Effect.provideService(Timeouts.CurrentTimeouts, {}),
        Effect.tap(() => output.say(`a2a: canceled task ${request.id}`)),
        Effect.tapError(({ reason }) => report(request.id, oneLine(reason.message))),
        Effect.onInterrupt(() => report(request.id, "no response in time"))
      )
    }
  })
  const cancelOnInterrupt = AgentTransport.cancelOnInterrupt({ within: patience })
  return {
    decorate: (self) => cancelOnInterrupt(reporting(self)),
    taskId: () => taskId,
    leave: (api) => ({
      onInterrupt: () =>
        Effect.sync(() => {
          isLeft = true
        }),
      // the transport takes only the total limit for an interruption
      onTimeout: (id, phase) => phase === "total" ? Effect.void : cancelTask(api)(id)
    })
  }
})
