/**
 * A conversation at work: its state, the context that it is in, and the task that the next message has to wait for.
 * Tested in `test/conversation.test.ts`.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import type * as Agent from "../../Agent.ts"
import type { ConversationState } from "../../ConversationState.ts"
import type * as Id from "../../Id.ts"
import type { Task } from "../../Task.ts"
import * as TaskState from "../../TaskState.ts"
import { waitForSuccess } from "../transport/waitForTask.ts"
import * as Contexts from "./contexts.ts"
import * as Failures from "./failures.ts"
import * as Transition from "./transition.ts"

/** A conversation, changed by {@link apply} only. */
export interface Thread {
  readonly agent: Agent.Service
  readonly contexts: Contexts.Contexts
  /** Held by the turn that is under way. */
  readonly lock: Semaphore.Semaphore
  /** Waits for a task that still runs before the next message, or cancels it. */
  readonly policy: "wait" | "cancel"
  readonly state: SubscriptionRef.SubscriptionRef<ConversationState>
  /** The context that the conversation is in, which may have no id yet. */
  context: Contexts.ContextState
  /** Brings the state level with the events of the turn that is under way. */
  catchUp: Effect.Effect<void>
}

/** Creates a conversation, new or continued. */
export const make = Effect.fnUntraced(function*(
  agent: Agent.Service,
  policy: "wait" | "cancel",
  saved: ConversationState
): Effect.fn.Return<Thread> {
  const contexts = Contexts.of(agent)
  const context = Contexts.restore(contexts, saved.contextId, Transition.share(saved))
  const state = Transition.apply(Transition.normalize(saved), {
    _tag: "Enter",
    contextId: saved.contextId,
    shared: context.shared
  })
  return {
    agent,
    contexts,
    lock: Semaphore.makeUnsafe(1),
    policy,
    state: yield* SubscriptionRef.make(state),
    context,
    catchUp: Effect.void
  }
})

/** Changes the state, and with it what is known of the context. */
export const apply = (self: Thread, event: Transition.Event): Effect.Effect<ConversationState> =>
  SubscriptionRef.updateAndGet(self.state, (state) => {
    const next = Transition.apply(state, event)
    self.context.shared = Transition.share(next)
    return next
  }).pipe(
    Effect.tap(({ contextId }) => Contexts.notify(self.contexts, contextId)),
    Effect.uninterruptible
  )

/** Moves the conversation to a context, and takes over what is known of it. */
export const enter = (
  self: Thread,
  contextId: Id.ContextId | undefined,
  context: Contexts.ContextState
): Effect.Effect<ConversationState> =>
  Effect.suspend(() => {
    const { shared } = self.context = context
    const state = SubscriptionRef.getUnsafe(self.state)
    const isThere = state.contextId === contextId && state.pending === shared.pending &&
      state.unanswered === shared.unanswered
    return isThere ? Effect.succeed(state) : apply(self, { _tag: "Enter", contextId, shared })
  })

/** Returns the state, with what other conversations did in its context. */
export const current = (self: Thread): Effect.Effect<ConversationState> =>
  Effect.andThen(
    Effect.suspend(() => self.catchUp),
    Effect.suspend(() => {
      const { contextId } = SubscriptionRef.getUnsafe(self.state)
      const known = contextId === undefined ? undefined : self.contexts.states.get(contextId)
      return enter(self, contextId, known ?? self.context)
    })
  )

/** Emits the state and its changes, those by other conversations in the context included. */
export const changes = (self: Thread): Stream.Stream<ConversationState> =>
  SubscriptionRef.changes(self.state).pipe(
    Stream.map(({ contextId }) => contextId),
    Stream.changes,
    Stream.switchMap((contextId) =>
      contextId === undefined
        ? Stream.never
        : Stream.unwrap(Effect.as(Contexts.watch(self.contexts, contextId, current(self)), Stream.never))
    ),
    Stream.merge(SubscriptionRef.changes(self.state))
  )

