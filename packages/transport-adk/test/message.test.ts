import { type AdkEvent, AdkMessage } from "@effect-a2a/transport-adk"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { event } from "./support.ts"

const partial = (text: string, more: object = {}): AdkEvent.Event => event("p", text, { partial: true, ...more })
const shown = (messages: ReadonlyArray<AdkMessage.Message>) =>
  messages.map(({ complete, parts }) =>
    `${parts.map((part) => part.text ?? Object.keys(part)[0]).join("|")}${complete ? "" : "…"}`
  )
const fold = (...events: ReadonlyArray<AdkEvent.Event>) => shown(AdkMessage.fromEvents(events))
const call = { id: "c", author: "agent", content: { parts: [{ functionCall: { id: "c", name: "f" } }] } }

describe("AdkMessage", () => {
  it("ADK-02, field case ADK-01: pieces and their whole are one message; a flag that is missing is the same as false", () => {
    assert.deepStrictEqual(fold(partial("Hel"), partial("lo"), event("3", "Hello", { partial: false })), ["Hello"])
    assert.deepStrictEqual(fold(partial("Hel"), partial("lo"), event("3", "Hello")), ["Hello"])
    assert.deepStrictEqual(fold(event("1", "Hel"), event("2", "lo")), ["Hel", "lo"])
  })

  it("ADK-02: what is said last counts, also where it is less than was streamed", () => {
    assert.deepStrictEqual(fold(partial("A"), partial("B"), event("3", "B")), ["B"])
  })

  it("ADK-02: calls, empty texts and metadata leave a text open; a call of a partial event is none", () => {
    const preview = { ...call, partial: true }
    assert.deepStrictEqual(fold(partial("A"), preview, call, event("2", ""), { id: "3" }, event("4", "AB")), [
      "functionCall",
      "AB"
    ])
  })

  it("ADK-02: what nothing repeats is kept at the end, marked, thoughts apart", () => {
    const thought = { content: { parts: [{ text: "hm", thought: true }] } }
    assert.deepStrictEqual(
      fold(partial("", thought), partial("", thought), partial("A"), partial("B"), event("2", "")),
      ["hmhm|AB…"]
    )
    assert.deepStrictEqual(AdkMessage.fromEvents([partial("", thought)])[0]?.parts, [{ text: "hm", thought: true }])
  })

  it("ADK-02, field case ADK-08: what the user said is not what an agent said, as in a session's events", () => {
    assert.deepStrictEqual(fold(event("1", "hi", { author: "user" }), event("2", "Hello")), ["Hello"])
  })

  it("ADK-02: speakers and branches do not mix", () => {
    const b = { author: "b" }
    assert.deepStrictEqual(
      fold(partial("a1"), partial("b1", b), partial("x", { branch: "r" }), event("2", "b", b)),
      ["b", "a1…", "x…"]
    )
  })

  it.effect("ADK-02: where the stream fails, what was said comes first", () =>
    Effect.gen(function*() {
      const seen: Array<AdkMessage.Message> = []
      const failure = yield* Stream.make(event("1", "A"), partial("B")).pipe(
        Stream.concat(Stream.fail("boom")),
        AdkMessage.fromStream,
        Stream.runForEach((message) => Effect.sync(() => seen.push(message))),
        Effect.flip
      )
      assert.deepStrictEqual([shown(seen), failure], [["A", "B…"], "boom"])
    }))
})
