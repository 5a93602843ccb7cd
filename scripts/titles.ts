// What the tests say of themselves, to find which of them shows what.
import { parseSync, Visitor } from "oxc-parser"
import { files, packages, read } from "./workspace.ts"

export interface Citation {
  readonly file: string
  /** The whole text that holds the id; `…` stands for what a template fills in. */
  readonly title: string
}

const texts = (file: string): ReadonlyArray<string> => {
  const { errors, program } = parseSync(file, read(file))
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`)
  const found: Array<string> = []
  new Visitor({
    Literal: (node) => typeof node.value === "string" && found.push(node.value),
    TemplateLiteral: (node) => found.push(node.quasis.map(({ value }) => value.cooked ?? value.raw).join("…"))
  }).visit(program)
  return found
}

const tests = ["test", ...packages.map((name) => `packages/${name}/test`)].flatMap((folder) =>
  files(folder, /\.test\.ts$/)
)

/** Ids in the texts of tests (titles and pieces of them), with where they stand, the `test` folder first. */
export const cited = (
  pattern: RegExp,
  { except }: { readonly except: string }
): ReadonlyMap<string, ReadonlyArray<Citation>> => {
  const found = new Map<string, Array<Citation>>()
  for (const file of tests) {
    if (file === except) continue
    for (const title of texts(file)) {
      for (const id of new Set(title.match(pattern))) {
        found.set(id, [...found.get(id) ?? [], { file, title }])
      }
    }
  }
  return found
}
