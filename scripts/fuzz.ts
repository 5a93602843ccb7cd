// Sends mutated documents through every decoder, client and server: each is a value or a typed refusal, in bounded time.
// pnpm fuzz [--minutes N | --rounds N] [--seed S] [--target NAME] [--input JSON]
import process from "node:process"
import { parseArgs } from "node:util"
import { type Finding, fuzz } from "./fuzz/run.ts"
import type { Input } from "./fuzz/target.ts"
import { targets } from "./fuzz/targets/all.ts"

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "2" },
    rounds: { type: "string" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    target: { type: "string", default: "" },
    input: { type: "string" }
  }
})
const chosen = targets.filter(({ name }) => name.includes(values.target))
const minutes = Number(values.minutes)
const rounds = values.rounds === undefined ? undefined : Number(values.rounds)
if (chosen.length === 0 || !(minutes > 0) || (rounds !== undefined && !(rounds > 0))) {
  console.error("usage: pnpm fuzz [--minutes N | --rounds N] [--seed S] [--target NAME] [--input JSON]")
  process.exit(2)
}

const print = ({ at, input, target, what }: Finding) => {
  console.log(`FOUND after ${at.toFixed(0)} s in ${target}: ${what}`)
  console.log(`  pnpm fuzz --target '${target}' --input '${JSON.stringify(input).slice(0, 3000)}'`)
}

if (values.input !== undefined) {
  const input: Input = JSON.parse(values.input)
  console.log(await chosen[0]!.run(input))
  await chosen[0]!.end?.()
  process.exit(0)
}

const findings: Array<Finding> = []
process.on("unhandledRejection", (error) => {
  findings.push({ target: "process", input: { variant: "", text: "" }, what: `unhandled: ${String(error)}`, at: 0 })
})
const begun = performance.now()
let printed = begun
console.log(`seed ${values.seed}`)
const reports = await fuzz({
  targets: chosen,
  seed: values.seed,
  isOver: (round) => {
    const now = performance.now()
    if (now - printed > 60_000) {
      printed = now
      console.log(`${((now - begun) / 60_000).toFixed(0)} min, ${findings.length} findings`)
    }
    return rounds === undefined ? now - begun > minutes * 60_000 : round >= rounds
  },
  onFinding: (one) => {
    findings.push(one)
    if (findings.length <= 50) print(one)
  }
})
console.table(reports)
const inputs = reports.reduce((sum, one) => sum + one.inputs, 0)
const last = findings.at(-1)
const end = last === undefined ? "" : `, the last after ${last.at.toFixed(0)} s`
console.log(
  `${inputs} inputs in ${((performance.now() - begun) / 1000).toFixed(0)} s, ${findings.length} findings${end}`
)
process.exit(findings.length === 0 ? 0 : 1)
