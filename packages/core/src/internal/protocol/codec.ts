/** Codecs ({@link Dialect.Codec}) made of wire schemas and mapping functions. */
import { compile } from "#compile"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as AgentError from "../../AgentError.ts"
import type * as Dialect from "../../Dialect.ts"
import { closest, type Finding, makeRewrite, type Rewritten, toViolations } from "./lenient.ts"
import { lazy, type Members } from "./wireSchema.ts"

type Violations = ReadonlyArray<AgentError.Violation>

/** A form that a document may have, and its reader, which returns `undefined` if the document lacks `missingField`. */
export interface Variant<out A> {
  readonly matches: (document: unknown) => boolean
  readonly rewrite: (document: unknown) => Rewritten
  readonly read: (document: any) => A | undefined
}

/** Creates a variant from a schema and the reader of documents that match it. */
export const variant = <W, A>(schema: Schema.Codec<W>, read: (document: W) => A | undefined): Variant<A> => {
  compile(schema)
  const rewrite = lazy(() => makeRewrite(schema))
  return { matches: Schema.is(schema), rewrite: (document) => rewrite()(document), read }
}

/** Puts the place of a finding before its path, which is made only if there is one. */
const below = (key: PropertyKey, found: Finding | undefined): Finding | undefined =>
  found === undefined ? undefined : { ...found, path: [key, ...found.path] }

/** Returns the first value below `value` that is not JSON: a number that is not finite, `undefined`, an instance. */
const findNonJson = (value: unknown, level: number): Finding | undefined => {
  switch (typeof value) {
    case "string":
    case "boolean":
      return undefined
    case "number":
      return Number.isFinite(value) ? undefined : { path: [], description: "must be a finite number" }
    case "object": {
      if (value === null) return undefined
      if (level > 500) return { path: [], description: "is nested too deeply" }
      if (Array.isArray(value)) {
        for (let i = 0; i < value.length; i++) {
          const found = findNonJson(value[i], level + 1)
          if (found !== undefined) return below(i, found)
        }
        return undefined
      }
      const prototype = Object.getPrototypeOf(value)
      if (prototype !== Object.prototype && prototype !== null) break
      for (const name in value) {
        const found = findNonJson((value as Members)[name], level + 1)
        if (found !== undefined) return below(name, found)
      }
      return undefined
    }
  }
  return { path: [], description: "must be JSON" }
}

export interface DecoderOptions<A> {
  /** The description of a document that resembles none of the variants. */
  readonly message: string
  /** The violation of a document that matches a schema and still lacks a member, for rules that no schema expresses. */
  readonly missingField?: AgentError.Violation
  /** The strict form first; the others are read only. Called at the first decoding. */
  readonly variants: () => ReadonlyArray<Variant<A>>
  readonly isKnown?: ((document: unknown) => boolean) | undefined
  readonly isFinal?: ((document: unknown) => boolean | undefined) | undefined
}

/** Returns the members of a value that a dialect has no place for. */
export type UnsupportedFields<in A> = (value: A) => Violations

interface RequestOptions<A> extends DecoderOptions<A> {
  readonly write: (value: A) => Schema.Json
  readonly unsupportedFields?: UnsupportedFields<NoInfer<A>> | undefined
}

const explain = <A>(options: DecoderOptions<A>, all: ReadonlyArray<ReadonlyArray<Finding>>): Violations =>
  options.missingField !== undefined && all.some((found) => found.length === 0)
    ? [options.missingField]
    : toViolations(closest(all, { path: [], description: options.message }))

const makeReader =
  <A>(options: DecoderOptions<A>, variants: () => ReadonlyArray<Variant<A>>) => (document: unknown) => {
    for (const one of variants()) {
      if (one.matches(document)) {
        const value = one.read(document)
        if (value !== undefined) return Result.succeed(value)
      }
    }
    const all: Array<ReadonlyArray<Finding>> = []
    for (const one of variants()) {
      const rewritten = one.rewrite(document)
      if (rewritten.findings.length === 0) {
        const value = one.read(rewritten.document)
        if (value !== undefined) return Result.succeed(value)
      }
      all.push(rewritten.findings)
    }
    return Result.fail(explain(options, all))
  }

/** Creates the decoder of a response or an event. */
export const makeDecoder = <A>(options: DecoderOptions<A>): Dialect.Decoder<A> => ({
  decode: makeReader(options, lazy(options.variants)),
  ...(options.isKnown === undefined ? undefined : { isKnown: options.isKnown }),
  ...(options.isFinal === undefined ? undefined : { isFinal: options.isFinal })
})

/** Creates an encoder. It fails with the members that the dialect has no place for, and with values that are not JSON. */
const makeEncoder = <A>(
  write: (value: A) => Schema.Json,
  unsupportedFields?: UnsupportedFields<A>
): Dialect.Encoder<A> => ({
  encode: (value) => {
    const wrong = unsupportedFields?.(value) ?? []
    if (wrong.length > 0) return Result.fail(wrong)
    const document = write(value)
    const found = findNonJson(document, 0)
    return found === undefined ? Result.succeed(document) : Result.fail(toViolations([found]))
  }
})

/** Creates the codec of a response or an event: the decoder of clients, and how servers write. */
export const makeCodec = <A>(decoder: Dialect.Decoder<A>, write: (value: A) => Schema.Json): Dialect.Codec<A> => ({
  ...decoder,
  ...makeEncoder(write)
})

/** Leaves out the members that the dialect has no place for: in a request of it they mean nothing. */
const withoutFields = <A>(value: A, unsupportedFields: UnsupportedFields<A> | undefined): A => {
  const wrong = unsupportedFields?.(value) ?? []
  return wrong.length === 0
    ? value
    : Object.fromEntries(
      Object.entries(value as object).filter(([name]) => !wrong.some(({ field }) => field === name))
    ) as A
}

/**
 * Creates the codec of a request. An absent document is an empty request. A document that no variant matches is not
 * written: a request that every server has to refuse is refused before it is sent.
 */
export const makeRequestCodec = <A>(options: RequestOptions<A>): Dialect.Codec<A> => {
  const variants = lazy(options.variants)
  const read = makeReader(options, variants)
  const { encode } = makeEncoder(options.write, options.unsupportedFields)
  return {
    decode: (document) => Result.map(read(document ?? {}), (value) => withoutFields(value, options.unsupportedFields)),
    encode: (value) =>
      Result.flatMap(encode(value), (document) =>
        variants().some((one) => one.matches(document))
          ? Result.succeed(document)
          : Result.fail(explain(options, variants().map((one) => one.rewrite(document).findings))))
  }
}
