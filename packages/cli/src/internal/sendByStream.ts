/** A waiting send over a stream: its task is known, and can be canceled, before it settles. */
import type * as Agent from "@effect-a2a/core/Agent"
import type { AgentError } from "@effect-a2a/core/AgentError"
import * as AgentStream from "@effect-a2a/core/AgentStream"
import type * as Message from "@effect-a2a/core/Message"
import * as StreamEvent from "@effect-a2a/core/StreamEvent"
import type * as Task from "@effect-a2a/core/Task"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

/** A result, and the id of its task as soon as that is known. */
export interface Result {
  readonly result: Effect.Effect<Task.Task | Message.Message, AgentError>
  readonly taskId: () => string | undefined
}

/** The refusals of agents that do not stream: they have not read the message. */
const notStreaming = new Set(["MethodNotFoundError", "OperationNotInProtocolError", "UnsupportedOperationError"])

/** A send that waits ends here, and a stream goes on. */
const isAuthRequired = (event: StreamEvent.StreamEvent) =>
  event._tag === "StatusUpdate" && event.status.state === "auth-required"

/** Sends by stream, unless the agent does not stream: then its task is unknown until it settles. */
export const sendByStream = (api: Agent.Service, parts: Message.Input, options: Agent.Options): Result => {
  let taskId: string | undefined
  const streamed = api.stream(parts, options).pipe(
    Stream.tap((event) =>
      Effect.sync(() => {
        taskId ??= StreamEvent.taskId(event)
      })
    ),
    Stream.takeUntil(isAuthRequired),
    AgentStream.answer,
    Effect.flatMap(({ message, task }) => {
      const result = task ?? message
      return result === undefined ? Effect.die("a stream succeeded without an event") : Effect.succeed(result)
    })
  )
  const sent = api.send(parts, options)
  const result = Effect.option(api.card).pipe(
    Effect.flatMap((card) => card._tag === "Some" && card.value.capabilities.streaming !== true ? sent : streamed),
    Effect.catchTag(
      "AgentError",
      (error) => taskId === undefined && notStreaming.has(error.reason._tag) ? sent : Effect.fail(error)
    )
  )
  return { result, taskId: () => taskId }
}
