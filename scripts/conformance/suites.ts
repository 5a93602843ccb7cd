// The official suites, each run against a new server, and what they report.
import { execFileSync, fork, spawnSync } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import * as path from "node:path"
import { root } from "../workspace.ts"

export interface Case {
  readonly name: string
  readonly outcome: "passed" | "failed" | "skipped"
  /** The first line of the failure. */
  readonly message: string
}

export interface Suite {
  readonly name: string
  /** What the server under test speaks. */
  readonly server: string
  readonly line: "1.0" | "0.3"
  readonly transport: string
  readonly categories: ReadonlyArray<string>
}

const one03 = (transport: string): Suite => ({
  name: `0.3 ${transport}`,
  server: "0.3",
  line: "0.3",
  transport,
  categories: ["mandatory", "capabilities"]
})

export const suites: ReadonlyArray<Suite> = [
  // the suite goes by release 1.0.0 of the specification; the server speaks 1.0.1 unless another is asked for
  { name: "1.0", server: "1.0.0", line: "1.0", transport: "jsonrpc,http_json", categories: [] },
  { name: "1.0.1", server: "1.0", line: "1.0", transport: "jsonrpc,http_json", categories: [] },
  one03("jsonrpc"),
  one03("rest")
]

const home = path.join(root, ".tmp/conformance")

/** The folder of the suites: beside the project, or where `A2A_CONFORMANCE` says. */
const folder = process.env.A2A_CONFORMANCE ?? path.join(root, "../shared/conformance")

/** Returns why the suites cannot run. */
export const missing = (): string | undefined => {
  if (!fs.existsSync(path.join(folder, "run.sh"))) return `no suites in ${folder}: set A2A_CONFORMANCE`
  try {
    execFileSync("python3", ["-c", "import venv"], { stdio: "ignore" })
    return undefined
  } catch {
    return "no python3"
  }
}

const text = (xml: string, attribute: string): string =>
  (new RegExp(`\\b${attribute}="([^"]*)"`).exec(xml)?.[1] ?? "").replaceAll("&#10;", "\n").replaceAll("&quot;", "\"")
    .replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&")

/** Reads a report of pytest. */
export const parse = (xml: string): ReadonlyArray<Case> =>
  Array.from(xml.matchAll(/<testcase ([^>]*?)(?:\/>|>([\s\S]*?)<\/testcase>)/g), ([, head = "", body = ""]): Case => ({
    name: `${text(head, "classname").split(".").at(-1)}::${text(head, "name")}`,
    outcome: /<(failure|error)\b/.test(body) ? "failed" : /<skipped\b/.test(body) ? "skipped" : "passed",
    message: text(body, "message").split("\n")[0] ?? ""
  }))

const reports = (suite: Suite): ReadonlyArray<string> =>
  suite.line === "1.0"
    ? ["tck-1.0.xml"]
    : suite.categories.map((category) => `tck-0.3-${category}-${suite.transport}.xml`)

export const run = async (suite: Suite): Promise<ReadonlyArray<Case>> => {
  const out = path.join(home, "out")
  const files = reports(suite).map((file) => path.join(out, file))
  for (const file of files) fs.rmSync(file, { force: true })
  const server = fork(path.join(root, "test/conformance/server.ts"), [suite.server])
  try {
    const [origin] = await once(server, "message") as [string]
    const url = suite.line === "1.0" ? origin : `${origin}/rpc`
    const args = [suite.line, url, suite.transport, ...suite.categories]
    fs.mkdirSync(home, { recursive: true })
    const { stderr, stdout } = spawnSync("bash", [path.join(folder, "run.sh"), ...args], {
      env: { ...process.env, TCK_HOME: home, TCK_STREAMING_TIMEOUT: "2" },
      encoding: "utf8",
      timeout: 15 * 60_000
    })
    fs.writeFileSync(path.join(home, `${suite.name.replace(" ", "-")}.log`), stdout + stderr)
    return files.flatMap((file) => {
      if (fs.existsSync(file)) return parse(fs.readFileSync(file, "utf8"))
      const message = `no report, see .tmp/conformance: ${stderr.trim().split("\n").at(-1) ?? ""}`
      return [{ name: path.basename(file), outcome: "failed", message } satisfies Case]
    })
  } finally {
    server.kill()
  }
}
