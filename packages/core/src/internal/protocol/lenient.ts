/**
 * Lenient reading: rewrites a document towards the strict form of a wire schema, and describes why it still does not
 * match. Runs only on documents that the compiled guard refused.
 */
import { identity } from "effect/Function"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import type * as SchemaIssue from "effect/SchemaIssue"
import type * as AgentError from "../../AgentError.ts"
import { namesKey, spellingsKey } from "./wireSchema.ts"

type Rewrite = (input: unknown) => unknown

const integer: Rewrite = (input) => typeof input === "string" && /^-?\d+(?:\.0+)?$/.test(input) ? Number(input) : input

/** Replaces the number of an enumeration by its name. */
const rewriteEnum = (names: ReadonlyArray<string>): Rewrite => (input) =>
  typeof input === "number" ? names[input] ?? String(input) : input

const kindOf = (ast: SchemaAST.AST) => {
  const only = SchemaAST.isUnion(ast) && ast.types.length === 1 ? ast.types[0] : undefined
  return only !== undefined && SchemaAST.isLiteral(only) ? only.literal : undefined
}

/**
 * Renames members from other spellings (the own name wins), removes `null` except in free-form JSON, and adds a
 * missing `kind`; the other members decide if the document matches.
 */
const rewriteObject = (ast: SchemaAST.Objects): Rewrite => {
  const spellings = (ast.annotations?.[spellingsKey] ?? {}) as Readonly<Record<string, string>>
  const members = ast.propertySignatures.filter(({ name }) => !(String(name) in spellings)).map(({ name, type }) => ({
    name: String(name),
    rewrite: compile(type),
    isJson: SchemaAST.isUnknown(type),
    kind: kindOf(type)
  }))
  const others = Object.entries(spellings)
  const rest = ast.indexSignatures[0]
  const entry = rest === undefined || SchemaAST.isUnknown(rest.type) ? undefined : compile(rest.type)
  if (members.length === 0 && entry === undefined) return identity
  return (input) => {
    if (!Predicate.isReadonlyObject(input)) return input
    if (entry !== undefined) {
      return Object.fromEntries(
        Object.entries(input).flatMap(([name, value]) => value === null ? [] : [[name, entry(value)]])
      )
    }
    const draft: Record<string, unknown> = {}
    for (const { isJson, kind, name, rewrite } of members) {
      const spelled = [name, ...others.flatMap(([other, to]) => to === name ? [other] : [])].find((spelling) =>
        Object.hasOwn(input, spelling) && (isJson || input[spelling] !== null)
      )
      if (spelled !== undefined) draft[name] = rewrite(input[spelled])
      else if (kind !== undefined) draft[name] = kind
    }
    return draft
  }
}

/** Returns the first member's rewriting that matches the member. */
const rewriteUnion = (ast: SchemaAST.Union): Rewrite => {
  const members = ast.types.map((type) => ({ rewrite: compile(type), matches: Schema.is(Schema.make(type)) }))
  return (input) => {
    for (const { matches, rewrite } of members) {
      const candidate = rewrite(input)
      if (matches(candidate)) return candidate
    }
    return input
  }
}

const compile = (ast: SchemaAST.AST): Rewrite => {
  const names = ast.annotations?.[namesKey] as ReadonlyArray<string> | undefined
  if (names !== undefined) return rewriteEnum(names)
  switch (ast._tag) {
    case "Objects":
      return rewriteObject(ast)
    case "Arrays": {
      const type = ast.rest[0] ?? SchemaAST.unknown
      if (SchemaAST.isUnknown(type)) return identity
      const element = compile(type)
      return (input) => Array.isArray(input) ? input.filter((one) => one !== null).map(element) : input
    }
    case "Union":
      return rewriteUnion(ast)
    case "Number":
      return integer
    default:
      return identity
  }
}

/** Creates the rewriting of documents that a wire schema allows. */
export const makeRewrite = (schema: Schema.Top): Rewrite => compile(schema.ast)

interface Finding {
  readonly path: ReadonlyArray<PropertyKey>
  readonly description: string
}

const expectations: Readonly<Record<string, string>> = {
  Objects: "an object",
  Arrays: "a list",
  String: "a string",
  Number: "a number",
  Boolean: "true or false"
}

const expectation = (ast: SchemaAST.AST): string =>
  ast._tag === "Never"
    ? "is not allowed here"
    : `must be ${
      ast.annotations?.expected ??
        (SchemaAST.isLiteral(ast) ? JSON.stringify(ast.literal) : expectations[ast._tag] ?? "valid")
    }`

const depth = (findings: ReadonlyArray<Finding>) => Math.max(...findings.map(({ path }) => path.length))

/** Returns the findings of the variant that the document resembles most, or `otherwise` if two are equally close. */
export const closest = (
  alternatives: ReadonlyArray<ReadonlyArray<Finding>>,
  otherwise: Finding
): ReadonlyArray<Finding> => {
  const [first, second] = alternatives.toSorted((a, b) => depth(b) - depth(a) || a.length - b.length)
  if (first === undefined) return [otherwise]
  const isTie = second !== undefined && depth(first) === depth(second) && first.length === second.length
  return isTie ? [otherwise] : first
}

const find = (issue: SchemaIssue.Issue, path: ReadonlyArray<PropertyKey>): ReadonlyArray<Finding> => {
  switch (issue._tag) {
    case "Pointer":
      return find(issue.issue, [...path, ...issue.path])
    case "Composite":
      return issue.issues.flatMap((inner) => find(inner, path))
    case "AnyOf":
      return closest(issue.issues.map((inner) => find(inner, path)), { path, description: expectation(issue.ast) })
    case "Filter":
      return [{ path, description: `must be ${issue.filter.annotations?.expected ?? "valid"}` }]
    case "Encoding":
      return find(issue.issue, path)
    case "MissingKey":
      return [{ path, description: "is required" }]
    case "InvalidType":
      return [{ path, description: expectation(issue.ast) }]
    default:
      return [{ path, description: "is not valid" }]
  }
}

/** Returns the reasons why a document does not match a schema; empty if it matches. */
export const findings = (schema: Schema.Codec<unknown>, document: unknown): ReadonlyArray<Finding> => {
  const result = Schema.decodeUnknownResult(schema)(document, { errors: "all" })
  return result._tag === "Success" ? [] : find(result.failure.issue, [])
}

const toPath = (path: ReadonlyArray<PropertyKey>): string =>
  path.reduce<string>(
    (text, key) => typeof key === "number" ? `${text}[${key}]` : text === "" ? String(key) : `${text}.${String(key)}`,
    ""
  )

/** Converts a finding to a violation with a path such as `message.parts[0]`. */
export const toViolation = ({ description, path }: Finding): AgentError.Violation => ({
  field: toPath(path),
  description
})
