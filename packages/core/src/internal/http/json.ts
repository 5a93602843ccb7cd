/** JSON text to a value, as data instead of an exception. */
import * as Result from "effect/Result"

/** More levels than any honest document has, and few enough for whatever walks through one. */
const maxDepth = 200

const isDeeper = (value: unknown, levels: number): boolean => {
  if (typeof value !== "object" || value === null) return false
  if (levels === 0) return true
  if (Array.isArray(value)) return value.some((one) => isDeeper(one, levels - 1))
  // twice as fast as `Object.values` if there are a million
  for (const name in value) if (isDeeper(value[name as keyof typeof value], levels - 1)) return true
  return false
}

/** Fails on documents of more than 200 levels too. The failure quotes nothing of the text. */
export const parse = (text: string): Result.Result<unknown, string> =>
  Result.flatMap(
    Result.try({
      try: (): unknown => JSON.parse(text),
      catch: (cause) => String(cause).replace(/^\w+: |,?[ .]*"[^]*"(?:\.{3})?/g, "")
    }),
    (value) =>
      // each level takes two characters
      text.length > 2 * maxDepth && isDeeper(value, maxDepth)
        ? Result.fail(`more than ${maxDepth} levels deep`)
        : Result.succeed(value)
  )

// a hostile text is not worth more work than this
const maxRead = 10_000

/** Returns the beginning of a text for a message: on one line, without control characters. */
export const snippet = (text: string, size = 200): string => {
  const line = text.slice(0, maxRead).replace(/[\s\p{Cc}\p{Cf}\p{Cs}]+/gu, " ").trim()
  return line.length <= size ? line : `${line.slice(0, size)}…`
}
