/**
 * Locks and messages between the tabs and workers of one origin. Provide your own for tests, or for environments without
 * Web Locks and `BroadcastChannel`.
 *
 * ```ts
 * import { Tabs } from "@effect-a2a/browser"
 * import { Effect } from "effect"
 *
 * const order: Array<string> = []
 * const turn = (tab: string) =>
 *   Effect.flatMap(Tabs.CurrentLocks, (locks) =>
 *     locks("token")(Effect.sync(() => void order.push(`${tab} enters`)).pipe(
 *       Effect.andThen(Effect.sleep("10 millis")),
 *       Effect.andThen(Effect.sync(() => void order.push(`${tab} leaves`)))
 *     )))
 * await Effect.runPromise(Effect.all([turn("first"), turn("second")], { concurrency: 2 }))
 * order // => ["first enters", "first leaves", "second enters", "second leaves"]
 * ```
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"

/** Runs an effect while no other tab runs one under the same name. */
export type Locks = (name: string) => <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** A channel to the other tabs that use the same name; messages do not come back to their sender. */
export interface Channel {
  readonly post: (message: unknown) => Effect.Effect<void>
  readonly messages: Stream.Stream<unknown>
}

/** Requests a lock, and releases it at once if it is granted after the interruption. */
const lock = (locks: LockManager, name: string): Effect.Effect<() => void> =>
  Effect.callback((resume, signal) => {
    const held = locks.request(name, { signal }, () =>
      new Promise<void>((release) =>
        signal.aborted ? release() : resume(Effect.succeed(release))
      ))
    held.catch(() => {})
  })

/** The locks between tabs. Default: Web Locks; without them, as on pages without TLS, tabs do not wait for each other. */
export const CurrentLocks = Context.Reference<Locks>("@effect-a2a/browser/Tabs/CurrentLocks", {
  defaultValue: () => (name) => (self) => {
    const locks = globalThis.navigator?.locks
    return locks === undefined
      ? self
      : Effect.scoped(
        Effect.andThen(
          Effect.acquireRelease(lock(locks, name), (release) => Effect.sync(release), { interruptible: true }),
          self
        )
      )
  }
})

/** The channels between tabs. Default: `BroadcastChannel`; without it nothing is sent or received. */
export const CurrentChannels = Context.Reference<(name: string) => Effect.Effect<Channel, never, Scope.Scope>>(
  "@effect-a2a/browser/Tabs/CurrentChannels",
  {
    defaultValue: () =>
      Effect.fnUntraced(function*(name) {
        if (globalThis.BroadcastChannel === undefined) return { post: () => Effect.void, messages: Stream.never }
        const channel = yield* Effect.acquireRelease(
          Effect.sync(() => new BroadcastChannel(name)),
          (channel) => Effect.sync(() => channel.close())
        )
        const queue = yield* Queue.unbounded<unknown>()
        channel.onmessage = ({ data }) => Queue.offerUnsafe(queue, data)
        return {
          post: (message) => Effect.sync(() => channel.postMessage(message)),
          messages: Stream.fromQueue(queue)
        }
      })
  }
)
