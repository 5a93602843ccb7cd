/**
 * Resumes dropped streams: one connection after the other, each closed before the next, until the task has settled.
 * Tested in `test/resilience/resume.test.ts`.
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
import * as Timeouts from "../../Timeouts.ts"
import * as Transport from "../../Transport.ts"
import { publicUrl } from "../errors/publicUrl.ts"
import { mark } from "../turn/foreign.ts"
import * as Delivered from "./delivery.ts"
import * as LastEventId from "./lastEventId.ts"
import { type Policy, withRetryAfter } from "./retry.ts"
import { addSpanEvent } from "./spanEvent.ts"
import * as StreamEnd from "./streamEnd.ts"
import * as Subscription from "./subscription.ts"

type Failure = AgentError.AgentError
type Event = StreamEvent.StreamEvent
type Events = readonly [Event, ...Array<Event>]
type Next = Pull.Pull<Events, Failure>

/** An attempt to resume a stream: of which task, and how many in a row. */
export interface ResumeAttempt {
  readonly taskId: TaskId
  readonly attempt: number
}

type OnResume = (attempt: ResumeAttempt) => Effect.Effect<void>

/** A stream over all its connections, and the facts that they leave behind. */
interface Session {
  readonly transport: Transport.Transport
  readonly operation: Operation.Streaming
  readonly policy: Policy
  readonly onResume: Effect.Effect<OnResume>
  readonly scope: Scope.Scope
  readonly delivered: Delivered.Delivered
  readonly cursor: LastEventId.Cursor
  /** The wait that the peer asked for last. */
  hint: Duration.Duration | undefined
  attempt: number
  isDone: boolean
  step: ((error: Failure) => Pull.Pull<unknown, never, unknown>) | undefined
  connection: Connection
}

interface Connection {
  readonly pull: Next
  readonly scope: Scope.Closeable
  readonly openedAt: number
  /** Returns the events that are new. */
  readonly accept: Delivered.Connection
  /** No event has arrived yet. */
  isFresh: boolean
  readonly isResumed: boolean
}

// a connection that lasted this long (milliseconds) resets the attempt counter
const stableAfter = 10_000

/** True if another connection may deliver the rest. */
const isDrop = ({ reason }: Failure): boolean => {
  switch (reason._tag) {
    case "StreamInterruptedError":
      return reason.isResumable
    case "TimeoutError":
      return reason.phase !== "total"
    case "ConnectionError":
    case "ServiceUnavailableError":
    case "RateLimitError":
      // a message that was delivered is not sent again, but its task can be followed
      return reason.isRetryable || reason.delivery === "delivered"
    default:
      return false
  }
}

const toLost = (
  { operation, transport }: Session,
  taskId: TaskId,
  message: string,
  cause: Failure,
  isResumable: boolean
): Failure => {
  const isSend = operation.kind === "send"
  const reason = new AgentError.StreamInterruptedError({
    taskId,
    message: `${cause.reason.message}; ${message}`,
    isRetryable: isResumable && !isSend,
    isResumable,
    cause: cause.reason,
    ...(isSend ? { delivery: "delivered" } : undefined),
    ...(cause.retryAfter === undefined ? undefined : { retryAfter: cause.retryAfter })
  })
  return new AgentError.AgentError({ operation: operation._tag, target: publicUrl(transport.target.url), reason })
}

const connect = Effect.fnUntraced(function*(
  { cursor, delivered, scope: parent, transport }: Pick<Session, "cursor" | "delivered" | "scope" | "transport">,
  stream: Stream.Stream<Event, Failure>,
  isResumed: boolean
): Effect.fn.Return<Connection> {
  const scope = yield* Scope.fork(parent)
  const channel = Stream.toChannel(Stream.provideService(stream, LastEventId.Current, cursor))
  return {
    pull: (yield* Channel.toPullScoped(channel, scope)) as Next,
    scope,
    openedAt: yield* Clock.currentTimeMillis,
    accept: isResumed
      ? Delivered.makeResumed(delivered, cursor, transport.traits?.subscriptionReplays)
      : Delivered.makeFirst(delivered),
    isFresh: true,
    isResumed
  }
})

const resetAttempts = (self: Session): void => {
  self.attempt = 0
  self.step = undefined
}

const subscribe = (self: Session, taskId: TaskId, error: Failure): Next =>
  Effect.gen(function*() {
    self.step ??= yield* Schedule.toStepWithSleep(withRetryAfter(self.policy, () => self.hint))
    // what is repeated is the subscription, a read, although the message is not to be sent again
    const failure = AgentError.mapReason(error, AgentError.withFields({ isRetryable: true }))
    return yield* Pull.matchEffect(self.step(failure), {
      onSuccess: () =>
        Effect.gen(function*() {
          yield* (yield* self.onResume)({ taskId, attempt: ++self.attempt })
          yield* addSpanEvent("a2a.resume", { "a2a.task.id": taskId, "a2a.resume.attempt": self.attempt })
          self.connection = yield* connect(self, self.transport.stream(Operation.SubscribeToTask, { id: taskId }), true)
          return yield* next(self)
        }),
      onDone: () =>
        Effect.fail(
          self.attempt === 0
            ? error
            : toLost(self, taskId, `gave up after ${self.attempt} attempts to resume the stream`, error, true)
        ),
      onFailure: () => Effect.fail(error)
    })
  })

