// The trees of the published sources, and their doc comments.
import { at, type Comment, type Node, type Tree, tree } from "../syntax.ts"
import { sources } from "../workspace.ts"

export const trees: ReadonlyArray<Tree> = sources.map((file) => tree(file))

export const isPublic = ({ file }: Tree): boolean => /^packages\/[^/]+\/src\/[A-Z]\w*\.ts$/.test(file)

export const isDoc = ({ type, value }: Comment): boolean => type === "Block" && value.startsWith("*")

/** The words of a comment, without the asterisks at the begin of its lines. */
export const wordsOf = ({ value }: Comment): string => value.replaceAll(/(^|\n)\s*\*+ ?/g, "$1").trim()

/** The name that a function, a class or a value is given where it stands. */
export const nameOf = (node: Node, ancestors: ReadonlyArray<Node>): string => {
  if ((node.type === "FunctionDeclaration" || node.type === "FunctionExpression") && node.id !== null) {
    return node.id.name
  }
  for (const one of ancestors.toReversed()) {
    if (one.type === "VariableDeclarator" && one.id.type === "Identifier") return one.id.name
    if (
      (one.type === "Property" || one.type === "MethodDefinition" || one.type === "PropertyDefinition") &&
      one.key.type === "Identifier"
    ) return one.key.name
    if (one.type === "FunctionDeclaration" && one.id !== null) return one.id.name
    if (one.type === "ClassDeclaration" && one.id !== null) return one.id.name
  }
  return "(anonymous)"
}

export const place = (source: Pick<Tree, "file" | "text">, start: number, what: string): string =>
  `${at(source, start)}: ${what}`
