/**
 * Taking a dropped stream up again. Two kinds of peers are told apart by the first event of a subscription: one that
 * sends the task first and then only what is new, and one that tells everything from the start (MemoryLake). What the
 * caller has had already is not told again.
 */
import * as Effect from "effect/Effect"
import * as Pull from "effect/Pull"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import * as AgentError from "../AgentError.ts"
import type { TaskId } from "../Id.ts"
import * as Operation from "../Operation.ts"
import * as StreamEvent from "../StreamEvent.ts"
import type { Task } from "../Task.ts"
import * as TaskState from "../TaskState.ts"
import { atLeastAsAsked, type Policy } from "./retry.ts"
import type { Transport } from "./transport.ts"

type Failure = AgentError.AgentError
type Event = StreamEvent.StreamEvent

/** A stream was taken up again: whose, and at which attempt since the last new event. */
export interface Resumed {
  readonly taskId: TaskId
  readonly attempt: number
}

/** What the caller has been told. */
interface Told {
  taskId: TaskId | undefined
  hasArtifact: boolean
  /** What identifies each event but snapshots, in order. */
  readonly marks: Array<string>
}

/** Enough to know an event again; the strings are the event's own, so that a long stream costs little. */
const mark = (event: Exclude<Event, Task>): string => {
  switch (event._tag) {
    case "Message":
      return event.messageId
    case "ArtifactUpdate":
      return event.artifact.artifactId
    case "StatusUpdate":
      return event.status.message?.messageId ?? event.status.state
  }
}

const tell = (told: Told, event: Event): void => {
  told.taskId ??= StreamEvent.taskId(event)
  if (event._tag === "Task") {
    told.hasArtifact ||= event.artifacts !== undefined
  } else {
    told.hasArtifact ||= event._tag === "ArtifactUpdate"
    told.marks.push(mark(event))
  }
}

/** Leaves out what a replay repeats: as long as it goes like the first time. A snapshot is no replay. */
const unrepeated = (told: Told) => {
  const known = told.marks.length
  let at = 0
  return (events: ReadonlyArray<Event>): ReadonlyArray<Event> =>
    events.filter((event) => {
      if (at >= known) return true
      if (event._tag === "Task") {
        at = known
        return true
      }
      if (mark(event) !== told.marks[at]) {
        at = known
        return true
      }
      at++
      return false
    })
}

/** Whether another connection may bring what this one did not. */
const isDrop = ({ reason }: Failure): boolean =>
  reason._tag === "StreamInterruptedError" || reason._tag === "ConnectionError" ||
  (reason._tag === "TimeoutError" && reason.phase !== "call") ||
  reason._tag === "ServiceUnavailableError" || reason._tag === "RateLimitError"

/** Why a subscription cannot be had, when it is not for want of a connection: the task has ended, or cannot be told. */
const isRefusal = ({ origin }: Failure): boolean => origin === "agent" || origin === "other"

const lost = (error: Failure, taskId: TaskId, message: string): Failure =>
  new AgentError.AgentError({
    operation: error.operation,
    ...(error.target === undefined ? undefined : { target: error.target }),
    reason: new AgentError.StreamInterruptedError({ taskId, message, isRetryable: false })
  })

export const over =
  (policy: Policy, onResume: Effect.Effect<(resumed: Resumed) => Effect.Effect<void>>) =>
  (self: Transport): Transport => {
    /** The task as it is, where its stream cannot be had any more. */
    const ended = Effect.fnUntraced(function*(told: Told, taskId: TaskId, error: Failure) {
      const task = yield* Effect.mapError(
        self.call(Operation.GetTask, { id: taskId }),
        (cause) => lost(error, taskId, `${error.reason.message}; and the task cannot be read: ${cause.reason.message}`)
      )
      const { state } = task.status
      if (!TaskState.isSettled(state)) return undefined
      // a task that has ended well, told without its answer, has not been answered (ML-27)
      return state === "completed" && task.artifacts === undefined && !told.hasArtifact
        ? yield* lost(error, taskId, "the task was completed meanwhile, and its answer cannot be had again")
        : task
    })

    const guard = (told: Told, source: Stream.Stream<Event, Failure>): Stream.Stream<Event, Failure> =>
      source.pipe(
        Stream.mapArray((events) => {
          for (const event of events) tell(told, event)
          return events
        }),
        Stream.catch((error) =>
          told.taskId === undefined || !isDrop(error) ? Stream.fail(error) : Stream.unwrap(resume(told, told.taskId, error))
        )
      )

    const resume = Effect.fnUntraced(function*(told: Told, taskId: TaskId, dropped: Failure) {
      const step = yield* Schedule.toStepWithSleep(atLeastAsAsked(policy))
      let attempt = 0
      let error = dropped
      const next: Effect.Effect<Stream.Stream<Event, Failure>, Failure> = Effect.suspend(() =>
        Pull.matchEffect(step(error), {
          onSuccess: () => Effect.suspend(() => subscribe(++attempt)),
          onDone: () => Effect.fail(error),
          onFailure: () => Effect.fail(error)
        })
      )
      /** The rest of the stream, once it has brought something new; otherwise the next attempt. */
      const subscribe = (attempt: number): Effect.Effect<Stream.Stream<Event, Failure>, Failure> => {
        const fresh = unrepeated(told)
        let isNew = false
        return Effect.as(
          Effect.flatMap(onResume, (observe) => observe({ taskId, attempt })),
          (self.stream(Operation.SubscribeToTask, { id: taskId }) as Stream.Stream<Event, Failure>).pipe(
            Stream.mapAccumArray(() => undefined, (state, events) => {
              const rest = fresh(events)
              isNew ||= rest.length > 0
              for (const event of rest) tell(told, event)
              return [state, rest]
            }),
            Stream.catch((failure: Failure): Stream.Stream<Event, Failure> => {
              if (isDrop(failure)) {
                error = failure
                return Stream.unwrap(isNew ? resume(told, taskId, failure) : next)
              }
              if (!isRefusal(failure) || isNew) return Stream.fail(failure)
              return Stream.unwrap(Effect.map(ended(told, taskId, failure), (task) => {
                if (task !== undefined) return Stream.make(task)
                error = lost(failure, taskId, "the task goes on, but its stream cannot be had")
                return Stream.unwrap(next)
              }))
            })
          )
        )
      }
      return yield* next
    })

    return {
      ...self,
      stream: (operation, request) =>
        Stream.suspend(() =>
          guard(
            {
              taskId: operation._tag === "SubscribeToTask" ? (request as { readonly id: TaskId }).id : undefined,
              hasArtifact: false,
              marks: []
            },
            self.stream(operation, request) as Stream.Stream<Event, Failure>
          )
        ) as never
    }
  }
