/** Each requirement of docs/requirements.md has a test that covers it. */
import { assert, describe, it } from "@effect/vitest"
import { covered } from "../scripts/covers.ts"
import { exists, read } from "../scripts/workspace.ts"

const requirements = Array.from(
  read("docs/requirements.md").matchAll(/^\| ((?:ML|SDK|ADK)-\d\d) \|/gm),
  ([, id = ""]) => id
)

const cited = [...covered.keys()].filter((id) => !/^(?:field|attack):/.test(id))

describe("requirements", () => {
  it("are listed once each, beside a glossary", () => {
    assert.isNotEmpty(requirements)
    assert.strictEqual(new Set(requirements).size, requirements.length)
    assert.isTrue(exists("docs/glossary.md"))
  })

  it("are each covered by a test", () => {
    assert.deepStrictEqual(requirements.filter((id) => !covered.has(id)), [])
  })

  it("are all in the list if a test cites them", () => {
    assert.deepStrictEqual(cited.filter((id) => !requirements.includes(id)), [])
  })

  it("of MemoryLake are shown across the packages, through bytes", () => {
    const isAcross = (id: string) => covered.get(id)?.some(({ file }) => file.startsWith("test/"))
    assert.deepStrictEqual(requirements.filter((id) => id.startsWith("ML-") && !isAcross(id)), [])
  })
})
