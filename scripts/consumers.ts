// Checks the packages as users install them: as tarballs in a new app, installed by npm, type-checked, built by four
// bundlers without warnings and built-ins of Node, and run in Chromium if it is installed. Downloads the bundlers, so it
// is not part of `npm test`.
import * as Effect from "effect/Effect"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { serving } from "../examples/chat/serving.ts"
import { executablePath, launch } from "../test/browser/support/chromium.ts"
import { read, root, tool, tsc } from "./workspace.ts"

const folder = path.join(root, ".tmp", "consumers")
const app = path.join(folder, "app")
const wanted = ["core", "transport-rest", "transport-jsonrpc", "transport-adk", "browser", "signatures"]

const { config: { pnpm } } = JSON.parse(read("package.json"))
const pinned = (name: string): string =>
  new RegExp(`^  "?${name}"?: (\\S+)$`, "m").exec(read("pnpm-workspace.yaml"))![1]!

const run = (command: string, args: ReadonlyArray<string>, cwd = root) => {
  const { error, status, stderr, stdout } = spawnSync(command, args, { cwd, encoding: "utf8" })
  return { ok: status === 0, output: `${stdout ?? ""}${stderr ?? ""}${error?.message ?? ""}` }
}

const main = `import { BrowserAgent } from "@effect-a2a/browser"
import { Agent, AgentStream, Credentials } from "@effect-a2a/core"
import { CardSignature, KeySet } from "@effect-a2a/signatures"
import { JsonRpc } from "@effect-a2a/transport-jsonrpc"
import { Rest } from "@effect-a2a/transport-rest"
import { Effect, Layer, Redacted, Stream } from "effect"
import { FetchHttpClient } from "effect/http"

const verifying = CardSignature.layerVerify({ keys: KeySet.fromUrl("https://agent.test/jwks.json") })

const demo = fetch("/demo.json").then((response) => response.json())

const ask = (layer: Layer.Layer<Agent.Agent, unknown>) =>
  Agent.stream("What is the capital of France?", { metadata: { memorylake: {} } }).pipe(
    AgentStream.text,
    Stream.mkString,
    Effect.provide(layer)
  )

const answers = Effect.flatMap(Effect.promise(() => demo), ({ key, url }) =>
  Effect.forEach([Rest.layer, JsonRpc.layer], (binding) =>
    ask(BrowserAgent.layerOver(binding({ url })).pipe(
      Layer.provide([Credentials.layerBearer(Redacted.make(key)), Layer.provide(verifying, FetchHttpClient.layer)])
    ))))

Effect.runPromise(answers).then(
  (texts) => document.title = texts.join("\\n"),
  (error) => document.title = String(error)
)
`

/** Runs in the app: three bundlers by their APIs, each configured for browsers. */
const build = `import * as esbuild from "esbuild"
import { nodeResolve } from "@rollup/plugin-node-resolve"
import { rollup } from "rollup"
import webpack from "webpack"

const warnings = { esbuild: [], rollup: [], webpack: [] }
const input = "src/main.js"

const built = await esbuild.build({ entryPoints: ["src/main.ts"], outfile: "dist/esbuild/main.js", bundle: true,
  format: "esm", platform: "browser", minify: true, logLevel: "silent" })
warnings.esbuild.push(...built.warnings.map(({ text }) => text))
// the others do not read TypeScript
await esbuild.build({ entryPoints: ["src/main.ts"], outfile: input, logLevel: "silent" })

const bundle = await rollup({ input, plugins: [nodeResolve({ browser: true })],
  onLog: (level, { message }) => level === "warn" && warnings.rollup.push(message) })
await bundle.write({ dir: "dist/rollup", format: "es" })

const stats = await new Promise((resolve, reject) => webpack({
  mode: "production", target: "web", entry: "./" + input, performance: { hints: false },
  output: { path: process.cwd() + "/dist/webpack", filename: "main.js" }
}, (error, stats) => error ? reject(error) : resolve(stats.toJson({ all: false, warnings: true, errors: true }))))
warnings.webpack.push(...[...stats.errors, ...stats.warnings].map(({ message }) => message))

console.log(JSON.stringify(warnings))
`

const write = (file: string, text: string) => {
  fs.mkdirSync(path.dirname(path.join(app, file)), { recursive: true })
  fs.writeFileSync(path.join(app, file), text)
}

