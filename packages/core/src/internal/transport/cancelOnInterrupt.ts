/**
 * Cancels the tasks of sends that are left before their end. The id of a task comes with the first event, so unary sends
 * go by stream, and a connection that is left before its first event stays open for it in the background. Tested in
 * `test/resilience/cancelOnInterrupt.test.ts`.
 */
import * as Cause from "effect/Cause"
import * as Channel from "effect/Channel"
import * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type * as Pull from "effect/Pull"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as AgentError from "../../AgentError.ts"
import type { TaskId } from "../../Id.ts"
import type * as Message from "../../Message.ts"
import * as Operation from "../../Operation.ts"
import * as StreamEvent from "../../StreamEvent.ts"
import type { Task } from "../../Task.ts"
import * as TaskProgress from "../../TaskProgress.ts"
import * as TaskState from "../../TaskState.ts"
import * as Transport from "../../Transport.ts"
import { isForeign } from "../turn/foreign.ts"
import { settle } from "./settle.ts"
import * as SingleEvent from "./singleEvent.ts"
import * as StreamEnd from "./streamEnd.ts"

type Failure = AgentError.AgentError
type Event = StreamEvent.StreamEvent
type Events = Stream.Stream<Event, Failure>
type Next = Pull.Pull<readonly [Event, ...Array<Event>], Failure>
type Request = Operation.SendMessageRequest

/** Runs cancellations in the background. */
export type Background = (self: Effect.Effect<unknown>) => Effect.Effect<void>

/** Runs each effect in a fiber that nobody waits for. */
export const detach: Background = (self) => Effect.asVoid(Effect.forkDetach(self))

/** Runs each effect in a fiber that the surrounding scope waits for. */
export const makeAwaited: Effect.Effect<Background, never, Scope.Scope> = Effect.gen(function*() {
  const fibers = new Set<Fiber.Fiber<unknown>>()
  yield* Effect.addFinalizer(() => Effect.suspend(() => Fiber.awaitAll([...fibers])))
  return (self) =>
    Effect.map(Effect.forkDetach(self), (fiber) => {
      fibers.add(fiber)
      fiber.addObserver(() => void fibers.delete(fiber))
    })
})

interface Settings {
  readonly transport: Transport.Transport
  readonly within: Duration.Input
  readonly background: Background
}

/** A send, and what is known of its task. */
interface Send {
  readonly request: Request
  readonly end: StreamEnd.StreamEnd
  readonly connection: Scope.Closeable
  hasBegun: boolean
  isSettled: boolean
  /** The stream has ended, or failed. */
  isOver: boolean
  /** The pull that brings the first event. */
  first: Fiber.Fiber<readonly [Event, ...Array<Event>], Failure | Cause.Done> | undefined
}

const add = (send: Send, events: ReadonlyArray<Event>): void => {
  for (const event of events) {
    if (isForeign(send.end, event)) continue
    const isPast = StreamEnd.isPast(send.end, event)
    StreamEnd.add(send.end, event, undefined)
    send.hasBegun = true
    const state = StreamEvent.state(event)
    if (state !== undefined) send.isSettled = !isPast && TaskState.isSettled(state)
    else if (event._tag === "Message") send.isSettled ||= event.taskId === undefined
  }
}

/** True for the caller's own limit of the whole call, which abandons the task as an interruption does. */
const isAbandoned = (cause: Cause.Cause<unknown>): boolean => {
  if (Cause.hasInterruptsOnly(cause)) return true
  const error = Cause.findErrorOption(cause)
  return error._tag === "Some" && AgentError.isAgentError(error.value) &&
    error.value.reason._tag === "TimeoutError" && error.value.reason.phase === "total"
}

const cancel = ({ transport, within }: Settings, { tenant }: Request, id: TaskId): Effect.Effect<unknown> =>
  Effect.exit(Effect.timeoutOption(
    transport.call(Operation.CancelTask, { id, ...(tenant === undefined ? undefined : { tenant }) }),
    within
  ))

/** Waits for the first event of a stream that was left before it. */
const awaitFirst = (send: Send, pull: Next): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (send.hasBegun || send.isOver) return Effect.void
    const current = send.first === undefined ? Effect.exit(pull) : Fiber.await(send.first)
    send.first = undefined
    return Effect.flatMap(current, (exit) => Exit.isSuccess(exit) ? awaitFirst(send, pull) : Effect.void)
  })

/** Closes the connection of a stream; if the task is still at work, it is canceled. */
const leave = (settings: Settings, send: Send, pull: Next): Effect.Effect<void> =>
  Effect.suspend(() => {
    const close = Scope.close(send.connection, Exit.void)
    const cancelTask = Effect.suspend(() => {
      const { taskId } = send.end
      return send.isOver || send.isSettled || taskId === undefined
        ? Effect.void
        : cancel(settings, send.request, taskId)
    })
    if (send.hasBegun || send.isOver || send.first === undefined) {
      return Effect.andThen(close, send.hasBegun ? settings.background(cancelTask) : Effect.void)
    }
    return settings.background(
      Effect.timeoutOption(awaitFirst(send, pull), settings.within).pipe(
        Effect.ensuring(close),
        Effect.andThen(cancelTask)
      )
    )
  })

