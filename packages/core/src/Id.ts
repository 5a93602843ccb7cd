/**
 * Branded identifiers. All are opaque strings to a client; only message ids (and, where an agent allows it, context
 * ids) are made by the caller.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import { uuidV4Unsafe } from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** Identifies a task; made by the server (specification §3.4). */
export const TaskId = Schema.NonEmptyString.pipe(Schema.brand("@effect-a2a/core/TaskId"))
export type TaskId = typeof TaskId.Type

/** Identifies a conversation (specification §3.4.1). */
export const ContextId = Schema.NonEmptyString.pipe(Schema.brand("@effect-a2a/core/ContextId"))
export type ContextId = typeof ContextId.Type

/** Identifies a message; made by its sender, unique, and kept when a send is repeated. */
export const MessageId = Schema.NonEmptyString.pipe(Schema.brand("@effect-a2a/core/MessageId"))
export type MessageId = typeof MessageId.Type

/** Identifies an artifact within its task. */
export const ArtifactId = Schema.NonEmptyString.pipe(Schema.brand("@effect-a2a/core/ArtifactId"))
export type ArtifactId = typeof ArtifactId.Type

/** What an identifier is for. */
export type Kind = "artifact" | "context" | "message" | "task"

/**
 * How new identifiers are made: random UUIDs (version 4, from a secure source) unless provided otherwise, as a test
 * does to get the same ids again.
 *
 * ```ts
 * import { Id } from "@effect-a2a/core"
 * import { Effect } from "effect"
 *
 * const numbered = Id.messageId.pipe(Effect.provideService(Id.CurrentGenerator, (kind) => `${kind}-1`))
 * await Effect.runPromise(numbered) // => "message-1"
 * ```
 */
export const CurrentGenerator = Context.Reference<(kind: Kind) => string>("@effect-a2a/core/Id/CurrentGenerator", {
  defaultValue: () => () => uuidV4Unsafe()
})

const generate = <Id>(kind: Kind, make: (id: string) => Id): Effect.Effect<Id> =>
  Effect.map(CurrentGenerator, (next) => make(next(kind)))

/** A new message id. */
export const messageId: Effect.Effect<MessageId> = generate("message", (id) => MessageId.make(id))

/** A new task id; servers only. */
export const taskId: Effect.Effect<TaskId> = generate("task", (id) => TaskId.make(id))

/** A new context id. */
export const contextId: Effect.Effect<ContextId> = generate("context", (id) => ContextId.make(id))

/** A new artifact id; servers only. */
export const artifactId: Effect.Effect<ArtifactId> = generate("artifact", (id) => ArtifactId.make(id))
