/**
 * Folds the events of a stream: the task, the answer's content, and the steps of each event. All views of a stream are
 * made of it. Events of other tasks change nothing. A mutable value, so that a long stream takes time in proportion to its
 * events. For the answer of a whole stream use `Answer.sink`, for its steps `AgentStream.steps`.
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
 * progress.steps // => [{ _tag: "Text", source: "artifact a", text: "world" }]
 * ```
 *
 * @since 0.1.0
 * @stability unstable
 */
import { dual } from "effect/Function"
import type * as Artifact from "./Artifact.ts"
import * as Baseline from "./internal/turn/baseline.ts"
import * as Hash from "./internal/turn/eventHash.ts"
import { isForeign } from "./internal/turn/foreign.ts"
import * as Reading from "./internal/turn/reading.ts"
import * as Source from "./internal/turn/source.ts"
import * as TaskFold from "./internal/turn/taskFold.ts"
import type * as Message from "./Message.ts"
import type * as Step from "./Step.ts"
import * as StreamEvent from "./StreamEvent.ts"
import type * as Task from "./Task.ts"
import * as TaskState from "./TaskState.ts"
import * as ToolCall from "./ToolCall.ts"

/** The events so far, folded. Changed by {@link add} only. */
export interface TaskProgress {
  /** The steps of the last event. */
  readonly steps: ReadonlyArray<Step.Step>
  /** The tool calls of the turn, with the outcomes that are known. */
  readonly toolCalls: ReadonlyArray<ToolCall.ToolCall>
  /** The last message of the agent that is not part of a task's status. */
  readonly message: Message.Message | undefined
  /** The text of messages so far, in pieces. */
  readonly said: Array<Step.Text>
  /** The artifacts before the turn, if the message was sent to a task that exists. */
  readonly past: ReadonlyMap<string, Artifact.Artifact>
  /** The task so far, for {@link task}. */
  readonly fold: TaskFold.TaskFold
  /** The lengths, hashes and ids of what passed, so that each step is reported once. */
  readonly reading: Reading.Reading
}

type Mutable = { -readonly [K in keyof TaskProgress]: TaskProgress[K] }

/** Creates the progress of a stream before its first event. */
export const make = (): TaskProgress => ({
  steps: [],
  toolCalls: [],
  message: undefined,
  said: [],
  past: new Map(),
  fold: TaskFold.make(),
  reading: Reading.make()
})

const addBaseline = (self: Mutable, event: StreamEvent.StreamEvent): void => {
  const past = Baseline.pastOf(event)
  if (past === undefined) return
  TaskFold.add(self.fold, past)
  self.past = new Map(past.artifacts?.map((artifact) => [artifact.artifactId, artifact]))
}

/** Adds one event, and returns the same progress. */
export const add = (self: TaskProgress, event: StreamEvent.StreamEvent): TaskProgress => {
  const progress: Mutable = self
  const isQuestion = TaskState.isInterrupted(StreamEvent.state(event) ?? "unspecified")
  if (self.reading.isFirst) addBaseline(progress, event)
  const steps = progress.steps = Reading.read(self.reading, event)
  TaskFold.add(self.fold, event)
  if (event._tag === "Message" && !isForeign(self.reading, event)) progress.message = event
  for (const step of steps) {
    if (step._tag === "ToolCall") progress.toolCalls = ToolCall.add(progress.toolCalls, step.call)
    if (step._tag === "ToolResult") progress.toolCalls = ToolCall.add(progress.toolCalls, step.result)
    if (step._tag === "Text" && !isQuestion && !Source.isOfArtifact(step.source)) self.said.push(step)
  }
  return self
}

/** Marks the end of the stream: emits the text that waited for its other half, if there is any. */
export const end = (self: TaskProgress): TaskProgress => {
  const progress: Mutable = self
  progress.steps = Reading.end(self.reading)
  for (const step of progress.steps) if (step._tag === "Text" && !Source.isOfArtifact(step.source)) self.said.push(step)
  return self
}

/** Adds several events in order, and returns the same progress. */
export const addAll = (self: TaskProgress, events: Iterable<StreamEvent.StreamEvent>): TaskProgress => {
  for (const event of events) add(self, event)
  return self
}

/** Returns the task so far, or `undefined` if no event had one. */
export const task = ({ fold }: TaskProgress): Task.Task | undefined => TaskFold.toTask(fold)

/** Returns an artifact of the turn by its id; `undefined` for one that the task had before, unchanged. */
export const artifact = ({ fold, past }: TaskProgress, id: string): Artifact.Artifact | undefined => {
  const latest = TaskFold.toLatest(fold, id)
  const before = past.get(id)
  return latest === undefined || (before?.parts.length === latest.length &&
      Hash.hashParts(before.parts) === Hash.hashParts(latest.artifact.parts))
    ? undefined
    : latest.artifact
}

/** Returns the artifacts of the turn: all of the task but those that it had before, unchanged. */
export const artifacts = (self: TaskProgress): ReadonlyArray<Artifact.Artifact> =>
  Array.from(self.fold.artifacts?.keys() ?? []).flatMap((id) => artifact(self, id) ?? [])

/**
 * Returns a task after several events: a snapshot replaces it, an update changes it, messages and events of other tasks
 * leave it as it is. Without a task, it is created from the ids of the first event. A task in a terminal state stays in
 * it. Status messages are progress, not turns: they do not enter `history`.
 */
export const applyAll: {
  (events: Iterable<StreamEvent.StreamEvent>): (task: Task.Task | undefined) => Task.Task | undefined
  (task: Task.Task | undefined, events: Iterable<StreamEvent.StreamEvent>): Task.Task | undefined
} = /*#__PURE__*/ dual(2, (task: Task.Task | undefined, events: Iterable<StreamEvent.StreamEvent>) => {
  const fold = TaskFold.make()
  if (task !== undefined) TaskFold.add(fold, task)
  for (const event of events) TaskFold.add(fold, event)
  return TaskFold.toTask(fold)
})

/** Returns a task after one event, as {@link applyAll} does. */
export const apply: {
  (event: StreamEvent.StreamEvent): (task: Task.Task | undefined) => Task.Task | undefined
  (task: Task.Task | undefined, event: StreamEvent.StreamEvent): Task.Task | undefined
} = /*#__PURE__*/ dual(2, (task: Task.Task | undefined, event: StreamEvent.StreamEvent) => applyAll(task, [event]))
