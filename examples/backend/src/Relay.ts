/** The events of a remote agent as replies of our own. */
import { type Agent, type AgentError, Conversation, type StreamEvent } from "@effect-a2a/core"
import { AgentExecutor, Reply } from "@effect-a2a/server"
import { Effect, Layer, RcMap, Stream } from "effect"

const toReplies = (event: StreamEvent.StreamEvent): ReadonlyArray<Reply.Reply> => {
  switch (event._tag) {
    case "Message":
      return [Reply.progress(event.parts)]
    case "StatusUpdate": {
      const { metadata, status: { message, state } } = event
      // the parts alone: the ids of the message are those of the remote task
      return state === "completed" && message === undefined
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
    case "Task": // a snapshot, in the beginning or after a resumption
      return (event.artifacts ?? []).map((artifact) => Reply.artifact(artifact))
  }
}

/** Translates events into replies. A failed task was reported by its last event; a failed call is refused. */
export const relay = <R>(
  events: Stream.Stream<StreamEvent.StreamEvent, AgentError.AgentError, R>
): Stream.Stream<Reply.Reply, AgentError.AgentError, R> =>
  events.pipe(
    Stream.flatMap((event) => Stream.fromIterable(toReplies(event))),
    Stream.catchTag("AgentError", (error) => error.origin === "task" ? Stream.empty : Stream.fail(error))
  )

/**
 * A remote agent as an executor: one conversation for each of our contexts. Over a transport with
 * `AgentTransport.cancelOnInterrupt` the remote task is canceled with ours.
 */
export const executor: Layer.Layer<AgentExecutor.AgentExecutor, never, Agent.Agent> = Layer.unwrap(
  Effect.gen(function*() {
    const conversations = yield* RcMap.make({
      lookup: (_contextId: string) => Conversation.make(),
      idleTimeToLive: "1 hour"
    })
    return AgentExecutor.layer((turn) =>
      Stream.unwrap(Effect.map(
        RcMap.get(conversations, turn.contextId),
        (conversation) => relay(conversation.stream(turn.message.parts))
      ))
    )
  })
)
