// Prints the measures of the house beside their bounds. `--list [measure …]` adds the places, of all measures by default;
// `--lower` writes the values of today as bounds, if they are lower.
import * as fs from "node:fs"
import * as path from "node:path"
import { exists, read, root } from "../workspace.ts"
import { bounds } from "./bounds.ts"
import { functions } from "./code.ts"
import { documentedMembers, documentedShare } from "./docs.ts"
import { hoverMeasure, type Measure, measures } from "./measures.ts"

const number = (value: number) => String(Math.round(value * 10) / 10)

const print = (rows: ReadonlyArray<ReadonlyArray<string>>): void => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  for (const row of rows) {
    console.log(row.map((cell, i) => i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)).join("  "))
  }
}

const row = ({ name, title, value }: Measure): ReadonlyArray<string> => {
  const { goal, now } = bounds[name]
  return [
    `${name}: ${title}`,
    number(value),
    number(now),
    number(goal),
    value <= goal ? "ok" : value <= now ? "" : "TOO HIGH"
  ]
}

interface Report {
  readonly numTotalTests: number
  readonly testResults: ReadonlyArray<{ readonly startTime: number; readonly endTime: number }>
}

/** The last run of `npm test`; its targets do not bind. */
const tests = (): ReadonlyArray<ReadonlyArray<string>> => {
  const file = ".tmp/vitest.json"
  if (!exists(file)) return [["tests (no report of a run yet: npm test)", "", "", "2600", ""]]
  const { numTotalTests, testResults }: Report = JSON.parse(read(file))
  const work = testResults.reduce((sum, { endTime, startTime }) => sum + endTime - startTime, 0) / 1000
  return [
    ["tests", number(numTotalTests), "", "2600", numTotalTests <= 2600 ? "ok" : ""],
    ["work of the tests, s", number(work), "", "120", work <= 120 ? "ok" : ""]
  ]
}

const lower = (all: ReadonlyArray<Measure>): void => {
  const text = all.reduce((text, { name, value }) => {
    const { goal, now } = bounds[name]
    const today = Math.max(goal, Math.min(now, Math.ceil(value * 10) / 10))
    return text.replace(new RegExp(`(\\b${name}: \\{ now: )[\\d.]+`), `$1${today}`)
  }, read("scripts/house/bounds.ts"))
  fs.writeFileSync(path.join(root, "scripts/house/bounds.ts"), text)
}

const all = [...measures, await hoverMeasure()]
const [flag, ...chosen] = process.argv.slice(2)

if (flag === "--list") {
  for (const { name, places } of all) {
    if (chosen.length > 0 && !chosen.includes(name)) continue
    console.log(`\n${name}: ${places.length}`)
    for (const place of places) console.log(`  ${place}`)
  }
  console.log()
}
if (flag === "--lower") lower(all)
print([
  ["measure", "today", "bound", "goal", ""],
  ...all.map(row),
  ["% public exports with a doc comment", number(documentedShare()), "", "100", ""],
  ["% members of exported interfaces with one", number(documentedMembers()), "", "", ""],
  ...tests()
])
console.log("\nlongest functions")
for (const { place } of functions().slice(0, 10)) console.log(`  ${place}`)
