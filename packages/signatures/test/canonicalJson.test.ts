import { CanonicalJson } from "@effect-a2a/signatures"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as Random from "../../../scripts/fuzz/random.ts"
import { jsonOf } from "./support.ts"

const text = (value: unknown) => Result.getOrThrow(CanonicalJson.stringify(value))

const reversed = (one: unknown): unknown =>
  Array.isArray(one)
    ? one.map(reversed)
    : typeof one === "object" && one !== null
    ? Object.fromEntries(Object.entries(one).toReversed().map(([name, member]) => [name, reversed(member)]))
    : one

describe("canonical JSON", () => {
  it("writes numbers as ECMAScript does, whatever the document had", () => {
    const numbers: ReadonlyArray<readonly [written: string, canonical: string]> = [
      ["0", "0"],
      ["-0", "0"],
      ["-0.0", "0"],
      ["1.0", "1"],
      ["100e-2", "1"],
      ["1E3", "1000"],
      ["4.50", "4.5"],
      ["2e-3", "0.002"],
      ["0.000001", "0.000001"],
      ["0.0000001", "1e-7"],
      ["123456789012345678901", "123456789012345680000"],
      ["1e20", "100000000000000000000"],
      ["1e21", "1e+21"],
      ["-1e+30", "-1e+30"],
      ["9007199254740993", "9007199254740992"],
      ["0.30000000000000004", "0.30000000000000004"],
      ["5e-324", "5e-324"],
      ["1.7976931348623157e308", "1.7976931348623157e+308"]
    ]
    for (const [written, canonical] of numbers) assert.strictEqual(text(JSON.parse(written)), canonical, written)
  })

  it("sorts names by code units, which is not the order of characters", () => {
    const names = ["\u{1F600}", "\uFB33", "é", "e\u0301", "Z", "a", "", "10", "9", "\r"]
    assert.strictEqual(
      text(Object.fromEntries(names.map((name, index) => [name, index]))),
      "{\"\":6,\"\\r\":9,\"10\":7,\"9\":8,\"Z\":4,\"a\":5,\"e\u0301\":3,\"é\":2,\"\u{1F600}\":0,\"\uFB33\":1}"
    )
  })

  it("escapes control characters, quotes and backslashes only", () => {
    assert.strictEqual(
      text("\u0000\b\t\n\f\r\u001f\"\\/\u007f\u2028€\u{1F980}"),
      "\"\\u0000\\b\\t\\n\\f\\r\\u001f\\\"\\\\/\u007f\u2028€\u{1F980}\""
    )
  })

  it("keeps the order of lists, `null`, and a member named __proto__", () => {
    assert.strictEqual(
      text(JSON.parse(`{"b":[3,null,1,{}],"__proto__":{"x":1},"a":[]}`)),
      `{"__proto__":{"x":1},"a":[],"b":[3,null,1,{}]}`
    )
  })

  it("refuses what JSON does not have, halves of surrogate pairs, and documents without end", () => {
    const issue = (value: unknown) =>
      Result.match(CanonicalJson.stringify(value), { onSuccess: String, onFailure: String })
    let deep: unknown = 1
    for (let level = 0; level < 201; level++) deep = [deep]
    const cases: ReadonlyArray<readonly [unknown, string]> = [
      [{ a: NaN }, "the number NaN"],
      [[-Infinity], "the number -Infinity"],
      [{ a: [undefined] }, "a value of type undefined"],
      [{ a: 1n }, "a value of type bigint"],
      [["\ud800"], "half of a surrogate pair"],
      [{ "\udc00": 1 }, "half of a surrogate pair in a name"],
      [deep, "more than 200 levels"]
    ]
    for (const [value, expected] of cases) assert.strictEqual(issue(value), expected)
  })

  it("writes equal documents alike, and reads them as the same", () => {
    const random = Random.make("canonical")
    for (let run = 0; run < 300; run++) {
      const value = jsonOf(random)
      const canonical = text(value)
      assert.strictEqual(text(reversed(value)), canonical)
      assert.strictEqual(text(JSON.parse(canonical)), canonical)
      assert.deepStrictEqual(JSON.parse(canonical), JSON.parse(JSON.stringify(value)))
    }
  })
})
