// Packs the packages as for publishing and checks the tarballs by publint.
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { exists, files, packages, read, root, tool, tsc } from "./workspace.ts"

const folder = path.join(root, ".tmp", "pack")

const pack = (): boolean => {
  const { config: { pnpm } } = JSON.parse(read("package.json"))
  const args = ["pnpm", "--recursive", "--filter", "@effect-a2a/*", "pack", "--pack-destination", folder]
  return spawnSync("npx", ["--yes", `--package=pnpm@${pnpm}`, ...args], { cwd: root, stdio: "inherit" }).status === 0
}

const lint = (): boolean =>
  fs.readdirSync(folder).map((file) => tool("publint", ["run", path.join(folder, file), "--strict"]).ok).every(Boolean)

/** Removes outputs without a source, since they would be published too. */
const sweep = () => {
  for (const name of packages) {
    for (const file of files(`packages/${name}/dist`, /\.(js|d\.ts)(\.map)?$/)) {
      const source = file.replace("/dist/", "/src/").replace(/\.(js|d\.ts)(\.map)?$/, ".ts")
      if (!exists(source)) fs.rmSync(path.join(root, file))
    }
  }
}

sweep()
fs.rmSync(folder, { recursive: true, force: true })
process.exitCode = tsc(["-b", "tsconfig.packages.json"]).ok && pack() && lint() ? 0 : 1
