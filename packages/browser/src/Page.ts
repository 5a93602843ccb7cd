/**
 * The signals of a page or a worker: network, visibility, and leaving. Provide your own for tests, or for environments
 * that report them in another way.
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
 * A change of the page. `online`: the network is back. `visible`, `hidden`: the page becomes visible or hidden. `hide`: the
 * user leaves the page, which the browser discards or keeps in its back/forward cache; `show`: the page comes back.
 */
export type Signal = "online" | "visible" | "hidden" | "hide" | "show"

/** The state and the signals of a page. */
export interface Page {
  /** `false` if the browser reports no network; `true` if it reports nothing. */
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

/** The events behind the signals. Workers have no document, and some environments have no events. */
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

/** The page that the program runs in. Default: the events of `window` and `document`. */
export const CurrentPage = Context.Reference<Page>("@effect-a2a/browser/Page/CurrentPage", {
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

/**
 * The origin of the page or worker, such as `https://app.example`. Default: that of `location`; `undefined` in
 * Node.js and in sandboxed frames.
 */
export const CurrentOrigin = Context.Reference<string | undefined>("@effect-a2a/browser/Page/CurrentOrigin", {
  defaultValue: () => {
    const origin = globalThis.location?.origin
    return origin === "null" ? undefined : origin
  }
})
