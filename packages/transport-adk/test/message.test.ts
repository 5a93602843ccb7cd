import { type AdkEvent, AdkMessage } from "@effect-a2a/transport-adk"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { covers } from "../../../test/support/covers.ts"
import { event } from "./support.ts"

const partial = (text: string, more: object = {}): AdkEvent.Event => event("p", text, { partial: true, ...more })
const shown = (messages: ReadonlyArray<AdkMessage.Message>) =>
  messages.map(({ complete, parts }) =>
    `${parts.map((part) => part.text ?? Object.keys(part)[0]).join("|")}${complete ? "" : "…"}`
  )
const fold = (...events: ReadonlyArray<AdkEvent.Event>) => shown(AdkMessage.fromEvents(events))
const call = { id: "c", author: "agent", content: { parts: [{ functionCall: { id: "c", name: "f" } }] } }

describe("AdkMessage", () => {
  it(
    "pieces and their full text are one message, and a missing flag means false",
    covers("ADK-02", "field:ADK-01"),
    () => {
      assert.deepStrictEqual(fold(partial("Hel"), partial("lo"), event("3", "Hello", { partial: false })), ["Hello"])
      assert.deepStrictEqual(fold(partial("Hel"), partial("lo"), event("3", "Hello")), ["Hello"])
      assert.deepStrictEqual(fold(event("1", "Hel"), event("2", "lo")), ["Hel", "lo"])
    }
  )

  it("the full text replaces the pieces even if it is shorter", covers("ADK-02"), () => {
    assert.deepStrictEqual(fold(partial("A"), partial("B"), event("3", "B")), ["B"])
  })

  it(
    "calls, empty texts and metadata do not end a text, and calls of partial events are left out",
    covers("ADK-02"),
    () => {
      const preview = { ...call, partial: true }
      assert.deepStrictEqual(fold(partial("A"), preview, call, event("2", ""), { id: "3" }, event("4", "AB")), [
        "functionCall",
        "AB"
      ])
    }
  )

  it("pieces that are never repeated are emitted at the end, marked, with thoughts apart", covers("ADK-02"), () => {
    const thought = { content: { parts: [{ text: "hm", thought: true }] } }
    assert.deepStrictEqual(
      fold(partial("", thought), partial("", thought), partial("A"), partial("B"), event("2", "")),
      ["hmhm|AB…"]
    )
    assert.deepStrictEqual(AdkMessage.fromEvents([partial("", thought)])[0]?.parts, [{ text: "hm", thought: true }])
  })

  it("a full thought ends thoughts only, and a full text all pieces", covers("ADK-02"), () => {
    const thought = { content: { parts: [{ text: "hm", thought: true }] } }
    const whole = event("3", "", thought)
    assert.deepStrictEqual(fold(partial("", thought), whole, partial("A"), event("4", "AB")), ["hm", "AB"])
    assert.deepStrictEqual(fold(partial("A"), whole, partial("B")), ["hm", "AB…"])
    assert.deepStrictEqual(fold(partial("", thought), partial("A"), event("4", "A")), ["A"])
  })

  it("messages of the user in a session's events are left out", covers("ADK-02", "field:ADK-08"), () => {
    assert.deepStrictEqual(fold(event("1", "hi", { author: "user" }), event("2", "Hello")), ["Hello"])
  })

  it("speakers and branches do not mix", covers("ADK-02"), () => {
    const b = { author: "b" }
    assert.deepStrictEqual(
      fold(partial("a1"), partial("b1", b), partial("x", { branch: "r" }), event("2", "b", b)),
      ["b", "a1…", "x…"]
    )
  })

  it.effect("a failing stream emits its pieces before it fails", () =>
    Effect.gen(function*() {
      const seen: Array<AdkMessage.Message> = []
      const failure = yield* Stream.make(event("1", "A"), partial("B")).pipe(
        Stream.concat(Stream.fail("boom")),
        AdkMessage.fromStream,
        Stream.runForEach((message) => Effect.sync(() => seen.push(message))),
        Effect.flip
      )
      assert.deepStrictEqual([shown(seen), failure], [["A", "B…"], "boom"])
    }), covers("ADK-02"))
})
