/**
 * Building blocks of wire schemas. A wire schema describes the strict form of a document and transforms nothing, so that
 * the schema compiler can turn it into one guard. It refuses other spellings, which `lenient.ts` then rewrites.
 */
import * as DateTime from "effect/DateTime"
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Metadata from "../../Metadata.ts"

export type Draft<A> = { -readonly [K in keyof A]: A[K] }
export type JsonObject = { readonly [name: string]: Schema.Json }
export type Members = { readonly [name: string]: unknown }

/** Returns a function that makes a value at the first call, so that loading a protocol version costs nothing. */
export const lazy = <A>(make: () => A): () => A => {
  let made: { readonly value: A } | undefined
  return () => (made ??= { value: make() }).value
}

/** The annotation of a struct that lists other spellings of its members. */
export const spellingsKey = "@effect-a2a/core/spellings"
/** The annotation of an enumeration that lists its names by number. */
export const namesKey = "@effect-a2a/core/names"

const toSnake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

const otherSpellings = (names: ReadonlyArray<string>, aliases: Readonly<Record<string, string>>) => {
  const all: Record<string, string> = {}
  for (const name of names) all[toSnake(name)] = name
  for (const [alias, name] of Object.entries(aliases)) all[alias] = all[toSnake(alias)] = name
  for (const name of names) delete all[name]
  return all
}

/**
 * Creates the schema of a wire object. It refuses the snake_case and alias spellings of its members, which a guard would
 * otherwise ignore together with their values. `aliases` maps a spelling to its member.
 */
export const struct = <const Fields extends Schema.Struct.Fields>(
  fields: Fields,
  aliases: Readonly<Record<string, string>> = {}
): Schema.Struct<Fields> => {
  const spellings = otherSpellings(Object.keys(fields), aliases)
  const refused = Object.fromEntries(Object.keys(spellings).map((name) => [name, absent]))
  return Schema.Struct({ ...fields, ...refused }).annotate({
    [spellingsKey]: spellings
  }) as Schema.Top as Schema.Struct<Fields>
}

export const optional = <S extends Schema.Top>(schema: S): Schema.optionalKey<S> => Schema.optionalKey(schema)
/** The `kind` of an object, as a union of one: a single literal would be looked up in an index, which costs more. */
export const kind = <const Name extends string>(name: Name): Schema.Literals<readonly [Name]> => Schema.Literals([name])
/** A member that must be absent: it excludes another one, or is another spelling. */
export const absent = Schema.optionalKey(Schema.Never)
const jsonRule = { expected: "JSON of at most 150 levels with finite numbers" }
const isJson = Schema.makeFilter(Metadata.isJson, jsonRule)
/** Free-form JSON, `null` included. */
export const json = Schema.Unknown.check(isJson)
export const text = optional(Schema.String)
export const texts = optional(Schema.Array(Schema.String))
export const flag = optional(Schema.Boolean)
export const object = Schema.Record(Schema.String, Schema.Unknown).check(isJson)
export const metadata = optional(object)
/** An object whose values are not looked at. */
export const members = Schema.Record(Schema.String, Schema.Unknown)
/** Requires that what `read` finds in an object is JSON; `member` is where it finds it. */
export const isJsonIn = <A extends object>(member: keyof A & string, read: (value: A) => unknown) =>
  Schema.makeFilter(
    (value: A) => Metadata.isJson(read(value)) || { path: [member], issue: jsonRule.expected },
    jsonRule
  )
export const id = Schema.String.check(Schema.isNonEmpty({ expected: "a string that is not empty" }))
export const count = optional(
  Schema.Int.check(Schema.isGreaterThanOrEqualTo(0, { expected: "a whole number of 0 or more" }))
)
export const integer = optional(Schema.Int)

/** Standard or URL alphabet, padded or not; never a length that no bytes have. Linear in the length. */
export const base64 = Schema.String.check(Schema.makeFilter(
  (value: string) =>
    /^[A-Za-z0-9+/_-]*={0,2}$/.test(value) && lengthWithoutPadding(value) % 4 !== 1 &&
    (!value.endsWith("=") || value.length % 4 === 0),
  { expected: "base64" }
))

const lengthWithoutPadding = (value: string): number =>
  value.endsWith("==") ? value.length - 2 : value.endsWith("=") ? value.length - 1 : value.length

/** Decodes a value that passed the `base64` guard. */
export const readBytes = (value: string): Uint8Array => {
  const bare = value.slice(0, lengthWithoutPadding(value)).replaceAll("-", "+").replaceAll("_", "/")
  return Result.getOrThrow(Base64.decode(bare.padEnd(Math.ceil(bare.length / 4) * 4, "=")))
}

export const writeBytes: (bytes: Uint8Array) => string = Base64.encode

/** A timestamp as this SDK writes it, on a day that its month has in every year: reading it loses nothing. */
const own =
  /^[1-9]\d{3}-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/
const isTimestamp = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d/
const hasZone = /(?:[Zz]|[+-]\d\d:?\d\d)$/

const digits = (value: string, at: number): number => value.charCodeAt(at) * 10 + value.charCodeAt(at + 1) - 528

/** Returns true if the timestamp is in the form that this SDK writes. */
export const isOwnTimestamp = (value: string): boolean => own.test(value)

/** Reads a timestamp that passed `isOwnTimestamp`, three times as fast as `Date.parse`. */
export const readOwnTimestamp = (value: string): DateTime.Utc =>
  DateTime.makeUnsafe(Date.UTC(
    digits(value, 0) * 100 + digits(value, 2),
    digits(value, 5) - 1,
    digits(value, 8),
    digits(value, 11),
    digits(value, 14),
    digits(value, 17),
    digits(value, 20) * 10 + value.charCodeAt(22) - 48
  ))

/** Reads an RFC 3339 timestamp; without a zone it is UTC. Returns `undefined` for anything else. */
export const readTimestamp = (value: string): DateTime.Utc | undefined => {
  if (isOwnTimestamp(value)) return readOwnTimestamp(value)
  if (!isTimestamp.test(value)) return undefined
  const millis = Date.parse(hasZone.test(value) ? value : `${value}Z`)
  return Number.isNaN(millis) ? undefined : DateTime.makeUnsafe(millis)
}

/** A timestamp in a request: unreadable ones are errors, an empty one is absent. */
export const timestamp = Schema.String.check(Schema.makeFilter(
  (value: string) => value === "" || readTimestamp(value) !== undefined,
  { expected: "an RFC 3339 timestamp" }
))

export const writeTimestamp = (value: DateTime.Utc): string => DateTime.formatIso(value)

export const isEmpty = (value: object): boolean => {
  for (const _ in value) return false
  return true
}

const isDefault = (value: unknown): boolean =>
  value === undefined || value === "" || (typeof value === "object" && value !== null && isEmpty(value))

type Defined<A> = { [K in keyof A]: Exclude<A[K], undefined> }

const omit = <A extends object>(members: A, isOmitted: (value: unknown) => boolean): Defined<A> => {
  const draft: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(members)) if (!isOmitted(value)) draft[name] = value
  return draft as Defined<A>
}

/**
 * Returns the members that have a value. Empty strings, lists and objects are absent: this SDK does not write them, and
 * some peers write every default.
 */
export const compact = <A extends object>(members: A): Defined<A> => omit(members, isDefault)

/** Returns the members that are not `undefined`. */
export const omitUndefined = <A extends object>(members: A): Defined<A> => omit(members, (value) => value === undefined)
