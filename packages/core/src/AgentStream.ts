/**
 * Views of a stream of events: its steps, the text as it is written, thoughts, tool calls, artifacts, the task after each
 * event, the answer.
 *
 * ```ts
 * import { AgentStream, Artifact, Id, Part, StreamEvent } from "@effect-a2a/core"
 * import { Effect, Stream } from "effect"
 *
 * const taskId = Id.TaskId.make("t-1")
 * const artifact = (text: string) => Artifact.make(Id.ArtifactId.make("a"), [Part.text(text)])
 * const events = Stream.make<Array<StreamEvent.StreamEvent>>(
 *   StreamEvent.artifactUpdate({ taskId, artifact: artifact("Hello ") }),
 *   StreamEvent.artifactUpdate({ taskId, artifact: artifact("world"), append: true }),
 *   StreamEvent.statusUpdate({ taskId, status: { state: "completed" } })
 * )
 * await Effect.runPromise(Stream.runCollect(AgentStream.text(events))) // => ["Hello ", "world"]
 * const answer = await Effect.runPromise(AgentStream.answer(events))
 * answer.text // => "Hello world"
 * ```
 *
 * @since 0.1.0
 */
import type * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Answer from "./Answer.ts"
import type * as Artifact from "./Artifact.ts"
import { isForeign } from "./internal/turn/foreign.ts"
import * as Reading from "./internal/turn/reading.ts"
import * as TaskFold from "./internal/turn/taskFold.ts"
import type * as Step from "./Step.ts"
import type * as StreamEvent from "./StreamEvent.ts"
import type * as Task from "./Task.ts"
import * as TaskProgress from "./TaskProgress.ts"
import type * as ToolCall from "./ToolCall.ts"

type Events<E, R> = Stream.Stream<StreamEvent.StreamEvent, E, R>

/** The answer, which follows the last step. */
export interface Final {
  readonly _tag: "Answer"
  readonly answer: Answer.Answer
}

/**
 * Emits the steps of the agent as they come, each once, and the answer last, for programs that show both. Of a task that is
 * continued, the steps before the message are left out.
 *
 * ```ts
 * import { AgentStream, Message, Part, Id, StreamEvent } from "@effect-a2a/core"
 * import { Effect, Stream } from "effect"
 *
 * const taskId = Id.TaskId.make("t-1")
 * const say = (state: "working" | "input-required", text: string) =>
 *   Effect.map(Message.agent(text), (message) => StreamEvent.statusUpdate({ taskId, status: { state, message } }))
 * const events = Stream.fromEffect(say("working", "Three cities fit.")).pipe(
 *   Stream.concat(Stream.fromEffect(say("input-required", "Which one?")))
 * )
 * const steps = await Effect.runPromise(Stream.runCollect(AgentStream.steps(events)))
 * steps.flatMap((step) => step._tag === "Text" ? [step.text] : []) // => ["Three cities fit.", "\n\nWhich one?"]
 * const last = steps.at(-1)
 * last?._tag === "Answer" && [last.answer.text, last.answer.question] // => ["Three cities fit.", "Which one?"]
 * ```
 */
export const steps = <E, R>(self: Events<E, R>): Stream.Stream<Step.Step | Final, E, R> =>
  Stream.suspend(() => {
    const progress = TaskProgress.make()
    const taken = read<E, R, TaskProgress.TaskProgress, Step.Step | Final>(
      self,
      () => progress,
      (progress, event) => TaskProgress.add(progress, event).steps
    )
    // a stream that fails has no answer, hence not `onHalt`
    const last = Stream.suspend(() => {
      TaskProgress.end(progress)
      return Stream.fromIterable<Step.Step | Final>([
        ...progress.steps,
        { _tag: "Answer", answer: Answer.fromProgress(progress) }
      ])
    })
    return Stream.concat(taken, last)
  })

/** Emits what each event adds to a state that is changed in place, and at the end what `onEnd` returns. */
const read = <E, R, S, A>(
  self: Events<E, R>,
  make: () => S,
  add: (state: S, event: StreamEvent.StreamEvent) => ReadonlyArray<A>,
  onEnd: (state: S) => ReadonlyArray<A> = () => []
): Stream.Stream<A, E, R> =>
  Stream.mapAccumArray(
    self,
    make,
    (state, events): readonly [S, ReadonlyArray<A>] => [state, events.flatMap((event) => add(state, event))],
    { onHalt: onEnd }
  )

/** Emits steps of one kind, as a value each. Nothing of the events is kept. */
const view = <E, R, A>(self: Events<E, R>, f: (step: Step.Step) => A | undefined): Stream.Stream<A, E, R> => {
  const pick = (steps: ReadonlyArray<Step.Step>): ReadonlyArray<A> =>
    steps.flatMap((step) => {
      const value = f(step)
      return value === undefined ? [] : [value]
    })
  return read(
    self,
    Reading.make,
    (reading, event) => pick(Reading.read(reading, event)),
    (reading) => pick(Reading.end(reading))
  )
}

/**
 * Emits the text of messages and artifacts as it comes, without thoughts and each text once. Text of another artifact or
 * message than the text before begins with a blank line. For display; the text of the answer is that of {@link answer}.
 */
export const text = <E, R>(self: Events<E, R>): Stream.Stream<string, E, R> =>
  view(self, (step) => step._tag === "Text" ? step.text : undefined)

/** Emits the agent's thoughts as they come, in pieces. */
export const thoughts = <E, R>(self: Events<E, R>): Stream.Stream<string, E, R> =>
  view(self, (step) => step._tag === "Thought" ? step.text : undefined)

/** Emits tool calls and their results as they come, each once. */
export const toolCalls = <E, R>(self: Events<E, R>): Stream.Stream<ToolCall.Call | ToolCall.Result, E, R> =>
  view(
    self,
    (step) => step._tag === "ToolCall" ? step.call : step._tag === "ToolResult" ? step.result : undefined
  )

const changedIds = (event: StreamEvent.StreamEvent): ReadonlyArray<string> =>
  event._tag === "ArtifactUpdate"
    ? [event.artifact.artifactId]
    : event._tag === "Task"
    ? (event.artifacts ?? []).map(({ artifactId }) => artifactId)
    : []

/** Emits an artifact, with all chunks so far, after every event that has a chunk of it. */
export const artifacts = <E, R>(self: Events<E, R>): Stream.Stream<Artifact.Artifact, E, R> =>
  read(self, TaskProgress.make, (progress, event) => {
    TaskProgress.add(progress, event)
    return changedIds(event).flatMap((id) => TaskProgress.artifact(progress, id) ?? [])
  })

/** Emits the task after each event of it. */
export const snapshots = <E, R>(self: Events<E, R>): Stream.Stream<Task.Task, E, R> =>
  read(self, TaskFold.make, (fold, event) => {
    if (event._tag === "Message" || isForeign({ taskId: fold.task?.id }, event)) return []
    const task = TaskFold.toTask(TaskFold.add(fold, event))
    return task === undefined ? [] : [task]
  })

/** Returns the answer at the end of a stream, `Answer.empty` if the stream has no events. */
export const answer = <E, R>(self: Events<E, R>): Effect.Effect<Answer.Answer, E, R> => Stream.run(self, Answer.sink)
