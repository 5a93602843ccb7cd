/** Turns the replies of one turn into the events of its task. */
import * as Artifact from "@effect-a2a/core/Artifact"
import * as Id from "@effect-a2a/core/Id"
import * as Message from "@effect-a2a/core/Message"
import type { Metadata } from "@effect-a2a/core/Metadata"
import * as Part from "@effect-a2a/core/Part"
import * as StreamEvent from "@effect-a2a/core/StreamEvent"
import * as TaskState from "@effect-a2a/core/TaskState"
import type * as DateTime from "effect/DateTime"
import type * as Reply from "../Reply.ts"

export interface Options {
  readonly taskId: Id.TaskId
  readonly contextId: Id.ContextId
  /** The state in the first snapshot. */
  readonly state: TaskState.TaskState
  readonly generate: (kind: Id.Kind) => string
  readonly now: () => DateTime.Utc
}

/** An event of the task, or a change of its metadata. */
export type Event = StreamEvent.StatusUpdate | StreamEvent.ArtifactUpdate | Reply.TaskMetadata

/**
 * A writer holds back the latest part of the result until it is known whether it is the last. `flush` emits that part,
 * by default as not the last one; `close` marks it as the last, or emits an empty last part if it was flushed before.
 */
export interface Writer {
  readonly write: (replies: ReadonlyArray<Reply.Reply>) => ReadonlyArray<Event>
  readonly flush: (isLast?: boolean) => ReadonlyArray<Event>
  readonly close: (state: TaskState.TaskState, message?: Message.Input) => ReadonlyArray<Event>
  /** Drops the part that is held back, and returns the state of a task that failed, also after `close`. */
  readonly fail: (message: Message.Input) => StreamEvent.StatusUpdate
  readonly isHolding: () => boolean
  readonly state: () => TaskState.TaskState
  readonly isClosed: () => boolean
}

/** Messages of one turn: one random id and a counter, since random bits for every event would dominate its cost. */
const messageMaker = ({ contextId, generate, taskId }: Options) => {
  let prefix: string | undefined
  let count = 0
  return (input: Message.Input): Message.Message => {
    if (Message.isMessage(input)) return { ...input, taskId, contextId }
    prefix ??= generate("message")
    count += 1
    return {
      _tag: "Message",
      messageId: Id.MessageId.make(`${prefix}-${count}`),
      role: "agent",
      parts: Message.parts(input),
      taskId,
      contextId
    }
  }
}

/** Status updates of one turn. */
const statusMaker = (options: Options, toMessage: (input: Message.Input) => Message.Message) =>
(
  state: TaskState.TaskState,
  message?: Message.Input,
  metadata?: Metadata
): StreamEvent.StatusUpdate => {
  const { contextId, now, taskId } = options
  const said = message === undefined ? undefined : { message: toMessage(message) }
  const status = { state, timestamp: now(), ...said }
  return StreamEvent.statusUpdate({ taskId, contextId, status, ...(metadata === undefined ? undefined : { metadata }) })
}

const toArtifactUpdate = (
  { contextId, generate, taskId }: Options,
  { _tag, artifact: { artifactId, parts, ...rest }, ...options }: Reply.Artifact
): StreamEvent.ArtifactUpdate => {
  const artifact = Artifact.make(Id.ArtifactId.make(artifactId ?? generate("artifact")), Message.parts(parts), rest)
  return StreamEvent.artifactUpdate({ taskId, contextId, artifact, ...options })
}

const isStateOnly = (reply: Reply.Status): boolean => reply.state !== "working" || reply.message === undefined

export const make = (options: Options): Writer => {
  const { contextId, generate, taskId } = options
  const toStatus = statusMaker(options, messageMaker(options))
  let state = options.state
  let resultId: Id.ArtifactId | undefined
  let isResultOpen = false
  let held: Part.Part | undefined
  let events: Array<Event> = []

  const emitPart = (part: Part.Part, lastChunk: boolean) => {
    resultId ??= Id.ArtifactId.make(generate("artifact"))
    const artifact = Artifact.make(resultId, [part], isResultOpen ? undefined : { name: "result" })
    events.push(StreamEvent.artifactUpdate({ taskId, contextId, artifact, append: isResultOpen, lastChunk }))
    isResultOpen = true
    held = undefined
  }

  const release = (isLast: boolean) => {
    if (held !== undefined) emitPart(held, isLast)
    else if (isLast && isResultOpen) emitPart(Part.text(""), true)
  }

  const setState = (next: TaskState.TaskState, message?: Message.Input, metadata?: Metadata) => {
    release(TaskState.endsStream(next))
    state = next
    events.push(toStatus(next, message, metadata))
  }

  const emit = (event: Event) => {
    release(false)
    events.push(event)
  }

  const add = (reply: Reply.Reply) => {
    if (typeof reply !== "string" && reply._tag === "Status") {
      if (state === "submitted" && !isStateOnly(reply)) setState("working")
      return setState(reply.state, reply.message, reply.metadata)
    }
    if (typeof reply !== "string" && reply._tag === "TaskMetadata") return emit(reply)
    if (state !== "working") setState("working")
    if (typeof reply !== "string" && reply._tag === "Artifact") return emit(toArtifactUpdate(options, reply))
    release(false)
    held = typeof reply === "string" ? Part.text(reply) : reply
  }

  const takeEvents = (): ReadonlyArray<Event> => {
    const batch = events
    events = []
    return batch
  }

  return {
    isHolding: () => held !== undefined,
    state: () => state,
    isClosed: () => TaskState.endsStream(state),
    flush: (isLast = false) => {
      release(isLast)
      return takeEvents()
    },
    fail: (message) => {
      held = undefined
      state = "failed"
      return toStatus(state, message)
    },
    write: (replies) => {
      for (const reply of replies) {
        if (TaskState.endsStream(state)) break
        add(reply)
      }
      return takeEvents()
    },
    close: (next, message) => {
      if (TaskState.endsStream(state)) return []
      // an executor that stops at auth-required leaves the task there
      if (next === "completed" && state === "auth-required") release(true)
      else setState(next, message)
      return takeEvents()
    }
  }
}
