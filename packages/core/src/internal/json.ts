/** JSON text to a value, as data instead of an exception. */
import * as Result from "effect/Result"

export const parse = (text: string): Result.Result<unknown, string> =>
  Result.try({
    try: (): unknown => JSON.parse(text),
    catch: (cause) => cause instanceof Error ? cause.message : String(cause)
  })

/** The beginning of a text, for a message. */
export const snippet = (text: string, size = 200): string => text.length <= size ? text : `${text.slice(0, size)}…`
