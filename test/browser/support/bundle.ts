/** The page and its workers as a user's bundler makes them, and what is in them. */
import * as path from "node:path"
import { rolldown } from "rolldown"

const folder = path.join(import.meta.dirname, "..", "page")

export interface Bundle {
  /** Text of each file. */
  readonly files: ReadonlyMap<string, string>
  readonly modules: ReadonlyArray<string>
  readonly imports: ReadonlyArray<string>
  readonly warnings: ReadonlyArray<string>
}

export const bundle = async (): Promise<Bundle> => {
  const warnings: Array<string> = []
  const build = await rolldown({
    input: Object.fromEntries(
      ["page", "worker", "serviceWorker"].map((name) => [name, path.join(folder, `${name}.ts`)])
    ),
    platform: "browser",
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
