/** One message of a conversation and all that follows until its task settles. Tested in `test/conversation.test.ts`. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import * as SubscriptionRef from "effect/SubscriptionRef"
import * as Agent from "../../Agent.ts"
import type { AgentError } from "../../AgentError.ts"
import type { Policy } from "../../AgentTransport.ts"
import type * as Id from "../../Id.ts"
import type * as Message from "../../Message.ts"
import * as StreamEvent from "../../StreamEvent.ts"
import type { Task } from "../../Task.ts"
import { isForeign } from "../turn/foreign.ts"
import * as Contexts from "./contexts.ts"
import * as Failures from "./failures.ts"
import * as Thread from "./thread.ts"
import * as Transcript from "./transcript.ts"
import * as Transition from "./transition.ts"
import * as TurnEvents from "./turnEvents.ts"

/** The conversation at the beginning of a turn. */
interface Before {
  readonly contextId: Id.ContextId | undefined
  readonly context: Contexts.ContextState
  /** What is known of the context that the message is sent in. */
  readonly shared: Transition.Shared
}

/** The record of a turn. */
interface Turn {
  readonly thread: Thread.Thread
  readonly message: Message.Message
  /** The task that waited for this message. */
  readonly asked: Task | undefined
  readonly before: Before
  /** False if the transcript has the message already. */
  readonly isNew: boolean
  /** Holds the context that the agent names in its answer. */
  readonly scope: Scope.Scope
  readonly received: TurnEvents.TurnEvents
  /** The task that the events belong to; those of others are passed on, and change nothing. */
  taskId: Id.TaskId | undefined
  reply: Message.Message | undefined
  failure: AgentError | undefined
}

/** A message that may be sent now. */
export interface Ready {
  readonly message: Message.Message
  readonly options: Agent.Options
  /** The task that waited for this message. */
  readonly asked: Task | undefined
  /** Decides if the message is sent again after a refusal. */
  readonly policy: Policy
  /** Records events of the turn. */
  readonly observe: (events: ReadonlyArray<StreamEvent.StreamEvent>) => Effect.Effect<void>
  /** Records the failure of the turn. */
  readonly fail: (error: AgentError) => Effect.Effect<void>
}

const never: Policy = Schedule.recurs(0)

/**
 * For agents that list no tasks: if an earlier message may have been received and nothing is known of its task, the next
 * one is sent again for a minute as long as it is refused. An agent does not act on a message that it refuses.
 */
const whileBusy: Policy = Schedule.min([Schedule.exponential("500 millis"), Schedule.spaced("5 seconds")]).pipe(
  Schedule.upTo({ duration: "1 minute" }),
  Schedule.setInputType<AgentError>(),
  Schedule.while(({ input }) => input.reason._tag === "InvalidArgumentError")
)

/** Moves the turn, and with it the conversation, to a context that the agent named. */
const enter = Effect.fnUntraced(function*({ scope, thread }: Turn, contextId: Id.ContextId) {
  const left = thread.context
  const joined = yield* Scope.provide(Contexts.join(thread.contexts, contextId), scope)
  thread.context = joined
  left.turns--
  left.shared = {}
  joined.turns++
})

/** Brings the state level with the events so far. */
const publish = ({ received, thread }: Turn, contextId?: Id.ContextId): Effect.Effect<void> =>
  Effect.suspend(() =>
    Effect.asVoid(Thread.apply(thread, { _tag: "Receive", contextId, progress: TurnEvents.read(received) }))
  )

const observe = (turn: Turn, events: ReadonlyArray<StreamEvent.StreamEvent>): Effect.Effect<void> =>
  Effect.suspend(() => {
    const own = events.filter((event) => {
      if (isForeign(turn, event)) return false
      turn.taskId ??= StreamEvent.taskId(event)
      return true
    })
    if (own.length === 0) return Effect.void
    for (const event of own) {
      TurnEvents.add(turn.received, event)
      if (event._tag === "Message") turn.reply = event
    }
    const named = own.findLast((event) => event.contextId !== undefined)?.contextId
    const isNamed = named !== undefined && named !== SubscriptionRef.getUnsafe(turn.thread.state).contextId
    if (!isNamed) return TurnEvents.isDue(turn.received) ? publish(turn) : Effect.void
    return Effect.andThen(enter(turn, named), publish(turn, named))
  }).pipe(Effect.uninterruptible)

const fail = (turn: Turn, error: AgentError): Effect.Effect<void> =>
  Effect.suspend(() => {
    turn.failure = error
    return "task" in error.reason ? observe(turn, [error.reason.task]) : Effect.void
  })

