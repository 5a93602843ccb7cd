// Measures of doc comments: how they open, and which exports have one.
import type { Comment, Node, Tree } from "../syntax.ts"
import { read } from "../workspace.ts"
import { documents, titles } from "./prose.ts"
import { isDoc, isPublic, place, trees, wordsOf } from "./sources.ts"

const question = /^(What|How|Where|Whether|Who|Whom|Whose|Which|Why|When)\b/

const docsOf = (sources: ReadonlyArray<Tree>) =>
  sources.flatMap((source) => source.comments.filter(isDoc).map((comment) => ({ source, comment })))

export const questions = (sources = trees): ReadonlyArray<string> =>
  docsOf(sources).flatMap(({ comment, source }) =>
    question.test(wordsOf(comment)) ?
      [place(source, comment.start, wordsOf(comment).slice(0, 60).replaceAll("\n", " "))] :
      []
  )

/** Share of doc comments that open with a question word, in percent. */
export const questionShare = (): number => 100 * questions().length / docsOf(trees).length

const areas = Object.keys(JSON.parse(read("test/field-cases.json")).areas).join("|")

/** Ids of requirements and field cases, and rules of documents that are not in this repository. */
const id = new RegExp(`\\b(?!UTF-(16|32)\\b)(ML|SDK|${areas})-\\d\\d\\b|\\brules? [A-Z]\\d+`, "g")

export const ids = (sources = trees): ReadonlyArray<string> =>
  sources.flatMap((source) =>
    source.comments.flatMap((comment) =>
      Array.from(comment.value.matchAll(id), ({ 0: found, index }) => place(source, comment.start + index, found))
    )
  )

/** A title that begins with a label of a list, such as `S22:` or `§3.1:`. */
const label = /(?<=["'`·]\s*)([A-Z]{1,4}\d+(-\d+)?|§[\d.]+)(?=[,:])/g

/** Ids in the titles of tests: they belong into the metadata. */
export const titleIds = (): ReadonlyArray<string> =>
  titles.flatMap((one) =>
    [id, label].flatMap((pattern) =>
      Array.from(
        one.prose.matchAll(pattern),
        ({ 0: found, index }) =>
          place(
            one,
            index,
            `${found}, before "${one.text.slice(index + found.length).split("\n")[0]?.slice(0, 50)}`
          )
      )
    )
  )

const example = /\b(Layer\.isLayer|Effect\.isEffect|Stream\.isStream|Schema\.isSchema)\(|\btypeof [^\n]*\/\/ ?=>/g

/** Examples that show no result a reader wants to see. */
export const hollowExamples = (): ReadonlyArray<string> => [
  ...docsOf(trees).flatMap(({ comment, source }) =>
    Array.from(comment.value.matchAll(example), ({ 0: found, index }) => place(source, comment.start + index, found))
  ),
  ...documents.flatMap((page) =>
    Array.from(page.text.matchAll(example), ({ 0: found, index }) => place(page, index, found))
  )
]

interface Export {
  readonly name: string
  readonly start: number
  readonly isDocumented: boolean
}

const namesOf = (node: Node | null): ReadonlyArray<string> =>
  node === null ?
    [] :
    node.type === "VariableDeclaration" ?
    node.declarations.flatMap(({ id }) => id.type === "Identifier" ? [id.name] : []) :
    "id" in node && node.id?.type === "Identifier" ?
    [node.id.name] :
    []

/** The doc comment directly before a position; the header of a module does not count. */
const hasDoc = ({ comments, text }: Tree, start: number): boolean => {
  const before = comments.filter(isDoc).findLast((one: Comment) => one.end <= start)
  if (before === undefined || text.slice(before.end, start).trim() !== "") return false
  return before.start > 0 || !before.value.includes("@since")
}

const exportsOf = (source: Tree): ReadonlyArray<Export> =>
  source.program.type !== "Program" ? [] : source.program.body.flatMap((node): ReadonlyArray<Export> => {
    if (node.type !== "ExportNamedDeclaration") return []
    const isDocumented = hasDoc(source, node.start)
    return [
      ...namesOf(node.declaration).map((name) => ({ name, start: node.start, isDocumented })),
      ...node.specifiers.flatMap(({ exported, start }) =>
        exported.type === "Identifier" ?
          [{ name: exported.name, start, isDocumented: isDocumented || hasDoc(source, start) }] :
          []
      )
    ]
  })

/** The exports of the public modules. A value and a type of one name are one export and need one comment. */
const exported = (sources: ReadonlyArray<Tree>) =>
  sources.filter(isPublic).flatMap((source) => {
    const all = exportsOf(source)
    return [...new Set(all.map(({ name }) => name))].map((name) => {
      const same = all.filter((one) => one.name === name)
      return { place: place(source, same[0]?.start ?? 0, name), isDocumented: same.some((one) => one.isDocumented) }
    })
  })

export const undocumented = (sources = trees): ReadonlyArray<string> =>
  exported(sources).filter((one) => !one.isDocumented).map(({ place }) => place)

/** Share of the public exports that have a doc comment, in percent. */
export const documentedShare = (): number => 100 - 100 * undocumented().length / exported(trees).length

const members = trees.filter(isPublic).flatMap((source) =>
  source.program.type !== "Program" ?
    [] :
    source.program.body.flatMap((node) =>
      node.type === "ExportNamedDeclaration" && node.declaration?.type === "TSInterfaceDeclaration" ?
        node.declaration.body.body.map((member) => hasDoc(source, member.start)) :
        []
    )
)

/** Share of the members of exported interfaces that have a doc comment, in percent. */
export const documentedMembers = (): number => 100 * members.filter(Boolean).length / members.length
