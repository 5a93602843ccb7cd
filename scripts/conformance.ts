// Runs the official conformance suites: `node scripts/conformance.ts [1.0|0.3]`. Ends with a line for each; fails if a test
// fails that is not expected to, or passes although it is.
import * as fs from "node:fs"
import * as path from "node:path"
import { expected } from "../test/conformance/expected.ts"
import { type Case, missing, run, type Suite, suites } from "./conformance/suites.ts"
import { root } from "./workspace.ts"

const judge = ({ name }: Suite, cases: ReadonlyArray<Case>) => {
  const listed = expected.filter(({ suite }) => suite === name)
  const failed = cases.filter(({ outcome }) => outcome === "failed")
  const isListed = (one: Case) => listed.some(({ test }) => one.name.includes(test))
  const unexpected = failed.filter((one) => !isListed(one))
  const stale = listed.filter(({ test }) => !failed.some((one) => one.name.includes(test)))
  for (const one of unexpected) console.log(`✗ ${name}: ${one.name}\n    ${one.message}`)
  for (const one of stale) console.log(`✗ ${name}: ${one.test} does not fail any more; remove it from the expected`)
  const count = (outcome: Case["outcome"]) => cases.filter((one) => one.outcome === outcome).length
  // a server that is not reached makes tests skip
  const isIdle = count("passed") === 0
  if (isIdle) console.log(`✗ ${name}: no test passed, see .tmp/conformance`)
  const wrong = unexpected.length + stale.length + Number(isIdle)
  console.log(
    `TCK ${name}: ${count("passed")} passed, ${wrong} failed, ${count("skipped")} skipped, ${
      failed.length - unexpected.length
    } expected failures`
  )
  return { passed: count("passed"), failed: wrong }
}

const why = missing()
if (why !== undefined) {
  console.log(`── conformance: NOT RUN, ${why}`)
} else {
  const sum = { passed: 0, failed: 0 }
  for (const suite of suites.filter(({ line }) => process.argv[2] === undefined || line === process.argv[2])) {
    const { failed, passed } = judge(suite, await run(suite))
    sum.passed += passed
    sum.failed += failed
  }
  fs.writeFileSync(path.join(root, ".tmp/conformance.json"), JSON.stringify(sum))
  process.exitCode = sum.failed === 0 ? 0 : 1
}