/** Records a refusal, after which the conversation is where it was before. */
const refuse = (turn: Turn, isSent: boolean) => {
  const { asked, before, isNew, message, thread } = turn
  const shared: Transition.Shared = {
    ...before.shared,
    ...(isSent && message.taskId !== undefined && { pending: Transition.unknownState(message.taskId, asked) })
  }
  const isElsewhere = thread.context !== before.context
  if (isElsewhere) thread.context.shared = shared
  thread.context = before.context
  return Thread.apply(thread, {
    _tag: "Refuse",
    message,
    isNew,
    contextId: before.contextId,
    shared: isElsewhere ? before.context.shared : shared
  })
}

/** Records what is left of a turn without a response. */
const concludeUnanswered = (turn: Turn) => {
  const { failure, message, thread } = turn
  if (failure !== undefined && Failures.isRefusal(failure)) return refuse(turn, failure.delivery !== "not-sent")
  const taskId = failure?.reason._tag === "StreamInterruptedError" ? failure.reason.taskId : undefined
  return Thread.apply(thread, { _tag: "Lose", message, taskId })
}

const conclude = (turn: Turn): Effect.Effect<unknown> =>
  Effect.suspend((): Effect.Effect<unknown> => {
    const { received, reply, thread } = turn
    thread.catchUp = Effect.void
    thread.context.turns--
    const progress = TurnEvents.result(received)
    if (progress !== undefined) return Thread.apply(thread, { _tag: "Receive", progress })
    return reply === undefined ? concludeUnanswered(turn) : Thread.apply(thread, { _tag: "Reply", reply })
  })

/** Enters the context of a message, and waits until no task runs there. Returns to where it was if that fails. */
const enterContext = Effect.fnUntraced(function*(
  thread: Thread.Thread,
  contextId: Id.ContextId | undefined
): Effect.fn.Return<Before, AgentError, Scope.Scope> {
  const before = { contextId: (yield* Thread.current(thread)).contextId, context: thread.context }
  const context = contextId === undefined ? thread.context : yield* Contexts.acquire(thread.contexts, contextId)
  yield* Thread.enter(thread, contextId, context)
  yield* Thread.clear(thread).pipe(
    Effect.onError(() => Effect.asVoid(Thread.enter(thread, before.contextId, before.context)))
  )
  return { ...before, shared: context.shared }
})

const toAnswer = (task: Task): Agent.Options["after"] => ({
  state: task.status.state,
  taskId: task.id,
  ...(task.contextId !== undefined && { contextId: task.contextId }),
  task
})

/** Waits until the message may be sent, and holds the turn until the scope closes. */
export const begin = Effect.fnUntraced(function*(
  thread: Thread.Thread,
  input: Message.Input,
  options: Agent.Options = {}
): Effect.fn.Return<Ready, AgentError, Scope.Scope> {
  yield* thread.lock.takeScoped(1)
  const given = yield* Agent.toRequest(input, options)
  const contextId = given.message.contextId ?? SubscriptionRef.getUnsafe(thread.state).contextId
  const before = yield* enterContext(thread, contextId)
  const { pending: asked, transcript, unanswered } = SubscriptionRef.getUnsafe(thread.state)
  const taskId = given.message.taskId ?? asked?.id
  const message: Message.Message = {
    ...given.message,
    ...(contextId !== undefined && { contextId }),
    ...(taskId !== undefined && { taskId })
  }
  const turn: Turn = {
    thread,
    message,
    asked,
    before,
    isNew: !Transcript.has(transcript, message),
    scope: yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void)),
    received: TurnEvents.make(asked),
    taskId,
    reply: undefined,
    failure: undefined
  }
  yield* Effect.acquireRelease(
    Effect.suspend(() => {
      thread.context.turns++
      thread.catchUp = Effect.suspend(() => turn.received.unread > 0 ? publish(turn) : Effect.void)
      return Thread.apply(thread, { _tag: "Send", message })
    }),
    () => conclude(turn)
  )
  return {
    message,
    asked,
    // views of the events, and the answer, leave out what the task had before
    options: { ...given.configuration, metadata: given.metadata, after: asked && toAnswer(asked) },
    policy: unanswered === undefined || contextId === undefined
      ? never
      : Schedule.while(whileBusy, () => turn.received.isEmpty),
    observe: (events) => observe(turn, events),
    fail: (error) => fail(turn, error)
  }
})
