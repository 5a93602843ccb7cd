/**
 * Branded identifiers. All are opaque strings to a client; only message ids (and, if an agent allows it, context ids)
 * are made by the caller.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** The id of a task: made by the server (A2A 1.0 §3.4). */
export const TaskId = Schema.NonEmptyString.pipe(Schema.brand("@effect-a2a/core/TaskId")).annotate({
  identifier: "TaskId"
})
/** The id of a task. */
export type TaskId = typeof TaskId.Type

/** The id of a conversation (A2A 1.0 §3.4.1). */
export const ContextId = Schema.NonEmptyString.pipe(Schema.brand("@effect-a2a/core/ContextId")).annotate({
  identifier: "ContextId"
})
/** The id of a conversation. */
export type ContextId = typeof ContextId.Type

/** The id of a message: made by its sender, unique, and kept when a send is repeated. */
export const MessageId = Schema.NonEmptyString.pipe(Schema.brand("@effect-a2a/core/MessageId")).annotate({
  identifier: "MessageId"
})
/** The id of a message. */
export type MessageId = typeof MessageId.Type

/** The id of an artifact, unique within its task. */
export const ArtifactId = Schema.NonEmptyString.pipe(Schema.brand("@effect-a2a/core/ArtifactId")).annotate({
  identifier: "ArtifactId"
})
/** The id of an artifact. */
export type ArtifactId = typeof ArtifactId.Type

/** The kinds of identifiers that a generator makes. */
export type Kind = "artifact" | "context" | "message" | "task"

/** A version 4 UUID without `crypto.randomUUID`, which pages without TLS lack. */
const assembleUuid = (): string => {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  const hex = Array.from(bytes, (byte, index) => {
    const value = index === 6 ? byte & 15 | 64 : index === 8 ? byte & 63 | 128 : byte
    return value.toString(16).padStart(2, "0")
  }).join("")
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-")
}

const uuid = (): string => crypto.randomUUID?.() ?? assembleUuid()

/**
 * The generator of new identifiers. Default: random UUIDs (version 4, from a secure source). Tests provide one that
 * repeats itself.
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
  defaultValue: () => uuid
})

const generate = <Id>(kind: Kind, make: (id: string) => Id): Effect.Effect<Id> =>
  Effect.map(CurrentGenerator, (next) => make(next(kind)))

/** Makes a new message id. */
export const messageId: Effect.Effect<MessageId> = generate("message", (id) => MessageId.make(id))

/** Makes a new task id; for servers. */
export const taskId: Effect.Effect<TaskId> = generate("task", (id) => TaskId.make(id))

/** Makes a new context id. */
export const contextId: Effect.Effect<ContextId> = generate("context", (id) => ContextId.make(id))

/** Makes a new artifact id; for servers. */
export const artifactId: Effect.Effect<ArtifactId> = generate("artifact", (id) => ArtifactId.make(id))
