/**
 * Every obligation of the product is shown by a test that cites it in its title, or is on the list of those that are
 * still to come.
 */
import { assert, describe, it } from "@effect/vitest"
import { covered } from "../scripts/covers.ts"

const numbered = (prefix: string, count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, i) => `${prefix}-${String(i + 1).padStart(2, "0")}`)

/** MemoryLake agents over A2A, the design, and ADK servers. */
const obligations = [...numbered("ML", 37), ...numbered("SDK", 5), ...numbered("ADK", 8)]

/** Obligations that no test shows yet, and why. */
const notYet: Readonly<Record<string, string>> = {}

const cited = new Map([...covered].filter(([id]) => !id.startsWith("field:")))

describe("requirements", () => {
  it("are each cited by a test, or known not to be", () => {
    assert.deepStrictEqual(obligations.filter((id) => !cited.has(id) && !Object.hasOwn(notYet, id)), [])
  })

  it("that are cited exist", () => {
    assert.deepStrictEqual([...cited.keys()].filter((id) => !obligations.includes(id)), [])
  })

  it("are not said to be missing once a test cites them, and what is said to be missing exists", () => {
    assert.deepStrictEqual(Object.keys(notYet).filter((id) => cited.has(id) || !obligations.includes(id)), [])
  })

  it("of MemoryLake are shown across the packages, through bytes", () => {
    const across = (id: string) => cited.get(id)?.some(({ file }) => file.startsWith("test/"))
    assert.deepStrictEqual(numbered("ML", 37).filter((id) => !across(id)), [])
  })
})
