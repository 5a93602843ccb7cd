// Paths, files and tools of this repository, for scripts and tests.
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"

/** The repository's folder. */
export const root = fileURLToPath(new URL("..", import.meta.url))

/** Text of a file, by its path from the root. */
export const read = (file: string): string => fs.readFileSync(path.join(root, file), "utf8")

export const exists = (file: string): boolean => fs.existsSync(path.join(root, file))

/** Folder names under `packages` that are packages already. */
export const packages: ReadonlyArray<string> = fs.readdirSync(path.join(root, "packages"))
  .filter((name) => exists(`packages/${name}/package.json`))
  .sort()

/** Paths from the root, `/` between folders, of all files below a folder that match. */
export const files = (folder: string, pattern: RegExp): ReadonlyArray<string> =>
  exists(folder)
    ? fs.readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && pattern.test(entry.name) && !/node_modules|fixtures/.test(entry.parentPath))
      .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, "/"))
      .sort()
    : []

/** The sources that are published. */
export const sources: ReadonlyArray<string> = packages.flatMap((name) => files(`packages/${name}/src`, /\.ts$/))

/** Runs a tool of `node_modules/.bin`; output goes through unless it is captured. */
export const tool = (
  name: string,
  args: ReadonlyArray<string>,
  stdio: "inherit" | "pipe" = "inherit"
): { readonly ok: boolean; readonly output: string } => {
  const { error, status, stderr, stdout } = spawnSync(
    path.isAbsolute(name) ? name : path.join(root, "node_modules", ".bin", name),
    args,
    { cwd: root, stdio: ["ignore", stdio, stdio], encoding: "utf8" }
  )
  return { ok: status === 0, output: `${stdout ?? ""}${stderr ?? ""}${error?.message ?? ""}` }
}

/** The TypeScript compiler that reports Effect's diagnostics too. */
export const tsc = (args: ReadonlyArray<string>, stdio: "inherit" | "pipe" = "inherit") =>
  tool(tool("effect-tsgo", ["get-exe-path"], "pipe").output.trim(), args, stdio)
