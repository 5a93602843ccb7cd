/**
 * A lock per key: effects under the same key run one at a time, in order of arrival; other keys run in parallel.
 *
 * ```ts
 * import { KeyedLock } from "@effect-a2a/core"
 * import { Effect } from "effect"
 *
 * const log: Array<string> = []
 * const step = (name: string) =>
 *   Effect.gen(function*() {
 *     log.push(`${name} begins`)
 *     yield* Effect.yieldNow
 *     log.push(`${name} ends`)
 *   })
 * const program = Effect.gen(function*() {
 *   const lock = yield* KeyedLock.make<string>()
 *   const steps = ["first", "second"].map((name) => step(name).pipe(lock.withLock("account-1")))
 *   yield* Effect.all(steps, { concurrency: "unbounded" })
 *   return log
 * })
 * await Effect.runPromise(program) // => ["first begins", "first ends", "second begins", "second ends"]
 * ```
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"

/** Locks by key. A key that nobody holds or waits for takes no memory. */
export interface KeyedLock<in K> {
  /** Waits for the key and holds it until the scope closes. Waiting can be interrupted. */
  readonly take: (key: K) => Effect.Effect<void, never, Scope.Scope>
  /** Runs an effect while holding the key. */
  readonly withLock: (key: K) => <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/** Creates a set of locks outside of an effect. Keys are compared as those of a `Map`. */
export const makeUnsafe = <K>(): KeyedLock<K> => {
  const entries = new Map<K, { readonly semaphore: Semaphore.Semaphore; users: number }>()

  const use = (key: K) =>
    Effect.acquireRelease(
      Effect.sync(() => {
        const entry = entries.get(key) ?? { semaphore: Semaphore.makeUnsafe(1), users: 0 }
        entry.users++
        entries.set(key, entry)
        return entry.semaphore
      }),
      () =>
        Effect.sync(() => {
          const entry = entries.get(key)
          if (entry !== undefined && --entry.users === 0) entries.delete(key)
        })
    )

  const take = (key: K) => Effect.flatMap(use(key), (semaphore) => semaphore.takeScoped(1))

  return {
    take,
    withLock: (key) => (self) => Effect.scopedWith((scope) => Effect.andThen(Scope.provide(take(key), scope), self))
  }
}

/** Creates a set of locks. Keys are compared as those of a `Map`. */
export const make = <K>(): Effect.Effect<KeyedLock<K>> => Effect.sync(() => makeUnsafe<K>())
