/**
 * What a page, or a worker, is told of itself: whether there is a network, whether it is seen, and whether it goes away.
 * A seam for tests, and for places that tell it in their own way.
 *
 * ```ts
 * import { Page } from "@effect-a2a/browser"
 * import { Effect } from "effect"
 *
 * const isOnline = Effect.flatMap(Page.CurrentPage, (page) => page.isOnline)
 * await Effect.runPromise(isOnline) // => true
 * ```
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/**
 * `online`: there is a network again. `visible`, `hidden`: the page is seen, or no more. `hide`: the page is left, for
 * good or to be kept as it is; `show`: it is back as it was.
 */
export type Signal = "online" | "visible" | "hidden" | "hide" | "show"

export interface Page {
  /** What the browser thinks of the network; `true` where nobody knows. */
  readonly isOnline: Effect.Effect<boolean>
  /** Waits for the first of these signals. */
  readonly next: (...signals: ReadonlyArray<Signal>) => Effect.Effect<Signal>
}

const visibility = (state: DocumentVisibilityState) => ({
  type: "visibilitychange",
  target: () => globalThis.document,
  holds: () => globalThis.document.visibilityState === state
})

const ofWindow = (type: string) => ({ type, target: () => globalThis, holds: () => true })

/** Workers have no document, and other places no events. */
const sources: {
  readonly [S in Signal]: {
    readonly type: string
    readonly target: () => Partial<Pick<EventTarget, "addEventListener" | "removeEventListener">> | undefined
    readonly holds: () => boolean
  }
} = {
  online: ofWindow("online"),
  visible: visibility("visible"),
  hidden: visibility("hidden"),
  hide: ofWindow("pagehide"),
  show: ofWindow("pageshow")
}

/** The page that the program runs in. */
export const CurrentPage = Context.Reference<Page>("@effect-a2a/browser/Page", {
  defaultValue: () => ({
    isOnline: Effect.sync(() => globalThis.navigator?.onLine !== false),
    next: (...signals) =>
      Effect.callback((resume) => {
        const off = signals.map((signal) => {
          const { holds, target, type } = sources[signal]
          const listener = () => holds() && resume(Effect.succeed(signal))
          target()?.addEventListener?.(type, listener)
          return () => target()?.removeEventListener?.(type, listener)
        })
        return Effect.sync(() => off.forEach((remove) => remove()))
      })
  })
})
