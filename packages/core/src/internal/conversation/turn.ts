/** One message of a conversation and all that follows until its task settles. Tested in `test/conversation.test.ts`. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import * as Agent from "../../Agent.ts"
import type { AgentError } from "../../AgentError.ts"
import type { Policy } from "../../AgentTransport.ts"
import type * as Id from "../../Id.ts"
import type * as Message from "../../Message.ts"
import type * as StreamEvent from "../../StreamEvent.ts"
import type { Task } from "../../Task.ts"
import * as TaskProgress from "../../TaskProgress.ts"
import * as Contexts from "../client/contexts.ts"
import * as Failures from "./failures.ts"
import * as Thread from "./thread.ts"

/** The record of a turn. */
interface Turn {
  readonly thread: Thread.Thread
  readonly message: Message.Message
  /** The context that the message was sent in, and the task that it was sent to. */
  readonly contextId: Id.ContextId | undefined
  readonly taskId: Id.TaskId | undefined
  /** The task that waited for this message. */
  readonly asked: Task | undefined
  /** The conversation's context before the turn, for messages that are refused. */
  readonly before: Pick<Thread.Thread, "contextId" | "last">
  /** Holds the context that the agent names in its answer. */
  readonly scope: Scope.Scope
  readonly progress: TaskProgress.TaskProgress
  state: Contexts.ContextState
  reply: Message.Message | undefined
  failure: AgentError | undefined
}

/** A message that may be sent now. */
export interface Ready {
  readonly message: Message.Message
  readonly options: Agent.Options
  /** Decides if the message is sent again after a refusal. */
  readonly policy: Policy
  /** Records events of the turn. */
  readonly observe: (events: ReadonlyArray<StreamEvent.StreamEvent>) => Effect.Effect<void>
  /** Records the failure of the turn. */
  readonly fail: (error: AgentError) => Effect.Effect<void>
}

/** A task whose state has to be read before the next message. */
const unknownState = (id: Id.TaskId, known: Task | undefined): Task => ({
  ...(known?.id === id ? known : { _tag: "Task", id }),
  status: { ...known?.status, state: "unspecified" }
})

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

/** Records what is left of a turn that has an answer. */
const concludeAnswered = ({ asked, progress, reply, state, thread }: Turn): void => {
  const task = TaskProgress.task(progress)
  state.isUncertain = false
  if (task !== undefined) thread.transcript.conclude(task)
  else if (reply !== undefined) thread.transcript.add(reply)
  Contexts.put(state, task ?? (asked && reply?.taskId === asked.id ? unknownState(asked.id, asked) : undefined))
}

/** Records what is left of a turn without an answer. A refused message leaves no trace. */
const concludeUnanswered = (turn: Turn, isNew: boolean): void => {
  const { asked, before, contextId, failure, message, state, taskId, thread } = turn
  const isRefused = failure !== undefined && Failures.isRefusal(failure)
  if (isRefused && isNew) thread.transcript.remove(message)
  if (isRefused) Object.assign(thread, before)
  if (failure?.origin === "local") return Contexts.put(state, asked)
  const reported = failure?.reason._tag === "StreamInterruptedError" ? failure.reason.taskId : undefined
  const id = reported ?? taskId
  Contexts.put(state, id === undefined ? undefined : unknownState(id, asked))
  if (!isRefused) state.isUncertain = id === undefined && contextId !== undefined
}

const conclude = (turn: Turn, isNew: boolean): void =>
  TaskProgress.task(turn.progress) === undefined && turn.reply === undefined
    ? concludeUnanswered(turn, isNew)
    : concludeAnswered(turn)

/** Moves the turn, and with it the conversation, to a context that the agent named. */
const enter = (turn: Turn, contextId: Id.ContextId): Effect.Effect<void> =>
  Effect.map(Scope.provide(Contexts.join(turn.thread.contexts, contextId), turn.scope), (state) => {
    state.task = turn.state.task
    Contexts.put(turn.state, undefined)
    turn.state = turn.thread.last = state
    turn.thread.contextId = contextId
  })

const observe = (turn: Turn, events: ReadonlyArray<StreamEvent.StreamEvent>): Effect.Effect<void> =>
  Effect.suspend(() => {
    for (const event of events) {
      TaskProgress.add(turn.progress, event)
      if (event._tag === "Message") turn.reply = event
    }
    const named = events.findLast((event) => event.contextId !== undefined)?.contextId
    return named === undefined || named === turn.thread.contextId ? Effect.void : enter(turn, named)
  }).pipe(Effect.uninterruptible)

const fail = (turn: Turn, error: AgentError): Effect.Effect<void> =>
  Effect.suspend(() => {
    turn.failure = error
    return "task" in error.reason ? observe(turn, [error.reason.task]) : Effect.void
  })

/** Waits until the message may be sent, and holds the turn until the scope closes. */
export const begin = Effect.fnUntraced(function*(
  thread: Thread.Thread,
  input: Message.Input,
  options: Agent.Options = {}
): Effect.fn.Return<Ready, AgentError, Scope.Scope> {
  yield* thread.lock.takeScoped(1)
  const given = yield* Agent.toRequest(input, options)
  const contextId = given.message.contextId ?? thread.contextId
  const state = contextId === undefined ? thread.last : yield* Contexts.acquire(thread.contexts, contextId)
  yield* Thread.clear(thread, state, contextId)
  const asked = Contexts.pending(state)
  const taskId = given.message.taskId ?? asked?.id
  const message: Message.Message = {
    ...given.message,
    ...(contextId !== undefined && { contextId }),
    ...(taskId !== undefined && { taskId })
  }
  const turn: Turn = {
    thread,
    message,
    contextId,
    taskId,
    asked,
    before: { contextId: thread.contextId, last: thread.last },
    scope: yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void)),
    progress: TaskProgress.make(),
    state,
    reply: undefined,
    failure: undefined
  }
  yield* Effect.acquireRelease(
    Effect.sync(() => thread.transcript.add(message)),
    (isNew) => Effect.sync(() => conclude(turn, isNew))
  )
  state.task = () => TaskProgress.task(turn.progress) ?? asked
  thread.last = state
  thread.contextId = contextId
  return {
    message,
    options: { ...given.configuration, metadata: given.metadata },
    policy: state.isUncertain ? Schedule.while(whileBusy, () => TaskProgress.task(turn.progress) === undefined) : never,
    observe: (events) => observe(turn, events),
    fail: (error) => fail(turn, error)
  }
})
