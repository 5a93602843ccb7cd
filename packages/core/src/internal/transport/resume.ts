/**
 * Taking a dropped stream up again: one connection after the other, each closed before the next, until the task has
 * settled.
 */
import * as Cause from "effect/Cause"
import * as Channel from "effect/Channel"
import * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Pull from "effect/Pull"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as AgentError from "../../AgentError.ts"
import type { TaskId } from "../../Id.ts"
import * as Operation from "../../Operation.ts"
import type * as StreamEvent from "../../StreamEvent.ts"
import * as TaskState from "../../TaskState.ts"
import type { Transport } from "../../Transport.ts"
import { publicUrl } from "../errors/publicUrl.ts"
import * as Told from "./deduplicate.ts"
import * as Cursor from "./lastEventId.ts"
import { atLeastAsAsked, type Policy } from "./retry.ts"
import * as Time from "./timeouts.ts"

type Failure = AgentError.AgentError
type Event = StreamEvent.StreamEvent
type Events = readonly [Event, ...Array<Event>]
type Next = Pull.Pull<Events, Failure>

/** A dropped stream is being taken up again: whose, and at which attempt in a row. */
export interface Resumed {
  readonly taskId: TaskId
  readonly attempt: number
}

/** Whether another connection may bring what this one did not. */
const isDrop = ({ reason }: Failure): boolean =>
  reason.isRetryable && (reason._tag === "StreamInterruptedError" || reason._tag === "ConnectionError" ||
    (reason._tag === "TimeoutError" && reason.phase !== "call") ||
    reason._tag === "ServiceUnavailableError" || reason._tag === "RateLimitError")

/** Why a subscription cannot be had, when it is not for want of a connection: the task has ended, or cannot be told. */
const isRefusal = ({ origin }: Failure): boolean => origin === "agent" || origin === "other" || origin === "local"

/** A connection that held for as long (ms) was a good one, whatever it brought. */
const good = 10_000

