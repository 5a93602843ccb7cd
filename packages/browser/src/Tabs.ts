/**
 * How the tabs and workers of one origin get along: turns and messages. Seams for tests, and for places that have others.
 *
 * ```ts
 * import { Tabs } from "@effect-a2a/browser"
 * import { Effect } from "effect"
 *
 * const turn = Effect.flatMap(Tabs.CurrentLocks, (locks) => locks("name")(Effect.succeed("mine")))
 * await Effect.runPromise(turn) // => "mine"
 * ```
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"

/** Runs an effect alone among all tabs that take the same name. */
export type Locks = (name: string) => <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** What one tab says is heard by all others of the same name, and not by itself. */
export interface Channel {
  readonly post: (message: unknown) => Effect.Effect<void>
  readonly messages: Stream.Stream<unknown>
}

/** A turn that comes when nobody waits for it any more is given back at once. */
const lock = (locks: LockManager, name: string): Effect.Effect<() => void> =>
  Effect.callback((resume, signal) => {
    const held = locks.request(name, { signal }, () =>
      new Promise<void>((release) =>
        signal.aborted ? release() : resume(Effect.succeed(release))
      ))
    held.catch(() => {})
  })

/** Web Locks; where there are none, as on pages without TLS, each tab is on its own. */
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

/** BroadcastChannel. */
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
