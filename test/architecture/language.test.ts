/** The measures of `pnpm house` stay within their bounds. */
import { assert, describe, it } from "@effect/vitest"
import { bounds } from "../../scripts/house/bounds.ts"
import { hoverMeasure, type Measure, measures } from "../../scripts/house/measures.ts"

const check = ({ name, places, value }: Measure) =>
  assert.isAtMost(
    value,
    bounds[name].now,
    `\n${
      places.join("\n")
    }\nA bound is only ever lowered (scripts/house/bounds.ts); \`pnpm house --list ${name}\` prints these places.\n`
  )

describe("the measures of the house", () => {
  for (const measure of measures) it(measure.title, () => check(measure))

  it("the length of the most common hover", async () => check(await hoverMeasure()))

  it("are all bounded, and no bound lies below its goal", () => {
    assert.deepStrictEqual(Object.keys(bounds).sort(), [...measures.map(({ name }) => name), "hover"].sort())
    assert.deepStrictEqual(Object.entries(bounds).filter(([, { goal, now }]) => now < goal), [])
  })
})
