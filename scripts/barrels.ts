// Writes the files that follow from the list of packages and modules. With --check lists the stale ones only.
import * as fs from "node:fs"
import * as path from "node:path"
import { exists, files, packages, read, root } from "./workspace.ts"

const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`

const barrel = (name: string): ReadonlyArray<readonly [file: string, text: string]> => {
  const modules = files(`packages/${name}/src`, /^[A-Z]\w*\.ts$/).filter((file) => file.split("/").length === 4)
  const file = `packages/${name}/src/index.ts`
  const comment = exists(file) ? /^\/\*\*[^]*?\*\/\n/.exec(read(file))?.[0] ?? "" : ""
  // in the order of the formatter
  const order = (name: string) => `./${name}.ts`.toLowerCase()
  const names = modules.map((module) => path.basename(module, ".ts")).sort((a, b) => order(a) < order(b) ? -1 : 1)
  const lines = names.map((name) => `export * as ${name} from "./${name}.ts"\n`)
  return modules.length === 0 ? [] : [[file, comment + lines.join("")]]
}

const manifest = () => {
  const { devDependencies, ...rest } = JSON.parse(read("package.json"))
  const others = Object.entries(devDependencies).filter(([name]) => !name.startsWith("@effect-a2a/"))
  const own = packages.map((name) => [`@effect-a2a/${name}`, "workspace:^"])
  return json({ ...rest, devDependencies: Object.fromEntries([...others, ...own].sort(([a], [b]) => a < b ? -1 : 1)) })
}

const projects = () =>
  json({
    files: [],
    references: packages.filter((name) => exists(`packages/${name}/tsconfig.json`)).map((name) => ({
      path: `packages/${name}`
    }))
  })

const generated: ReadonlyArray<readonly [file: string, text: string]> = [
  ...packages.flatMap(barrel),
  ["package.json", manifest()],
  ["tsconfig.packages.json", projects()]
]

/** Files that differ from their generated text. */
export const stale: ReadonlyArray<string> = generated.flatMap(([file, text]) =>
  exists(file) && read(file) === text ? [] : [file]
)

if (import.meta.main) {
  for (const file of stale) console.log(file)
  if (process.argv.includes("--check")) process.exitCode = stale.length === 0 ? 0 : 1
  else {
    for (const [file, text] of generated) if (stale.includes(file)) fs.writeFileSync(path.join(root, file), text)
    if (stale.includes("package.json")) console.log("package.json has changed: run `pnpm install`")
  }
}
