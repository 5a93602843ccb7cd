// Serves the files of a page, and the MemoryLake emulator on another origin. Loopback only.
import * as MemoryLakeEmulator from "@effect-a2a/emulators/MemoryLakeEmulator"
import * as MemoryLake from "@effect-a2a/memorylake/MemoryLake"
import * as NodeAgentServer from "@effect-a2a/node/NodeAgentServer"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as fs from "node:fs"
import * as path from "node:path"

/** The policy of the page: it may run its own files and talk to any agent. */
export const policy = "default-src 'self'; connect-src *; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml"
}

/** Routes of the files, and of the demo: the URL of the agent with its public key. */
const page = (folder: string, agent: string) =>
  Layer.mergeAll(
    HttpRouter.add(
      "GET",
      "/demo.json",
      HttpServerResponse.jsonUnsafe({
        url: Result.getOrThrow(MemoryLake.endpoint(MemoryLakeEmulator.address(agent))).url,
        key: MemoryLakeEmulator.apiKey
      }, { headers: { "cache-control": "no-store" } })
    ),
    ...fs.readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((file) => fs.statSync(path.join(folder, file)).isFile())
      .map((file) => {
        const url = file === "index.html" ? "/" : `/${file.replaceAll(path.sep, "/")}` as const
        return HttpRouter.add(
          "GET",
          url as "/",
          HttpServerResponse.uint8Array(fs.readFileSync(path.join(folder, file)), {
            contentType: types[path.extname(file)] ?? "application/octet-stream",
            headers: {
              "content-security-policy": policy,
              "x-content-type-options": "nosniff",
              "referrer-policy": "no-referrer",
              "cache-control": file === "index.html" ? "no-cache" : "max-age=60"
            }
          })
        )
      })
  )

const listen = (routes: Layer.Layer<never, never, HttpRouter.HttpRouter>, port: number) =>
  Layer.build(NodeAgentServer.layer({ routes, port, shutdown: "200 millis" })).pipe(
    Effect.flatMap((context) => Effect.provideContext(NodeAgentServer.url, context))
  )

/** Starts both servers, until the scope closes. Port 0 takes a free one. */
export const serving = Effect.fnUntraced(function*(folder: string, port: number) {
  const agent = yield* listen(MemoryLakeEmulator.routes, port === 0 ? 0 : port + 1)
  return { agent, page: yield* listen(page(folder, agent), port) }
})
