/** Each attack of docs/security.md has a test that covers it, and its row leads there. */
import { assert, describe, it } from "@effect/vitest"
import * as path from "node:path"
import { covered } from "../scripts/covers.ts"
import { exists, read } from "../scripts/workspace.ts"

interface Row {
  readonly id: string
  readonly files: ReadonlyArray<string>
}

const page = read("docs/security.md")

const linksOf = (text: string): ReadonlyArray<string> =>
  Array.from(text.matchAll(/\]\(((?!https?:)[^)#]+)[^)]*\)/g), ([, link = ""]) => path.posix.join("docs", link))

const rows: ReadonlyArray<Row> = Array.from(
  page.matchAll(/^\| (S2-\d\d) \| [^|]+ \| ([^|]+) \|$/gm),
  ([, id = "", tests = ""]) => ({ id: `attack:${id}`, files: linksOf(tests) })
)

const filesOf = (id: string) => covered.get(id)?.map(({ file }) => file) ?? []

describe("the page on security", () => {
  it("lists 55 attacks, once each and in order", () => {
    assert.deepStrictEqual(
      rows.map(({ id }) => id),
      Array.from({ length: 55 }, (_, n) => `attack:S2-${String(n + 1).padStart(2, "0")}`)
    )
  })

  it("leads from each attack to tests that cover it", () => {
    assert.deepStrictEqual(rows.filter(({ files }) => files.length === 0), [])
    for (const { files, id } of rows) {
      assert.deepStrictEqual(files.filter((file) => !filesOf(id).includes(file)), [], id)
    }
  })

  it("lists every attack that a test cites", () => {
    const cited = [...covered.keys()].filter((id) => id.startsWith("attack:"))
    assert.deepStrictEqual(cited.filter((id) => !rows.some((row) => row.id === id)), [])
  })

  it("leads to files that exist", () => {
    assert.deepStrictEqual(linksOf(page).filter((file) => !exists(file)), [])
  })
})
