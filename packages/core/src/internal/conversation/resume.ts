/** Follows the task that a conversation left running. Tested in `test/conversation-resumed.test.ts`. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { AgentError } from "../../AgentError.ts"
import type { MessageId } from "../../Id.ts"
import { missingMessageId } from "../../Message.ts"
import type * as StreamEvent from "../../StreamEvent.ts"
import type { Task } from "../../Task.ts"
import * as Delivery from "../transport/delivery.ts"
import * as StreamEnd from "../transport/streamEnd.ts"
import * as Subscription from "../transport/subscription.ts"
import { waitForSuccess } from "../transport/waitForTask.ts"
import { isForeign } from "../turn/foreign.ts"
import * as Contexts from "./contexts.ts"
import * as Failures from "./failures.ts"
import * as Thread from "./thread.ts"
import * as TurnEvents from "./turnEvents.ts"

type Events = Stream.Stream<StreamEvent.StreamEvent, AgentError>

interface Following {
  readonly thread: Thread.Thread
  readonly task: Task
  readonly received: TurnEvents.TurnEvents
  /** Messages of the transcript: a replay of the task repeats questions that were answered. */
  readonly known: ReadonlySet<MessageId>
  first: StreamEvent.StreamEvent | undefined
  isGone: boolean
}

const publish = ({ received, task, thread }: Following) =>
  Effect.suspend(() =>
    Thread.apply(thread, { _tag: "Receive", progress: TurnEvents.read(received) ?? { task, news: task } })
  )

const conclude = (self: Following): Effect.Effect<unknown> =>
  Effect.suspend((): Effect.Effect<unknown> => {
    const { isGone, received, thread } = self
    thread.catchUp = Effect.void
    thread.context.turns--
    const isUnknown = isGone && TurnEvents.task(received) === undefined
    return isUnknown ? Thread.apply(thread, { _tag: "Forget" }) : publish(self)
  })

/** The whole task once it is completed, if the peer emitted only what was new. */
const missing = ({ first, received, task, thread }: Following): Events => {
  if (first?._tag === "Task" || TurnEvents.task(received)?.status.state !== "completed") return Stream.empty
  return Stream.fromEffect(thread.agent.getTask(task.id)).pipe(
    Stream.filter(Delivery.hasContent),
    Stream.catch(() => Stream.empty)
  )
}

const isAnswered = ({ known }: Following, event: StreamEvent.StreamEvent): boolean => {
  const message = "status" in event ? event.status.message : undefined
  return message !== undefined && message.messageId !== missingMessageId && known.has(message.messageId)
}

const events = (self: Following): Events =>
  self.thread.agent.subscribe(self.task.id).pipe(
    Stream.takeUntil((event) => StreamEnd.asksForInput(self.task.id, event) && !isAnswered(self, event)),
    Stream.catchIf(Subscription.isRefusal, () => Stream.fromEffect(waitForSuccess(self.thread.agent, self.task.id))),
    Stream.tapError((error) =>
      Effect.sync(() => {
        if ("task" in error.reason) TurnEvents.add(self.received, error.reason.task)
        self.isGone = Failures.endsTask(error) && TurnEvents.task(self.received) === undefined
      })
    ),
    Stream.concat(Stream.suspend(() => missing(self))),
    Stream.mapArrayEffect((events) =>
      Effect.suspend(() => {
        self.first ??= events[0]
        for (const event of events) {
          if (!isForeign({ taskId: self.task.id }, event)) TurnEvents.add(self.received, event)
        }
        return TurnEvents.isDue(self.received) ? Effect.as(publish(self), events) : Effect.succeed(events)
      })
    )
  )

/** Holds the context of the conversation until the scope closes, if it is known. */
const hold = Effect.fnUntraced(function*(thread: Thread.Thread) {
  const { contextId } = yield* Thread.current(thread)
  if (contextId === undefined) return false
  yield* Thread.enter(thread, contextId, yield* Contexts.acquire(thread.contexts, contextId))
  return true
})

/** Holds the turn until the scope closes. */
const begin = Effect.fnUntraced(function*(thread: Thread.Thread): Effect.fn.Return<Events, never, Scope.Scope> {
  yield* thread.lock.takeScoped(1)
  const isHeld = yield* hold(thread)
  const task = yield* Thread.find(thread)
  if (!isHeld) yield* hold(thread)
  if (task === undefined || task.status.state === "input-required") return Stream.empty
  const { transcript } = yield* Thread.current(thread)
  const self: Following = {
    thread,
    task,
    received: TurnEvents.make(undefined),
    known: new Set(transcript.map(({ messageId }) => messageId)),
    first: undefined,
    isGone: false
  }
  yield* Effect.acquireRelease(
    Effect.suspend(() => {
      thread.context.turns++
      thread.catchUp = Effect.suspend(() => self.received.unread > 0 ? Effect.asVoid(publish(self)) : Effect.void)
      return publish(self)
    }),
    () => conclude(self)
  )
  return events(self)
})

/** Emits the events of the pending task until it settles. */
export const resume = (thread: Thread.Thread): Events => Stream.unwrap(begin(thread))
