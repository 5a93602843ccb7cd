/**
 * Events out of an event stream's text (WHATWG HTML §9.2.6). Tested in `packages/core/test/sse.test.ts` against Effect's
 * parser, which is three times as large and slower on long chunks.
 */
import * as Duration from "effect/Duration"
import type * as Sse from "effect/encoding/Sse"
import * as Result from "effect/Result"

/** The wait before a reconnection that the peer asks for. */
export interface Retry {
  readonly _tag: "Retry"
  readonly duration: Duration.Duration
}

export interface Parser {
  /** Parses a chunk; returns false if an event, or a line without its end, is too large. */
  readonly feed: (chunk: string) => boolean
}

const byteOrderMark = "\uFEFF"

/** Makes the reader of lines; `size` is that of the data of the event so far. */
const makeLineReader = (onParse: (event: Sse.Event | Retry) => void) => {
  let id: string | undefined
  let event = ""
  let data: string | undefined

  const add = (value: string): void => {
    data = data === undefined ? value : `${data}\n${value}`
  }

  const read = (line: string): void => {
    if (line.startsWith("data: ")) return add(line.slice(6))
    if (line === "") {
      const ended = data
      const name = event || "message"
      data = undefined
      event = ""
      return ended === undefined ? undefined : onParse({ _tag: "Event", event: name, id, data: ended })
    }
    const [, field = line, value = ""] = /^([^:]*): ?(.*)$/s.exec(line) ?? []
    if (field === "data") add(value)
    else if (field === "event") event = value
    else if (field === "id" && !value.includes("\0")) id = value
    else if (field === "retry" && /^\d+$/.test(value)) {
      onParse({ _tag: "Retry", duration: Duration.millis(Number(value)) })
    }
  }

  return { read, size: () => data?.length ?? 0 }
}

/** Makes a parser of events, of which none may be larger than `maxEventSize` characters. */
export const makeParser = (
  onParse: (event: Sse.Event | Retry) => void,
  { maxEventSize }: { readonly maxEventSize: number }
): Parser => {
  const lines = makeLineReader(onParse)
  /** The beginning of a line that goes on in the next chunk. */
  let open: Array<string> = []
  let size = 0
  let isFirst = true
  let hasReturn = false

  return {
    feed: (chunk) => {
      if (chunk === "") return true
      // the second half of a line's end, or the mark of a text
      let at = (hasReturn && chunk[0] === "\n") || (isFirst && chunk[0] === byteOrderMark) ? 1 : 0
      isFirst = hasReturn = false
      let feedAt = -2
      let returnAt = -2
      for (;;) {
        // both are looked for again once they have been passed
        if (feedAt !== -1 && feedAt < at) feedAt = chunk.indexOf("\n", at)
        if (returnAt !== -1 && returnAt < at) returnAt = chunk.indexOf("\r", at)
        const isReturn = returnAt !== -1 && (feedAt === -1 || returnAt < feedAt)
        const end = isReturn ? returnAt : feedAt
        if (end === -1) break
        const line = chunk.slice(at, end)
        lines.read(open.length === 0 ? line : open.join("") + line)
        open = []
        size = 0
        at = end + 1
        if (isReturn && chunk[at] === "\n") at += 1
        else hasReturn = isReturn && at === chunk.length
      }
      if (at < chunk.length) {
        open.push(chunk.slice(at))
        size += chunk.length - at
      }
      return size + lines.size() <= maxEventSize
    }
  }
}

/** Returns the data of the first event of a text; some peers refuse with an event. */
export const firstData = (text: string): Result.Result<string, string> => {
  let first: string | undefined
  const parser = makeParser((event) => {
    if (event._tag === "Event") first ??= event.data
  }, { maxEventSize: Infinity })
  parser.feed(`${text}\n\n`)
  return first === undefined ? Result.fail("no event") : Result.succeed(first)
}
