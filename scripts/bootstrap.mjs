// Runs a verb on the pinned Node, after installing what the lockfile says where that has not happened yet.
// The one script that must run on any Node from 18 and without an installation. Its own words go to stderr.
import { spawn, spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))
const bin = join(root, "node_modules", ".bin")
const node = join(root, "node_modules", "node", "bin", process.platform === "win32" ? "node.exe" : "node")
const stamp = join(root, "node_modules", ".bootstrap-stamp")

const verbs = {
  start: "scripts/start.ts",
  test: "scripts/test.ts",
  a2a: "packages/cli/src/bin.ts",
  chat: "examples/chat/serve.ts",
  backend: "examples/backend/src/demo.ts"
}

const fingerprint = () => {
  const manifests = readdirSync(join(root, "packages")).sort().map((name) => `packages/${name}/package.json`)
  const hash = createHash("sha256")
  for (const file of ["package.json", "pnpm-workspace.yaml", "pnpm-lock.yaml", ...manifests]) {
    if (existsSync(join(root, file))) hash.update(file).update(readFileSync(join(root, file)))
  }
  return hash.digest("hex")
}

const install = () => {
  const wanted = fingerprint()
  if (existsSync(node) && existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return
  const { config: { pnpm } } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  const { error, status } = spawnSync(
    "npx",
    [
      "--yes",
      "--loglevel=error",
      `--package=pnpm@${pnpm}`,
      "pnpm",
      "install",
      "--frozen-lockfile",
      "--config.confirm-modules-purge=false"
    ],
    { cwd: root, stdio: ["ignore", 2, 2], shell: process.platform === "win32" }
  )
  if (status !== 0) {
    console.error(`installing with pnpm ${pnpm} failed${error === undefined ? "" : `: ${error.message}`}`)
    process.exit(status ?? 1)
  }
  writeFileSync(stamp, wanted)
}

const [verb, ...args] = process.argv.slice(2)
if (!Object.hasOwn(verbs, verb ?? "")) {
  console.error(`usage: bootstrap.mjs ${Object.keys(verbs).join("|")} [arguments]`)
  process.exit(2)
}
install()

// paths that a user gives to `npm run a2a` start where the user stands, not where npm goes
const cwd = verb === "a2a" ? (process.env.npm_lifecycle_event === "a2a" && process.env.INIT_CWD) || process.cwd() : root
const child = spawn(node, [join(root, verbs[verb]), ...args], {
  cwd,
  stdio: "inherit",
  env: { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH ?? ""}` }
})
// a terminal sends Ctrl-C to the child itself
const forward = (signal) => (signal === "SIGINT" && process.stdin.isTTY) || child.kill(signal)
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, forward)
child.on("error", (error) => {
  console.error(error.message)
  process.exit(1)
})
child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code ?? 1)
  process.removeAllListeners(signal)
  process.kill(process.pid, signal)
})
