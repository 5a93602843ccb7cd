/**
 * The state of a conversation: plain data that is saved as JSON and continued elsewhere.
 *
 * ```ts
 * import { Conversation, ConversationState } from "@effect-a2a/core"
 * import { Effect, Schema } from "effect"
 *
 * const codec = Schema.toCodecJson(Conversation.State)
 * const program = Effect.gen(function*() {
 *   const json = yield* Schema.encodeEffect(codec)(ConversationState.empty)
 *   const state = yield* Schema.decodeUnknownEffect(codec)(json)
 *   return [json, state.transcript.length]
 * })
 * await Effect.runPromise(program) // => [{ transcript: [] }, 0]
 * ```
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import * as Id from "./Id.ts"
import * as Message from "./Message.ts"
import * as Task from "./Task.ts"

/** The state of a conversation. Absent members are not known, or do not apply. */
export class ConversationState extends Schema.Opaque<ConversationState>()(
  Schema.Struct({
    /** The context, once the agent or the caller has named it. */
    contextId: Schema.optionalKey(Id.ContextId),
    /**
     * The task that runs, or that the next message continues. Its state is `unspecified` if a message was sent to it and
     * the agent has not responded.
     */
    pending: Schema.optionalKey(Task.Task),
    /** The agent's question, if the pending task waits for its caller. */
    question: Schema.optionalKey(Message.Message),
    /**
     * The last message, if the agent may have received it and nothing is known of its task: it is being sent, or was
     * interrupted, or the connection failed.
     */
    unanswered: Schema.optionalKey(Id.MessageId),
    /** All messages sent, the agent's messages and questions, and the answer of each completed task. */
    transcript: Schema.Array(Message.Message)
  }).annotate({ identifier: "ConversationState" })
) {}

/** The state of a conversation that has not begun. */
export const empty: ConversationState = { transcript: [] }
