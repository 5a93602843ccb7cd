/** Bundles programs for a page, as a user's bundler does. Lists their modules. */
import { createRequire } from "node:module"
import * as path from "node:path"
import { rolldown } from "rolldown"

export const root = path.join(import.meta.dirname, "..", "..", "..")
const folder = path.join(root, "test", "browser", "page")

export interface Bundle {
  /** The text of each file. */
  readonly files: ReadonlyMap<string, string>
  readonly modules: ReadonlyArray<string>
  readonly imports: ReadonlyArray<string>
  readonly warnings: ReadonlyArray<string>
}

const bundle = async (
  input: Readonly<Record<string, string>>,
  alias: Readonly<Record<string, string>> = {}
): Promise<Bundle> => {
  const warnings: Array<string> = []
  const build = await rolldown({
    input,
    platform: "browser",
    resolve: { alias },
    onLog: (level, { message }) => void (level === "warn" && warnings.push(message))
  })
  const { output } = await build.generate({ format: "esm" })
  await build.close()
  const chunks = output.filter((file) => file.type === "chunk")
  return {
    files: new Map(chunks.map(({ code, fileName }) => [fileName, code])),
    imports: chunks.flatMap(({ dynamicImports, imports }) => [...imports, ...dynamicImports]),
    modules: chunks.flatMap(({ moduleIds }) => moduleIds),
    warnings
  }
}

/** Bundles the page with the calls of the tests, and its workers. */
export const page = () =>
  bundle(
    Object.fromEntries(["page", "worker", "serviceWorker"].map((name) => [name, path.join(folder, `${name}.ts`)]))
  )

const fromVitest = createRequire(createRequire(import.meta.url).resolve("vitest/package.json"))

/** Bundles a page that runs test files by their number. */
export const suites = (files: ReadonlyArray<string>) =>
  bundle(
    {
      page: path.join(folder, "vitest.ts"),
      ...Object.fromEntries(files.map((file, n) => [`suite-${n}`, path.join(root, file)]))
    },
    { vitest: path.join(folder, "vitest.ts"), chai: fromVitest.resolve("chai") }
  )
