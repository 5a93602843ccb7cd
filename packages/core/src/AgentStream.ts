/**
 * Views of a stream of events: the text as it is written, tool calls, the task after each event, the answer.
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
import * as Artifact from "./Artifact.ts"
import * as Message from "./Message.ts"
import * as Part from "./Part.ts"
import * as StreamEvent from "./StreamEvent.ts"
import type * as Task from "./Task.ts"
import * as ToolCall from "./ToolCall.ts"

type Events<E, R> = Stream.Stream<StreamEvent.StreamEvent, E, R>

/** The text emitted so far, so that no text is emitted twice. */
interface Emitted {
  /** Text of status messages since the last part of another kind. */
  readonly status: string
  /** Ids of messages: a replayed message is not emitted again. */
  readonly messageIds: Set<string>
  /** Each artifact's text, and the text emitted of it: the same, or more if a peer replays the artifact. */
  readonly artifacts: Map<string, { readonly text: string; readonly emitted: string }>
}

const addParts = (before: Emitted, parts: ReadonlyArray<Part.Part>): readonly [Emitted, string] => {
  let { status } = before
  let text = ""
  for (const part of parts) {
    if (part._tag !== "Text") status = ""
    else if (!Part.isThought(part)) {
      status += part.text
      text += part.text
    }
  }
  return [{ ...before, status }, text]
}

const addMessage = (before: Emitted, { messageId, parts }: Message.Message): readonly [Emitted, string] => {
  if (before.messageIds.has(messageId)) return [before, ""]
  if (messageId !== Message.missingMessageId) before.messageIds.add(messageId)
  return addParts(before, parts)
}

/**
 * An artifact continues, or repeats text emitted of it or of status messages, or has other text: that is emitted on a
 * line by itself.
 */
const addArtifact = (before: Emitted, artifact: Artifact.Artifact, append: boolean): string => {
  const earlier = before.artifacts.get(artifact.artifactId)
  const added = Artifact.text(artifact)
  const text = append && earlier !== undefined ? earlier.text + added : added
  const emitted = earlier?.emitted ?? before.status
  // the usual case first: comparing long texts for every chunk would take quadratic time
  const continues = append && earlier?.text.length === emitted.length
  const isRepeated = !continues && emitted.startsWith(text)
  before.artifacts.set(artifact.artifactId, { text, emitted: isRepeated ? emitted : text })
  if (continues) return added
  if (isRepeated) return ""
  return text.startsWith(emitted) ? text.slice(emitted.length) : `\n${text}`
}

const addStatus = (before: Emitted, { message, state }: Task.TaskStatus): readonly [Emitted, string] =>
  message === undefined || state === "failed" ? [before, ""] : addMessage(before, message)

const addEvent = (before: Emitted, event: StreamEvent.StreamEvent): readonly [Emitted, string] => {
  switch (event._tag) {
    case "Message":
      return addMessage(before, event)
    case "ArtifactUpdate":
      return [before, addArtifact(before, event.artifact, event.append === true)]
    case "StatusUpdate":
      return addStatus(before, event.status)
    case "Task": {
      const text = (event.artifacts ?? []).map((artifact) => addArtifact(before, artifact, false)).join("")
      const [after, more] = addStatus(before, event.status)
      return [after, text + more]
    }
  }
}

/**
 * Emits the text of status messages and artifacts as it comes, without thoughts; a replayed text is emitted once. For
 * display only: the text of the answer is that of {@link answer}, since an agent may also write before it calls a tool.
 */
export const text = <E, R>(self: Events<E, R>): Stream.Stream<string, E, R> =>
  Stream.mapAccumArray(
    self,
    (): Emitted => ({ status: "", messageIds: new Set(), artifacts: new Map() }),
    (before, events) => {
      const texts: Array<string> = []
      let emitted = before
      for (const event of events) {
        const [after, text] = addEvent(emitted, event)
        emitted = after
        if (text !== "") texts.push(text)
      }
      return [emitted, texts]
    }
  )

/** Returns the answer at the end of a stream, `Answer.empty` if the stream has no events. */
export const answer = <E, R>(self: Events<E, R>): Effect.Effect<Answer.Answer, E, R> => Stream.run(self, Answer.sink)

/** Emits the task after each event that changes it. */
export const snapshots = <E, R>(self: Events<E, R>): Stream.Stream<Task.Task, E, R> =>
  Stream.mapAccumArray(self, (): Task.Task | undefined => undefined, (task, events) => {
    const tasks: Array<Task.Task> = []
    let next = task
    for (const event of events) {
      next = StreamEvent.apply(next, event)
      if (next !== undefined && event._tag !== "Message") tasks.push(next)
    }
    return [next, tasks]
  })

const partsOf = (event: StreamEvent.StreamEvent): ReadonlyArray<Part.Part> => {
  switch (event._tag) {
    case "Message":
      return event.parts
    case "StatusUpdate":
      return event.status.message?.parts ?? []
    case "ArtifactUpdate":
      return event.artifact.parts
    case "Task":
      return [...event.history ?? [], ...event.status.message ? [event.status.message] : [], ...event.artifacts ?? []]
        .flatMap(({ parts }) => parts)
  }
}

/** Emits tool calls and their results as they come, each once. */
export const toolCalls = <E, R>(self: Events<E, R>): Stream.Stream<ToolCall.Call | ToolCall.Result, E, R> =>
  Stream.mapAccumArray(self, () => new Set<string>(), (seen, events) => {
    const reported: Array<ToolCall.Call | ToolCall.Result> = []
    for (const part of events.flatMap(partsOf)) {
      const step = ToolCall.call(part) ?? ToolCall.result(part)
      if (step === undefined || seen.has(`${step._tag} ${step.id}`)) continue
      seen.add(`${step._tag} ${step.id}`)
      reported.push(step)
    }
    return [seen, reported]
  })