/** Returns a task once it has settled, or as it is known if nothing more is to come of it. */
const settle = Effect.fnUntraced(
  function*({ agent, policy }: Thread, task: Task) {
    const { id, status } = task
    const isKnown = status.state !== "unspecified" && status.state !== "auth-required"
    const read = isKnown ? task : yield* agent.getTask(id)
    const current = { ...read, status: { ...status, ...read.status } }
    if (TaskState.isInterrupted(current.status.state)) return current
    if (TaskState.isSettled(current.status.state)) return yield* waitForSuccess(agent, current)
    // a task that cannot be canceled will end without our help, or has ended
    const canceled = policy === "cancel" ? yield* Effect.option(agent.cancel(id)) : Option.none()
    if (Option.isSome(canceled) && canceled.value.status.state === "canceled") return canceled.value
    // what is known may be old: by its id, the task is read at once
    return yield* waitForSuccess(agent, id)
  },
  (effect, _, task) =>
    Effect.catchIf(
      effect,
      Failures.endsTask,
      ({ reason }) => Effect.succeed("task" in reason ? reason.task : task)
    )
)

const maxRunning = 10

/** Returns the tasks that run in a context, or at all, or nothing if the agent lists no tasks. */
const listRunning = ({ agent }: Thread, contextId: Id.ContextId | undefined) =>
  agent.listTasks({ contextId, pageSize: maxRunning, historyLength: maxRunning }).pipe(
    Stream.take(maxRunning),
    Stream.filter(({ status }) => !TaskState.isSettled(status.state)),
    Stream.runCollect,
    Effect.option
  )

const hasMessage = (messageId: Id.MessageId) => ({ history = [] }: Task): boolean =>
  history.some((one) => one.messageId === messageId)

/**
 * Returns the task of a message that the agent may have received, if it lists one: the task that has the message in its
 * history, else one that runs in the context.
 */
const findLost = Effect.fnUntraced(function*(
  self: Thread,
  { contextId, unanswered }: ConversationState
): Effect.fn.Return<Task | undefined> {
  if (unanswered === undefined) return undefined
  const running = Option.getOrElse(yield* listRunning(self, contextId), () => [])
  const listed = running.find(hasMessage(unanswered)) ?? (contextId === undefined ? undefined : running[0])
  if (listed !== undefined) return listed
  const unread = running.filter(({ history }) => history === undefined)
  const read = yield* Effect.forEach(unread, ({ id }) => Effect.option(self.agent.getTask(id)))
  return read.flatMap(Option.toArray).find(hasMessage(unanswered))
})

/** Returns the pending task, or the task of an unanswered message, which is pending from now on. */
export const find = Effect.fnUntraced(function*(self: Thread): Effect.fn.Return<Task | undefined> {
  const state = yield* current(self)
  const { pending: task = yield* findLost(self, state) } = state
  // a turn that is under way records its own task
  if (task === undefined || task === state.pending || self.context.turns > 0) return task
  if (state.contextId === undefined && task.contextId !== undefined) {
    self.context = Contexts.restore(self.contexts, task.contextId, { pending: task })
  }
  return (yield* apply(self, { _tag: "Find", task })).pending
})

/** Waits for a task that was left running, and records it. */
const finish = Effect.fnUntraced(function*(self: Thread, task: Task) {
  const settled = yield* settle(self, task)
  yield* apply(self, { _tag: "Settle", progress: { task: settled, news: settled } })
})

/** Waits until no task runs in the context. */
export const clear = Effect.fnUntraced(function*(self: Thread) {
  const { contextId, pending, unanswered } = SubscriptionRef.getUnsafe(self.state)
  if (pending !== undefined && pending.status.state !== "input-required") {
    yield* finish(self, pending)
  }
  if (unanswered === undefined || contextId === undefined) return
  const listed = yield* listRunning(self, contextId)
  if (listed._tag === "None") return
  for (const task of listed.value) {
    yield* apply(self, { _tag: "Find", task })
    yield* finish(self, task)
  }
  yield* apply(self, { _tag: "Receive" })
})
