// Syntax trees of files, for the checks of sources and tests.
import { type Comment, type Node, parseSync } from "oxc-parser"
import { read } from "./workspace.ts"

export type { Comment, Node }

export interface Tree {
  readonly file: string
  readonly text: string
  readonly program: Node
  readonly comments: ReadonlyArray<Comment>
}

/** Parses a file, or `text` in its place. Throws if it has a syntax error. */
export const tree = (file: string, text: string = read(file)): Tree => {
  const { comments, errors, program } = parseSync(file, text)
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`)
  return { file, text, program, comments }
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "string"

/** Calls `visit` with each node, parents first, and its ancestors, nearest last: valid during the call only. */
export const walk = (
  node: Node,
  visit: (node: Node, ancestors: ReadonlyArray<Node>) => void,
  ancestors: Array<Node> = []
): void => {
  visit(node, ancestors)
  ancestors.push(node)
  for (const value of Object.values(node)) {
    if (Array.isArray(value)) { for (const one of value) if (isNode(one)) walk(one, visit, ancestors) }
    else if (isNode(value)) walk(value, visit, ancestors)
  }
  ancestors.pop()
}

/** `path:line` of a position. */
export const at = ({ file, text }: Pick<Tree, "file" | "text">, start: number): string =>
  `${file}:${text.slice(0, start).split("\n").length}`

/** The text of a string or a template, `…` for what a template fills in. */
export const textOf = (node: Node | undefined): string | undefined =>
  node?.type === "Literal" && typeof node.value === "string" ?
    node.value :
    node?.type === "TemplateLiteral" ?
    node.quasis.map(({ value }) => value.cooked ?? value.raw).join("…") :
    undefined

/** If a callee registers a test or a suite: `it`, `it.effect`, `describe.each(rows)` … */
export const isTest = (callee: Node): boolean =>
  callee.type === "Identifier" ?
    /^(it|test|describe|layer)$/.test(callee.name) :
    callee.type === "MemberExpression" ?
    isTest(callee.object) :
    callee.type === "CallExpression" && isTest(callee.callee)
