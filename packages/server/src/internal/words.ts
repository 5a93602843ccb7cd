/** What the agent said in a turn. Tested in `packages/server/test/words.test.ts`. */
import * as Artifact from "@effect-a2a/core/Artifact"
import * as Id from "@effect-a2a/core/Id"
import type * as Message from "@effect-a2a/core/Message"
import * as Part from "@effect-a2a/core/Part"
import type * as Task from "@effect-a2a/core/Task"

/** Returns the text that an artifact has and did not have before. */
const textSince = (before: Task.Task | undefined, artifact: Artifact.Artifact): string => {
  const known = before?.artifacts?.find(({ artifactId }) => artifactId === artifact.artifactId)
  const text = Artifact.text(artifact)
  const past = known === undefined ? "" : Artifact.text(known)
  return text.startsWith(past) ? text.slice(past.length) : text
}

/** Returns the words of the agent in order: the text of each artifact that grew, then the message of the last state. */
export const since = (before: Task.Task | undefined, task: Task.Task): ReadonlyArray<Message.Message> => {
  const { artifacts = [], contextId, id, status } = task
  const results = artifacts.flatMap((artifact): ReadonlyArray<Message.Message> => {
    const text = textSince(before, artifact)
    return text === "" ? [] : [{
      _tag: "Message",
      messageId: Id.MessageId.make(artifact.artifactId),
      role: "agent",
      parts: [Part.text(text)],
      taskId: id,
      ...(contextId === undefined ? undefined : { contextId })
    }]
  })
  return status.message === undefined ? results : [...results, status.message]
}
