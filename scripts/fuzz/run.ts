// Runs targets in turn until the time is over, and makes what fails small.
import * as Random from "./random.ts"
import { finding, type Input, type Outcome, type Target } from "./target.ts"

export interface Finding {
  readonly target: string
  readonly input: Input
  readonly what: string
  /** Seconds after the begin. */
  readonly at: number
}

export interface Report {
  readonly name: string
  inputs: number
  values: number
  refusals: number
  findings: number
}

export interface Options {
  readonly targets: ReadonlyArray<Target>
  readonly seed: string
  /** Ends the run: by time, or by number of rounds. */
  readonly isOver: (rounds: number) => boolean
  readonly onFinding: (finding: Finding) => void
}

/** Inputs of a target in a round. */
const perRound = 25

// an input is slow if it takes this many times as long as others of its size, and longer than this (ms), three times
const slowRatio = 100
const slowTime = 500

const patience = 20_000

const settle = async (target: Target, input: Input): Promise<Outcome> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<Outcome>((resolve) => {
    timer = setTimeout(() => resolve(finding(`no answer in ${patience / 1000} seconds`)), patience)
  })
  try {
    return await Promise.race([target.run(input), late])
  } catch (error) {
    return finding(`untyped: ${error instanceof Error ? error.stack ?? error.message : String(error)}`.slice(0, 2000))
  } finally {
    clearTimeout(timer)
  }
}

const isFinding = async (target: Target, input: Input) => (await settle(target, input))._tag === "Finding"

/** Leaves out pieces of an input for as long as it still fails. */
const shrink = async (target: Target, input: Input): Promise<Input> => {
  let { text } = input
  const begun = performance.now()
  let tries = 400
  for (let size = text.length >> 1; size > 0 && tries > 0; size >>= 1) {
    for (let at = 0; at < text.length && tries-- > 0 && performance.now() - begun < patience;) {
      const shorter = text.slice(0, at) + text.slice(at + size)
      if (await isFinding(target, { ...input, text: shorter })) text = shorter
      else at += size
    }
  }
  return { ...input, text }
}

/** Times of one target, in milliseconds for each thousand characters. */
const makeWatch = () => {
  let inputs = 0
  let total = 0
  return {
    isSlow: (time: number, { text }: Input) => {
      const thousands = 1 + text.length / 1000
      const usual = inputs === 0 ? time : total / inputs
      inputs++
      total += time / thousands
      return inputs > 50 && time > slowTime && time / thousands > slowRatio * usual
    }
  }
}

const time = async (target: Target, input: Input) => {
  const begun = performance.now()
  const outcome = await settle(target, input)
  return { outcome, took: performance.now() - begun }
}

/** Runs one input. */
const run = async (target: Target, input: Input, watch: ReturnType<typeof makeWatch>): Promise<Outcome> => {
  const { outcome, took } = await time(target, input)
  if (outcome._tag === "Finding" || !watch.isSlow(took, input)) return outcome
  const again = Math.min((await time(target, input)).took, (await time(target, input)).took)
  return again > slowTime ? finding(`takes ${again.toFixed(0)} ms for ${input.text.length} characters`) : outcome
}

export const fuzz = async ({ isOver, onFinding, seed, targets }: Options): Promise<ReadonlyArray<Report>> => {
  const begun = performance.now()
  const all = targets.map((target) => ({
    target,
    watch: makeWatch(),
    report: { name: target.name, inputs: 0, values: 0, refusals: 0, findings: 0 } as Report
  }))
  const report = (target: string, input: Input, what: string) =>
    onFinding({ target, input, what, at: (performance.now() - begun) / 1000 })
  for (let round = 0; !isOver(round); round++) {
    for (const { report: counts, target, watch } of all) {
      for (let i = 0; i < perRound && !(i > 0 && isOver(round)); i++) {
        const input = target.generate(Random.make(`${seed}/${target.name}/${round}/${i}`))
        const outcome = await run(target, input, watch)
        counts.inputs++
        if (outcome._tag === "Value") counts.values++
        if (outcome._tag === "Refusal") counts.refusals++
        if (outcome._tag === "Finding") {
          counts.findings++
          report(target.name, counts.findings > 5 ? input : await shrink(target, input), outcome.what)
        }
      }
    }
  }
  for (const { report: counts, target } of all) {
    const wrong = await target.end?.()
    if (wrong === undefined) continue
    counts.findings++
    report(target.name, { variant: "end", text: "" }, wrong)
  }
  return all.map((one) => one.report)
}
