/**
 * Conversations by key, such as the id of an end user: each is restored when it is first used, saved as it changes, and
 * forgotten when nobody has used it for a while. Over any `BackingPersistence` of `effect/persistence/Persistence` (memory,
 * SQL, Redis, key-value stores), so that conversations outlive the process.
 *
 * ```ts
 * import { Agent, Conversations } from "@effect-a2a/core"
 * import { AgentTest, Script } from "@effect-a2a/testing"
 * import { Effect, Layer } from "effect"
 *
 * const handle = (user: string, text: string) =>
 *   Effect.gen(function*() {
 *     const conversation = yield* Conversations.get(user)
 *     yield* conversation.ask(text)
 *     return (yield* conversation.state).transcript.length
 *   }).pipe(Effect.scoped)
 * const program = Effect.all([handle("ana", "Hi"), handle("bo", "Hi"), handle("ana", "Hi again")])
 *
 * const agent = Agent.layer.pipe(Layer.provide(AgentTest.layer), Layer.provide(Script.layer(Script.say("Hello"))))
 * const conversations = Conversations.layerMemory({ timeToLive: "30 minutes" }).pipe(Layer.provide(agent))
 * await Effect.runPromise(program.pipe(Effect.provide(conversations))) // => [2, 2, 4]
 * ```
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Persistence from "effect/persistence/Persistence"
import * as RcMap from "effect/RcMap"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Agent from "./Agent.ts"
import * as Conversation from "./Conversation.ts"
import * as BoundedMemory from "./internal/conversation/boundedMemory.ts"
import * as KeyedLock from "./KeyedLock.ts"
import { isObject } from "./Metadata.ts"

/** Options of conversations that are kept by key. */
export interface Options extends Pick<Conversation.Options, "pending">, Conversation.AutosaveOptions {
  /** The time after its last change at which a conversation is forgotten. Default: never. */
  readonly timeToLive?: Duration.Input | undefined
  /** The name of the store. Conversations with several agents need one each. Default: `a2a_conversations`. */
  readonly storeId?: string | undefined
}

/** Options of conversations in memory. */
export interface MemoryOptions extends Omit<Options, "storeId"> {
  /** The number of conversations, at most; the least recently changed are forgotten first. Default: 10,000. */
  readonly capacity?: number | undefined
}

/** Conversations with one agent, by key. */
export interface Service {
  /**
   * Returns the conversation of a key: the one in use, else the saved one, else a new one. All who use a key at the same
   * time share one conversation, whose messages are sent one at a time. When the last scope closes, the state has been
   * saved. A save that fails is logged. Fails if the state cannot be read, or is not one of a conversation.
   */
  readonly get: (key: string) => Effect.Effect<Conversation.Service, Persistence.PersistenceError, Scope.Scope>
  /**
   * Removes the conversation of a key from the store: the next {@link Service.get} starts a new one. Who still uses it can
   * go on, but it is not saved any more.
   */
  readonly remove: (key: string) => Effect.Effect<void, Persistence.PersistenceError>
}

/** The conversations with the application's agent. */
export class Conversations extends Context.Service<Conversations, Service>()("@effect-a2a/core/Conversations") {}

const codec = Schema.toCodecJson(Conversation.State)

const load = Effect.fnUntraced(function*(store: Persistence.BackingPersistenceStore, key: string) {
  const json = yield* store.get(key)
  if (json === undefined) return undefined
  return yield* Effect.mapError(
    Schema.decodeUnknownEffect(codec)(json),
    (cause) => new Persistence.PersistenceError({ message: `the saved conversation of ${key} cannot be read`, cause })
  )
})

/** A conversation that is in use. Closing its scope ends the saving, with one last save unless it was removed. */
interface Active {
  readonly scope: Scope.Closeable
  isRemoved: boolean
}

