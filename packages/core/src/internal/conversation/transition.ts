/**
 * The transitions of a conversation: pure functions of its state and of what happened. Tested in
 * `packages/core/test/transition.test.ts`.
 */
import type { ConversationState } from "../../ConversationState.ts"
import type * as Id from "../../Id.ts"
import type { Message } from "../../Message.ts"
import type { Task } from "../../Task.ts"
import * as TaskState from "../../TaskState.ts"
import * as Transcript from "./transcript.ts"

/** The state that conversations in one context share: the task that was left there, and a message that may have been received. */
export type Shared = Pick<ConversationState, "pending" | "unanswered">

/** A task as it stands, and the part of it that is new to the transcript. */
export interface Progress {
  readonly task: Task
  readonly news: Task
}

/** An event in the life of a conversation. */
export type Event =
  /** The conversation takes over what is known of its context, or of another one. */
  | { readonly _tag: "Enter"; readonly contextId: Id.ContextId | undefined; readonly shared: Shared }
  /** A message is sent, to the task that its id names. */
  | { readonly _tag: "Send"; readonly message: Message }
  /** The agent responded: with a task as it stands, or with a message. No message is unanswered. */
  | {
    readonly _tag: "Receive"
    readonly contextId?: Id.ContextId | undefined
    readonly progress?: Progress | undefined
  }
  /** A task that was left running has settled. */
  | { readonly _tag: "Settle"; readonly progress: Progress }
  /** A turn is over with a message instead of a task. */
  | { readonly _tag: "Reply"; readonly reply: Message }
  /** The agent refused a message, which leaves no trace if it was new. */
  | {
    readonly _tag: "Refuse"
    readonly message: Message
    readonly isNew: boolean
    readonly contextId: Id.ContextId | undefined
    readonly shared: Shared
  }
  /** A turn broke off without a response. `taskId` is the task's, if it is known. */
  | { readonly _tag: "Lose"; readonly message: Message; readonly taskId: Id.TaskId | undefined }
  /** A task was found that runs in the context, or that names the context. */
  | { readonly _tag: "Find"; readonly task: Task }
  /** Nothing more is to come of the pending task. */
  | { readonly _tag: "Forget" }

/** Returns what a conversation shares with others in its context. */
export const share = ({ pending, unanswered }: ConversationState): Shared => ({
  ...(pending && { pending }),
  ...(unanswered !== undefined && { unanswered })
})

/** Returns the task as one whose state has to be read before the next message. */
export const unknownState = (id: Id.TaskId, known: Task | undefined): Task => ({
  ...(known?.id === id ? known : { _tag: "Task", id }),
  status: { ...(known?.id === id ? known.status : undefined), state: "unspecified" }
})

const make = (
  contextId: Id.ContextId | undefined,
  task: Task | undefined,
  unanswered: Id.MessageId | undefined,
  transcript: Transcript.Transcript
): ConversationState => {
  const pending = task === undefined || TaskState.isTerminal(task.status.state) ? undefined : task
  const question = Transcript.question(pending)
  return {
    ...(contextId !== undefined && { contextId }),
    ...(pending && { pending }),
    ...(question && { question }),
    ...(unanswered !== undefined && { unanswered }),
    transcript
  }
}

/** Returns a state whose members agree with each other, for one that was saved or written by hand. */
export const normalize = ({ contextId, pending, transcript, unanswered }: ConversationState): ConversationState =>
  make(contextId, pending, unanswered, transcript)

const conclude = (transcript: Transcript.Transcript, { progress }: { readonly progress?: Progress | undefined }) =>
  progress === undefined ? transcript : Transcript.conclude(transcript, progress.news)

/** Returns the state after an event. */
export const apply = (state: ConversationState, event: Event): ConversationState => {
  const { contextId, pending, transcript, unanswered } = state
  switch (event._tag) {
    case "Enter":
      return make(event.contextId, event.shared.pending, event.shared.unanswered, transcript)
    case "Send": {
      const { message } = event
      const task = message.taskId === undefined ? undefined : unknownState(message.taskId, pending)
      return make(message.contextId, task, message.messageId, Transcript.add(transcript, message))
    }
    case "Receive":
      return make(event.contextId ?? contextId, event.progress?.task ?? pending, undefined, conclude(transcript, event))
    case "Settle":
      return make(contextId, event.progress.task, unanswered, conclude(transcript, event))
    case "Reply": {
      const isPending = pending !== undefined && event.reply.taskId === pending.id
      return make(contextId, isPending ? pending : undefined, unanswered, Transcript.add(transcript, event.reply))
    }
    case "Refuse": {
      const { isNew, message, shared } = event
      const kept = isNew ? Transcript.remove(transcript, message) : transcript
      return make(event.contextId, shared.pending, shared.unanswered, kept)
    }
    case "Lose": {
      const { message, taskId = message.taskId } = event
      return taskId === undefined
        ? make(contextId, undefined, message.messageId, transcript)
        : make(contextId, unknownState(taskId, pending), undefined, transcript)
    }
    case "Find":
      return make(contextId ?? event.task.contextId, event.task, unanswered, transcript)
    case "Forget":
      return make(contextId, undefined, unanswered, transcript)
  }
}
