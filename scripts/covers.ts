// Finds the tests that cover each requirement and field case, by the ids in their metadata (test/support/covers.ts).
import { isTest, type Node, textOf, tree, walk } from "./syntax.ts"
import { files, packages, read } from "./workspace.ts"

export interface Citation {
  readonly file: string
  /** Title of the test; `…` stands for the values of a template. */
  readonly title: string
  /** All ids of the same test. */
  readonly ids: ReadonlyArray<string>
}

/** A requirement such as `ML-16`, a field case such as `field:SSE-01`, or an attack such as `attack:S2-28`. */
const id = /^(?:(?:ML|SDK|ADK)|field:[A-Z]\w*|attack:S2)-\d\d$/

const areas = Object.keys(JSON.parse(read("test/field-cases.json")).areas).join("|")

/** Until all titles are free of ids: ADK-01 is a requirement there, and `field case ADK-01` a field case. */
const inTitle = (text: string): ReadonlyArray<string> =>
  id.test(text) ? [] : Array.from(
    text.matchAll(new RegExp(`(field case )?\\b(?!UTF-16)(ML|SDK|${areas})-\\d\\d\\b`, "g")),
    ([all, field, area = ""]) =>
      field === undefined && /^(ML|SDK|ADK)$/.test(area) ? all : `field:${all.replace("field case ", "")}`
  )

const named = (node: Node): Node | undefined =>
  node.type !== "ObjectExpression" ?
    undefined :
    node.properties.flatMap((one) =>
      one.type === "Property" && one.key.type === "Identifier" && /^(title|name)$/.test(one.key.name) ? [one.value] : []
    )[0]

const titleOf = (node: Node): string | undefined =>
  node.type === "CallExpression" && isTest(node.callee) ?
    textOf(node.arguments[0]) :
    node.type === "ArrayExpression" ?
    node.elements.map((one) => textOf(one ?? undefined)).find((text) => text !== undefined && !id.test(text)) :
    textOf(named(node))

const citations = (file: string): ReadonlyArray<Citation> => {
  const found = new Map<string, Set<string>>()
  const add = (title: string, ids: ReadonlyArray<string>) =>
    ids.length > 0 && found.set(title, new Set([...found.get(title) ?? [], ...ids]))
  walk(tree(file).program, (node, ancestors) => {
    const text = textOf(node)
    if (text === undefined) return
    add(text, inTitle(text))
    if (id.test(text)) add(ancestors.map(titleOf).findLast((title) => title !== undefined) ?? "", [text])
  })
  return Array.from(found, ([title, ids]) => ({ file, title, ids: [...ids] }))
}

/** Tests of the lists and of the measures: they do not count. */
const lists = /^test\/(architecture\/house\.test|requirements\.test|field-cases\.test)/

const tests = ["test", ...packages.map((name) => `packages/${name}/test`)]
  .flatMap((folder) => files(folder, /\.ts$/))
  .concat(files("examples", /\.test\.ts$/))
  .filter((file) => !lists.test(file))

/** The tests that cite an id, by id, the `test` folder first. */
export const covered: ReadonlyMap<string, ReadonlyArray<Citation>> = tests.flatMap(citations).reduce(
  (map, citation) => citation.ids.reduce((map, id) => map.set(id, [...map.get(id) ?? [], citation]), map),
  new Map<string, ReadonlyArray<Citation>>()
)
