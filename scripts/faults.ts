// Runs streams through random faults, and random sequences of events: every answer equals the undisturbed one or ends in a
// typed error.
// pnpm faults [--streams N] [--seed S]
import * as Effect from "effect/Effect"
import * as process from "node:process"
import { parseArgs } from "node:util"
import { combinations } from "../test/peers/combinations.ts"
import type { Report } from "../test/resilience/faults/run.ts"
import { runSequences } from "../test/resilience/faults/sequences.ts"
import { overSockets } from "../test/resilience/faults/sockets.ts"
import { overWire } from "../test/resilience/faults/wire.ts"

const { values } = parseArgs({
  options: { streams: { type: "string", default: "2400" }, seed: { type: "string", default: "1" } }
})
const streams = Number(values.streams)
const seed = Number(values.seed)
if (!Number.isInteger(streams) || streams < 1 || !Number.isInteger(seed)) {
  console.error("usage: pnpm faults [--streams N] [--seed S]")
  process.exit(2)
}

const counts = (all: Readonly<Record<string, number>>) =>
  Object.entries(all).filter(([, n]) => n > 0).map(([name, n]) => `${name} ${n}`).join(", ")

const print = (name: string, { errors, faults, resumed, streams, undisturbed, wrong }: Report, seconds: number) => {
  const failed = Object.values(errors).reduce((sum, n) => sum + n, 0)
  console.log(`${name}: ${streams} streams in ${seconds.toFixed(1)} s, seed ${seed}`)
  console.log(`  undisturbed     ${undisturbed}, ${resumed} of them resumed`)
  console.log(`  typed errors    ${failed}: ${counts(errors)}`)
  console.log(`  faults          ${counts(faults)}`)
  console.log(`  wrong           ${wrong.length}`)
  for (const one of wrong.slice(0, 20)) console.log(`    ${one.slice(0, 2000)}`)
}

const measure = (name: string, effect: Effect.Effect<Report, unknown>) =>
  Effect.gen(function*() {
    const begun = performance.now()
    const report = yield* effect
    print(name, report, (performance.now() - begun) / 1000)
    return report.wrong.length
  })

const measureSequences = Effect.forEach(combinations, (combination) =>
  Effect.gen(function*() {
    const begun = performance.now()
    const { kinds, sequences, wrong } = yield* runSequences(combination, { sequences: streams, seed })
    const seconds = (performance.now() - begun) / 1000
    console.log(`random sequences over ${combination.name}: ${sequences} in ${seconds.toFixed(1)} s, seed ${seed}`)
    console.log(`  kinds           ${counts(kinds)}`)
    console.log(`  wrong           ${wrong.length}`)
    for (const one of wrong.slice(0, 20)) console.log(`    ${one.slice(0, 2000)}`)
    return wrong.length
  }))

const onSockets = Math.max(1, Math.round(streams / 6))
const wrong = Effect.gen(function*() {
  const wire = yield* measure("through the wire, without sockets", overWire({ streams: streams - onSockets, seed }))
  const sockets = yield* measure("over loopback, through a cutting proxy", overSockets({ streams: onSockets, seed }))
  const sequences = yield* measureSequences
  return wire + sockets + sequences.reduce((sum, n) => sum + n, 0)
})
process.exit(await Effect.runPromise(wrong) === 0 ? 0 : 1)
