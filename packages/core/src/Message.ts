/**
 * One message of a conversation (A2A 1.0 §4.1.4).
 *
 * ```ts
 * import { Message, Part } from "@effect-a2a/core"
 * import { Effect } from "effect"
 *
 * const message = await Effect.runPromise(Message.user(["Look at this", Part.url("https://agent.test/a.png")]))
 * message.role // => "user"
 * Message.text(message) // => "Look at this"
 * ```
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as Id from "./Id.ts"
import { Metadata } from "./Metadata.ts"
import * as Part from "./Part.ts"

/** The author of a message. `unspecified` is a role of a later protocol version; its name is in `unrecognizedRole`. */
export const Role = Schema.Literals(["user", "agent", "unspecified"])
/** The type of {@link Role}. */
export type Role = typeof Role.Type

/** One message of a conversation. */
export class Message extends Schema.Opaque<Message>()(
  Schema.TaggedStruct("Message", {
    messageId: Id.MessageId,
    contextId: Schema.optionalKey(Id.ContextId),
    taskId: Schema.optionalKey(Id.TaskId),
    role: Role,
    parts: Schema.Array(Part.Part),
    metadata: Schema.optionalKey(Metadata),
    extensions: Schema.optionalKey(Schema.Array(Schema.String)),
    referenceTaskIds: Schema.optionalKey(Schema.Array(Id.TaskId)),
    /** The peer's own word for a role this SDK does not know; read only. */
    unrecognizedRole: Schema.optionalKey(Schema.String)
  }).annotate({ identifier: "Message" })
) {}

/** The id given to messages that a peer sent without one: it identifies nothing. */
export const missingMessageId = Id.MessageId.make("unidentified")

/** Content of a message: text, a part, several of either, or a message, which is used as it is. */
export type Input = string | Part.Part | ReadonlyArray<string | Part.Part> | Message

/** Members that a message may have beside its parts. */
export interface Options {
  readonly messageId?: Id.MessageId
  readonly contextId?: Id.ContextId
  readonly taskId?: Id.TaskId
  readonly metadata?: Metadata
  readonly extensions?: ReadonlyArray<string>
  readonly referenceTaskIds?: ReadonlyArray<Id.TaskId>
}

/** Returns true if the value is tagged as a message. */
export const isMessage = (input: unknown): input is Message => Predicate.isTagged(input, "Message")

const toPart = (input: string | Part.Part): Part.Part => typeof input === "string" ? Part.text(input) : input

const isMany = (input: Exclude<Input, Message>): input is ReadonlyArray<string | Part.Part> => Array.isArray(input)

/** Returns the parts of an input that is not a message. */
export const parts = (input: Exclude<Input, Message>): ReadonlyArray<Part.Part> =>
  isMany(input) ? input.map(toPart) : [toPart(input)]

const of = (role: Role) =>
  Effect.fnUntraced(function*(input: Input, options?: Options) {
    if (isMessage(input)) return { ...input, ...options }
    const messageId = options?.messageId ?? (yield* Id.messageId)
    return { _tag: "Message", role, parts: parts(input), ...options, messageId } satisfies Message as Message
  })

/** Creates a message of the caller, with a new id unless one is given. */
export const user: (input: Input, options?: Options) => Effect.Effect<Message> = of("user")

/** Creates a message of an agent, with a new id unless one is given. */
export const agent: (input: Input, options?: Options) => Effect.Effect<Message> = of("agent")

/** Returns the text of a message. Thoughts are left out. */
export const text = (self: Message): string => Part.joinText(self.parts)
