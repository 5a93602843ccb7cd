/**
 * The record behind a conversation: its context, the transcript, and the task that the next message has to wait for.
 * Tested in `test/conversation.test.ts`.
 */
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import type * as Agent from "../../Agent.ts"
import type * as Id from "../../Id.ts"
import type { Message } from "../../Message.ts"
import type { Task } from "../../Task.ts"
import * as TaskState from "../../TaskState.ts"
import * as Contexts from "../client/contexts.ts"
import * as Failures from "./failures.ts"
import * as Transcript from "./transcript.ts"

/** The state of one conversation, changed by its turns. */
export interface Thread {
  readonly agent: Agent.Service
  readonly contexts: Contexts.Contexts
  /** Held by the turn that is under way. */
  readonly lock: Semaphore.Semaphore
  readonly transcript: Transcript.Transcript
  /** Waits for a task that still runs before the next message, or cancels it. */
  readonly policy: "wait" | "cancel"
  contextId: Id.ContextId | undefined
  /** The context that the last turn was in, which may have no id yet. */
  last: Contexts.ContextState
}

/** Creates the record of a conversation, new or continued. */
export const make = (agent: Agent.Service, options: {
  readonly contextId: Id.ContextId | undefined
  readonly policy: "wait" | "cancel"
  readonly saved: { readonly pending: Task | undefined; readonly transcript: ReadonlyArray<Message> } | undefined
}): Thread => {
  const { contextId, policy, saved } = options
  const contexts = Contexts.of(agent)
  const transcript = Transcript.make()
  saved?.transcript.forEach(transcript.add)
  return {
    agent,
    contexts,
    lock: Semaphore.makeUnsafe(1),
    transcript,
    policy,
    contextId,
    last: saved === undefined ? Contexts.empty() : Contexts.restore(contexts, contextId, saved)
  }
}

/** Returns the state of the conversation's context. */
export const contextOf = ({ contextId, contexts, last }: Thread): Contexts.ContextState =>
  contextId === undefined ? last : contexts.states.get(contextId) ?? last

/** Returns a task once it has settled, or as it is known if nothing more is to come of it. */
const settle = Effect.fnUntraced(
  function*({ agent, policy }: Thread, task: Task) {
    const { id, status } = task
    const isKnown = status.state !== "unspecified" && status.state !== "auth-required"
    const read = isKnown ? task : yield* agent.getTask(id)
    const current = { ...read, status: { ...status, ...read.status } }
    if (TaskState.isInterrupted(current.status.state)) return current
    if (policy !== "cancel" || TaskState.isSettled(current.status.state)) return yield* agent.waitFor(current)
    // a task that cannot be canceled will end without our help, or has ended
    const canceled = yield* Effect.orElseSucceed(agent.cancel(id), () => current)
    return canceled.status.state === "canceled" ? canceled : yield* agent.waitFor(current)
  },
  (effect, _, task) =>
    Effect.catchIf(
      effect,
      Failures.endsTask,
      ({ reason }) => Effect.succeed("task" in reason ? reason.task : task)
    )
)

/** Returns the tasks that run in a context, or nothing if the agent lists no tasks. */
const listRunning = ({ agent }: Thread, contextId: Id.ContextId) =>
  agent.listTasks({ contextId, pageSize: 10 }).pipe(
    Stream.take(10),
    Stream.filter(({ status }) => !TaskState.isSettled(status.state)),
    Stream.runCollect,
    Effect.option
  )

/** Returns the task of a message that the agent may have received, if it lists one. */
export const findLost = Effect.fnUntraced(function*(self: Thread, { isUncertain }: Contexts.ContextState) {
  if (!isUncertain || self.contextId === undefined) return undefined
  const listed = yield* listRunning(self, self.contextId)
  return listed._tag === "None" ? undefined : listed.value[0]
})

/** Waits until no task runs in a context. */
export const clear = Effect.fnUntraced(function*(
  self: Thread,
  state: Contexts.ContextState,
  contextId: Id.ContextId | undefined
) {
  const finish = Effect.fnUntraced(function*(task: Task) {
    const settled = yield* settle(self, task)
    self.transcript.conclude(settled)
    Contexts.put(state, TaskState.isInterrupted(settled.status.state) ? settled : undefined)
  })
  const pending = Contexts.pending(state)
  if (pending !== undefined && pending.status.state !== "input-required") yield* finish(pending)
  if (!state.isUncertain || contextId === undefined) return
  const listed = yield* listRunning(self, contextId)
  if (listed._tag === "None") return
  for (const task of listed.value) {
    Contexts.put(state, task)
    yield* finish(task)
  }
  state.isUncertain = false
})
