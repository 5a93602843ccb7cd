/**
 * Follows a task to its end: subscribes if the agent allows it, otherwise polls. The first event of a subscription shows how
 * complete it is: a task is a snapshot of everything; updates alone may be all of them or only the new ones, so the task
 * is read once more. Tested in `test/waiting.test.ts`.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as AgentError from "../../AgentError.ts"
import type { TaskId } from "../../Id.ts"
import * as Operation from "../../Operation.ts"
import * as StreamEvent from "../../StreamEvent.ts"
import type { Task } from "../../Task.ts"
import * as TaskProgress from "../../TaskProgress.ts"
import * as TaskState from "../../TaskState.ts"
import type { Transport } from "../../Transport.ts"
import { isForeign } from "../turn/foreign.ts"
import { lacksAnswer } from "./delivery.ts"
import { asksForInput } from "./streamEnd.ts"
import * as Subscription from "./subscription.ts"

/** The operation of errors. */
export const operation = "Agent.waitFor"

/** True if another subscription would end the same way. */
const isFinal = (error: AgentError.AgentError): boolean =>
  Subscription.isRefusal(error) || error.origin === "contract" ||
  (error.reason._tag === "StreamInterruptedError" && !error.reason.isResumable)

/** Adds what was read to what is known; an absent member removes nothing. */
const merge = (known: Task | undefined, read: Task): Task => ({
  ...known,
  ...read,
  status: known !== undefined && read.status.message === undefined && read.status.state === known.status.state
    ? known.status
    : read.status
})

const withoutArtifacts = (task: Task): Task => {
  const { artifacts: _, ...rest } = task
  return rest
}

/**
 * Makes an effect that returns the task once it has settled in any state. It is to be run again as long as it fails with
 * an error that is retryable, and goes on from what it knows. Errors name `target`.
 */
export const follow = (
  transport: Transport,
  target: string,
  task: TaskId | Task
): Effect.Effect<Effect.Effect<Task, AgentError.AgentError>> =>
  Effect.sync(() => {
    const id = typeof task === "string" ? task : task.id
    if (typeof task !== "string" && TaskState.isSettled(task.status.state) && !lacksAnswer(transport, task)) {
      return Effect.succeed(task)
    }
    // artifacts of an unsettled task may be incomplete chunks
    let known: Task | undefined = typeof task === "string" ? undefined : withoutArtifacts(task)
    let canFollow = true
    let authRequired = 0

    const fail = (reason: AgentError.AgentErrorReason) =>
      Effect.fail(new AgentError.AgentError({ operation, target, reason }))

    const conclude = Effect.suspend((): Effect.Effect<Task, AgentError.AgentError> => {
      if (known === undefined || !TaskState.isSettled(known.status.state)) {
        const message = `task ${id} is still ${known?.status.state ?? "unknown"}`
        return fail(new AgentError.TimeoutError({ message, phase: "total" }))
      }
      return lacksAnswer(transport, known)
        ? fail(
          new AgentError.StreamInterruptedError({
            taskId: id,
            message: `task ${id} completed, but its result could not be retrieved`,
            isRetryable: canFollow,
            isResumable: canFollow
          })
        )
        : Effect.succeed(known)
    })

    const read = Effect.map(transport.call(Operation.GetTask, { id }), (read) => {
      known = merge(known, read)
    })

    const subscribe = Effect.suspend(() => {
      const progress = TaskProgress.make()
      let first: StreamEvent.StreamEvent | undefined
      let seen = 0
      if (known !== undefined) TaskProgress.add(progress, known)
      return transport.stream(Operation.SubscribeToTask, { id }).pipe(
        Stream.filter((event) => !isForeign({ taskId: id }, event)),
        // a stream stays open while the task waits for credentials; a replay repeats earlier waits
        Stream.takeUntil((event) => asksForInput(id, event) || (StreamEvent.endsCall(event) && ++seen > authRequired)),
        Stream.runForEachArray((events) =>
          Effect.sync(() => {
            first ??= events[0]
            TaskProgress.addAll(progress, events)
          })
        ),
        Effect.flatMap(() => {
          const followed = known = TaskProgress.task(progress)
          const isSettled = followed !== undefined && TaskState.isSettled(followed.status.state)
          if (isSettled && first?._tag === "Task") return Effect.succeed(followed)
          return (isSettled ? Effect.ignore(read) : read).pipe(
            Effect.flatMap(() => followed?.status.state === "completed" ? Effect.succeed(known!) : conclude),
            Effect.tapError(() => Effect.sync(() => authRequired = seen))
          )
        })
      )
    })

    const attempt = Effect.suspend(() =>
      canFollow
        ? Effect.catchIf(subscribe, isFinal, () => {
          canFollow = false
          // a task that was returned at work is read after the first interval
          const isAtWork = known !== undefined && !TaskState.isSettled(known.status.state)
          return isAtWork ? conclude : Effect.andThen(read, conclude)
        })
        : Effect.andThen(read, conclude)
    )
    return attempt
  })
