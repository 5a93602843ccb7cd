/**
 * Waits for a task: subscribes if the agent allows it, otherwise polls. The first event of a subscription shows how
 * complete it is: a task is a snapshot of everything; updates alone may be all of them or only the new ones, so the task
 * is read once more. Tested in `test/waiting.test.ts`.
 */
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import * as AgentError from "../../AgentError.ts"
import type { TaskId } from "../../Id.ts"
import * as Operation from "../../Operation.ts"
import * as StreamEvent from "../../StreamEvent.ts"
import type { Task } from "../../Task.ts"
import * as TaskProgress from "../../TaskProgress.ts"
import * as TaskState from "../../TaskState.ts"
import type { Transport } from "../../Transport.ts"
import { publicUrl } from "../errors/publicUrl.ts"
import { isForeign } from "../turn/foreign.ts"
import { lacksAnswer } from "./delivery.ts"
import * as Retry from "./retry.ts"
import { asksForInput } from "./streamEnd.ts"
import * as Subscription from "./subscription.ts"

const operation = "Agent.waitFor"

/** Polls after half a second, doubled each time up to 10 s, jittered; for an hour. */
const defaultPolicy: Retry.Policy = Schedule.min([
  Schedule.exponential("500 millis"),
  Schedule.spaced("10 seconds")
])
  .pipe(Schedule.jittered, Schedule.upTo({ duration: "1 hour" }))

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

/** Returns the task once it has settled in any state. Errors name `target`. */
const waitFor = (transport: Transport, target: string) => (task: TaskId | Task, policy: Retry.Policy = defaultPolicy) =>
  Effect.suspend(() => {
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

    const follow = Effect.suspend(() => {
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
        ? Effect.catchIf(follow, isFinal, () => {
          canFollow = false
          // a task that was returned at work is read after the first interval
          const isAtWork = known !== undefined && !TaskState.isSettled(known.status.state)
          return isAtWork ? conclude : Effect.andThen(read, conclude)
        })
        : Effect.andThen(read, conclude)
    )
    return Effect.retry(attempt, Retry.respectRetryAfter(policy))
  })

/** Returns the task of an agent once it has settled. Fails if it failed, was canceled or was rejected. */
export const waitForSuccess = (
  { transport }: { readonly transport: Transport },
  task: TaskId | Task,
  policy?: Retry.Policy | undefined
): Effect.Effect<Task, AgentError.AgentError> => {
  const target = publicUrl(transport.target.url)
  return Effect.flatMap(waitFor(transport, target)(task, policy), (settled) => {
    const reason = AgentError.fromTask(settled)
    return reason === undefined
      ? Effect.succeed(settled)
      : Effect.fail(new AgentError.AgentError({ operation, target, reason }))
  })
}
