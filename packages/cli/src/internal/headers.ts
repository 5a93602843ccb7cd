/** The headers of `--header`. */
import * as HttpPeer from "@effect-a2a/core/HttpPeer"
import type * as ServiceParameters from "@effect-a2a/core/ServiceParameters"
import * as Effect from "effect/Effect"
import { UsageError } from "./exit.ts"

const parse = (text: string): Effect.Effect<readonly [string, string], UsageError> => {
  const [, name, value] = /^([\w!#$%&'*+.^`|~-]+):[ \t]*([\x20-\x7e]*)$/.exec(text) ?? []
  return name === undefined || value === undefined
    ? new UsageError({
      message: `invalid --header beginning with ${JSON.stringify(text.split(/[:=\s]/)[0])}: expected 'Name: value'`
    })
    : Effect.succeed([name.toLowerCase(), value.trim()])
}

/** Returns what may be secret in the headers among the arguments: any of them may be a credential, whatever its name. */
export const secrets = (args: ReadonlyArray<string>): ReadonlyArray<string> =>
  args.flatMap((arg, index) => {
    const header = arg.startsWith("--header=")
      ? arg.slice("--header=".length)
      : args[index - 1] === "--header"
      ? arg
      : ""
    const [, name, value] = /^([^:]*):\s*(.*)$/s.exec(header) ?? []
    return name === undefined || value === undefined ? [] : HttpPeer.secretsOfHeader([name, value.trim()])
  })

/** Headers with a single value, which cannot be joined to a list (RFC 9110 §5.3). */
const singular = new Set([
  "a2a-version",
  "authorization",
  "content-length",
  "content-type",
  "from",
  "host",
  "last-event-id",
  "origin",
  "proxy-authorization",
  "referer",
  "traceparent",
  "user-agent"
])

/** The names of the extensions' header in both protocol versions. */
const isExtensions = (name: string) => name === "a2a-extensions" || name === "x-a2a-extensions"

const split = (value: string) => value.split(",").map((uri) => uri.trim()).filter((uri) => uri !== "")

/**
 * Reads headers. A repeated header becomes one, and extensions join those that the command asks for itself. Fails with a
 * `UsageError` if a header is malformed, or is repeated and cannot have several values.
 */
export const read = Effect.fnUntraced(function*(
  texts: ReadonlyArray<string>
): Effect.fn.Return<ServiceParameters.ServiceParameters, UsageError> {
  const pairs = yield* Effect.forEach(texts, (text) => parse(text))
  const headers = new Map<string, string>()
  for (const [name, value] of pairs.filter(([name]) => !isExtensions(name))) {
    const before = headers.get(name)
    if (before !== undefined && singular.has(name)) {
      return yield* new UsageError({ message: `--header ${name} is given twice, and can have one value only` })
    }
    headers.set(name, before === undefined ? value : `${before}${name === "cookie" ? "; " : ", "}${value}`)
  }
  return {
    headers: Object.fromEntries(headers),
    extensions: pairs.flatMap(([name, value]) => isExtensions(name) ? split(value) : [])
  }
})
