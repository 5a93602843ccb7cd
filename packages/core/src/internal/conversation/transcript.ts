/** The messages of a conversation, in order, each of them once. Tested in `packages/core/test/transition.test.ts`. */
import * as Equal from "effect/Equal"
import * as Id from "../../Id.ts"
import * as Message from "../../Message.ts"
import type { Task } from "../../Task.ts"
import * as TaskState from "../../TaskState.ts"

/** A list of messages. */
export type Transcript = ReadonlyArray<Message.Message>

/** Returns true if the message is there: some agents give all their messages one id, so that the parts count, too. */
export const has = (self: Transcript, { messageId, parts }: Message.Message): boolean =>
  messageId !== Message.missingMessageId &&
  self.some((one) => one.messageId === messageId && Equal.equals(one.parts, parts))

/** Adds a message unless it is there already. */
export const add = (self: Transcript, message: Message.Message | undefined): Transcript =>
  message === undefined || has(self, message) ? self : [...self, message]

/** Removes a message. */
export const remove = (self: Transcript, message: Message.Message): Transcript => self.filter((one) => one !== message)

/** The agent's message about the state of its task, in either place where servers put it. */
const statusMessage = ({ history, status }: Task): Message.Message | undefined => {
  const last = status.message ?? history?.at(-1)
  return last?.role === "agent" ? last : undefined
}

/** Returns the question of a task that waits for its caller. */
export const question = (task: Task | undefined): Message.Message | undefined =>
  task !== undefined && TaskState.isInterrupted(task.status.state) ? statusMessage(task) : undefined

const answerId = ({ id }: Task): Id.MessageId => Id.MessageId.make(`${id}/answer`)

/** Returns the question of a task that asks, the answer of one that ended; nothing while it runs. */
const outcome = (task: Task): Message.Message | undefined => {
  const { artifacts = [], contextId, id, status } = task
  if (TaskState.isInterrupted(status.state)) return statusMessage(task)
  if (status.state !== "completed") return TaskState.isTerminal(status.state) ? status.message : undefined
  return artifacts.length === 0 ? statusMessage(task) : {
    _tag: "Message",
    messageId: answerId(task),
    role: "agent",
    parts: artifacts.flatMap(({ parts }) => parts),
    taskId: id,
    ...(contextId === undefined ? undefined : { contextId })
  }
}

/** Adds the question of a task that asks, or the answer of one that ended. An answer of which there is more replaces it. */
export const conclude = (self: Transcript, task: Task): Transcript => {
  const message = outcome(task)
  if (message === undefined || message.messageId !== answerId(task)) return add(self, message)
  const index = self.findIndex(({ messageId }) => messageId === message.messageId)
  return index === -1 ? [...self, message] : self.with(index, message)
}
