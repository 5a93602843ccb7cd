/** The part of vitest that our tests use, for a page: collects tests, runs them in order, and reports them. */
import { assert } from "chai"

type Run = (...args: Array<any>) => unknown
interface Hooks {
  readonly before: Array<Run>
  readonly after: Array<Run>
}
interface Test {
  readonly title: string
  readonly run: Run
  readonly suites: ReadonlyArray<Hooks>
}

const tests: Array<Test> = []
let titles: ReadonlyArray<string> = []
let suites: ReadonlyArray<Hooks> = [{ before: [], after: [] }]

const functionIn = (args: ReadonlyArray<unknown>) => args.find((one) => typeof one === "function") as Run

const plain = (title: string, ...args: ReadonlyArray<unknown>): void =>
  void tests.push({ title: [...titles, title].join(" > "), run: functionIn(args), suites })

const skipped = () => {}

const titled = (title: string, row: unknown) => title.replaceAll(/%s|\$\w+/g, () => String(row))

/** `each` spreads its rows, `for` does not. */
const rows =
  (register: typeof plain, spreads: boolean) =>
  (all: ReadonlyArray<unknown>) =>
  (title: string, ...args: ReadonlyArray<unknown>) => {
    const run = functionIn(args)
    for (const row of all) {
      register(
        titled(title, row),
        (context: unknown) => spreads && Array.isArray(row) ? run(...row) : run(row, context)
      )
    }
  }

const fails = (title: string, ...args: ReadonlyArray<unknown>) =>
  plain(title, (context: unknown) =>
    Promise.resolve().then(() => functionIn(args)(context)).then(
      () => assert.fail("expected to fail"),
      () => {}
    ))

export const it = Object.assign(plain, {
  fails,
  only: plain,
  concurrent: plain,
  skip: skipped,
  skipIf: (condition: unknown) => condition ? skipped : plain,
  runIf: (condition: unknown) => condition ? plain : skipped,
  each: rows(plain, true),
  for: rows(plain, false)
})
export const test = it

const suite = (title: string, ...args: ReadonlyArray<unknown>) => {
  const [outerTitles, outerSuites] = [titles, suites]
  titles = [...titles, title]
  suites = [...suites, { before: [], after: [] }]
  functionIn(args)()
  titles = outerTitles
  suites = outerSuites
}

export const describe = Object.assign(suite, {
  concurrent: suite,
  sequential: suite,
  skip: skipped,
  skipIf: (condition: unknown) => condition ? skipped : suite,
  each: rows(suite, true)
})

export const beforeAll = (run: Run) => void suites.at(-1)!.before.push(run)
export const afterAll = (run: Run) => void suites.at(-1)!.after.push(run)
export const beforeEach = () => assert.fail("not in a page")
export const TestRunner = { getCurrentSuite: () => assert.fail("not in a page") }
export const expect = { addEqualityTesters: skipped }
export const vi = {}
export { assert }

/** Tests wait for bytes by `setImmediate`. Defined before Effect is loaded, which yields by it if it exists. */
const turns = new MessageChannel()
const waiting: Array<() => void> = []
turns.port1.onmessage = () => waiting.shift()?.()
Object.assign(globalThis, {
  setImmediate: (f: () => void) => {
    waiting.push(f)
    turns.port2.postMessage(undefined)
  }
})

const violations: Array<string> = []
document.addEventListener("securitypolicyviolation", ({ violatedDirective }) => violations.push(violatedDirective))

interface Report {
  /** The number of tests. */
  readonly count: number
  /** The messages of failed tests, and the violations of the page's policy. */
  readonly failures: ReadonlyArray<string>
}

/** Runs the tests of a module. */
const runSuite = async (url: string): Promise<Report> => {
  await import(url)
  const failures: Array<string> = []
  const begun = new Set<Hooks>()
  const count = tests.length
  const attempt = (title: string, f: () => unknown) =>
    Promise.resolve().then(f).catch((error) => void failures.push(`${title}: ${error?.message ?? error}`))
  for (const { run, suites, title } of tests.splice(0)) {
    for (const hooks of suites) {
      if (begun.has(hooks)) continue
      begun.add(hooks)
      for (const before of hooks.before) await attempt(title, before)
    }
    await attempt(title, () => run({ signal: new AbortController().signal, onTestFinished: skipped }))
  }
  for (const hooks of [...begun].reverse()) for (const after of hooks.after) await attempt("afterwards", after)
  return { count, failures: [...failures, ...violations.splice(0)] }
}
Object.assign(globalThis, { runSuite })
