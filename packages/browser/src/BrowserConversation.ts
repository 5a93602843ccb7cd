/**
 * A conversation that survives a reload: its context, its transcript and its running task are saved in a
 * {@link ConversationStore}. After the reload, `resume` follows that task to its end.
 *
 * ```ts
 * import { Agent } from "@effect-a2a/core"
 * import { BrowserConversation, ConversationStore } from "@effect-a2a/browser"
 * import { AgentTest, Script } from "@effect-a2a/testing"
 * import { Effect, Layer } from "effect"
 *
 * const page = Effect.gen(function*() {
 *   const chat = yield* BrowserConversation.make({ name: "chat" })
 *   yield* chat.ask("Hi")
 *   return (yield* chat.state).transcript.length
 * }).pipe(Effect.scoped)
 * const agent = Agent.layer.pipe(Layer.provide(AgentTest.layer), Layer.provide(Script.layer(Script.say("Hello"))))
 * const reloaded = Effect.andThen(page, page).pipe(Effect.provide([agent, ConversationStore.layerMemory]))
 * await Effect.runPromise(reloaded) // => 4
 * ```
 *
 * @since 0.1.0
 */
import type { Agent } from "@effect-a2a/core/Agent"
import type { AgentError } from "@effect-a2a/core/AgentError"
import * as Conversation from "@effect-a2a/core/Conversation"
import { ContextId } from "@effect-a2a/core/Id"
import type * as Message from "@effect-a2a/core/Message"
import * as Protocol from "@effect-a2a/core/Protocol"
import type * as StreamEvent from "@effect-a2a/core/StreamEvent"
import type * as Task from "@effect-a2a/core/Task"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { ConversationStore } from "./ConversationStore.ts"
import { CurrentPage } from "./Page.ts"

/** The options of a conversation, and the name that it is stored under. */
export interface Options extends Omit<Conversation.Options, "state"> {
  /** The name in the store. */
  readonly name: string
}

/** The time between two saves of a running stream, in milliseconds. */
const saveInterval = 1000

/** Tasks and messages are stored as 1.0 writes them, whatever version the agent speaks. */
const codec: Protocol.Codec<Task.Task | Message.Message> = Protocol.v1_0.rest.dialect.success.SendMessage!

const encode = ({ contextId, pending, transcript }: Conversation.State): Schema.Json => ({
  transcript: transcript.flatMap((message) =>
    Result.getOrElse(Result.map(codec.encode(message), (json) => [json]), () => [])
  ),
  ...(contextId === undefined ? undefined : { contextId }),
  ...(pending === undefined ? undefined : { pending: Result.getOrElse(codec.encode(pending), () => null) })
})

const decode = (json: unknown): Conversation.State | undefined => {
  if (!Predicate.hasProperty(json, "transcript") || !Array.isArray(json.transcript)) return undefined
  const all = json.transcript.map((message) => Result.getOrUndefined(codec.decode(message)))
  const pending = Predicate.hasProperty(json, "pending") ? Result.getOrUndefined(codec.decode(json.pending)) : undefined
  return {
    contextId: Predicate.hasProperty(json, "contextId") && typeof json.contextId === "string"
      ? ContextId.make(json.contextId)
      : undefined,
    pending: pending?._tag === "Task" ? pending : undefined,
    transcript: all.filter((message) => message?._tag === "Message")
  }
}

/**
 * Restores the conversation of that name, or starts it. Saves it after each message, every second of a stream, and when
 * the page is left or hidden, until the scope closes.
 */
export const make = Effect.fnUntraced(function*(
  { name, ...options }: Options
): Effect.fn.Return<Conversation.Service, never, Agent | ConversationStore | Scope.Scope> {
  const store = yield* ConversationStore
  const page = yield* CurrentPage
  const state = decode(yield* store.load(name))
  const conversation = yield* Conversation.make({ ...options, ...(state && { state }) })
  const save = Effect.flatMap(conversation.state, (state) => store.save(name, encode(state)))
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(page.next("hide", "hidden"), save)), {
    startImmediately: true
  })

  /** Saves while the stream runs, and once the turn inside it has ended and its result is known. */
  const saving = (
    self: Stream.Stream<StreamEvent.StreamEvent, AgentError>
  ): Stream.Stream<StreamEvent.StreamEvent, AgentError> =>
    Stream.unwrap(Effect.gen(function*() {
      let last = -Infinity
      yield* Effect.addFinalizer(() => save)
      return Stream.mapArrayEffect(self, (events) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          if (now - last < saveInterval) return Effect.succeed(events)
          last = now
          return Effect.as(save, events)
        }))
    }))

  return {
    state: conversation.state,
    send: (input, options) => Effect.ensuring(conversation.send(input, options), save),
    ask: (input, options) => Effect.ensuring(conversation.ask(input, options), save),
    stream: (input, options) => saving(conversation.stream(input, options)),
    resume: saving(conversation.resume),
    cancel: Effect.ensuring(conversation.cancel, save)
  }
})

/** Removes a conversation from the store. One that continues is saved again. */
export const forget = (name: string): Effect.Effect<void, never, ConversationStore> =>
  Effect.flatMap(ConversationStore, (store) => store.save(name, undefined))
