// The published sources for the architecture tests: imports, words and habits of each.
import * as path from "node:path"
import { type ImportDeclaration, parseSync, Visitor } from "oxc-parser"
import { read, sources } from "../../scripts/workspace.ts"

export interface Import {
  readonly specifier: string
  /** The file in this repository, if it is one. */
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
  /** Strings, pieces of templates and identifiers. */
  readonly words: ReadonlyArray<Found>
  /** Constructs that have a better form in Effect. */
  readonly habits: ReadonlyArray<Found>
}

const scope = /^@effect-a2a\/([\w-]+)(?:\/(.+))?$/

/** Resolves a subpath import of the manifest (`#name`). */
const resolveSubpath = (file: string, specifier: string): string => {
  const [owner] = /^packages\/[^/]+\//.exec(file) ?? []
  return `${owner}${JSON.parse(read(`${owner}package.json`)).imports[specifier].default.slice(2)}`
}

const target = (file: string, specifier: string, name?: string): string | undefined => {
  if (specifier.startsWith(".")) return path.posix.join(path.posix.dirname(file), specifier)
  if (specifier.startsWith("#")) return resolveSubpath(file, specifier)
  const [, owner, module] = scope.exec(specifier) ?? []
  return owner === undefined ? undefined : `packages/${owner}/src/${module ?? name ?? "index"}.ts`
}

const importsOf = (
  file: string,
  { importKind, source: { value }, specifiers }: ImportDeclaration
): ReadonlyArray<Import> =>
  specifiers.length === 0 ?
    [{ specifier: value, target: target(file, value), isType: false }] :
    specifiers.map((x) => ({
      specifier: value,
      target: target(file, value, x.type === "ImportSpecifier" && "name" in x.imported ? x.imported.name : undefined),
      isType: importKind === "type" || (x.type === "ImportSpecifier" && x.importKind === "type")
    }))

/** Parses a file, or `text` in its place. Throws if it has a syntax error. */
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
    ImportDeclaration: (node) => imports.push(...importsOf(file, node)),
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
      found(habits, node.start, `${node.object.name}.${node.property.name}`)
  }).visit(program)
  return { file, owner: file.split("/")[1] ?? "", text, imports, words, habits }
}

export const all: ReadonlyArray<Source> = sources.map((file) => parse(file))

export const sourcesOf = (...owners: ReadonlyArray<string>): ReadonlyArray<Source> =>
  all.filter(({ owner }) => owners.includes(owner))

/** `file → specifier` of each import that a rule forbids. */
export const offences = (
  sources: ReadonlyArray<Source>,
  isForbidden: (source: Source, one: Import) => boolean
): ReadonlyArray<string> =>
  sources.flatMap((source) =>
    source.imports.filter((one) => isForbidden(source, one)).map(({ specifier }) => `${source.file} → ${specifier}`)
  )

/** The first cycle of a graph; empty if it has none. */
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
