/** The messages of a conversation, in order, each of them once. */
import * as Id from "../../Id.ts"
import * as Message from "../../Message.ts"
import type { Task } from "../../Task.ts"
import * as TaskState from "../../TaskState.ts"

/** A list of messages that grows. */
export interface Transcript {
  readonly messages: () => ReadonlyArray<Message.Message>
  /** Adds a message; returns false if it was there already. */
  readonly add: (message: Message.Message) => boolean
  /** Adds what a task says when it ends or asks for something. */
  readonly conclude: (task: Task) => void
  /** Removes a message that was refused. */
  readonly remove: (message: Message.Message) => void
}

/** The agent's message about the state of its task, in either place where servers put it. */
const statusMessage = ({ history, status }: Task): Message.Message | undefined => {
  const last = status.message ?? history?.at(-1)
  return last?.role === "agent" ? last : undefined
}

/** The question of a task that asks, the answer of one that ended; nothing while it runs. */
const outcome = (task: Task): Message.Message | undefined => {
  const { artifacts = [], contextId, id, status } = task
  if (TaskState.isInterrupted(status.state)) return statusMessage(task)
  if (status.state !== "completed") return TaskState.isTerminal(status.state) ? status.message : undefined
  return artifacts.length === 0 ? statusMessage(task) : {
    _tag: "Message",
    messageId: Id.MessageId.make(`${id}/answer`),
    role: "agent",
    parts: artifacts.flatMap(({ parts }) => parts),
    taskId: id,
    ...(contextId === undefined ? undefined : { contextId })
  }
}

/** Creates an empty transcript. */
export const make = (): Transcript => {
  let messages: ReadonlyArray<Message.Message> = []
  const ids = new Set<Id.MessageId>()

  const add = (message: Message.Message): boolean => {
    if (ids.has(message.messageId)) return false
    if (message.messageId !== Message.missingMessageId) ids.add(message.messageId)
    messages = [...messages, message]
    return true
  }

  return {
    messages: () => messages,
    add,
    conclude: (task) => {
      const message = outcome(task)
      if (message !== undefined) add(message)
    },
    remove: (message) => {
      ids.delete(message.messageId)
      messages = messages.filter((one) => one !== message)
    }
  }
}
