// Runs all checks of CI, fast ones first; a failure does not stop the later ones. Arguments select test files.
import * as fs from "node:fs"
import * as path from "node:path"
import { exists, read, root, tool, tsc } from "./workspace.ts"

const report = ".tmp/vitest.json"

interface Count {
  readonly passed: number
  readonly failed: number
}

const step = (name: string, run: () => Count): Count => {
  console.log(`\n── ${name}`)
  const start = performance.now()
  const count = run()
  console.log(
    `── ${name}: ${count.failed === 0 ? "ok" : "FAILED"} in ${((performance.now() - start) / 1000).toFixed(1)} s`
  )
  return count
}

const once = ({ ok }: { readonly ok: boolean }): Count => ok ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 }

const tests = (): Count => {
  fs.rmSync(path.join(root, report), { force: true })
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`]
  const { ok } = tool("vitest", ["run", "--allowOnly=false", ...reporters, ...process.argv.slice(2)])
  if (!exists(report)) return { passed: 0, failed: 1 }
  const { numFailedTests, numPassedTests, numPendingTests } = JSON.parse(read(report))
  if (numPendingTests > 0) console.log(`── tests: ${numPendingTests} NOT RUN, see above`)
  // a file that does not load and an unhandled error fail the run without failing a test
  return { passed: numPassedTests, failed: ok ? numFailedTests : Math.max(1, numFailedTests) }
}

/** `.ci/run` runs the official suites, if they are there. */
const conformance = (): Count => {
  const results = ".tmp/conformance.json"
  fs.rmSync(path.join(root, results), { force: true })
  const { ok } = tool("node", ["scripts/conformance.ts"])
  return ok && exists(results) ? JSON.parse(read(results)) : once({ ok })
}

/** `.ci/run` fuzzes for minutes, from a fixed seed: what others find has nothing to do with the change. */
const fuzzing = process.env.FUZZ_MINUTES === undefined
  ? ["--rounds", "8", "--seed", "1"]
  : ["--minutes", process.env.FUZZ_MINUTES, "--seed", "77"]

const counts = [
  step("lint", () => once(tool("oxlint", ["--deny-warnings"]))),
  step("types", () => once(tsc(["-b"]))),
  step("format", () => once(tool("dprint", ["check"]))),
  step("size", () => once(tool("node", ["scripts/size.ts"]))),
  step("tests", tests),
  ...(process.env.FUZZ_MINUTES === undefined ? [] : [step("conformance", conformance)]),
  step("fuzz", () => once(tool("node", ["scripts/fuzz.ts", ...fuzzing])))
]
const sum = (key: keyof Count) => counts.reduce((total, count) => total + count[key], 0)
process.exitCode = sum("failed") === 0 ? 0 : 1
console.log(`\n${sum("passed")} passed, ${sum("failed")} failed`)
