/**
 * Wire schemas and mapping functions, put together to a {@link Protocol.Codec}.
 */
import { compile } from "#compile"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as AgentError from "../../AgentError.ts"
import type * as Protocol from "../../Dialect.ts"
import { closest, findings, tolerant, toViolation } from "./lenient.ts"
import { lazy } from "./wireSchema.ts"

type Violations = ReadonlyArray<AgentError.Violation>

/** One form that a document may have, and what it means; `undefined`: it is `lacking` (see {@link Options}). */
export interface Form<out A> {
  readonly schema: Schema.Codec<unknown>
  readonly fits: (document: unknown) => boolean
  readonly rewrite: (document: unknown) => unknown
  readonly read: (document: any) => A | undefined
}

export const form = <W, A>(schema: Schema.Codec<W>, read: (document: W) => A | undefined): Form<A> => {
  compile(schema)
  const rewrite = lazy(() => tolerant(schema))
  return { schema, fits: Schema.is(schema), rewrite: (document) => rewrite()(document), read }
}

/** What is not JSON under `value`: numbers that are not finite, `undefined`, instances (rule W8). */
const unfit = (value: unknown, path: string, level: number): Violations | undefined => {
  switch (typeof value) {
    case "string":
    case "boolean":
      return undefined
    case "number":
      return Number.isFinite(value) ? undefined : [{ field: path, description: "must be a finite number" }]
    case "object": {
      if (value === null) return undefined
      if (level > 500) return [{ field: path, description: "is nested too deeply" }]
      if (Array.isArray(value)) {
        for (let i = 0; i < value.length; i++) {
          const found = unfit(value[i], `${path}[${i}]`, level + 1)
          if (found !== undefined) return found
        }
        return undefined
      }
      const prototype = Object.getPrototypeOf(value)
      if (prototype !== Object.prototype && prototype !== null) break
      for (const name in value) {
        const found = unfit((value as any)[name], path === "" ? name : `${path}.${name}`, level + 1)
        if (found !== undefined) return found
      }
      return undefined
    }
  }
  return [{ field: path, description: "must be JSON" }]
}

export interface Options<A> {
  /** What is said of a document that resembles none of the forms. */
  readonly expected: string
  /** What is said of a document that fits a schema and still lacks something, which no schema can ask for. */
  readonly lacking?: AgentError.Violation
  /** The strict form first; the others are read only. Called at the first decoding. */
  readonly forms: () => ReadonlyArray<Form<A>>
  readonly write: (value: A) => Schema.Json
  /** Members that this dialect has no place for. */
  readonly inexpressible?: ((value: NoInfer<A>) => Violations) | undefined
  readonly isKnown?: ((document: unknown) => boolean) | undefined
}

const refusal = <A>(options: Options<A>, forms: ReadonlyArray<Form<A>>, document: unknown): Violations => {
  const all = forms.map((one) => findings(one.schema, one.rewrite(document)))
  return options.lacking !== undefined && all.some((found) => found.length === 0)
    ? [options.lacking]
    : closest(all, { path: [], description: options.expected }).map(toViolation)
}

const reader = <A>(options: Options<A>, forms: () => ReadonlyArray<Form<A>>) => (document: unknown) => {
  for (const one of forms()) {
    if (one.fits(document)) {
      const value = one.read(document)
      if (value !== undefined) return Result.succeed(value)
    }
  }
  for (const one of forms()) {
    const rewritten = one.rewrite(document)
    if (one.fits(rewritten)) {
      const value = one.read(rewritten)
      if (value !== undefined) return Result.succeed(value)
    }
  }
  return Result.fail(refusal(options, forms(), document))
}

/** A codec of what is answered. */
export const codec = <A>(options: Options<A>): Protocol.Codec<A> => ({
  decode: reader(options, lazy(options.forms)),
  encode: (value) => {
    const wrong = options.inexpressible?.(value) ?? []
    if (wrong.length > 0) return Result.fail(wrong)
    const document = options.write(value)
    const found = unfit(document, "", 0)
    return found === undefined ? Result.succeed(document) : Result.fail(found)
  },
  ...(options.isKnown === undefined ? undefined : { isKnown: options.isKnown })
})

/**
 * A codec of what is asked. No document is the empty request. What is written must fit what a server reads, so that a
 * request that every server has to refuse is refused before it is sent.
 */
export const request = <A>(options: Options<A>): Protocol.Codec<A> => {
  const forms = lazy(options.forms)
  const read = reader(options, forms)
  const { encode } = codec(options)
  return {
    decode: (document) => read(document ?? {}),
    encode: (value) =>
      Result.flatMap(encode(value), (document) =>
        forms().some((one) => one.fits(document))
          ? Result.succeed(document)
          : Result.fail(refusal(options, forms(), document)))
  }
}
