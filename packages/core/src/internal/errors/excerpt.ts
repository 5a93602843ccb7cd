/**
 * What errors keep of the words of a peer, who may send any number of them. Errors are logged, stored and passed on.
 * Tested in `test/decoders/refusals.test.ts`.
 */
import type * as Schema from "effect/Schema"

/** The characters of a message, at most. */
const maxMessage = 2000

/** The characters of a document, at most. */
const maxDocument = 4000

/** More levels than that cannot be written by everybody. */
const maxLevels = 150

/** Returns a text, or its beginning if it has more than `size` characters: 2,000 unless it is given. */
export const cut = (text: string, size = maxMessage): string => text.length <= size ? text : `${text.slice(0, size)}…`

/** Returns a text or a number as text. Objects may have no text: what `JSON.parse` returns can have any `toString`. */
export const toText = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : ""

/**
 * Returns a document, or its beginning if it is long: the first members and elements, and the beginning of a text. Numbers
 * that JSON cannot write, such as that of `1e400`, are left out.
 */
export const excerpt = (document: unknown): Schema.Json | undefined => {
  let left = maxDocument

  const text = (value: string): string => {
    const kept = cut(value, Math.max(left, 0))
    left -= value.length + 4
    return kept
  }

  const list = (values: ReadonlyArray<unknown>, level: number): Schema.Json => {
    const kept: Array<Schema.Json> = []
    for (const value of values) {
      if (left <= 0) break
      const one = visit(value, level)
      if (one !== undefined) kept.push(one)
    }
    return kept
  }

  const object = (values: object, level: number): Schema.Json => {
    const kept: Array<readonly [string, Schema.Json]> = []
    for (const name in values) {
      if (left <= 0) break
      const key = text(name)
      const one = visit(values[name as keyof typeof values], level)
      if (one !== undefined) kept.push([key, one])
    }
    return Object.fromEntries(kept)
  }

  const visit = (value: unknown, level: number): Schema.Json | undefined => {
    if (typeof value === "string") return text(value)
    left -= 4
    if (value === null || typeof value === "boolean") return value
    if (typeof value === "number") return Number.isFinite(value) ? value : undefined
    if (typeof value !== "object" || level === maxLevels) return undefined
    return Array.isArray(value) ? list(value, level + 1) : object(value, level + 1)
  }
  return visit(document, 0)
}
