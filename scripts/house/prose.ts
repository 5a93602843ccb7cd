// The texts that people read: comments, titles, messages and pages. Code is blanked, so that positions stay.

import { isTest, type Node, textOf, type Tree, tree, walk } from "../syntax.ts"
import { exists, files, packages, read, sources } from "../workspace.ts"

export interface Prose {
  readonly file: string
  readonly text: string
  /** As long as `text`; what is not prose is `·`, so that a phrase does not go across code. */
  readonly prose: string
}

const blank = (text: string) => text.replaceAll(/\S/g, "·")

const masked = (
  file: string,
  isProse: (node: Node, ancestors: ReadonlyArray<Node>) => boolean,
  hasComments = true,
  source = tree(file)
): Prose => {
  const { comments, program, text } = source
  const kept: Array<readonly [start: number, end: number]> = hasComments ?
    comments.map(({ end, start }) => [start, end]) :
    []
  walk(program, (node, ancestors) => {
    const isText = node.type === "TemplateElement" || (node.type === "Literal" && typeof node.value === "string")
    if (isText && isProse(node, ancestors)) {
      kept.push([node.start, node.end])
    }
  })
  let prose = ""
  for (const [start, end] of kept.sort(([a], [b]) => a - b)) {
    if (start < prose.length) continue
    // blanks the marks of comments
    const words = text.slice(start, end).replaceAll(/\/\/|\/\*+|\*+\/|(?<=\n)\s*\*/g, (mark) => " ".repeat(mark.length))
    prose += blank(text.slice(prose.length, start)) + words
  }
  return { file, text, prose: prose + blank(text.slice(prose.length)) }
}

/** The comments and texts of a source, without the specifiers of its imports. */
export const inSources = (file: string, source?: Tree): Prose =>
  masked(
    file,
    (_, ancestors) => !/^(Import|TSImportType|Export\w+Declaration)/.test(ancestors.at(-1)?.type ?? ""),
    true,
    source
  )

/** The other texts of a test are data. */
const isTitle = (node: Node, ancestors: ReadonlyArray<Node>): boolean => {
  const outer = ancestors.findLast(({ type }) => type !== "TemplateLiteral")
  const title = node.type === "TemplateElement" ? ancestors.at(-1) : node
  return outer?.type === "CallExpression" ?
    isTest(outer.callee) && outer.arguments[0] === title :
    outer?.type === "Property" && outer.key.type === "Identifier" && /^(title|name)$/.test(outer.key.name) &&
    textOf(title) !== undefined
}

const document = (file: string): Prose => {
  const text = read(file)
  return { file, text, prose: text }
}

/** Generated from titles and a list, which are read themselves. */
const generated = "docs/field-cases.md"

const pages = [
  "README.md",
  "AGENTS.md",
  ...packages.map((name) => `packages/${name}/README.md`),
  ...files("docs", /\.md$/).filter((file) => file !== generated),
  "test/field-cases.json"
].filter(exists)

const tests = ["test", ...packages.map((name) => `packages/${name}/test`)].flatMap((folder) => files(folder, /\.ts$/))

/** The list of phrases is the one place that needs them. */
const list = "scripts/house/phrases.ts"

const others = ["scripts", "benchmarks", "examples"].flatMap((folder) => files(folder, /\.tsx?$/))
  .filter((file) => file !== list)

export const documents: ReadonlyArray<Prose> = pages.map(document)

/** The comments and texts of the published sources. */
export const published: ReadonlyArray<Prose> = sources.map((file) => inSources(file))

/** The titles of the tests. */
export const titles: ReadonlyArray<Prose> = tests.map((file) => masked(file, isTitle, false))

export const prose: ReadonlyArray<Prose> = [
  ...published,
  ...tests.map((file) => masked(file, isTitle)),
  ...others.map((file) => inSources(file)),
  ...documents,
  ...files("examples", /\.(md|html)$/).map(document)
]
