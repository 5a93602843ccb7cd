/**
 * Lenient reading: rewrites a document towards the strict form of a wire schema, and notes in the same pass why it still
 * does not match. Runs only on documents that the compiled guard refused. It ends at the first few findings, so that its
 * work and its words do not grow with a document that is wrong everywhere.
 */
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import type * as SchemaIssue from "effect/SchemaIssue"
import type * as AgentError from "../../AgentError.ts"
import { cut } from "../errors/excerpt.ts"
import { namesKey, spellingsKey } from "./wireSchema.ts"

export interface Finding {
  readonly path: ReadonlyArray<PropertyKey>
  readonly description: string
}

/** The findings of a reading; beyond this number it ends. */
const maxFindings = 10

interface Report {
  findings: Array<Finding>
  /** The place that is being read. */
  readonly path: Array<PropertyKey>
}

type Rewrite = (input: unknown, report: Report) => unknown

const isFull = ({ findings }: Report) => findings.length > maxFindings

const note = ({ findings, path }: Report, description: string, ...key: ReadonlyArray<PropertyKey>) => {
  findings.push({ path: [...path, ...key], description })
}

const within = (rewrite: Rewrite, key: PropertyKey, input: unknown, report: Report): unknown => {
  report.path.push(key)
  const output = rewrite(input, report)
  report.path.pop()
  return output
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

/** Describes why a value does not match whose members are right, or that has none. */
const describe = (issue: SchemaIssue.Issue): string =>
  issue._tag === "Composite"
    ? describe(issue.issues[0])
    : issue._tag === "Filter"
    ? `must be ${issue.filter.annotations?.expected ?? "valid"}`
    : "ast" in issue
    ? expectation(issue.ast)
    : "is not valid"

/** Returns the place below the value that a filter names, if it names one. */
const placeOf = (issue: SchemaIssue.Issue): ReadonlyArray<PropertyKey> =>
  issue._tag === "Composite"
    ? placeOf(issue.issues[0])
    : issue._tag === "Filter"
    ? placeOf(issue.issue)
    : issue._tag === "Pointer"
    ? issue.path
    : []

const check = (ast: SchemaAST.AST): Rewrite => {
  const decode = Schema.decodeUnknownResult(Schema.make<Schema.Codec<unknown>>(ast))
  return (input, report) => {
    const result = decode(input)
    if (result._tag === "Failure") note(report, describe(result.failure.issue), ...placeOf(result.failure.issue))
    return input
  }
}

/** Reads whole numbers from texts. */
const toNumber = (input: unknown) => typeof input === "string" && /^-?\d+(?:\.0+)?$/.test(input) ? Number(input) : input

const kindOf = (ast: SchemaAST.AST) => {
  const only = SchemaAST.isUnion(ast) && ast.types.length === 1 ? ast.types[0] : undefined
  return only !== undefined && SchemaAST.isLiteral(only) ? only.literal : undefined
}

/** Removes `null` from a map, unless its values are free-form JSON. */
const rewriteMap = (entry: Rewrite): Rewrite => (input, report) => {
  const draft: Array<[string, unknown]> = []
  for (const [name, value] of Object.entries(input as object)) {
    if (isFull(report)) break
    if (value !== null) draft.push([name, within(entry, name, value, report)])
  }
  return Object.fromEntries(draft)
}

/**
 * Renames members from other spellings (the own name wins), removes `null` except in free-form JSON, and adds a
 * missing `kind`; the other members decide if the document matches.
 */
const rewriteMembers = (ast: SchemaAST.Objects): Rewrite => {
  const spellings = (ast.annotations?.[spellingsKey] ?? {}) as Readonly<Record<string, string>>
  const others = Object.entries(spellings)
  const members = ast.propertySignatures.filter(({ name }) => !(String(name) in spellings)).map(({ name, type }) => ({
    name: String(name),
    spellings: [String(name), ...others.flatMap(([other, to]) => to === name ? [other] : [])],
    rewrite: compile(type),
    isJson: SchemaAST.isUnknown(type),
    isOptional: SchemaAST.isOptional(type),
    kind: kindOf(type)
  }))
  return (input, report) => {
    const given = input as Readonly<Record<string, unknown>>
    const draft: Record<string, unknown> = {}
    for (const { isJson, isOptional, kind, name, rewrite, spellings } of members) {
      const spelled = spellings.find((one) => Object.hasOwn(given, one) && (isJson || given[one] !== null))
      if (spelled !== undefined) draft[name] = within(rewrite, name, given[spelled], report)
      else if (kind !== undefined) draft[name] = kind
      else if (!isOptional) note(report, "is required", name)
    }
    return draft
  }
}

const rewriteObject = (ast: SchemaAST.Objects): Rewrite => {
  const rest = ast.indexSignatures[0]
  const read = rest === undefined
    ? rewriteMembers(ast)
    : SchemaAST.isUnknown(rest.type)
    ? (input: unknown) => input
    : rewriteMap(compile(rest.type))
  return (input, report) => {
    if (Predicate.isReadonlyObject(input)) return read(input, report)
    note(report, expectation(ast))
    return input
  }
}

/** Reads what has members, and checks it as a whole if they are right. */
const rewriteWhole = (ast: SchemaAST.AST, members: Rewrite): Rewrite => {
  if (ast.checks === undefined) return members
  const whole = check(ast)
  return (input, report) => {
    const before = report.findings.length
    const output = members(input, report)
    return report.findings.length === before ? whole(output, report) : output
  }
}

const rewriteList = (ast: SchemaAST.Arrays): Rewrite => {
  const type = ast.rest[0] ?? SchemaAST.unknown
  const element = compile(type)
  return (input, report) => {
    if (!Array.isArray(input)) {
      note(report, expectation(ast))
      return input
    }
    const draft: Array<unknown> = []
    for (const [index, one] of input.entries()) {
      if (isFull(report)) break
      if (one !== null || SchemaAST.isUnknown(type)) draft.push(within(element, index, one, report))
    }
    return draft
  }
}

/** Returns the first member's rewriting that matches, or notes the findings of the member that is closest. */
const rewriteUnion = (ast: SchemaAST.Union): Rewrite => {
  const members = ast.types.map(compile)
  return (input, report) => {
    const { findings } = report
    const alternatives: Array<ReadonlyArray<Finding>> = []
    for (const rewrite of members) {
      report.findings = []
      const candidate = rewrite(input, report)
      if (report.findings.length === 0) {
        report.findings = findings
        return candidate
      }
      alternatives.push(report.findings)
    }
    report.findings = findings
    const isNamed = ast.annotations?.expected !== undefined || Predicate.isReadonlyObject(input)
    const description = expectation(isNamed ? ast : ast.types[0] ?? ast)
    for (const one of closest(alternatives, { path: [...report.path], description })) {
      findings.push(one)
    }
    return input
  }
}

const rewriteAny = (ast: SchemaAST.AST): Rewrite => {
  switch (ast._tag) {
    case "Objects":
      return rewriteWhole(ast, rewriteObject(ast))
    case "Arrays":
      return rewriteWhole(ast, rewriteList(ast))
    case "Union":
      return rewriteUnion(ast)
    default:
      return check(ast)
  }
}

const compile = (ast: SchemaAST.AST): Rewrite => {
  const names = ast.annotations?.[namesKey] as ReadonlyArray<string> | undefined
  const rewrite = rewriteAny(ast)
  // the number of an enumeration stands for its name, and whole numbers may be texts
  if (names !== undefined) {
    return (input, report) => rewrite(typeof input === "number" ? names[input] ?? String(input) : input, report)
  }
  return ast._tag === "Number" ? (input, report) => rewrite(toNumber(input), report) : rewrite
}

/** A document in the strict form, and why it does not match; no findings if it does. */
export interface Rewritten {
  readonly document: unknown
  readonly findings: ReadonlyArray<Finding>
}

/** Creates the rewriting of documents that a wire schema allows. */
export const makeRewrite = (schema: Schema.Top): (document: unknown) => Rewritten => {
  const rewrite = compile(schema.ast)
  return (document) => {
    const report: Report = { findings: [], path: [] }
    return { document: rewrite(document, report), findings: report.findings }
  }
}

const depth = (findings: ReadonlyArray<Finding>) =>
  findings.reduce((deepest, { path }) => Math.max(deepest, path.length), 0)

// a member's name may be as long as the document, and its path as deep
const maxName = 100
const maxPath = 500

const toPath = (path: ReadonlyArray<PropertyKey>): string =>
  cut(
    path.reduce<string>((text, key) => {
      const name = typeof key === "number" ? `[${key}]` : String(key).slice(0, maxName)
      return typeof key === "number" || text === "" ? text + name : `${text}.${name}`
    }, ""),
    maxPath
  )

const toViolation = ({ description, path }: Finding): AgentError.Violation => ({ field: toPath(path), description })

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

/** Converts findings to violations with paths such as `message.parts[0]`: the first ones, if there are many. */
export const toViolations = (findings: ReadonlyArray<Finding>): ReadonlyArray<AgentError.Violation> => [
  ...findings.slice(0, maxFindings).map(toViolation),
  ...(findings.length > maxFindings ? [{ field: "", description: "and more, which were not looked at" }] : [])
]
