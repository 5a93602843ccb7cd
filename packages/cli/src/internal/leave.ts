/** What becomes of a task that the command stops following: it goes on, or is canceled if the user wants that. */
import type * as Agent from "@effect-a2a/core/Agent"
import * as Id from "@effect-a2a/core/Id"
import * as Timeouts from "@effect-a2a/core/Timeouts"
import * as Effect from "effect/Effect"
import { oneLine, Output } from "./output.ts"

/** The longest wait for a cancellation; the user wants to be gone. */
const patience = "5 seconds"

type Leaving = (taskId: string | undefined) => Effect.Effect<void, never, Output>

/** The ends of following a task, whose id may be unknown. */
export interface Leave {
  /** Runs if a signal or a closed pipe ends the command. */
  readonly onInterrupt: Leaving
  /** Runs if a time limit passed, before that is reported. */
  readonly onTimeout: Leaving
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

/** Cancels the task and waits until the agent confirms that, for five seconds at most. */
export const cancel = (api: Agent.Service): Leave => {
  const canceling: Leaving = (taskId) =>
    taskId === undefined ? goesOn(taskId) : api.cancel(Id.TaskId.make(taskId)).pipe(
      // the time limits of the flags may have passed already
      Effect.provideService(Timeouts.CurrentTimeouts, {}),
      // a finalizer waits for what cannot be interrupted
      Effect.interruptible,
      Effect.mapError(({ reason }) => oneLine(reason.message)),
      Effect.timeoutOrElse({ duration: patience, orElse: () => Effect.fail(`no response within ${patience}`) }),
      Effect.matchEffect({
        onSuccess: () => say(`canceled task ${taskId}`),
        onFailure: (why) => say(`could not cancel task ${taskId}: ${why}; try a2a task cancel ${taskId}`)
      })
    )
  return { onInterrupt: canceling, onTimeout: canceling }
}
