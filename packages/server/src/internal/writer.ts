import * as Artifact from "@effect-a2a/core/Artifact"
import * as Id from "@effect-a2a/core/Id"
import * as Message from "@effect-a2a/core/Message"
import type { Metadata } from "@effect-a2a/core/Metadata"
import * as Part from "@effect-a2a/core/Part"
import * as StreamEvent from "@effect-a2a/core/StreamEvent"
import * as TaskState from "@effect-a2a/core/TaskState"
import type * as DateTime from "effect/DateTime"
import type * as Reply from "../Reply.ts"

/** Whether streams end here: nothing follows unless the caller acts. Auth-required may go on by itself. */
export const isClosing = (state: TaskState.TaskState): boolean =>
  TaskState.isTerminal(state) || state === "input-required"

export interface Options {
  readonly taskId: Id.TaskId
  readonly contextId: Id.ContextId
  /** The state that the first snapshot tells. */
  readonly state: TaskState.TaskState
  readonly generate: (kind: Id.Kind) => string
  readonly now: () => DateTime.Utc
}

export type Event = StreamEvent.StatusUpdate | StreamEvent.ArtifactUpdate

/**
 * Turns the replies of one turn into events. The latest piece of the answer is held back until it is known whether it
 * is the last: `flush` lets it go when that would take time, `close` marks it, or a chunk of no text in its place.
 */
export interface Writer {
  readonly write: (replies: ReadonlyArray<Exclude<Reply.Reply, Reply.Cut>>) => ReadonlyArray<Event>
  readonly flush: () => ReadonlyArray<Event>
  readonly close: (state: TaskState.TaskState, message?: Message.Input) => ReadonlyArray<Event>
  readonly isHolding: () => boolean
  readonly isClosed: () => boolean
}

const isAnnouncement = (reply: Reply.Status): boolean => reply.state !== "working" || reply.message === undefined

export const make = ({ contextId, generate, now, state: initial, taskId }: Options): Writer => {
  const ids = { taskId, contextId }
  let state = initial
  let answer: Id.ArtifactId | undefined
  let isOpen = false
  let held: Part.Part | undefined
  let events: Array<Event> = []
  // one random id per turn, and a number: random bits for every event would cost more than all the rest
  let messages: string | undefined
  let count = 0

  const messageId = () => Id.MessageId.make(`${messages ??= generate("message")}-${++count}`)

  const message = (input: Message.Input): Message.Message =>
    Message.isMessage(input)
      ? { ...input, ...ids }
      : {
        _tag: "Message",
        messageId: messageId(),
        role: "agent",
        parts: Message.parts(input),
        ...ids
      }

  const piece = (part: Part.Part, lastChunk: boolean) => {
    answer ??= Id.ArtifactId.make(generate("artifact"))
    events.push(StreamEvent.artifactUpdate({
      ...ids,
      artifact: Artifact.make(answer, [part], isOpen ? undefined : { name: "result" }),
      append: isOpen,
      lastChunk
    }))
    isOpen = true
    held = undefined
  }

  const release = (isLast: boolean) => {
    if (held !== undefined) piece(held, isLast)
    else if (isLast && isOpen) piece(Part.text(""), true)
  }

  const become = (next: TaskState.TaskState, input?: Message.Input, metadata?: Metadata) => {
    release(isClosing(next))
    state = next
    events.push(StreamEvent.statusUpdate({
      ...ids,
      status: {
        state,
        timestamp: now(),
        ...(input === undefined ? undefined : { message: message(input) })
      },
      ...(metadata === undefined ? undefined : { metadata })
    }))
  }

  const artifact = ({ _tag, artifact: { artifactId, parts, ...rest }, ...options }: Reply.Artifact) => {
    release(false)
    const id = Id.ArtifactId.make(artifactId ?? generate("artifact"))
    events.push(
      StreamEvent.artifactUpdate({ ...ids, artifact: Artifact.make(id, Message.parts(parts), rest), ...options })
    )
  }

  const say = (reply: Exclude<Reply.Reply, Reply.Cut>) => {
    if (typeof reply !== "string" && reply._tag === "Status") {
      if (state === "submitted" && !isAnnouncement(reply)) become("working")
      return become(reply.state, reply.message, reply.metadata)
    }
    if (state !== "working") become("working")
    if (typeof reply !== "string" && reply._tag === "Artifact") return artifact(reply)
    release(false)
    held = typeof reply === "string" ? Part.text(reply) : reply
  }

  const taken = (): ReadonlyArray<Event> => {
    const batch = events
    events = []
    return batch
  }

  return {
    isHolding: () => held !== undefined,
    isClosed: () => isClosing(state),
    flush: () => {
      release(false)
      return taken()
    },
    write: (replies) => {
      for (const reply of replies) {
        if (isClosing(state)) break
        say(reply)
      }
      return taken()
    },
    close: (next, input) => {
      if (isClosing(state)) return []
      // an executor that stops at auth-required leaves the task there
      if (next === "completed" && state === "auth-required") release(true)
      else become(next, input)
      return taken()
    }
  }
}
