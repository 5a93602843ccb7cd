/** Every case of the field in scope has a test, and the table of them is up to date. */
import { assert, describe, it } from "@effect/vitest"
import { isStale, missing, wrong } from "../scripts/field-cases.ts"

describe("field cases", () => {
  it("in scope are each shown by a test", () => {
    assert.deepStrictEqual(missing, [])
  })

  it("that are cited exist, and those said to be missing are", () => {
    assert.deepStrictEqual(wrong, [])
  })

  it("are in docs/field-cases.md as they are (pnpm field-cases writes it)", () => {
    assert.isFalse(isStale)
  })
})