/** Imports of Node's built-ins in a bundle; browsers lack them. */
const builtin =
  /(?:from|import|require)\s*\(?\s*["'](?:node:[\w/]+|(?:assert|buffer|child_process|crypto|events|fs|http|https|net|os|path|process|stream|tls|url|util|zlib|worker_threads)(?:\/\w+)?)["']/g

const outputs = (name: string): ReadonlyArray<string> =>
  !fs.existsSync(path.join(app, "dist", name)) ?
    [] :
    fs.readdirSync(path.join(app, "dist", name), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".js"))
      .map((file) => path.join(app, "dist", name, file))

const failures: Array<string> = []

const step = (name: string, found: ReadonlyArray<string>) => {
  console.log(`${found.length === 0 ? "ok    " : "FAILED"} ${name}`)
  failures.push(...found.map((one) => `${name}: ${one}`))
}

const unless = ({ ok, output }: { readonly ok: boolean; readonly output: string }) => ok ? [] : [output]

/** The answers over both bindings, which the page built by Vite receives from an emulator on another origin. */
const answers = Effect.scoped(Effect.gen(function*() {
  const { page: url } = yield* serving(path.join(app, "dist", "vite"), 0)
  const browser = yield* launch
  return yield* Effect.promise(async () => {
    const page = await browser.newPage()
    await page.goto(url)
    await page.waitForFunction(() => document.title !== "", undefined, { timeout: 15_000 }).catch(() => undefined)
    return page.title()
  })
}))

fs.rmSync(folder, { recursive: true, force: true })
fs.mkdirSync(app, { recursive: true })

const filters = wanted.flatMap((name) => ["--filter", `@effect-a2a/${name}`])
step("build", unless(tsc(["-b", "tsconfig.packages.json"], "pipe")))
step(
  "pack",
  unless(
    run("npx", ["--yes", `--package=pnpm@${pnpm}`, "pnpm", "-r", ...filters, "pack", "--pack-destination", folder])
  )
)

const tarballs = Object.fromEntries(
  wanted.map((name) => [
    `@effect-a2a/${name}`,
    `file:../${fs.readdirSync(folder).find((file) => file.startsWith(`effect-a2a-${name}-`) && file.endsWith(".tgz"))}`
  ])
)
write(
  "package.json",
  JSON.stringify({
    name: "consumer",
    private: true,
    type: "module",
    dependencies: { ...tarballs, effect: pinned("effect") },
    devDependencies: {
      "@rollup/plugin-node-resolve": "16.0.3",
      esbuild: "0.28.2",
      rollup: "4.68.8",
      vite: pinned("vite"),
      webpack: "5.113.0"
    }
  })
)
write("index.html", `<!doctype html><script type="module" src="/src/main.ts"></script>`)
write("src/main.ts", main)
write("build.mjs", build)
write(
  "tsconfig.json",
  JSON.stringify({
    compilerOptions: {
      target: "es2023",
      module: "esnext",
      moduleResolution: "bundler",
      lib: ["es2023", "dom", "dom.iterable", "dom.asynciterable"],
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: false,
      noEmit: true,
      types: []
    },
    include: ["src"]
  })
)
step("install", unless(run("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error"], app)))
step("types", unless(tool("tsc", ["-p", app], "pipe")))

const vite = run("npx", ["vite", "build", "--outDir", "dist/vite", "--logLevel", "warn"], app)
step("vite", vite.output.trim() === "" ? unless(vite) : [vite.output])

const others = run("node", ["build.mjs"], app)
const warnings: Readonly<Record<string, ReadonlyArray<string>>> = others.ok
  ? JSON.parse(others.output)
  : { "esbuild, rollup, webpack": [others.output] }
for (const [name, found] of Object.entries(warnings)) step(name, found)

for (const name of ["vite", "esbuild", "rollup", "webpack"]) {
  step(
    `${name}: no built-ins of Node`,
    outputs(name).flatMap((file) => fs.readFileSync(file, "utf8").match(builtin) ?? [])
  )
}

if (executablePath !== undefined) {
  const expected = "Paris is the capital of France."
  const title = await Effect.runPromise(answers)
  step("runs in Chromium", title.split(expected).length === 3 ? [] : [`received ${JSON.stringify(title)}`])
}

for (const failure of failures) console.error(`\n${failure}`)
process.exitCode = failures.length === 0 ? 0 : 1
