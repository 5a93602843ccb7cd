/** A page whose signals a test sends. */
import type { Page } from "@effect-a2a/browser"
import { Effect, PubSub, Stream } from "effect"

export const make = Effect.gen(function*() {
  const signals = yield* PubSub.unbounded<Page.Signal>()
  let isOnline = true
  const page: Page.Page = {
    isOnline: Effect.sync(() => isOnline),
    next: (...wanted) =>
      Stream.fromPubSub(signals).pipe(
        Stream.filter((signal) => wanted.includes(signal)),
        Stream.runHead,
        Effect.map((signal) => (signal as { readonly value: Page.Signal }).value)
      )
  }
  return {
    page,
    signal: (signal: Page.Signal) => PubSub.publish(signals, signal),
    offline: Effect.sync(() => void (isOnline = false)),
    online: Effect.suspend(() => {
      isOnline = true
      return PubSub.publish(signals, "online")
    })
  }
})
