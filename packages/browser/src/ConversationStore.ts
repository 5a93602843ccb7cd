/**
 * Stores of conversations in the browser. A store that is full or forbidden saves nothing, and does not fail.
 *
 * ```ts
 * import { ConversationStore } from "@effect-a2a/browser"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const store = yield* ConversationStore.ConversationStore
 *   yield* store.save("chat", { contextId: "c-1" })
 *   return yield* store.load("chat")
 * })
 * await Effect.runPromise(program.pipe(Effect.provide(ConversationStore.layerMemory))) // => { contextId: "c-1" }
 * ```
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Schema from "effect/Schema"

/** A store of JSON documents by name. Saving `undefined` removes the document. */
export class ConversationStore extends Context.Service<ConversationStore, {
  /** Returns the document of that name, or `undefined`. */
  readonly load: (name: string) => Effect.Effect<unknown>
  /** Saves the document under that name, in place of the one before. */
  readonly save: (name: string, json: Schema.Json | undefined) => Effect.Effect<void>
}>()("@effect-a2a/browser/ConversationStore") {}

/** Provides a store in memory, which ends with the page. */
export const layerMemory: Layer.Layer<ConversationStore> = Layer.sync(ConversationStore, () => {
  const documents = new Map<string, Schema.Json>()
  return {
    load: (name) => Effect.sync(() => documents.get(name)),
    save: (name, json) => Effect.sync(() => json === undefined ? documents.delete(name) : documents.set(name, json))
  }
})

const prefix = "@effect-a2a/browser/"

const orElse = <A>(value: A) => <B>(self: Effect.Effect<B>): Effect.Effect<A | B> =>
  Effect.catchDefect(self, (defect) => Effect.as(Effect.logDebug("the conversation was not saved", defect), value))

/** Provides `sessionStorage`: each tab has its own store until it is closed, of about 5 MB. */
export const layerSessionStorage: Layer.Layer<ConversationStore> = Layer.succeed(ConversationStore, {
  load: (name) =>
    Effect.sync(() => JSON.parse(globalThis.sessionStorage.getItem(prefix + name) ?? "null")).pipe(orElse(undefined)),
  save: (name, json) =>
    Effect.sync(() =>
      json === undefined
        ? globalThis.sessionStorage.removeItem(prefix + name)
        : globalThis.sessionStorage.setItem(prefix + name, JSON.stringify(json))
    ).pipe(orElse(undefined))
})

const storeName = "conversations"

const fromRequest = <A>(request: IDBRequest<A>): Effect.Effect<A> =>
  Effect.callback((resume) => {
    request.onsuccess = () => resume(Effect.succeed(request.result))
    request.onerror = () => resume(Effect.die(request.error))
  })

const open = Effect.suspend(() => {
  const request = globalThis.indexedDB.open("@effect-a2a/browser", 1)
  request.onupgradeneeded = () => request.result.createObjectStore(storeName)
  return fromRequest(request)
})

const withStore = <A>(mode: IDBTransactionMode, f: (store: IDBObjectStore) => Effect.Effect<A>): Effect.Effect<A> =>
  Effect.scoped(Effect.flatMap(
    Effect.acquireRelease(open, (database) => Effect.sync(() => database.close())),
    (database) => Effect.suspend(() => f(database.transaction(storeName, mode).objectStore(storeName)))
  ))

/** Provides IndexedDB: all tabs of the origin share one store, which persists. The last tab that saves wins. */
export const layerIndexedDb: Layer.Layer<ConversationStore> = Layer.succeed(ConversationStore, {
  load: (name) => orElse(undefined)(withStore("readonly", (store) => fromRequest<unknown>(store.get(name)))),
  save: (name, json) =>
    orElse(undefined)(
      withStore("readwrite", (store) =>
        json === undefined ? fromRequest(store.delete(name)) : Effect.asVoid(fromRequest(store.put(json, name))))
    )
})
