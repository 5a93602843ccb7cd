/** The events of a remote agent as replies. Tested in `packages/server/test/delegate.test.ts`. */
import type { AgentError } from "@effect-a2a/core/AgentError"
import type { StreamEvent } from "@effect-a2a/core/StreamEvent"
import * as TaskState from "@effect-a2a/core/TaskState"
import * as Stream from "effect/Stream"
import * as Reply from "../Reply.ts"

const toReplies = (event: StreamEvent): ReadonlyArray<Reply.Reply> => {
  switch (event._tag) {
    case "Message":
      return [Reply.progress(event.parts)]
    case "StatusUpdate": {
      const { metadata, status: { message, state } } = event
      // the end of the replies completes the task; the ids of the message are those of the remote task
      return (state === "completed" || state === "submitted") && message === undefined
        ? []
        : [Reply.status(state, message?.parts, metadata && { metadata })]
    }
    case "ArtifactUpdate": {
      const { append, artifact, lastChunk, metadata } = event
      return [Reply.artifact(artifact, {
        ...(append !== undefined && { append }),
        ...(lastChunk !== undefined && { lastChunk }),
        ...(metadata && { metadata })
      })]
    }
    case "Task":
      return (event.artifacts ?? []).map((artifact) => Reply.artifact(artifact))
  }
}

/** A snapshot in the end, of an agent that does not stream, says how the task ended. */
const toEnd = (last: StreamEvent | undefined): ReadonlyArray<Reply.Reply> => {
  if (last?._tag !== "Task" || !TaskState.isSettled(last.status.state)) return []
  const { message, state } = last.status
  return state === "completed" && message === undefined ? [] : [Reply.status(state, message?.parts)]
}

/** A failed task was reported by its last event; a failed call is a failure. */
export const relay = <R>(
  events: Stream.Stream<StreamEvent, AgentError, R>
): Stream.Stream<Reply.Reply, AgentError, R> =>
  Stream.suspend(() => {
    let last: StreamEvent | undefined
    return events.pipe(
      Stream.flatMap((event) => {
        last = event
        return Stream.fromIterable(toReplies(event))
      }),
      Stream.catchTag("AgentError", (error) => error.origin === "task" ? Stream.empty : Stream.fail(error)),
      Stream.concat(Stream.suspend(() => Stream.fromIterable(toEnd(last))))
    )
  })