/** Emits a stream, and cancels its task if it is left before its end. */
const watch = (settings: Settings, request: Request, stream: Events): Events => {
  const open = Effect.fnUntraced(function*(scope: Scope.Scope): Effect.fn.Return<Next> {
    const send: Send = {
      request,
      end: StreamEnd.ofMessage(request.message),
      connection: yield* Scope.make(),
      hasBegun: false,
      isSettled: false,
      isOver: false,
      first: undefined
    }
    const upstream = yield* Channel.toPullScoped(Stream.toChannel(stream), send.connection)
    const pull: Next = Effect.onExit(upstream, (exit) =>
      Effect.sync(() => {
        if (Exit.isSuccess(exit)) add(send, exit.value)
        else send.isOver = !isAbandoned(exit.cause)
      }))
    yield* Scope.addFinalizer(scope, leave(settings, send, pull))
    return Effect.suspend(() => {
      if (send.hasBegun) return pull
      return Effect.flatMap(
        Effect.forkIn(pull, send.connection, { startImmediately: true }),
        (fiber) => Fiber.join(send.first = fiber)
      )
    })
  })
  return Stream.fromChannel(Channel.fromTransform((_, scope) => open(scope)))
}

/** True if the agent, or its protocol version, has no streams; it has not acted on the message. */
const lacksStreams = ({ reason }: Failure): boolean =>
  reason._tag === "UnsupportedOperationError" || reason._tag === "MethodNotFoundError" ||
  reason._tag === "OperationNotInProtocolError" || reason._tag === "NotFoundError"

const empty = new AgentError.InvalidAgentResponseError({ message: "the agent's stream ended without a result" })

/** Sends a message by stream, up to where a unary call ends. Fails with `undefined` if the agent has no streams. */
const callByStream = (
  settings: Settings,
  request: Request
): Effect.Effect<Task | Message.Message, Transport.Failure | undefined> =>
  Effect.suspend(() => {
    const { stream } = settings.transport
    const end = StreamEnd.ofMessage(request.message)
    const progress = TaskProgress.make()
    return watch(settings, request, stream(Operation.SendStreamingMessage, request)).pipe(
      Stream.takeUntil((event) => {
        if (!isForeign(end, event)) TaskProgress.add(progress, event)
        return StreamEnd.endsCall(end, event)
      }),
      Stream.runDrain,
      Effect.provideService(SingleEvent.CurrentIsWhole, true),
      Effect.mapError((error) => end.isFirst && lacksStreams(error) ? undefined : error),
      Effect.flatMap(() => {
        const result = TaskProgress.task(progress) ?? progress.message
        return result === undefined ? Effect.fail(empty) : Effect.succeed(result)
      })
    )
  })

/** Cancels the tasks of interrupted sends of a transport. */
export const decorate = (settings: Settings): Transport.Transport => {
  let hasStreams = true

  /** Sends a message by a unary call; its task is known only if the message names it. */
  const callUnary = (request: Request, next: Effect.Effect<Task | Message.Message, Failure>) => {
    const { taskId } = request.message
    return taskId === undefined
      ? next
      : Effect.onInterrupt(next, () => settings.background(cancel(settings, request, taskId)))
  }

  /** Waits for a task that the agent returns early, and cancels it if the caller does not. */
  const callAwaited = Effect.fnUntraced(
    function*(request: Request, once: Effect.Effect<Task | Message.Message, Failure>) {
      const began = yield* Clock.currentTimeMillis
      const result = yield* once
      if (result._tag === "Message" || !TaskState.isAtWork(result.status.state)) return result
      return yield* Effect.onExit(
        settle(settings.transport, request, result, began),
        (exit) =>
          Exit.isFailure(exit) && isAbandoned(exit.cause)
            ? settings.background(cancel(settings, request, result.id))
            : Effect.void
      )
    }
  )

  return Transport.intercept({
    SendStreamingMessage: (request, next) => watch(settings, request, next(request)),
    SendMessage: (request, next) => {
      const isAwaited = request.configuration?.returnImmediately !== true
      const once = Effect.suspend(() => callUnary(request, next(request)))
      const unary = isAwaited ? callAwaited(request, once) : once
      if (!hasStreams || !isAwaited) return unary
      return callByStream(settings, request).pipe(
        Effect.catch((error) => {
          if (error !== undefined) return Effect.fail(error)
          // the message itself may be what is not supported: only an agent that takes it so has no streams
          return Effect.tap(unary, () =>
            Effect.sync(() => {
              hasStreams = false
            }))
        })
      )
    }
  })(settings.transport)
}