/** Reads the task if its stream is refused or stays empty: some peers refuse in no other way. */
const readTask = (self: Session, taskId: TaskId, failure: Failure): Next => {
  const isEmpty = isDrop(failure)
  return Effect.matchEffect(self.transport.call(Operation.GetTask, { id: taskId }), {
    onFailure: (error) =>
      isDrop(error)
        ? subscribe(self, taskId, error)
        : Effect.fail(toLost(self, taskId, `the task cannot be read: ${error.reason.message}`, failure, false)),
    onSuccess: (task): Next => {
      if (!TaskState.isSettled(task.status.state)) {
        return subscribe(
          self,
          taskId,
          isEmpty ? failure : toLost(self, taskId, "the task is still at work, but cannot be followed", failure, true)
        )
      }
      if (Delivered.isIncomplete(self.delivered, self.transport, task)) {
        return isEmpty ? subscribe(self, taskId, failure) : Effect.fail(
          toLost(self, taskId, "the task has completed, but its result could not be retrieved", failure, false)
        )
      }
      self.isDone = true
      return Effect.succeed<Events>([task])
    }
  })
}

const onDrop = (self: Session, error: Failure): Next =>
  Effect.gen(function*() {
    const { isFresh, openedAt, scope } = self.connection
    const { taskId } = self.delivered
    yield* Scope.close(scope, Exit.void)
    if (taskId === undefined) return yield* Effect.fail(error)
    if (!isDrop(error)) {
      return yield* self.attempt > 0 && Subscription.isRefusal(error)
        ? readTask(self, taskId, error)
        : Effect.fail(error)
    }
    if ((yield* Clock.currentTimeMillis) - openedAt >= stableAfter) resetAttempts(self)
    if (error.reason._tag !== "StreamInterruptedError") return yield* subscribe(self, taskId, error)
    self.hint = error.retryAfter ?? self.hint
    return yield* self.attempt > 0 && isFresh ? readTask(self, taskId, error) : subscribe(self, taskId, error)
  })

const onEvents = (self: Session, events: Events): Next => {
  const { connection } = self
  const isSnapshot = connection.isFresh && events.length === 1 && events[0]._tag === "Task"
  connection.isFresh = false
  const rest = connection.accept(events)
  if (rest.length === 0) return next(self)
  if (!isSnapshot) resetAttempts(self)
  // a subscription continues while the task waits for input; the stream of a message does not
  const { taskId } = self.delivered
  if (self.operation._tag === "SendStreamingMessage" && connection.isResumed && taskId !== undefined) {
    self.isDone = rest.some((event) => StreamEnd.asksForInput(taskId, event))
  }
  return Effect.succeed(rest as Events)
}

const next = (self: Session): Next =>
  Effect.suspend(() =>
    self.isDone ? Cause.done() : Pull.matchEffect(self.connection.pull, {
      onSuccess: (events) => onEvents(self, events),
      onDone: () => Cause.done(),
      onFailure: (cause): Next => {
        const error = Cause.findErrorOption(cause)
        return error._tag === "Some" ? onDrop(self, error.value) : Effect.failCause(cause as Cause.Cause<never>)
      }
    })
  )

const follow = (
  options: Pick<Session, "transport" | "operation" | "policy" | "onResume">,
  first: Stream.Stream<Event, Failure>,
  taskId: TaskId | undefined
): Stream.Stream<Event, Transport.Failure> => {
  const pulls = (scope: Scope.Scope) =>
    Effect.gen(function*() {
      const shared = { ...options, scope, delivered: Delivered.make(taskId), cursor: LastEventId.make() }
      const connection = yield* connect(shared, first, false)
      const self: Session = { ...shared, connection, hint: undefined, attempt: 0, isDone: false, step: undefined }
      return next(self)
    })
  return Timeouts.withStreamTotal(Stream.fromChannel(Channel.fromTransform((_, scope) => pulls(scope))))
}

/** Resumes the streams of a transport. */
export const resume = (policy: Policy, onResume: Effect.Effect<OnResume>) => (transport: Transport.Transport) => {
  const options = { transport, policy, onResume }
  return Transport.intercept({
    SendStreamingMessage: (request, next) => {
      const { taskId } = request.message
      const first = taskId === undefined ? next(request) : Stream.map(next(request), (event) => mark(taskId, event))
      return follow({ ...options, operation: Operation.SendStreamingMessage }, first, undefined)
    },
    SubscribeToTask: (request, next) =>
      follow({ ...options, operation: Operation.SubscribeToTask }, next(request), request.id)
  })(transport)
}
