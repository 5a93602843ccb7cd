/** Debian's Chromium, or the one at CHROMIUM_PATH. Without it, tests in a browser are reported as skipped. */
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { type Browser, chromium } from "playwright-core"

const places = [process.env.CHROMIUM_PATH, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]

export const executablePath = places.find((place) => place !== undefined && fs.existsSync(place))

if (executablePath === undefined) {
  console.warn("SKIPPED: tests in a browser. Install Chromium (apt-get install chromium) or set CHROMIUM_PATH.")
}

export const launch: Effect.Effect<Browser, never, import("effect/Scope").Scope> = Effect.acquireRelease(
  Effect.promise(() =>
    chromium.launch({ executablePath: executablePath!, args: ["--no-sandbox", "--disable-dev-shm-usage"] })
  ),
  (browser) => Effect.promise(() => browser.close())
)
