import { Part, Recognizer, ToolCall } from "@effect-a2a/core"
import { assert, describe, it } from "@effect/vitest"
import { covers } from "../../../test/support/covers.ts"
import { call, recognizer, result } from "./marked.ts"

const search = call({ id: "k", name: "search", args: { q: "x" } })

describe("ToolCall", () => {
  it("other parts report no calls", covers("ML-21"), () => {
    const others = [
      Part.text("x", { metadata: { "x-type": "x-call" } }),
      Part.data({ id: "k", name: "search" }),
      Part.data({ id: "k" }, { metadata: { "x-type": "other" } }),
      Part.data(["k"], { metadata: { "x-type": "x-call" } }),
      Part.data(null, { metadata: { "x-type": "x-call" } })
    ].map((part) => Recognizer.mark([recognizer], part))
    assert.deepStrictEqual(ToolCall.collect(others), [])
    assert.deepStrictEqual(others.map(ToolCall.call), others.map(() => undefined))
  })

  for (
    const [title, response, outcome] of [
      ["an object", { hits: 2 }, { _tag: "Success", response: { hits: 2 } }],
      ["JSON in a string", "{\"hits\":2.0}", { _tag: "Success", response: { hits: 2 } }],
      ["text", "two hits", { _tag: "Success", response: "two hits" }],
      ["nothing", undefined, { _tag: "Success", response: null }],
      ["an empty string", "", { _tag: "Success", response: "" }],
      ["an error", { error: "timeout", code: "E1" }, { _tag: "Failure", error: "timeout", code: "E1" }],
      ["an error in a string", "{\"error\":\"timeout\",\"code\":504}", {
        _tag: "Failure",
        error: "timeout",
        code: 504
      }],
      ["an error that is no text", { error: { a: 1 } }, { _tag: "Success", response: { error: { a: 1 } } }]
    ] as const
  ) {
    it(`reads ${title} as a response`, covers("ML-24"), () => {
      const part = result({ id: "k", name: "search", ...(response === undefined ? {} : { response }) })
      assert.deepStrictEqual(ToolCall.result(part), { _tag: "Result", id: "k", name: "search", outcome } as never)
      assert.deepStrictEqual(ToolCall.collect([search, part]), [
        { id: "k", name: "search", args: { q: "x" }, outcome }
      ] as never)
    })
  }

  it("takes the name if there is no id", covers("ML-24"), () => {
    const calls = ToolCall.collect([call({ name: "clock" }), result({ name: "clock", response: "12:00" })])
    assert.deepStrictEqual(calls, [
      { id: "clock", name: "clock", args: {}, outcome: { _tag: "Success", response: "12:00" } }
    ])
  })

  it("collects a call once", () => {
    const answered = [search, search, result({ id: "k", name: "search", response: 1 }), search]
    assert.deepStrictEqual(ToolCall.collect(answered), [
      { id: "k", name: "search", args: { q: "x" }, outcome: { _tag: "Success", response: 1 } }
    ])
  })
})
