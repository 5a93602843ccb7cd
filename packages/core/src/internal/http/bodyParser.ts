/**
 * Parses the body of a stream: events, or one JSON document that some peers send in place of them. Tested in
 * `test/engine/delivery.test.ts`.
 */
import type * as Sse from "effect/encoding/Sse"
import * as SseParser from "./sse.ts"

export interface BodyParser {
  /** Parses a text; returns false if an event is too large. */
  readonly feed: (text: string) => boolean
  /** Ends the body: a last event without its blank line, or the document, is emitted. */
  readonly end: () => void
}

export const make = (
  onParse: (event: Sse.Event | SseParser.Retry) => void,
  { maxEventSize }: { readonly maxEventSize: number }
): BodyParser => {
  const parser = SseParser.makeParser(onParse, { maxEventSize })
  let document: Array<string> | undefined
  let size = 0
  let isHead = true

  const addToDocument = (text: string): boolean => {
    size += text.length
    document?.push(text)
    return size <= maxEventSize
  }

  return {
    feed: (text) => {
      if (isHead) {
        const start = text.trimStart()[0]
        isHead = start === undefined
        // no line of an event stream begins so
        if (start === "{" || start === "[") document = []
        // nor is a page worth waiting for
        if (start === "<") onParse({ _tag: "Event", event: "message", id: undefined, data: text })
      }
      return document === undefined ? parser.feed(text) : addToDocument(text)
    },
    end: () => {
      if (document === undefined) parser.feed("\n\n")
      else onParse({ _tag: "Event", event: "message", id: undefined, data: document.join("") })
      document = undefined
    }
  }
}
