// Builds the page and serves it.
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { fileURLToPath } from "node:url"
import { build } from "vite"
import { serving } from "./serving.ts"

const folder = fileURLToPath(new URL("../../.tmp/chat/page", import.meta.url))

const buildPage = Effect.promise(() =>
  build({
    root: fileURLToPath(new URL(".", import.meta.url)),
    logLevel: "warn",
    build: { outDir: folder, emptyOutDir: true, target: "es2023", modulePreload: false }
  })
)

/** Builds and serves the page and an agent, until the scope closes. Port 0 takes a free one. */
export const serve = (port: number) => Effect.andThen(buildPage, serving(folder, port))

if (import.meta.main) {
  const port = Number(process.argv[2] ?? 4170)
  NodeRuntime.runMain(Effect.scoped(Effect.gen(function*() {
    const { agent, page } = yield* serve(port)
    yield* Console.log(
      `chat: ${page}\nagent: ${agent} (the MemoryLake emulator; any other agent can be chosen in the page)`
    )
    return yield* Effect.never
  })))
}
