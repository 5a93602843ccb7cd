import { assert, describe, it } from "@effect/vitest"
import * as Sse from "effect/encoding/Sse"
import * as Result from "effect/Result"
import * as Parser from "../src/internal/http/sse.ts"

const maxEventSize = 10_000

/** Numbers below `bound`, the same in every run. */
const makeRandom = (seed: number) => {
  let last = seed
  return (bound: number) => {
    last = last * 16807 % 2147483647
    return last % bound
  }
}

const tokens = [
  "\n",
  "\n",
  "\n\n",
  "\r",
  "\r\n",
  "\r\n\r\n",
  "data: ",
  "data:",
  "data",
  "data:  two",
  "event: ",
  "event",
  "id: 7",
  "id:",
  "id: a\0b",
  "retry: 250",
  "retry: soon",
  ": ping",
  ":",
  "x",
  "one: two",
  "\uFEFF",
  "\0",
  "🙂",
  "{\"a\":\n1}",
  " "
]

const textOf = (random: (bound: number) => number) =>
  Array.from({ length: 1 + random(40) }, () => tokens[random(tokens.length)]!).join("")

const split = (text: string, random: (bound: number) => number) => {
  const chunks: Array<string> = []
  for (let at = 0; at < text.length;) {
    const length = random(3) === 0 ? 1 + random(text.length) : 1 + random(4)
    chunks.push(text.slice(at, at + length))
    at += length
  }
  return chunks
}

const read = (chunks: ReadonlyArray<string>) => {
  const events: Array<unknown> = []
  const parser = Parser.makeParser(
    (event) => events.push(event._tag === "Retry" ? [event._tag, event.duration] : event),
    { maxEventSize }
  )
  assert.isTrue(chunks.every(parser.feed))
  return events
}

const readByEffect = (chunks: ReadonlyArray<string>) => {
  const events: Array<unknown> = []
  const parser = Sse.makeParser(
    (event) => events.push(event._tag === "Retry" ? [event._tag, event.duration] : event),
    { maxEventSize }
  )
  for (const chunk of chunks) parser.feed(chunk)
  return events
}

describe("the parser of event streams", () => {
  it("reads what Effect's reads, however a text is cut", () => {
    const random = makeRandom(20260101)
    for (let i = 0; i < 3000; i++) {
      const text = textOf(random)
      const chunks = split(text, random)
      const expected = readByEffect([text])
      assert.deepStrictEqual(read(chunks), expected, JSON.stringify(chunks))
      assert.deepStrictEqual(read([text]), expected, JSON.stringify(text))
    }
  })

  it("keeps the last id for the events that follow, and the name for one event", () => {
    assert.deepStrictEqual(read(["id: 1\nevent: note\ndata: a\n\ndata: b\n\n"]), [
      { _tag: "Event", event: "note", id: "1", data: "a" },
      { _tag: "Event", event: "message", id: "1", data: "b" }
    ])
  })

  it("refuses a line, or an event, that is larger than the limit, and holds no more than that", () => {
    for (
      const chunks of [
        ["data: 123", "4567890"],
        ["data: 12345678901"],
        ["data: 123456\ndata: 7890123"],
        ["data: 1234567\n", "data: ", "890"]
      ]
    ) {
      const parser = Parser.makeParser(() => {}, { maxEventSize: 10 })
      assert.isFalse(chunks.every(parser.feed), JSON.stringify(chunks))
    }
    const parser = Parser.makeParser(() => {}, { maxEventSize: 10 })
    assert.isTrue(["data: 12", "3\n\n", "data: 123\n", "\n"].every(parser.feed))
  })

  it("looks at a line once, in however many chunks it comes", () => {
    const events: Array<string> = []
    const parser = Parser.makeParser((event) => event._tag === "Event" && events.push(event.data), {
      maxEventSize: 1_000_000
    })
    parser.feed("data: ")
    for (let i = 0; i < 200_000; i++) parser.feed("abcd")
    parser.feed("\n\n")
    assert.deepStrictEqual(events.map(({ length }) => length), [800_000])
  })

  it("finds the first event of a refusal", () => {
    assert.deepStrictEqual(
      Parser.firstData("event: error\ndata: {\"message\":\"no\"}"),
      Result.succeed("{\"message\":\"no\"}")
    )
    assert.isTrue(Result.isFailure(Parser.firstData("<html>")))
  })
})
