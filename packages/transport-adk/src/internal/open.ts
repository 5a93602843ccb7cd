/** Objects of a wire that grows: every member may be missing, unknown ones are kept. */
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"

type Fields = Schema.Struct.Fields

export type Unknowns = { readonly [name: string]: unknown }

type Optional<O extends Fields> = { readonly [K in keyof O]: Schema.optionalKey<O[K]> }

export interface Open<O extends Fields, R extends Fields> extends
  Schema.Codec<
    Schema.Struct.Type<Optional<O>> & Schema.Struct.Type<R> & Unknowns,
    Unknowns
  >
{}

const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/**
 * An object whose members are optional, save those of `required`. Null is the same as absent, except where a member may
 * be any JSON. The snake_case spelling of a member is read too; unknown members stay as they are, both ways.
 */
export const open = <const O extends Fields, const R extends Fields = {}>(optional: O, required?: R): Open<O, R> => {
  const fields = { ...required, ...Object.fromEntries(Object.entries(optional).map(([k, v]) => [k, Schema.optionalKey(v)])) }
  const aliases = new Map(Object.keys(fields).map((name) => [snake(name), name] as const).filter(([a, b]) => a !== b))
  const unset = new Set(Object.keys(optional).filter((name) => optional[name] !== Schema.Json))

  const isAsDeclared = (input: Unknowns) => {
    for (const name in input) if (aliases.has(name) || (input[name] === null && unset.has(name))) return false
    return true
  }
  const declared = (input: Unknowns): Unknowns =>
    isAsDeclared(input) ? input : Object.fromEntries(
      Object.entries(input).flatMap(([key, value]) => {
        const alias = aliases.get(key)
        const name = alias === undefined || Object.hasOwn(input, alias) ? key : alias
        return value === null && unset.has(name) ? [] : [[name, value] as const]
      })
    )

  return Schema.Record(Schema.String, Schema.Unknown).pipe(
    Schema.decodeTo(
      Schema.StructWithRest(Schema.Struct(fields as Fields), [Schema.Record(Schema.String, Schema.Unknown)]) as any,
      SchemaTransformation.transform({ decode: declared, encode: (output) => output as Unknowns }) as any
    )
  ) as any
}

/** Known words, and any other: an enumeration that grows. */
export const words = <const W extends ReadonlyArray<string>>(...known: W) =>
  Schema.Union([Schema.Literals(known), Schema.StringForLiteralAutocomplete])

/** Strings, or numbers, in a list. */
export const strings = Schema.Array(Schema.String)
export const numbers = Schema.Array(Schema.Finite)

