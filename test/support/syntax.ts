// The published sources as the architecture tests see them: what each imports, says and does.
import * as path from "node:path"
import { type ImportDeclaration, parseSync, Visitor } from "oxc-parser"
import { read, sources } from "../../scripts/workspace.ts"

export interface Import {
  readonly specifier: string
  /** The source in this repository that it names. */
  readonly target: string | undefined
  readonly isType: boolean
}

export interface Found {
  /** `path:line` */
  readonly at: string
  readonly what: string
}

export interface Source {
  readonly file: string
  /** Folder name of its package. */
  readonly owner: string
  readonly text: string
  readonly imports: ReadonlyArray<Import>
  /** Strings, pieces of templates and identifiers: all that is no comment. */
  readonly words: ReadonlyArray<Found>
  /** Constructs that have a better form in Effect. */
  readonly habits: ReadonlyArray<Found>
}

const scope = /^@effect-a2a\/([\w-]+)(?:\/(.+))?$/

/** A module that is another one in other places, named in the manifest. */
const chosen = (file: string, specifier: string): string => {
  const [owner] = /^packages\/[^/]+\//.exec(file) ?? []
  return `${owner}${JSON.parse(read(`${owner}package.json`)).imports[specifier].default.slice(2)}`
}

const target = (file: string, specifier: string, name?: string): string | undefined => {
  if (specifier.startsWith(".")) return path.posix.join(path.posix.dirname(file), specifier)
  if (specifier.startsWith("#")) return chosen(file, specifier)
  const [, owner, module] = scope.exec(specifier) ?? []
  return owner === undefined ? undefined : `packages/${owner}/src/${module ?? name ?? "index"}.ts`
}

const named = (file: string, { importKind, source: { value }, specifiers }: ImportDeclaration): ReadonlyArray<Import> =>
  specifiers.length === 0 ?
    [{ specifier: value, target: target(file, value), isType: false }] :
    specifiers.map((x) => ({
      specifier: value,
      target: target(file, value, x.type === "ImportSpecifier" && "name" in x.imported ? x.imported.name : undefined),
      isType: importKind === "type" || (x.type === "ImportSpecifier" && x.importKind === "type")
    }))

/** Reads one file; `text` in its place where a test brings its own. */
export const parse = (file: string, text: string = read(file)): Source => {
  const { errors, program } = parseSync(file, text)
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`)
  const imports: Array<Import> = []
  const words: Array<Found> = []
  const habits: Array<Found> = []
  const found = (to: Array<Found>, start: number, what: string) =>
    to.push({ at: `${file}:${text.slice(0, start).split("\n").length}`, what })
  const from = (specifier: unknown, isType: boolean) =>
    typeof specifier === "string" && imports.push({ specifier, target: target(file, specifier), isType })
  const callable = (node: { readonly async: boolean; readonly start: number }) =>
    node.async && found(habits, node.start, "async")
  new Visitor({
    ImportDeclaration: (node) => imports.push(...named(file, node)),
    ExportAllDeclaration: (node) => from(node.source.value, node.exportKind === "type"),
    ExportNamedDeclaration: (node) => from(node.source?.value, node.exportKind === "type"),
    ImportExpression: (node) => from(node.source.type === "Literal" && node.source.value, false),
    TSImportType: (node) => from(node.source.value, true),
    Literal: (node) => typeof node.value === "string" && found(words, node.start, node.value),
    TemplateElement: (node) => found(words, node.start, node.value.raw),
    Identifier: (node) => found(words, node.start, node.name),
    FunctionDeclaration: callable,
    FunctionExpression: callable,
    ArrowFunctionExpression: callable,
    TryStatement: (node) => found(habits, node.start, "try"),
    NewExpression: (node) =>
      node.callee.type === "Identifier" && node.callee.name === "Date" && found(habits, node.start, "new Date"),
    MemberExpression: (node) =>
      node.object.type === "Identifier" && node.property.type === "Identifier" &&
      /^(Date\.now|Math\.random|process\.env)$/.test(`${node.object.name}.${node.property.name}`) &&
      found(habits, node.start, `${node.object.name}.${node.property.name}`),
    TSAsExpression: (node) => node.typeAnnotation.type === "TSAnyKeyword" && found(habits, node.start, "as any")
  }).visit(program)
  return { file, owner: file.split("/")[1] ?? "", text, imports, words, habits }
}

export const all: ReadonlyArray<Source> = sources.map((file) => parse(file))

/** The first way back to where it began, if the graph has one. */
export const cycle = (graph: ReadonlyMap<string, ReadonlyArray<string>>): ReadonlyArray<string> => {
  const done = new Set<string>()
  const visit = (node: string, trail: ReadonlyArray<string>): ReadonlyArray<string> => {
    if (trail.includes(node)) return [...trail.slice(trail.indexOf(node)), node]
    if (done.has(node)) return []
    for (const next of graph.get(node) ?? []) {
      const way = visit(next, [...trail, node])
      if (way.length > 0) return way
    }
    done.add(node)
    return []
  }
  for (const node of graph.keys()) {
    const way = visit(node, [])
    if (way.length > 0) return way
  }
  return []
}
