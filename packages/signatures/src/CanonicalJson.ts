/**
 * The JSON Canonicalization Scheme (RFC 8785): one text for all documents that are equal, which can be signed.
 *
 * ```ts
 * import { CanonicalJson } from "@effect-a2a/signatures"
 * import { Result } from "effect"
 *
 * const text = CanonicalJson.stringify({ b: [1e21, -0, 4.50], a: "€\n" })
 * Result.getOrThrow(text) // => `{"a":"€\\n","b":[1e+21,0,4.5]}`
 * ```
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"

/** More levels than any honest document has, and few enough for whatever walks through one. */
const maxDepth = 200

const isWellFormed = (text: string): boolean => !/\p{Cs}/u.test(text)

/** Returns why a value has no canonical form. */
const issueOf = (value: unknown, levels: number): string | undefined => {
  switch (typeof value) {
    case "string":
      return isWellFormed(value) ? undefined : "half of a surrogate pair"
    case "number":
      return Number.isFinite(value) ? undefined : `the number ${value}`
    case "boolean":
      return undefined
    case "object": {
      if (value === null) return undefined
      if (levels === 0) return `more than ${maxDepth} levels`
      if (!Array.isArray(value) && !Object.keys(value).every(isWellFormed)) return "half of a surrogate pair in a name"
      for (const member of Object.values(value)) {
        const issue = member === undefined && !Array.isArray(value) ? undefined : issueOf(member, levels - 1)
        if (issue !== undefined) return issue
      }
      return undefined
    }
    default:
      return `a value of type ${typeof value}`
  }
}

const write = (value: unknown): string => {
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(write).join(",")}]`
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => a < b ? -1 : 1)
    .map(([name, member]) => `${JSON.stringify(name)}:${write(member)}`)
  return `{${members.join(",")}}`
}

/**
 * Returns the canonical text: names sorted by UTF-16 code units, numbers as ECMAScript writes them, no white space.
 * `undefined` members are left out. Fails, with what it found, on values that JSON does not have, on halves of surrogate
 * pairs, and on documents of more than 200 levels.
 */
export const stringify = (value: unknown): Result.Result<string, string> => {
  const issue = issueOf(value, maxDepth)
  return issue === undefined ? Result.succeed(write(value)) : Result.fail(issue)
}
