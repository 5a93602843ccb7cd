/**
 * Events out of an event stream's text. Frames of one `data` line each, as nearly all are, are cut out directly; from
 * the first thing else on, Effect's parser, which knows the whole grammar, takes over.
 */
import * as Sse from "effect/encoding/Sse"
import * as Result from "effect/Result"

type OnParse = Parameters<typeof Sse.makeParser>[0]

export const makeParser = (onParse: OnParse, options: { readonly maxEventSize: number }): Pick<Sse.Parser, "feed"> => {
  const general = Sse.makeParser(onParse, options)
  let isPlain = true
  let open: Array<string> = []
  let size = 0

  /** What is left where the plain frames end. */
  const cut = (text: string): string => {
    let at = 0
    while (text.startsWith("data: ", at)) {
      const end = text.indexOf("\n", at)
      if (end === -1 || end === text.length - 1) return text.slice(at)
      if (text.charCodeAt(end + 1) !== 10) break
      onParse({ _tag: "Event", event: "message", id: undefined, data: text.slice(at + 6, end) })
      at = end + 2
    }
    const rest = text.slice(at)
    if (!"data: ".startsWith(rest)) isPlain = false
    return rest
  }

  return {
    feed: (chunk) => {
      if (!isPlain) return general.feed(chunk)
      isPlain = !chunk.includes("\r")
      open.push(chunk)
      size += chunk.length
      // a line that goes on is not looked at again until it ends; nor is a last frame that lacks its blank line
      if (isPlain && !chunk.includes("\n") && size <= options.maxEventSize) return undefined
      const text = open.join("")
      const rest = isPlain ? cut(text) : text
      open = [rest]
      size = rest.length
      return isPlain && size <= options.maxEventSize ? undefined : (isPlain = false, open = [], general.feed(rest))
    }
  }
}

/** Returns the data of the first event of a text; some peers refuse with an event. */
export const firstData = (text: string): Result.Result<string, string> => {
  const found: Array<string> = []
  const parser = makeParser((event) => {
    if (event._tag === "Event") found.push(event.data)
  }, { maxEventSize: text.length + 2 })
  parser.feed(`${text}\n\n`)
  const [first] = found
  return first === undefined ? Result.fail("no event") : Result.succeed(first)
}
