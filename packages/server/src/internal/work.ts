/** A turn while it runs, and the writes to its task. Tested in `packages/server/test/cancel.test.ts`. */
import type { AgentErrorReason } from "@effect-a2a/core/AgentError"
import type * as Id from "@effect-a2a/core/Id"
import type * as Message from "@effect-a2a/core/Message"
import type * as PushNotification from "@effect-a2a/core/PushNotification"
import type * as StreamEvent from "@effect-a2a/core/StreamEvent"
import type * as Task from "@effect-a2a/core/Task"
import * as TaskProgress from "@effect-a2a/core/TaskProgress"
import type * as Arr from "effect/Array"
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Queue from "effect/Queue"
import * as Semaphore from "effect/Semaphore"
import type { Turn } from "../AgentExecutor.ts"
import type * as Owner from "../Owner.ts"
import type { PushSender } from "../PushSender.ts"
import type { TaskHub } from "../TaskHub.ts"
import type { TaskStore, VersionConflict } from "../TaskStore.ts"
import * as Ends from "./ends.ts"
import * as Words from "./words.ts"

/** The services that a turn writes to. */
export interface Sinks {
  readonly store: TaskStore["Service"]
  readonly hub: TaskHub["Service"]
  /** Sends push notifications, if the server does. */
  readonly push: PushSender["Service"] | undefined
}

export interface Work {
  readonly owner: Owner.Owner
  readonly turn: Turn
  /** Passes the messages that arrive meanwhile to the executor, if it takes them. */
  readonly inbox: Queue.Queue<Message.Message, Cause.Done> | undefined
  /** Those messages. */
  readonly received: Array<Message.Message>
  /** Orders the writes of the turn and those of messages that arrive meanwhile. */
  readonly writes: Semaphore.Semaphore
  /** The configuration that came with the message. */
  readonly webhook: PushNotification.PushNotificationConfig | undefined
  /** The length of the log behind the last write. */
  length: number
  /** The executor decides between a task and a message; nothing is written yet. */
  isDeciding: boolean
  /** Nothing is written any more. */
  isOver: boolean
  /** What was said in the turn is in the transcript of the context. */
  hasWords: boolean
  /** The error of the replies: the call that began the turn fails with it. */
  refusal: AgentErrorReason | undefined
  /** Runs the executor's `onCancel` once. */
  lastWord: Effect.Effect<Message.Input | undefined, AgentErrorReason> | undefined
  /** The task is being canceled, with a last word. */
  canceled: { readonly word: Message.Input | undefined } | undefined
}

/** `length` is that of the task's log. */
export const make = (
  owner: Owner.Owner,
  turn: Turn,
  length: number,
  inbox: Work["inbox"],
  webhook: Work["webhook"]
): Work => ({
  owner,
  turn,
  inbox,
  webhook,
  received: [],
  writes: Semaphore.makeUnsafe(1),
  length,
  isDeciding: true,
  isOver: false,
  hasWords: false,
  refusal: undefined,
  lastWord: undefined,
  canceled: undefined
})

/** Queues notifications of events that were written. */
export const notify = (
  { push, store }: Sinks,
  owner: Owner.Owner,
  taskId: Id.TaskId,
  events: ReadonlyArray<StreamEvent.StreamEvent>
): Effect.Effect<void> =>
  push === undefined
    ? Effect.void
    : push.deliver({ owner, taskId, events, task: Effect.map(store.get(owner, taskId), (stored) => stored?.task) })

/** Appends events to the log, then announces them. */
const append = (sinks: Sinks, work: Work, events: Arr.NonEmptyReadonlyArray<StreamEvent.StreamEvent>) =>
  Effect.suspend(() => sinks.store.append(work.owner, work.turn.taskId, { expected: work.length, events })).pipe(
    Effect.flatMap((length) => {
      work.length = length
      return sinks.hub.publish(work.turn.taskId, length)
    }),
    Effect.tap(() => notify(sinks, work.owner, work.turn.taskId, events))
  )

/** Adds what was said in the turn to the transcript of its context, with events that are about to be written. */
export const keepWords = (
  { store }: Sinks,
  work: Work,
  events: ReadonlyArray<StreamEvent.StreamEvent> = []
): Effect.Effect<void> => {
  const { owner, received, turn } = work
  return work.hasWords ? Effect.void : Effect.flatMap(store.get(owner, turn.taskId), (stored) => {
    work.hasWords = true
    const task = TaskProgress.applyAll(stored?.task, events)
    const said = task === undefined ? [] : Words.since(turn.task, task)
    return store.addWords(owner, turn.contextId, [turn.message, ...received, ...said])
  })
}

// after more events than this, readers in this process get a chance to read them before others follow
const largeBatch = 64

/** Writes events of the turn. The words are kept before its end is seen: the next message may come at once. */
export const write = (
  sinks: Sinks,
  work: Work,
  events: ReadonlyArray<StreamEvent.StreamEvent>
): Effect.Effect<void, AgentErrorReason | VersionConflict> => {
  const [first, ...others] = events
  if (first === undefined) return Effect.void
  const written = append(sinks, work, [first, ...others])
  const appended = Effect.uninterruptible(
    events.some(Ends.endsTurn) ? Effect.andThen(keepWords(sinks, work, events), written) : written
  )
  const ordered = work.inbox === undefined ? appended : work.writes.withPermit(appended)
  return events.length > largeBatch ? Effect.andThen(ordered, Effect.yieldNow) : ordered
}

/** Writes the task as a function changes it, and returns the position of the snapshot; `undefined` if it does not. */
export const writeSnapshot = (
  sinks: Sinks,
  work: Work,
  change: (task: Task.Task) => Task.Task | undefined
): Effect.Effect<number | undefined, AgentErrorReason | VersionConflict> =>
  Effect.gen(function*() {
    const stored = yield* sinks.store.get(work.owner, work.turn.taskId)
    const task = stored && change(stored.task)
    if (task === undefined) return undefined
    const position = work.length
    yield* append(sinks, work, [task])
    return position
  }).pipe(Effect.uninterruptible, work.writes.withPermit)
