/** Follows the task that a conversation left running. Tested in `test/conversation-resumed.test.ts`. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { AgentError } from "../../AgentError.ts"
import type * as StreamEvent from "../../StreamEvent.ts"
import type { Task } from "../../Task.ts"
import * as TaskProgress from "../../TaskProgress.ts"
import * as Contexts from "../client/contexts.ts"
import * as Delivered from "../transport/delivery.ts"
import * as StreamEnd from "../transport/streamEnd.ts"
import * as Failures from "./failures.ts"
import * as Thread from "./thread.ts"

type Events = Stream.Stream<StreamEvent.StreamEvent, AgentError>

interface Following {
  readonly thread: Thread.Thread
  readonly state: Contexts.ContextState
  readonly task: Task
  readonly progress: TaskProgress.TaskProgress
  first: StreamEvent.StreamEvent | undefined
  isGone: boolean
}

const conclude = ({ isGone, progress, state, task, thread }: Following): void => {
  const current = TaskProgress.task(progress)
  if (current !== undefined) thread.transcript.conclude(current)
  state.isUncertain = false
  Contexts.put(state, isGone ? undefined : current ?? task)
}

/** The whole task once it is completed, if the peer emitted only what was new. */
const missing = ({ first, progress, task, thread }: Following): Events => {
  if (first?._tag === "Task" || TaskProgress.task(progress)?.status.state !== "completed") return Stream.empty
  return Stream.fromEffect(thread.agent.getTask(task.id)).pipe(
    Stream.filter((read) => !Delivered.isStatusOnly(read)),
    Stream.catch(() => Stream.empty)
  )
}

const events = (self: Following): Events =>
  self.thread.agent.subscribe(self.task.id).pipe(
    Stream.takeUntil((event) => StreamEnd.endsTurn(self.task.id, event)),
    Stream.catchIf(Failures.cannotSubscribe, () => Stream.fromEffect(self.thread.agent.waitFor(self.task))),
    Stream.tapError((error) =>
      Effect.sync(() => {
        if ("task" in error.reason) TaskProgress.add(self.progress, error.reason.task)
        self.isGone = Failures.endsTask(error) && TaskProgress.task(self.progress) === undefined
      })
    ),
    Stream.concat(Stream.suspend(() => missing(self))),
    Stream.mapArray((events) => {
      self.first ??= events[0]
      TaskProgress.addAll(self.progress, events)
      return events
    })
  )

/** Holds the turn until the scope closes. */
const begin = Effect.fnUntraced(function*(thread: Thread.Thread): Effect.fn.Return<Events, never, Scope.Scope> {
  yield* thread.lock.takeScoped(1)
  const { contextId, contexts, last } = thread
  const state = contextId === undefined ? last : yield* Contexts.acquire(contexts, contextId)
  const task = Contexts.pending(state) ?? (yield* Thread.findLost(thread, state))
  if (task === undefined || task.status.state === "input-required") return Stream.empty
  const self: Following = { thread, state, task, progress: TaskProgress.make(), first: undefined, isGone: false }
  yield* Effect.addFinalizer(() => Effect.sync(() => conclude(self)))
  state.task = () => TaskProgress.task(self.progress) ?? task
  return events(self)
})

/** Emits the events of the pending task until it settles. */
export const resume = (thread: Thread.Thread): Events => Stream.unwrap(begin(thread))
