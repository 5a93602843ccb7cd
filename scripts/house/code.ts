// Measures of code: casts, functions, names, state of modules, sizes, words of vendors.
import { type Node, type Tree, walk } from "../syntax.ts"
import { nameOf, place, trees } from "./sources.ts"

const places = (
  sources: ReadonlyArray<Tree>,
  visit: (source: Tree, node: Node, ancestors: ReadonlyArray<Node>) => string | undefined
) =>
  sources.flatMap((source) => {
    const found: Array<string> = []
    walk(source.program, (node, ancestors) => {
      const what = visit(source, node, ancestors)
      if (what !== undefined) found.push(place(source, node.start, what))
    })
    return found
  })

const castTypes: Readonly<Record<string, string>> = { TSNeverKeyword: "as never", TSAnyKeyword: "as any" }

/** Casts that switch the checker off. */
export const casts = (sources = trees): ReadonlyArray<string> =>
  places(sources, (_, node) =>
    node.type !== "TSAsExpression" ?
      undefined :
      node.expression.type === "TSAsExpression" && node.expression.typeAnnotation.type === "TSUnknownKeyword" ?
      "as unknown as" :
      castTypes[node.typeAnnotation.type])

const isTag = (node: Node | undefined): boolean =>
  node?.type === "MemberExpression" ?
    node.property.type === "Identifier" && node.property.name === "_tag" :
    node?.type === "Identifier" && /^(_tag|tag)$/.test(node.name)

/** Values recognised by a part of their tag, instead of by `kind`, `mode` or the whole tag. */
export const tagParts = (sources = trees): ReadonlyArray<string> =>
  places(sources, (_, node) => {
    if (node.type !== "CallExpression" || node.callee.type !== "MemberExpression") return undefined
    const { object, property } = node.callee
    if (property.type !== "Identifier") return undefined
    const isPart = /^(startsWith|endsWith|includes|match|search|indexOf)$/.test(property.name) &&
      isTag(object)
    const [argument] = node.arguments
    const isPattern = property.name === "test" && isTag(argument)
    return isPart || isPattern ? `_tag and ${property.name}` : undefined
  })

const isFunction = (node: Node) =>
  node.type === "FunctionDeclaration" || node.type === "FunctionExpression" || node.type === "ArrowFunctionExpression"

const linesOf = (text: string, { end, start }: Node) => text.slice(start, end).split("\n").length

interface Long {
  readonly place: string
  readonly lines: number
}

/** All functions outside of others, longest first. */
export const functions = (sources = trees): ReadonlyArray<Long> =>
  sources.flatMap((source) => {
    const found: Array<Long> = []
    walk(source.program, (node, ancestors) => {
      if (!isFunction(node) || ancestors.some(isFunction)) return
      const lines = linesOf(source.text, node)
      found.push({ lines, place: place(source, node.start, `${nameOf(node, ancestors)}, ${lines} lines`) })
    })
    return found
  }).sort((a, b) => b.lines - a.lines)

export const longFunctions = (sources = trees): ReadonlyArray<string> =>
  functions(sources).filter(({ lines }) => lines > 80).map(({ place }) => place)

/** The whole name, or the name up to a preposition: `made`, `heldOnSuccess`. */
const participle =
  /^(told|made|sent|held|kept|given|known|taken|written|spoken|begun|drawn|lost|met|shown|chosen|hidden|heard|meant|bound|[a-z]{2,}ed)($|(?=(Of|On|In|By|With|To|From|At|For)([A-Z]|$)))/
const noParticiple = /^(embed|feed|need|seed|speed|shed|exceed|proceed|succeed|heed|breed)(?=[A-Z]|$)/

const isFunctionValue = (node: Node | null): boolean =>
  node !== null && (isFunction(node) || (node.type === "CallExpression" && (
    (node.callee.type === "CallExpression" && isEffectFn(node.callee.callee)) || isEffectFn(node.callee)
  )))

const isEffectFn = (node: Node): boolean =>
  node.type === "MemberExpression" && node.property.type === "Identifier" &&
    /^fn(Untraced)?$/.test(node.property.name) ||
  (node.type === "Identifier" && node.name === "dual")

/** Functions that are named by a past participle. */
export const participles = (sources = trees): ReadonlyArray<string> =>
  places(sources, (_, node) => {
    const name = node.type === "VariableDeclarator" && node.id.type === "Identifier" && isFunctionValue(node.init) ?
      node.id.name :
      node.type === "FunctionDeclaration" ?
      node.id?.name :
      undefined
    return name !== undefined && participle.test(name) && !noParticiple.test(name) ? name : undefined
  })

const collections = /^(Map|Set|WeakMap|WeakSet)$/
const isMutated = (text: string, name: string) =>
  new RegExp(`(?<![.\\w])${name}\\.(set|add|delete|clear|push|pop|shift|splice)\\(|(?<![.\\w])${name}\\[[^\\]]+\\] = `)
    .test(text)

const isMutable = ({ text }: Tree, node: Node): boolean =>
  node.type === "VariableDeclarator" && node.id.type === "Identifier" && node.init !== null && (
    (node.init.type === "NewExpression" && node.init.callee.type === "Identifier" &&
      (node.init.callee.name.startsWith("Weak") ||
        (collections.test(node.init.callee.name) && isMutated(text, node.id.name)))) ||
    (/^(ArrayExpression|ObjectExpression)$/.test(node.init.type) && isMutated(text, node.id.name)) ||
    (node.init.type === "CallExpression" && node.init.callee.type === "MemberExpression" &&
      node.init.callee.property.type === "Identifier" && /[mM]akeUnsafe$/.test(node.init.callee.property.name))
  )

/** State that belongs to a module and not to a service. */
export const state = (sources = trees): ReadonlyArray<string> =>
  sources.flatMap((source) =>
    source.program.type !== "Program" ? [] : source.program.body
      .map((node) => node.type === "ExportNamedDeclaration" ? node.declaration : node)
      .flatMap((node) => node?.type === "VariableDeclaration" ? [node] : [])
      .flatMap((node) =>
        node.declarations
          .filter((one) => node.kind !== "const" || isMutable(source, one))
          .map((one) =>
            place(source, one.start, one.id.type === "Identifier" ? `${node.kind} ${one.id.name}` : node.kind)
          )
      )
  )

const bytes = ({ text }: Tree) => Buffer.byteLength(text)

export const bigFiles = (): ReadonlyArray<string> =>
  trees.filter((source) => bytes(source) > 25_000).map((source) => `${source.file}: ${bytes(source)} bytes`)

/** Median size of a file, in kB. */
export const medianSize = (): number =>
  (trees.map(bytes).sort((a, b) => a - b)[Math.floor(trees.length / 2)] ?? 0) / 1000

/** Names of vendors and keys of their metadata, in any case. */
const vendor =
  /memory[-_ ]?lake|gemini|drive:\/\/|readWriteProjectId|capabilitiesOverride|skipMemory|recommended_questions|presign_url|thought_signature|open_datasets/gi

/** The word, or a part of a name such as `adk_type`, `isAdk`. */
const adk = /(?<![A-Za-z])adk(?![a-z])|(?<![A-Z])(Adk(?![a-z])|ADK(?![A-Z]))/g

export const vendorWords = (sources = trees): ReadonlyArray<string> =>
  sources.filter(({ file }) => file.startsWith("packages/core/")).flatMap((source) =>
    [...source.text.matchAll(vendor), ...source.text.matchAll(adk)].map(({ 0: found, index }) =>
      place(source, index, found)
    )
  )
