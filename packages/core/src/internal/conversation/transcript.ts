/** What was said in a conversation, in order, each message once. */
import * as Id from "../../Id.ts"
import * as Message from "../../Message.ts"
import type { Task } from "../../Task.ts"
import * as TaskState from "../../TaskState.ts"

/** What an agent says of where its task stands, wherever the server files it. */
const spoken = ({ history, status }: Task): Message.Message | undefined => {
  const last = status.message ?? history?.at(-1)
  return last?.role === "agent" ? last : undefined
}

/** What a task says in the end, or where it stops to ask. Nothing while it runs. */
const outcome = (task: Task): Message.Message | undefined => {
  const { artifacts = [], contextId, id, status } = task
  if (TaskState.isInterrupted(status.state)) return spoken(task)
  if (status.state !== "completed") return TaskState.isTerminal(status.state) ? status.message : undefined
  return artifacts.length === 0 ? spoken(task) : {
    _tag: "Message",
    messageId: Id.MessageId.make(`${id}/answer`),
    role: "agent",
    parts: artifacts.flatMap(({ parts }) => parts),
    taskId: id,
    ...(contextId === undefined ? undefined : { contextId })
  }
}

export const make = () => {
  let messages: ReadonlyArray<Message.Message> = []
  const ids = new Set<Id.MessageId>()

  const add = (message: Message.Message): boolean => {
    if (ids.has(message.messageId)) return false
    if (message.messageId !== Message.unidentified) ids.add(message.messageId)
    messages = [...messages, message]
    return true
  }

  return {
    messages: () => messages,
    /** Whether it was not there yet. */
    add,
    /** Adds what comes of a task. */
    conclude: (task: Task): void => {
      const message = outcome(task)
      if (message !== undefined) add(message)
    },
    /** Takes a message back that was not accepted. */
    remove: (message: Message.Message): void => {
      ids.delete(message.messageId)
      messages = messages.filter((one) => one !== message)
    }
  }
}
