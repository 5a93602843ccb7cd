import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { hasMoreValues } from "../src/internal/http/weight.ts"

/** Members and elements of a value, and the containers themselves. */
const count = (value: unknown): number => {
  if (typeof value !== "object" || value === null) return 0
  const members = Object.values(value)
  return 1 + Math.max(0, members.length - 1) + members.reduce((sum: number, one) => sum + count(one), 0)
}

describe("the values of a JSON text", () => {
  it.prop(
    "are counted as they are parsed, whatever strings hold",
    [Schema.Json, Schema.Boolean],
    ([value, isSpaced]) => {
      const text = JSON.stringify(value, null, isSpaced ? 2 : 0)
      const values = count(JSON.parse(text))
      assert.isFalse(hasMoreValues(text, values), text)
      assert.isTrue(hasMoreValues(text, values - 1), text)
    }
  )

  it("are not confused by escapes and by strings that do not end", () => {
    assert.isTrue(hasMoreValues("[\"\\\\\",[", 2))
    assert.isFalse(hasMoreValues("[\"\\\",[[[[[\\\\\\\"{", 1))
    assert.isFalse(hasMoreValues("\"\\", 0))
  })
})
