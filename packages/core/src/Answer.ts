/**
 * What came of a message: the answer's text, its artifacts, the tools that were called, and why it ended.
 *
 * ```ts
 * import { Answer, Artifact, Id, Part } from "@effect-a2a/core"
 *
 * const answer = Answer.fromTask({
 *   _tag: "Task",
 *   id: Id.TaskId.make("t-1"),
 *   status: { state: "completed" },
 *   artifacts: [Artifact.make(Id.ArtifactId.make("a"), [Part.text("42")])]
 * })
 * answer.text // => "42"
 * ```
 *
 * @since 0.1.0
 */
import * as Artifact from "./Artifact.ts"
import type * as Id from "./Id.ts"
import * as Message from "./Message.ts"
import type * as Part from "./Part.ts"
import * as StreamEvent from "./StreamEvent.ts"
import * as Task from "./Task.ts"
import type { TaskState } from "./TaskState.ts"
import * as ToolCall from "./ToolCall.ts"

/**
 * `state` is the task's, or `message` where the agent answered with a message and no task. `text` is that of the
 * artifacts, or of what the agent says last where they have none (its question, for `input-required`).
 */
export interface Answer {
  readonly state: TaskState | "message"
  readonly text: string
  readonly artifacts: ReadonlyArray<Artifact.Artifact>
  readonly toolCalls: ReadonlyArray<ToolCall.ToolCall>
  readonly task?: Task.Task
  readonly message?: Message.Message
  readonly taskId?: Id.TaskId
  readonly contextId?: Id.ContextId
}

const ids = (taskId: Id.TaskId | undefined, contextId: Id.ContextId | undefined) => ({
  ...(taskId === undefined ? undefined : { taskId }),
  ...(contextId === undefined ? undefined : { contextId })
})

/** An answer that is a message. */
export const fromMessage = (message: Message.Message): Answer => ({
  state: "message",
  text: Message.text(message),
  artifacts: [],
  toolCalls: ToolCall.collect(message.parts),
  message,
  ...ids(message.taskId, message.contextId)
})

/** Agents report tool calls in turns, or in artifacts. */
const toolCallsOf = ({ artifacts = [], history = [], status: { message } }: Task.Task) =>
  ToolCall.collect([...history, ...artifacts, ...message === undefined ? [] : [message]].flatMap(({ parts }) => parts))

/** What a task answers as it stands; tool calls are those it tells of unless a stream told more. */
export const fromTask = (task: Task.Task, toolCalls?: ReadonlyArray<ToolCall.ToolCall>): Answer => ({
  state: task.status.state,
  text: Task.text(task) || Task.statusText(task) || "",
  artifacts: task.artifacts ?? [],
  toolCalls: toolCalls ?? toolCallsOf(task),
  task,
  ...ids(task.id, task.contextId)
})

export const from = (answer: Task.Task | Message.Message): Answer =>
  answer._tag === "Task" ? fromTask(answer) : fromMessage(answer)

/**
 * Puts an answer together from a stream's events, one at a time. Mutable inside, so that a long stream costs no more
 * than its events.
 */
export const collector = () => {
  let task: Task.Task | undefined
  let message: Message.Message | undefined
  let toolCalls: ReadonlyArray<ToolCall.ToolCall> = []
  const artifacts = new Map<string, { artifact: Artifact.Artifact; parts: Array<Artifact.Artifact["parts"][number]> }>()

  const put = (artifact: Artifact.Artifact, append: boolean) => {
    const known = artifacts.get(artifact.artifactId)
    if (known === undefined || !append) {
      artifacts.set(artifact.artifactId, { artifact, parts: [...artifact.parts] })
      return
    }
    known.artifact = Artifact.append({ ...known.artifact, parts: [] }, { ...artifact, parts: [] })
    for (const part of artifact.parts) known.parts.push(part)
  }

  const hear = (heard: { readonly parts: ReadonlyArray<Part.Part> } | undefined) => {
    for (const part of heard?.parts ?? []) toolCalls = ToolCall.add(toolCalls, part)
  }

  const snapshot = (): Task.Task | undefined =>
    task && artifacts.size > 0
      ? { ...task, artifacts: Array.from(artifacts.values(), ({ artifact, parts }) => ({ ...artifact, parts })) }
      : task

  return {
    add: (event: StreamEvent.StreamEvent): void => {
      switch (event._tag) {
        case "Message":
          message = event
          return
        case "ArtifactUpdate":
          task ??= StreamEvent.apply(undefined, { ...event, artifact: { ...event.artifact, parts: [] } })
          hear(event.artifact)
          return put(event.artifact, event.append === true)
        case "StatusUpdate":
          hear(event.status.message)
          task = StreamEvent.apply(task, event)
          return
        case "Task":
          for (const earlier of event.history ?? []) hear(earlier)
          hear(event.status.message)
          task = StreamEvent.apply(task, event)
          if (event.artifacts !== undefined) artifacts.clear()
          for (const artifact of event.artifacts ?? []) {
            hear(artifact)
            put(artifact, false)
          }
      }
    },
    task: snapshot,
    answer: (): Answer | undefined => {
      const last = snapshot()
      return last === undefined ? message && fromMessage(message) : fromTask(last, toolCalls)
    }
  }
}