export const over =
  (policy: Policy, onResume: Effect.Effect<(resumed: Resumed) => Effect.Effect<void>>) =>
  (self: Transport): Transport => {
    const where = publicUrl(self.target.url)

    const follow = (
      operation: Operation.Streaming,
      request: unknown
    ): Stream.Stream<Event, Failure> => {
      const of = (reason: AgentError.AgentErrorReason): Failure =>
        new AgentError.AgentError({ operation: operation._tag, target: where, reason })

      const lost = (taskId: TaskId, message: string, cause: Failure, isRetryable: boolean): Failure =>
        of(
          new AgentError.StreamInterruptedError({
            taskId,
            message: `${cause.reason.message}; ${message}`,
            isRetryable,
            cause: cause.reason,
            ...(cause.retryAfter === undefined ? undefined : { retryAfter: cause.retryAfter })
          })
        )

      const connections = (scope: Scope.Scope): Effect.Effect<Next> =>
        Effect.gen(function*() {
          const told = Told.make(
            operation._tag === "SubscribeToTask" ? (request as { readonly id: TaskId }).id : undefined
          )
          const cursor: Cursor.Cursor = { lastEventId: undefined }
          let hint: Duration.Duration | undefined
          let attempt = 0
          let isDone = false
          let step: ((error: Failure) => Pull.Pull<unknown, never, unknown>) | undefined
          let opened: { readonly pull: Next; readonly scope: Scope.Closeable; readonly at: number }
          let fresh = Told.reader(told)
          let isHead = true

          const open = Effect.fnUntraced(function*(stream: Stream.Stream<Event, Failure>) {
            const connection = yield* Scope.fork(scope)
            const channel = Stream.toChannel(Stream.provideService(stream, Cursor.Current, cursor))
            opened = {
              pull: (yield* Channel.toPullScoped(channel, connection)) as Next,
              scope: connection,
              at: yield* Clock.currentTimeMillis
            }
            fresh = Told.reader(told)
            isHead = true
          })

          const restart = () => {
            attempt = 0
            step = undefined
          }

          const subscribe = (taskId: TaskId, error: Failure): Next =>
            Effect.gen(function*() {
              const wait = step ??= yield* Schedule.toStepWithSleep(atLeastAsAsked(policy, () => hint))
              return yield* Pull.matchEffect(wait(error), {
                onSuccess: () =>
                  Effect.gen(function*() {
                    yield* (yield* onResume)({ taskId, attempt: ++attempt })
                    yield* open(self.stream(Operation.SubscribeToTask, { id: taskId }))
                    return yield* next
                  }),
                onDone: () =>
                  Effect.fail(
                    attempt === 0
                      ? error
                      : lost(taskId, `given up after attempt ${attempt} to take the stream up again`, error, true)
                  ),
                onFailure: () => Effect.fail(error)
              })
            })

          /** The task as it is, where its stream cannot be had, or says nothing: some peers refuse no other way. */
          const ended = (taskId: TaskId, refusal: Failure): Next => {
            const isSilent = isDrop(refusal)
            return Effect.matchEffect(self.call(Operation.GetTask, { id: taskId }), {
              onFailure: (error) =>
                isDrop(error)
                  ? subscribe(taskId, error)
                  : Effect.fail(lost(taskId, `the task cannot be read: ${error.reason.message}`, refusal, false)),
              onSuccess: (task): Next => {
                if (!TaskState.isSettled(task.status.state)) {
                  return subscribe(
                    taskId,
                    isSilent ? refusal : lost(taskId, "the task goes on, and its stream cannot be had", refusal, true)
                  )
                }
                if (Told.isUntold(task) && !Told.isWhole(told)) {
                  return isSilent ? subscribe(taskId, refusal) : Effect.fail(
                    lost(taskId, "the task was completed meanwhile, and its answer cannot be had again", refusal, false)
                  )
                }
                isDone = true
                return Effect.succeed<Events>([task])
              }
            })
          }

          const dropped = (error: Failure): Next =>
            Effect.gen(function*() {
              yield* Scope.close(opened.scope, Exit.void)
              const { taskId } = told
              if (
                taskId === undefined || (!isDrop(error) && (attempt === 0 || !isRefusal(error)))
              ) return yield* Effect.fail(error)
              if (!isDrop(error)) return yield* ended(taskId, error)
              if ((yield* Clock.currentTimeMillis) - opened.at >= good) restart()
              if (error.reason._tag !== "StreamInterruptedError") return yield* subscribe(taskId, error)
              hint = error.retryAfter ?? hint
              return yield* attempt > 0 && isHead ? ended(taskId, error) : subscribe(taskId, error)
            })

          const next: Next = Effect.suspend(() =>
            isDone ? Cause.done() : Pull.matchEffect(opened.pull, {
              onSuccess: (events): Next => {
                const isSnapshot = isHead && events.length === 1 && events[0]._tag === "Task"
                isHead = false
                const rest = fresh(events)
                if (rest.length === 0) return next
                if (!isSnapshot) restart()
                return Effect.succeed(rest as Events)
              },
              onDone: () => Cause.done(),
              onFailure: (cause): Next => {
                const error = Cause.findErrorOption(cause)
                return error._tag === "Some" ? dropped(error.value) : Effect.failCause(cause as Cause.Cause<never>)
              }
            })
          )

          yield* open(self.stream(operation, request as never) as Stream.Stream<Event, Failure>)
          return next
        })

      return Stream.unwrap(
        Effect.map(
          Time.CurrentTimeouts,
          ({ call }) =>
            Stream.fromChannel(Channel.fromTransform((_, scope) => connections(scope))).pipe(
              Time.life(call),
              Stream.mapError((error) => error._tag === "TimeoutError" ? of(error) : error)
            )
        )
      )
    }

    return { ...self, stream: (operation, request) => follow(operation, request) as never }
  }
