/** One browser, one site and its agents, shared by all tests of a file. */
import type * as MemoryLake from "@effect-a2a/memorylake/MemoryLake"
import { describe, it, layer, type Vitest } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { Browser, BrowserContext, Page } from "playwright-core"
import type * as calls from "../page/calls.ts"
import * as Bundle from "./bundle.ts"
import * as Chromium from "./chromium.ts"
import * as Site from "./site.ts"

export class World extends Context.Service<World, {
  readonly browser: Browser
  readonly url: string
  readonly built: Bundle.Bundle
  readonly tokens: ReadonlyMap<string, number>
  readonly lake: MemoryLake.Address
  readonly counter: string
}>()("test/World") {}

const layerWorld = Layer.effect(
  World,
  Effect.gen(function*() {
    const [browser, site, lake, counter] = yield* Effect.all(
      [Chromium.launch, Site.site(Bundle.page), Site.lake, Site.counter],
      { concurrency: "unbounded" }
    )
    return { browser, ...site, lake, counter }
  })
)

/** Registers tests in the browser, if it is installed. They run in real time. */
export const browsing =
  <R, E>(world: Layer.Layer<R, E>, options: { readonly concurrent?: boolean } = {}) =>
  (title: string, tests: (it: Vitest.MethodsNonLive<R>) => void): void => {
    if (Chromium.executablePath === undefined) {
      describe.skip(title, () => it("SKIPPED: Chromium is not installed", () => {}))
    } else layer(world, { excludeTestServices: true, timeout: 60_000, ...options })(title, tests)
  }

/** Registers tests that run concurrently: they wait most of the time. */
export const inBrowser = browsing(layerWorld, { concurrent: true })

type Calls = typeof calls
export type Name = keyof { [K in keyof Calls as Calls[K] extends Function ? K : never]: true }

/** Opens a browser context, in which tabs share storage. */
export const visit: Effect.Effect<BrowserContext, never, World | Scope.Scope> = Effect.flatMap(
  World,
  ({ browser }) =>
    Effect.acquireRelease(
      Effect.promise(() => browser.newContext()),
      (context) => Effect.promise(() => context.close())
    )
)

export interface Tab {
  readonly page: Page
  /** Calls a function of the page and returns its result. */
  readonly call: <N extends Name>(
    name: N,
    ...args: Parameters<Calls[N]>
  ) => Effect.Effect<Awaited<ReturnType<Calls[N]>>>
  /** Waits until the page has received that many events. */
  readonly seen: (n: number) => Effect.Effect<unknown>
  readonly reload: Effect.Effect<unknown>
  readonly offline: (isOffline: boolean) => Effect.Effect<void>
  /** Returns the violations of the page's policy. */
  readonly violations: Effect.Effect<ReadonlyArray<string>>
}

export const tab = Effect.fnUntraced(function*(context: BrowserContext, prepare?: () => void) {
  const { url } = yield* World
  const page = yield* Effect.promise(() => context.newPage())
  if (prepare !== undefined) yield* Effect.promise(() => page.addInitScript(prepare))
  const complaints: Array<string> = []
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()))
  page.on("pageerror", (error) => complaints.push(error.message))
  const loaded = () => page.waitForFunction(() => "calls" in globalThis)
  yield* Effect.promise(() => page.goto(url).then(loaded))
  const self: Tab = {
    page,
    call: (name, ...args) =>
      Effect.promise(() =>
        // in a task of the page: the policy does not bind code that a debugger evaluates
        page.evaluate(
          ({ args, name }) =>
            new Promise((resolve) => setTimeout(resolve)).then(() => (globalThis as any).calls[name](...args)),
          { name, args } as any
        )
      ) as never,
    seen: (n) => Effect.promise(() => page.waitForFunction((n) => (globalThis as any).calls.seen.length >= n, n)),
    offline: (isOffline) => Effect.promise(() => context.setOffline(isOffline)),
    reload: Effect.promise(() => page.reload().then(loaded)),
    violations: Effect.map(
      Effect.promise(() => page.evaluate(() => (globalThis as any).violations as ReadonlyArray<string>)),
      (violations) => [...violations, ...complaints.filter((text) => /Content.Security.Policy/i.test(text))]
    )
  }
  return self
})

export const open = (prepare?: () => void) => Effect.flatMap(visit, (context) => tab(context, prepare))
