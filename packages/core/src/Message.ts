/**
 * One turn of a conversation (specification §4.1.4).
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
import * as Schema from "effect/Schema"
import * as Id from "./Id.ts"
import { Metadata } from "./Metadata.ts"
import * as Part from "./Part.ts"

/** Who speaks. `unspecified` is a role of a later protocol version; its word is in `unrecognizedRole`. */
export const Role = Schema.Literals(["user", "agent", "unspecified"])
export type Role = typeof Role.Type

export const Message = Schema.TaggedStruct("Message", {
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
})
export type Message = typeof Message.Type

/** The id given to messages that a peer sent without one: it identifies nothing. */
export const unidentified = Id.MessageId.make("unidentified")

/** What a message can be made from: text, a part, several of either, or a message, which is taken as it is. */
export type Input = string | Part.Part | ReadonlyArray<string | Part.Part> | Message

/** What a message may carry besides its parts. */
export interface Options {
  readonly messageId?: Id.MessageId
  readonly contextId?: Id.ContextId
  readonly taskId?: Id.TaskId
  readonly metadata?: Metadata
  readonly extensions?: ReadonlyArray<string>
  readonly referenceTaskIds?: ReadonlyArray<Id.TaskId>
}

export const isMessage = (input: unknown): input is Message =>
  typeof input === "object" && input !== null && "_tag" in input && input._tag === "Message"

const toPart = (input: string | Part.Part): Part.Part => typeof input === "string" ? Part.text(input) : input

const isMany = (input: Exclude<Input, Message>): input is ReadonlyArray<string | Part.Part> => Array.isArray(input)

/** The parts that an input which is no message stands for. */
export const parts = (input: Exclude<Input, Message>): ReadonlyArray<Part.Part> =>
  isMany(input) ? input.map(toPart) : [toPart(input)]

const of = (role: Role) =>
  Effect.fnUntraced(function*(input: Input, options?: Options) {
    if (isMessage(input)) return { ...input, ...options }
    const messageId = options?.messageId ?? (yield* Id.messageId)
    return { _tag: "Message", role, parts: parts(input), ...options, messageId } satisfies Message as Message
  })

/** A message of the caller, with a new id unless one is given. */
export const user: (input: Input, options?: Options) => Effect.Effect<Message> = of("user")

/** A message of an agent, with a new id unless one is given. */
export const agent: (input: Input, options?: Options) => Effect.Effect<Message> = of("agent")

/** The text of a message. */
export const text = (self: Message): string => Part.joinText(self.parts)
