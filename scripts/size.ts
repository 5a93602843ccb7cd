// Checks the size of a client in a page: bundles by rolldown, minified and gzipped, against budgets.
// `--modules` lists the modules of the client.
import * as path from "node:path"
import { gzipSync } from "node:zlib"
import { type OutputChunk, rolldown } from "rolldown"
import { minifySync } from "rolldown/utils"
import { root } from "./workspace.ts"

/** An app that already contains Effect's Stream, Schema and HttpClient in full. */
const app = `
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
globalThis.app = [Schema, Stream, FetchHttpClient, HttpClient]
`

/** A client that asks one agent over one binding, as an app without Effect would add it. */
const client = `
import * as Agent from "@effect-a2a/core/Agent"
import * as AgentStream from "@effect-a2a/core/AgentStream"
import * as Credentials from "@effect-a2a/core/Credentials"
import * as Rest from "@effect-a2a/transport-rest/Rest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
const agent = Agent.layer.pipe(
  Layer.provide(Rest.layer({ url: location.href })),
  Layer.provide([Credentials.layerNone, FetchHttpClient.layer])
)
Agent.stream("Hi").pipe(
  AgentStream.text,
  Stream.runForEach((text) => Effect.sync(() => document.body.append(text))),
  Effect.provide(agent),
  Effect.runPromise
)
`

const programs: Readonly<Record<string, string>> = {
  "app.size.js": app,
  "client.size.js": client,
  "both.size.js": `import "app.size.js"\nimport "client.size.js"`
}

const bundle = async (name: string): Promise<OutputChunk> => {
  const bundled = await rolldown({
    input: `${name}.size.js`,
    cwd: root,
    platform: "browser",
    onLog: (level, { message }) => {
      if (level !== "debug") console.log(`${level}: ${message}`)
    },
    plugins: [{
      name: "programs",
      resolveId: (id) => programs[id] === undefined ? undefined : path.join(root, "scripts", id),
      load: (id) => programs[path.basename(id)]
    }]
  })
  // a page does not load the chunks of what it imports only when it needs it
  const { output: [chunk] } = await bundled.generate({ format: "esm", minify: true, codeSplitting: true })
  return chunk
}

const gzipSize = (code: string) => gzipSync(code, { level: 9 }).length

const kB = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`

const owner = (id: string) => /node_modules\/(effect)\//.exec(id)?.[1] ?? /packages\/[^/]+/.exec(id)?.[0] ?? "entry"

/** Bytes of each module alone, minified. Their sum exceeds the bundle, since gzip finds less to share. */
const parts = ({ modules }: OutputChunk) =>
  Object.entries(modules).map(([id, { code }]) => ({
    name: path.relative(root, id).replace(/^.*node_modules\//, ""),
    owner: owner(id),
    bytes: gzipSize(minifySync("module.js", code ?? "").code)
  })).sort((a, b) => b.bytes - a.bytes)

const [alone, before, after] = await Promise.all([bundle("client"), bundle("app"), bundle("both")])

const figures = [
  { name: "client with one binding, Effect included", bytes: gzipSize(alone.code), budget: 81_400 },
  {
    name: "the same, in an app with Effect's Stream, Schema and HttpClient",
    bytes: gzipSize(after.code) - gzipSize(before.code),
    budget: 32_000
  }
]
for (const { budget, bytes, name } of figures) console.log(`${kB(bytes).padStart(8)}  of ${kB(budget)}  ${name}`)

if (process.argv.includes("--modules")) {
  const all = parts(alone)
  const total = all.reduce((sum, { bytes }) => sum + bytes, 0)
  for (const owner of new Set(all.map(({ owner }) => owner))) {
    const share = all.reduce((sum, part) => part.owner === owner ? sum + part.bytes : sum, 0) / total
    console.log(`${kB(share * gzipSize(alone.code)).padStart(8)}  ${owner}`)
  }
  for (const { bytes, name } of all.slice(0, 40)) console.log(`${kB(bytes).padStart(8)}  ${name}`)
}

process.exitCode = figures.every(({ budget, bytes }) => bytes <= budget) ? 0 : 1
