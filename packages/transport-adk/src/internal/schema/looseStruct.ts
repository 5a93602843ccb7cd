/** Objects of a wire that grows: every member may be missing, unknown ones are kept. */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaParser from "effect/SchemaParser"

type Fields = { readonly [name: string]: Schema.Codec<unknown> }

export type Unknowns = { readonly [name: string]: unknown }

type Members<O extends Fields, R extends Fields> =
  & { readonly [K in keyof O]?: O[K]["Type"] }
  & { readonly [K in keyof R]: R[K]["Type"] }
  & Unknowns

export interface LooseStruct<O extends Fields, R extends Fields> extends Schema.Codec<Members<O, R>> {}

const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

type Parser = (input: unknown, options: SchemaAST.ParseOptions) => Result.Result<unknown, SchemaIssue.Issue>

/**
 * An object whose members are optional, save those of `required`. Null is the same as absent, except where a member may
 * be any JSON. The snake_case spelling of a member is read too; unknown members stay as they are, both ways. Only members
 * that are there cost anything: a struct would look for each of dozens in every piece of text.
 */
export const looseStruct = <const O extends Fields, const R extends Fields = {}>(
  optional: O,
  required?: R
): LooseStruct<O, R> => {
  const fields: Fields = { ...required, ...optional }
  const names = Object.keys(fields)
  const aliases = new Map(names.map((name) => [snake(name), name] as const).filter(([alias, name]) => alias !== name))
  const mandatory = Object.keys(required ?? {})
  const isUnset = (name: string, value: unknown) =>
    value === null && Object.hasOwn(optional, name) && optional[name] !== Schema.Json

  const declared = (input: Unknowns): Unknowns => {
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

  const schema = Schema.declareConstructor<Unknowns>()(
    names.map((name) => fields[name]!),
    (codecs) => {
      const parsers = new Map<string, Parser>(
        names.map((name, index) => [name, SchemaParser.decodeUnknownResult(codecs[index]!)])
      )
      return (given, ast, options) => {
        if (!Predicate.isObject(given)) return Effect.fail(new SchemaIssue.InvalidType(ast, given, options))
        const at = (name: string, issue: SchemaIssue.Issue) =>
          Effect.fail(new SchemaIssue.Composite(ast, [new SchemaIssue.Pointer([name], issue)], given, options))
        const input = declared(given as Unknowns)
        let changed: { [name: string]: unknown } | undefined
        for (const name in input) {
          const parser = parsers.get(name)
          if (parser === undefined) continue
          const result = parser(input[name], options)
          if (Result.isFailure(result)) return at(name, result.failure)
          if (result.success !== input[name]) (changed ??= { ...input })[name] = result.success
        }
        const missing = mandatory.find((name) => !Object.hasOwn(input, name))
        return missing === undefined
          ? Effect.succeed(changed ?? input)
          : at(missing, new SchemaIssue.MissingKey(undefined))
      }
    },
    { expected: "an object" }
  )
  return schema as unknown as LooseStruct<O, R>
}

/** Known words, and any other: an enumeration that grows. */
export const openEnum = <const W extends ReadonlyArray<string>>(...known: W) =>
  Schema.Union([Schema.Literals(known), Schema.StringForLiteralAutocomplete])

/** Strings, or numbers, in a list. */
export const strings = Schema.Array(Schema.String)
export const numbers = Schema.Array(Schema.Finite)