/**
 * Creates conversations with a given agent: a value, or a tag made by `Agent.Tag`.
 *
 * ```ts
 * import { Agent, Conversations } from "@effect-a2a/core"
 * import { AgentTest, Script } from "@effect-a2a/testing"
 * import { Effect, Layer } from "effect"
 * import { Persistence } from "effect/persistence"
 *
 * class Travel extends Agent.Tag<Travel>()("app/Travel") {}
 *
 * const program = Effect.gen(function*() {
 *   const conversations = yield* Conversations.make(Travel, { storeId: "travel", timeToLive: "1 day" })
 *   const ask = Effect.scoped(Effect.flatMap(conversations.get("ana"), (conversation) => conversation.ask("Hi")))
 *   const first = yield* ask
 *   const second = yield* ask
 *   yield* conversations.remove("ana")
 *   const third = yield* ask
 *   return [second.contextId === first.contextId, third.contextId === first.contextId]
 * }).pipe(Effect.scoped)
 * const travel = Travel.layer.pipe(Layer.provide(AgentTest.layer), Layer.provide(Script.layer(Script.say("Lisbon"))))
 * await Effect.runPromise(program.pipe(Effect.provide([travel, Persistence.layerBackingMemory]))) // => [true, false]
 * ```
 */
export const make = Effect.fnUntraced(function*<E = never, R = never>(
  agent: Agent.Service | Effect.Effect<Agent.Service, E, R>,
  { interval, pending, storeId = "a2a_conversations", timeToLive }: Options = {}
): Effect.fn.Return<Service, E, R | Persistence.BackingPersistence | Scope.Scope> {
  const service = Effect.isEffect(agent) ? yield* agent : agent
  const store = yield* (yield* Persistence.BackingPersistence).make(storeId)
  const lifetime = timeToLive === undefined ? undefined : Duration.fromInputUnsafe(timeToLive)
  const locks = KeyedLock.makeUnsafe<string>()
  const active = new Map<string, Active>()

  const save = (key: string, self: Active) => (state: Conversation.State) =>
    Effect.suspend(() =>
      self.isRemoved ? Effect.void : Effect.flatMap(
        Effect.orDie(Schema.encodeEffect(codec)(state)),
        (json) => isObject(json) ? store.set(key, json, lifetime) : Effect.void
      )
    )

  // the lock is held until the last save is done, so that nobody reads the state before
  const open = Effect.fnUntraced(function*(key: string, self: Active) {
    yield* locks.take(key)
    const state = yield* load(store, key)
    const conversation = yield* Conversation.of(service, { pending, state })
    yield* Conversation.autosave(conversation, save(key, self), { interval })
    return conversation
  })

  const conversations = yield* RcMap.make({
    lookup: Effect.fnUntraced(function*(key: string) {
      const scope = yield* Effect.acquireRelease(Scope.make(), (scope, exit) => Scope.close(scope, exit))
      const self: Active = { scope, isRemoved: false }
      active.set(key, self)
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          if (active.get(key) === self) active.delete(key)
        })
      )
      return yield* Scope.provide(open(key, self), scope).pipe(
        Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
      )
    })
  })

  return {
    // a failure is not kept: who tries again reads again
    get: (key) => Effect.tapError(RcMap.get(conversations, key), () => RcMap.invalidate(conversations, key)),
    remove: Effect.fnUntraced(function*(key) {
      const self = active.get(key)
      yield* RcMap.invalidate(conversations, key)
      if (self !== undefined) {
        self.isRemoved = true
        yield* Scope.close(self.scope, Exit.void)
      }
      yield* store.remove(key).pipe(locks.withLock(key))
    }, Effect.uninterruptible)
  }
})

/** Provides the conversations with the application's agent, saved in the store that the application provides. */
export const layer = (
  options?: Options
): Layer.Layer<Conversations, never, Agent.Agent | Persistence.BackingPersistence> =>
  Layer.effect(Conversations, make(Agent.Agent, options))

/** Provides the conversations with the application's agent, in memory. */
export const layerMemory = (
  { capacity = 10_000, ...options }: MemoryOptions = {}
): Layer.Layer<Conversations, never, Agent.Agent> => Layer.provide(layer(options), BoundedMemory.layer(capacity))

/** Returns the conversation of a key, as {@link Service.get} does. */
export const get = (
  key: string
): Effect.Effect<Conversation.Service, Persistence.PersistenceError, Conversations | Scope.Scope> =>
  Effect.flatMap(Conversations, (conversations) => conversations.get(key))

/** Removes the conversation of a key, as {@link Service.remove} does. */
export const remove = (key: string): Effect.Effect<void, Persistence.PersistenceError, Conversations> =>
  Effect.flatMap(Conversations, (conversations) => conversations.remove(key))
