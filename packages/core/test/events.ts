/** Events of one task, as an agent sends them. */
import { Artifact, Id, Part, StreamEvent, type Task } from "@effect-a2a/core"

export const taskId = Id.TaskId.make("t-1")
export const contextId = Id.ContextId.make("c-1")
export const at = { taskId, contextId }
export type State = Task.Task["status"]["state"]

export const art = (id: string, append: boolean | undefined, text: string, lastChunk?: boolean) =>
  StreamEvent.artifactUpdate({
    ...at,
    artifact: Artifact.make(Id.ArtifactId.make(id), [Part.text(text)]),
    ...(append === undefined ? {} : { append }),
    ...(lastChunk === undefined ? {} : { lastChunk })
  })

export const status = (state: State) => StreamEvent.statusUpdate({ ...at, status: { state } })

export const snapshot = (state: State, fields: Partial<Task.Task> = {}): Task.Task => ({
  _tag: "Task",
  id: taskId,
  contextId,
  status: { state },
  ...fields
})
