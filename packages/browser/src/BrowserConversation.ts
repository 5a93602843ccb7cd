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
import * as Conversation from "@effect-a2a/core/Conversation"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { ConversationStore } from "./ConversationStore.ts"
import { CurrentPage } from "./Page.ts"

/** The options of a conversation, and the name that it is stored under. */
export interface Options extends Omit<Conversation.Options, "state"> {
  /** The name in the store. */
  readonly name: string
}

const codec = Schema.toCodecJson(Conversation.State)

/**
 * Restores the conversation of that name, or starts it. Saves it until the scope closes: at once if a message was sent,
 * answered or refused or the task's state changed, every second of a stream, and when the page is left or hidden.
 */
export const make = Effect.fnUntraced(function*(
  { name, ...options }: Options
): Effect.fn.Return<Conversation.Service, never, Agent | ConversationStore | Scope.Scope> {
  const store = yield* ConversationStore
  const page = yield* CurrentPage
  const state = Schema.decodeUnknownOption(codec)(yield* store.load(name))
  const conversation = yield* Conversation.make({ ...options, state: Option.getOrUndefined(state) })
  const { flush } = yield* Conversation.autosave(
    conversation,
    (state) => Effect.flatMap(Effect.orDie(Schema.encodeEffect(codec)(state)), (json) => store.save(name, json))
  )
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(page.next("hide", "hidden"), flush)), {
    startImmediately: true
  })
  return conversation
})

/** Removes a conversation from the store. One that continues is saved again. */
export const forget = (name: string): Effect.Effect<void, never, ConversationStore> =>
  Effect.flatMap(ConversationStore, (store) => store.save(name, undefined))
