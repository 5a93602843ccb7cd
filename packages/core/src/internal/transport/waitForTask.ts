/**
 * Waiting for a task: by following it where the agent lets us, else by asking how it stands. What a subscription begins
 * with tells how much it tells: a task is everything so far; updates alone may be all of them, or only the
 * new ones, so then the task is read once more.
 */
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import * as Struct from "effect/Struct"
import * as AgentError from "../../AgentError.ts"
import type { TaskId } from "../../Id.ts"
import * as Operation from "../../Operation.ts"
import * as StreamEvent from "../../StreamEvent.ts"
import type { Task } from "../../Task.ts"
import * as TaskProgress from "../../TaskProgress.ts"
import * as TaskState from "../../TaskState.ts"
import type { Transport } from "../../Transport.ts"
import { isUntold } from "./deduplicate.ts"
import * as Retry from "./retry.ts"

export const operation = "Agent.waitFor"

/** Half a second, doubled each time up to 10 s, jittered; for an hour. */
export const patience: Retry.Policy = Schedule.min([Schedule.exponential("500 millis"), Schedule.spaced("10 seconds")])
  .pipe(Schedule.jittered, Schedule.upTo({ duration: "1 hour" }))

/** Another subscription would end the same way. */
const isRefusal = ({ origin, reason }: AgentError.AgentError): boolean =>
  origin === "agent" || origin === "other" || origin === "local" || origin === "contract" ||
  (reason._tag === "StreamInterruptedError" && !reason.isRetryable)

/** What is read upon what is known: what is left out is not taken away. */
const merge = (known: Task | undefined, read: Task): Task => ({
  ...known,
  ...read,
  status: known !== undefined && read.status.message === undefined && read.status.state === known.status.state
    ? known.status
    : read.status
})

/** The task once it has settled, however it did; `target` is where errors say that it happened. */
export const waitFor =
  (transport: Transport, target: string) => (task: TaskId | Task, policy: Retry.Policy = patience) =>
    Effect.suspend(() => {
      const id = typeof task === "string" ? task : task.id
      if (typeof task !== "string" && TaskState.isSettled(task.status.state) && !isUntold(task)) {
        return Effect.succeed(task)
      }
      // what an unsettled task has made so far may be a part of a part
      let known: Task | undefined = typeof task === "string" ? undefined : Struct.omit(task, ["artifacts"])
      let canFollow = true
      let authRequired = 0

      const unfinished = (reason: AgentError.AgentErrorReason) =>
        Effect.fail(new AgentError.AgentError({ operation, target, reason }))

      const conclude = Effect.suspend((): Effect.Effect<Task, AgentError.AgentError> => {
        if (known === undefined || !TaskState.isSettled(known.status.state)) {
          const message = `the task ${id} is still ${known?.status.state ?? "unknown"}`
          return unfinished(new AgentError.TimeoutError({ message, phase: "call" }))
        }
        return isUntold(known)
          ? unfinished(
            new AgentError.StreamInterruptedError({
              taskId: id,
              message: `the task ${id} was completed, and its answer cannot be had`,
              isRetryable: canFollow
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
          // a stream stays open while credentials are awaited; of those in a replay, some have come already
          Stream.takeUntil((event) => StreamEvent.state(event) === "auth-required" && ++seen > authRequired),
          Stream.runForEachArray((events) =>
            Effect.sync(() => {
              first ??= events[0]
              TaskProgress.addAll(progress, events)
            })
          ),
          Effect.flatMap(() => {
            const told = known = TaskProgress.task(progress)
            const isTold = told !== undefined && TaskState.isSettled(told.status.state)
            if (isTold && first?._tag === "Task") return Effect.succeed(told)
            return (isTold ? Effect.ignore(read) : read).pipe(
              Effect.flatMap(() => told?.status.state === "completed" ? Effect.succeed(known!) : conclude),
              Effect.tapError(() => Effect.sync(() => authRequired = seen))
            )
          })
        )
      })

      const attempt = Effect.suspend(() =>
        canFollow
          ? Effect.catchIf(follow, isRefusal, () => {
            canFollow = false
            return Effect.andThen(read, conclude)
          })
          : Effect.andThen(read, conclude)
      )
      return Effect.retry(attempt, Retry.polite(policy))
    })
