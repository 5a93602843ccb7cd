// The examples of the documentation as modules that can be checked and run. Each ```ts block is a module;
// a block that opens with "ts no-run" is only type-checked. Lines keep their numbers, so that errors name the document.
import { type Expression, parseSync } from "oxc-parser"
import { exists, files, read, sources } from "../../scripts/workspace.ts"

export interface Example {
  /** `path:line` of the fence. */
  readonly at: string
  /** File name of the module. */
  readonly name: string
  readonly module: string
  readonly runs: boolean
  /**
   * The number of `// =>` lines, of those that follow an expression and so are checked, and of those that are hollow: they
   * hold for any value of the type.
   */
  readonly claims: { readonly made: number; readonly checked: number; readonly hollow: number }
}

const block = /^([ \t]*\*[ \t]?)?```ts([^\n]*)\n([^]*?)^(?:[ \t]*\*[ \t]?)?```[ \t]*$/gm
/** At the end of the expression's last line, or alone on the next. */
const claim = /^[ \t]*\n?[ \t]*\/\/ => ?(.*)/

/** The module that every example imports, as `./same.ts`. */
export const same = `import { deepStrictEqual } from "node:assert"
export const same = (actual: unknown, expected: unknown): void => deepStrictEqual(actual, expected)
`

/** `typeof x`, `Layer.isLayer(x)`: they show no result that a reader wants to see. */
const isHollow = (expression: Expression): boolean =>
  (expression.type === "UnaryExpression" && expression.operator === "typeof") ||
  (expression.type === "CallExpression" && expression.callee.type === "MemberExpression" &&
    expression.callee.property.type === "Identifier" &&
    /^is(Layer|Effect|Stream|Sink|Schema)$/.test(expression.callee.property.name))

/** Turns `expression // => value` into a comparison and keeps the rest. */
const compare = (code: string): Pick<Example, "claims" | "module"> => {
  const { comments, program } = parseSync("example.ts", code)
  let module = ""
  let end = 0
  let checked = 0
  let hollow = 0
  for (const statement of program.body) {
    const [rest, value] = claim.exec(code.slice(statement.end)) ?? []
    if (rest === undefined || statement.type !== "ExpressionStatement") continue
    const { expression } = statement
    module += `${code.slice(end, statement.start)};$same((${
      code.slice(expression.start, expression.end)
    }), (${value}))${rest.includes("\n") ? "\n" : ""}`
    end = statement.end + rest.length
    checked += 1
    if (isHollow(expression)) hollow += 1
  }
  return {
    module: module + code.slice(end),
    claims: { made: comments.filter((comment) => comment.value.startsWith(" =>")).length, checked, hollow }
  }
}

/** The examples of one document. */
export const extract = (file: string, text: string): ReadonlyArray<Example> =>
  [...text.matchAll(block)].map(({ 1: star, 2: mark = "", 3: body = "", index }) => {
    const line = text.slice(0, index).split("\n").length
    const { claims, module } = compare(star === undefined ? body : body.replace(/^[ \t]*\*[ \t]?/gm, ""))
    return {
      at: `${file}:${line}`,
      name: `${file.replaceAll("/", "__")}.L${line}.ts`,
      module: `import { same as $same } from "./same.ts"; void $same${"\n".repeat(line)}${module}`,
      runs: !mark.includes("no-run"),
      claims
    }
  })

const documents = [
  ...sources,
  ...["README.md"].filter(exists),
  ...files("docs", /\.md$/),
  ...files("packages", /^README\.md$/)
]

export const examples: ReadonlyArray<Example> = documents.flatMap((file) => extract(file, read(file)))

/** Public modules without an example. */
export const silent: ReadonlyArray<string> = sources.filter((file) =>
  /^packages\/[\w-]+\/src\/[A-Z]\w*\.ts$/.test(file) && !examples.some(({ at }) => at.startsWith(`${file}:`))
)
