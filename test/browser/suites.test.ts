// Runs tests of the client again in Chromium: bundled for browsers, under a strict policy.
import { assert } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import * as fs from "node:fs"
import type { Page } from "playwright-core"
import { covers } from "../support/covers.ts"
import * as Bundle from "./support/bundle.ts"
import * as Chromium from "./support/chromium.ts"
import * as Site from "./support/site.ts"
import { browsing } from "./support/world.ts"

/** Test files without sockets, files and Buffer, that are quick and do not count turns of the event loop. */
const files = fs.globSync([
  "packages/core/test/{*,protocol/{agentCard,failures,golden,rules}}.test.ts",
  "packages/memorylake/test/*.test.ts",
  "packages/signatures/test/*.test.ts",
  "test/{emulator,emulator-tasks,gateway,golden,golden-answers,waiting}.test.ts",
  "test/discovery/{caching,choice,search}.test.ts",
  "test/engine/{card,streamEnd}.test.ts",
  "test/errors/{reading,roundtrip}.test.ts",
  "test/field/{answers,frames,history,hostile,lists,traces}.test.ts",
  "test/resilience/{resume,retry}.test.ts"
], { cwd: Bundle.root, exclude: ["packages/core/test/retention.test.ts"] }).sort()

class Runner extends Context.Service<Runner, Page>()("test/Runner") {}

const layerRunner = Layer.effect(
  Runner,
  Effect.gen(function*() {
    const [browser, { url }] = yield* Effect.all([Chromium.launch, Site.site(() => Bundle.suites(files))])
    const page = yield* Effect.promise(() => browser.newPage())
    yield* Effect.promise(() => page.goto(url).then(() => page.waitForFunction(() => "runSuite" in globalThis)))
    return page
  })
)

/** Runs in a task of the page: the policy does not bind code that a debugger evaluates. */
const run = (page: Page, url: string): Promise<{ readonly count: number; readonly failures: ReadonlyArray<string> }> =>
  page.evaluate(
    (url) => new Promise((resolve) => setTimeout(resolve)).then(() => (globalThis as any).runSuite(url)),
    url
  )

browsing(layerRunner)("in Chromium, from a bundle", (it) => {
  files.forEach((file, n) =>
    it.effect(`${file}`, () =>
      Effect.gen(function*() {
        const page = yield* Runner
        const { count, failures } = yield* Effect.promise(() => run(page, `/suite-${n}.js`))
        assert.deepStrictEqual(failures, [])
        assert.isAbove(count, 0)
      }), covers("SDK-05"))
  )
})
