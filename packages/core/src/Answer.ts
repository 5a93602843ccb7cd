/**
 * The answer to a message: its text, artifacts and tool calls, and the state that the task ended in.
 *
 * ```ts
 * import { Answer, Artifact, Id, Part, StreamEvent } from "@effect-a2a/core"
 * import { Effect, Stream } from "effect"
 *
 * const taskId = Id.TaskId.make("t-1")
 * const events = Stream.make<Array<StreamEvent.StreamEvent>>(
 *   StreamEvent.artifactUpdate({ taskId, artifact: Artifact.make(Id.ArtifactId.make("a"), [Part.text("42")]) }),
 *   StreamEvent.statusUpdate({ taskId, status: { state: "completed" } })
 * )
 * const answer = await Effect.runPromise(Stream.run(events, Answer.sink))
 * answer.text // => "42"
 * answer.state // => "completed"
 * ```
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Sink from "effect/Sink"
import * as Artifact from "./Artifact.ts"
import * as Id from "./Id.ts"
import * as Message from "./Message.ts"
import type * as StreamEvent from "./StreamEvent.ts"
import * as Task from "./Task.ts"
import * as TaskProgress from "./TaskProgress.ts"
import { TaskState } from "./TaskState.ts"
import * as ToolCall from "./ToolCall.ts"

/**
 * The answer to a message. `state` is the task's, or `message` if the agent answered with a message and no task. `text` is
 * that of the artifacts; if they have none, that of the status message, which for `input-required` is the question.
 */
export class Answer extends Schema.Opaque<Answer>()(
  Schema.Struct({
    state: Schema.Union([TaskState, Schema.Literal("message")]),
    text: Schema.String,
    artifacts: Schema.Array(Artifact.Artifact),
    toolCalls: Schema.Array(ToolCall.ToolCall),
    task: Schema.optionalKey(Task.Task),
    message: Schema.optionalKey(Message.Message),
    taskId: Schema.optionalKey(Id.TaskId),
    contextId: Schema.optionalKey(Id.ContextId)
  }).annotate({ identifier: "Answer" })
) {}

/** The answer of a stream without events: state `unspecified`. */
export const empty: Answer = { state: "unspecified", text: "", artifacts: [], toolCalls: [] }

const ids = (taskId: Id.TaskId | undefined, contextId: Id.ContextId | undefined) => ({
  ...(taskId === undefined ? undefined : { taskId }),
  ...(contextId === undefined ? undefined : { contextId })
})

/** Returns the answer that a message is. */
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

/** Returns the answer of a task as it stands. `toolCalls`: default those in the task; a stream may have reported more. */
export const fromTask = (task: Task.Task, toolCalls?: ReadonlyArray<ToolCall.ToolCall>): Answer => ({
  state: task.status.state,
  text: Task.text(task) || Task.statusText(task) || "",
  artifacts: task.artifacts ?? [],
  toolCalls: toolCalls ?? toolCallsOf(task),
  task,
  ...ids(task.id, task.contextId)
})

/** Returns the answer of what `Agent.send` returns. */
export const from = (result: Task.Task | Message.Message): Answer =>
  result._tag === "Task" ? fromTask(result) : fromMessage(result)

/** Returns the answer of the events so far: of the task if there is one, else of the message, else {@link empty}. */
export const fromProgress = (progress: TaskProgress.TaskProgress): Answer => {
  const task = TaskProgress.task(progress)
  if (task !== undefined) return fromTask(task, progress.toolCalls)
  return progress.message === undefined ? empty : fromMessage(progress.message)
}

/** Collects the answer of a stream of events, {@link empty} without events. */
export const sink: Sink.Sink<Answer, StreamEvent.StreamEvent> = /*#__PURE__*/ Sink.map(
  /*#__PURE__*/ Sink.foldArray<TaskProgress.TaskProgress, StreamEvent.StreamEvent>(
    TaskProgress.make,
    () => true,
    (progress, events) =>
      Effect.sync(() => {
        TaskProgress.addAll(progress, events)
        return progress
      })
  ),
  fromProgress
)
