/** Schemas of objects that grow with the wire. Tested in packages/transport-adk/test/schema.test.ts. */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaParser from "effect/SchemaParser"

type Fields = { readonly [name: string]: Schema.Codec<unknown> }

/** Members of any name. */
export type Unknowns = { readonly [name: string]: unknown }

type Members<O extends Fields, R extends Fields> =
  & { readonly [K in keyof O]?: O[K]["Type"] }
  & { readonly [K in keyof R]: R[K]["Type"] }
  & Unknowns

/** A schema made by {@link looseStruct}. */
export interface LooseStruct<O extends Fields, R extends Fields> extends Schema.Codec<Members<O, R>> {}

const toSnakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Unknown members can be written again: JSON without the infinite number that `1e400` is read as. */
const parseJson = SchemaParser.decodeUnknownResult(Schema.Json)

type Parser = (input: unknown, options: SchemaAST.ParseOptions) => Result.Result<unknown, SchemaIssue.Issue>

/**
 * Creates a schema of an object whose members are optional, except those of `required`. Null counts as absent unless the
 * member may be any JSON. The snake_case spelling of a member is decoded too; unknown members are kept both ways.
 *
 * Only members that are present are visited: `Schema.Struct` would look for each of dozens in every piece of text.
 */
export const looseStruct = <const O extends Fields, const R extends Fields = {}>(
  optional: O,
  required?: R
): LooseStruct<O, R> => {
  const fields: Fields = { ...required, ...optional }
  const names = Object.keys(fields)
  const aliases = new Map(
    names.map((name) => [toSnakeCase(name), name] as const).filter(([alias, name]) => alias !== name)
  )
  const mandatory = Object.keys(required ?? {})
  const isUnset = (name: string, value: unknown) =>
    value === null && Object.hasOwn(optional, name) && optional[name] !== Schema.Json

  const rename = (input: Unknowns): Unknowns => {
    for (const key in input) {
      if (aliases.has(key) || isUnset(key, input[key])) {
        return Object.fromEntries(
          Object.entries(input).flatMap(([key, value]) => {
            const alias = aliases.get(key)
            const name = alias === undefined || Object.hasOwn(input, alias) ? key : alias
            return isUnset(name, value) ? [] : [[name, value] as const]
          })
        )
      }
    }
    return input
  }

  const schema = Schema.declareConstructor<Members<O, R>>()(
    names.map((name) => fields[name]!),
    (codecs) => {
      const parsers = new Map<string, Parser>(
        names.map((name, index) => [name, SchemaParser.decodeUnknownResult(codecs[index]!)])
      )
      return (given, ast, options) => {
        if (!Predicate.isObject(given)) return Effect.fail(new SchemaIssue.InvalidType(ast, given, options))
        const at = (name: string, issue: SchemaIssue.Issue) =>
          Effect.fail(new SchemaIssue.Composite(ast, [new SchemaIssue.Pointer([name], issue)], given, options))
        const input = rename(given as Unknowns)
        let changed: { [name: string]: unknown } | undefined
        for (const name in input) {
          const result = (parsers.get(name) ?? parseJson)(input[name], options)
          if (Result.isFailure(result)) return at(name, result.failure)
          if (result.success !== input[name]) (changed ??= { ...input })[name] = result.success
        }
        const missing = mandatory.find((name) => !Object.hasOwn(input, name))
        return missing === undefined
          ? Effect.succeed((changed ?? input) as Members<O, R>)
          : at(missing, new SchemaIssue.MissingKey(undefined))
      }
    },
    { expected: "an object" }
  )
  return schema
}

/** Creates a schema of known words that accepts any other word too. */
export const openEnum = <const W extends ReadonlyArray<string>>(...words: W) =>
  Schema.Union([Schema.Literals(words), Schema.StringForLiteralAutocomplete])

/** A list of strings. */
export const strings = Schema.Array(Schema.String)
/** A list of numbers. */
export const numbers = Schema.Array(Schema.Finite)
