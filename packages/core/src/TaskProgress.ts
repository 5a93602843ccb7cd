/**
 * Folds the events of a stream into the task, its tool calls and the last message, one at a time. A mutable value, so
 * that a long stream costs in proportion to its events: chunks of an artifact are appended in place. For the answer of a
 * whole stream use `Answer.sink`.
 *
 * ```ts
 * import { Artifact, Id, Part, StreamEvent, TaskProgress } from "@effect-a2a/core"
 *
 * const taskId = Id.TaskId.make("t-1")
 * const chunk = (text: string) => Artifact.make(Id.ArtifactId.make("a"), [Part.text(text)])
 * const progress = TaskProgress.make()
 * TaskProgress.add(progress, StreamEvent.artifactUpdate({ taskId, artifact: chunk("Hello ") }))
 * TaskProgress.add(progress, StreamEvent.artifactUpdate({ taskId, artifact: chunk("world"), append: true }))
 * TaskProgress.task(progress)?.artifacts?.map(Artifact.text) // => ["Hello world"]
 * ```
 *
 * @since 0.1.0
 * @stability unstable
 */
import * as Artifact from "./Artifact.ts"
import type * as Message from "./Message.ts"
import type * as Part from "./Part.ts"
import * as StreamEvent from "./StreamEvent.ts"
import type * as Task from "./Task.ts"
import * as ToolCall from "./ToolCall.ts"

/** An artifact of which more chunks may come. */
interface OpenArtifact {
  artifact: Artifact.Artifact
  readonly parts: Array<Part.Part>
}

/** The events so far, folded. Changed by {@link add} only. */
export interface TaskProgress {
  /** The task without its artifacts. */
  status: Task.Task | undefined
  /** The last message that came instead of a task. */
  message: Message.Message | undefined
  /** The tool calls so far, each once, with the outcomes that are known. */
  toolCalls: ReadonlyArray<ToolCall.ToolCall>
  readonly artifacts: Map<string, OpenArtifact>
}

/** Creates the progress of a stream before its first event. */
export const make = (): TaskProgress => ({
  status: undefined,
  message: undefined,
  toolCalls: [],
  artifacts: new Map()
})

const putArtifact = ({ artifacts }: TaskProgress, artifact: Artifact.Artifact, append: boolean): void => {
  const earlier = append ? artifacts.get(artifact.artifactId) : undefined
  if (earlier === undefined) {
    artifacts.set(artifact.artifactId, { artifact, parts: [...artifact.parts] })
    return
  }
  earlier.artifact = Artifact.append({ ...earlier.artifact, parts: [] }, { ...artifact, parts: [] })
  for (const part of artifact.parts) earlier.parts.push(part)
}

const addToolCalls = (self: TaskProgress, from: { readonly parts: ReadonlyArray<Part.Part> } | undefined): void => {
  if (from !== undefined) { for (const part of from.parts) self.toolCalls = ToolCall.add(self.toolCalls, part) }
}

const addTask = (self: TaskProgress, event: Task.Task): void => {
  for (const message of event.history ?? []) addToolCalls(self, message)
  addToolCalls(self, event.status.message)
  self.status = StreamEvent.apply(self.status, event)
  if (event.artifacts !== undefined) self.artifacts.clear()
  for (const artifact of event.artifacts ?? []) {
    addToolCalls(self, artifact)
    putArtifact(self, artifact, false)
  }
}

/** Adds one event. */
export const add = (self: TaskProgress, event: StreamEvent.StreamEvent): void => {
  switch (event._tag) {
    case "Message":
      self.message = event
      return
    case "ArtifactUpdate":
      self.status ??= StreamEvent.apply(undefined, { ...event, artifact: { ...event.artifact, parts: [] } })
      addToolCalls(self, event.artifact)
      return putArtifact(self, event.artifact, event.append === true)
    case "StatusUpdate":
      addToolCalls(self, event.status.message)
      self.status = StreamEvent.apply(self.status, event)
      return
    case "Task":
      return addTask(self, event)
  }
}

/** Adds several events in order. */
export const addAll = (self: TaskProgress, events: Iterable<StreamEvent.StreamEvent>): void => {
  for (const event of events) add(self, event)
}

/** Returns the task so far, or `undefined` if no event had one. */
export const task = ({ artifacts, status }: TaskProgress): Task.Task | undefined =>
  status && artifacts.size > 0
    ? { ...status, artifacts: Array.from(artifacts.values(), ({ artifact, parts }) => ({ ...artifact, parts })) }
    : status
