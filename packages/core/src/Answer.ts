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
import * as Baseline from "./internal/turn/baseline.ts"
import * as Source from "./internal/turn/source.ts"
import * as Message from "./Message.ts"
import type * as Step from "./Step.ts"
import type * as StreamEvent from "./StreamEvent.ts"
import * as Task from "./Task.ts"
import * as TaskProgress from "./TaskProgress.ts"
import * as TaskState from "./TaskState.ts"
import * as ToolCall from "./ToolCall.ts"

/**
 * The answer to a message. `state` is the task's, or `message` if the agent answered with a message and no task. `text` is
 * that of the artifacts, separated by blank lines; if they have none, that of the agent's messages. `question` is the
 * agent's message if it waits for input or authentication. In a task that was continued, only what is new counts; `task`
 * has everything.
 */
export class Answer extends Schema.Opaque<Answer>()(
  Schema.Struct({
    state: Schema.Union([TaskState.TaskState, Schema.Literal("message")]),
    text: Schema.String,
    question: Schema.optionalKey(Schema.String),
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

/** The text of artifacts, without what the task had before. */
const textOf = ({ past }: TaskProgress.TaskProgress, artifacts: ReadonlyArray<Artifact.Artifact>): string =>
  artifacts.map((artifact) => {
    const text = Artifact.text(artifact)
    const before = past.get(artifact.artifactId)
    const known = before === undefined ? "" : Artifact.text(before)
    return text.startsWith(known) ? text.slice(known.length) : text
  }).filter((text) => text !== "").join("\n\n")

/** The text of the agent's messages without its question; of a task that failed, the reason. */
const saidText = ({ said }: TaskProgress.TaskProgress, { status }: Task.Task): string => {
  const { message, state } = status
  if (message !== undefined && TaskState.isUnsuccessful(state)) return Message.text(message)
  const join = (steps: ReadonlyArray<Step.Text>) =>
    steps.reduce((text, step) => text + step.text, "").replace(/^\n\n/, "")
  if (message === undefined || !TaskState.isInterrupted(state)) return join(said)
  const source = Source.ofMessage(message.messageId)
  // a question may have been written piece by piece; other text under its id stays
  const isPart = Message.text(message).startsWith(join(said.filter((step) => step.source === source)))
  return join(isPart ? said.filter((step) => step.source !== source) : said)
}

const questionOf = ({ message, state }: Task.TaskStatus) => {
  const question = message === undefined || !TaskState.isInterrupted(state) ? "" : Message.text(message)
  return question === "" ? undefined : { question }
}

/** Returns the answer of the events so far: of the task if there is one, else of the message, else {@link empty}. */
export const fromProgress = (progress: TaskProgress.TaskProgress): Answer => {
  const task = TaskProgress.task(progress)
  if (task === undefined) return progress.message === undefined ? empty : fromMessage(progress.message)
  const artifacts = TaskProgress.artifacts(progress)
  return {
    state: task.status.state,
    text: textOf(progress, artifacts) || saidText(progress, task),
    ...questionOf(task.status),
    artifacts,
    toolCalls: progress.toolCalls,
    task,
    ...ids(task.id, task.contextId)
  }
}

/**
 * Returns the answer of a task as it stands. `before` is the same task before the message was sent: what it had already is
 * left out. Default: nothing.
 */
export const fromTask = (task: Task.Task, before?: Task.Task): Answer =>
  fromProgress(
    TaskProgress.add(TaskProgress.make(), before?.id === task.id ? Baseline.set(task, { task: before }) : task)
  )

/** Returns the answer of what `Agent.send` returns. `before`: as for {@link fromTask}. */
export const from = (result: Task.Task | Message.Message, before?: Task.Task): Answer =>
  result._tag === "Task" ? fromTask(result, before) : fromMessage(result)

/** Collects the answer of a stream of events, {@link empty} without events. */
export const sink: Sink.Sink<Answer, StreamEvent.StreamEvent> = /*#__PURE__*/ Sink.map(
  /*#__PURE__*/ Sink.foldArray<TaskProgress.TaskProgress, StreamEvent.StreamEvent>(
    TaskProgress.make,
    () => true,
    (progress, events) => Effect.sync(() => TaskProgress.addAll(progress, events))
  ),
  (progress) => fromProgress(TaskProgress.end(progress))
)
