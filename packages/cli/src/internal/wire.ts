/** Documents for programs: A2A 1.0, whatever the agent speaks. */
import type * as AgentCard from "@effect-a2a/core/AgentCard"
import * as AgentError from "@effect-a2a/core/AgentError"
import * as Protocol from "@effect-a2a/core/Protocol"
import type * as StreamEvent from "@effect-a2a/core/StreamEvent"
import type * as Task from "@effect-a2a/core/Task"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"

const { success } = Protocol.v1_0.rest.dialect

const encode = <A>(codec: Protocol.Codec<A> | undefined, value: A): Effect.Effect<Schema.Json, AgentError.AgentError> =>
  codec === undefined
    ? Effect.die("A2A 1.0 lacks an operation")
    : Effect.mapError(Effect.fromResult(codec.encode(value)), (violations) => {
      const issue = AgentError.describe(violations)
      return AgentError.make("print", "MalformedResponseError", {
        message: `the response cannot be written as A2A 1.0: ${issue}`,
        dialect: Protocol.v1_0.rest.dialect.name,
        issue
      })
    })

/** Encodes an event of a stream. */
export const event = (event: StreamEvent.StreamEvent) => encode(success.SendStreamingMessage, event)

/** Encodes a task. */
export const task = (task: Task.Task) => encode(success.GetTask, task)

/** Encodes an agent card. */
export const card = (card: AgentCard.AgentCard) => encode(Protocol.v1_0.agentCard, card)
