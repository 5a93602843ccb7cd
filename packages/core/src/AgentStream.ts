/**
 * Views of a stream of events: what the agent says, what it does, the task as it grows, the answer.
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
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Answer from "./Answer.ts"
import * as Artifact from "./Artifact.ts"
import * as Message from "./Message.ts"
import * as Part from "./Part.ts"
import * as StreamEvent from "./StreamEvent.ts"
import type * as Task from "./Task.ts"
import * as ToolCall from "./ToolCall.ts"

type Events<E, R> = Stream.Stream<StreamEvent.StreamEvent, E, R>

/** What has been said already, so that nothing is said twice. */
interface Said {
  /** Text of status messages since the agent last did something else. */
  readonly spoken: string
  /** Messages heard, by id: a replayed one is not said again. */
  readonly heard: Set<string>
  /** Each artifact's text, and what was said of it: that text, or more of it than a replay has got to. */
  readonly artifacts: Map<string, { readonly whole: string; readonly shown: string }>
}

const sayParts = (said: Said, parts: ReadonlyArray<Part.Part>): readonly [Said, string] => {
  let { spoken } = said
  let text = ""
  for (const part of parts) {
    if (part._tag !== "Text") spoken = ""
    else if (!Part.isThought(part)) {
      spoken += part.text
      text += part.text
    }
  }
  return [{ ...said, spoken }, text]
}

/** A replayed message is not said again. */
const sayMessage = (said: Said, message: Message.Message): readonly [Said, string] => {
  if (said.heard.has(message.messageId)) return [said, ""]
  if (message.messageId !== Message.unidentified) said.heard.add(message.messageId)
  return sayParts(said, message.parts)
}

/**
 * An artifact goes on, or repeats what was said of it or while the agent worked, or says something else: that stands on
 * a line of its own.
 */
const sayArtifact = (said: Said, artifact: Artifact.Artifact, append: boolean): string => {
  const known = said.artifacts.get(artifact.artifactId)
  const text = Artifact.text(artifact)
  const whole = append && known !== undefined ? known.whole + text : text
  const shown = known?.shown ?? said.spoken
  // the usual case first: comparing long texts for every chunk would take time in proportion to their square
  const goesOn = append && known?.whole.length === shown.length
  const isRepeated = !goesOn && shown.startsWith(whole)
  said.artifacts.set(artifact.artifactId, { whole, shown: isRepeated ? shown : whole })
  if (goesOn) return text
  if (isRepeated) return ""
  return whole.startsWith(shown) ? whole.slice(shown.length) : `\n${whole}`
}

const sayStatus = (said: Said, { message, state }: Task.TaskStatus): readonly [Said, string] =>
  message === undefined || state === "failed" ? [said, ""] : sayMessage(said, message)

const say = (said: Said, event: StreamEvent.StreamEvent): readonly [Said, string] => {
  switch (event._tag) {
    case "Message":
      return sayMessage(said, event)
    case "ArtifactUpdate":
      return [said, sayArtifact(said, event.artifact, event.append === true)]
    case "StatusUpdate":
      return sayStatus(said, event.status)
    case "Task": {
      const text = (event.artifacts ?? []).map((artifact) => sayArtifact(said, artifact, false)).join("")
      const [after, more] = sayStatus(said, event.status)
      return [after, text + more]
    }
  }
}

/**
 * What the agent says, as it says it: text of its status messages and artifacts, without its thoughts, nothing twice.
 * For display only; the answer is {@link answer}'s, since an agent may also speak before it calls a tool.
 */
export const text = <E, R>(self: Events<E, R>): Stream.Stream<string, E, R> =>
  Stream.mapAccumArray(
    self,
    (): Said => ({ spoken: "", heard: new Set(), artifacts: new Map() }),
    (said, events) => {
      const texts: Array<string> = []
      let next = said
      for (const event of events) {
        const [after, text] = say(next, event)
        next = after
        if (text !== "") texts.push(text)
      }
      return [next, texts]
    }
  )

/**
 * The answer at the end of a stream. Where the stream was empty, an answer in state `unspecified`.
 */
export const answer = <E, R>(self: Events<E, R>): Effect.Effect<Answer.Answer, E, R> =>
  Effect.suspend(() => {
    const collected = Answer.collector()
    return Effect.map(
      Stream.runForEachArray(self, (events) => Effect.sync(() => events.forEach((event) => collected.add(event)))),
      () => collected.answer() ?? { state: "unspecified", text: "", artifacts: [], toolCalls: [] }
    )
  })

/** The task after each event that changes it. */
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

const parts = (event: StreamEvent.StreamEvent): ReadonlyArray<Part.Part> => {
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

/** Tool calls and their results as they happen, each once. */
export const toolCalls = <E, R>(self: Events<E, R>): Stream.Stream<ToolCall.Call | ToolCall.Result, E, R> =>
  Stream.mapAccumArray(self, () => new Set<string>(), (seen, events) => {
    const found: Array<ToolCall.Call | ToolCall.Result> = []
    for (const part of events.flatMap(parts)) {
      const told = ToolCall.call(part) ?? ToolCall.result(part)
      if (told === undefined || seen.has(`${told._tag} ${told.id}`)) continue
      seen.add(`${told._tag} ${told.id}`)
      found.push(told)
    }
    return [seen, found]
  })
