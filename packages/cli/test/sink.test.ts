// Output that cannot be written: full disks, quotas, descriptors that are not open for writing.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { covers } from "../../../test/support/covers.ts"
import { start } from "./support/command.ts"
import { bin } from "./support/process.ts"

interface Ended {
  readonly code: unknown
  readonly stdout: string
  readonly stderr: string
}

const env = { PATH: process.env.PATH, NODE_COMPILE_CACHE: `${os.tmpdir()}/effect-a2a-cli-test` }

/** Runs a shell script, in which `a2a` is the command. */
const shell = (script: string, cwd = os.tmpdir()) =>
  Effect.callback<Ended>((resume) =>
    void execFile("sh", ["-c", `a2a() { "${process.execPath}" "${bin}" "$@"; }\n${script}`], { cwd, env }, (
      error,
      stdout,
      stderr
    ) => resume(Effect.succeed({ code: error?.code ?? 0, stdout, stderr })))
  )

const folder = Effect.acquireRelease(
  Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), "a2a-sink-"))),
  (path) => Effect.sync(() => fs.rmSync(path, { recursive: true }))
)

describe.concurrent("output that cannot be written", () => {
  for (
    const args of [
      "ask hi",
      "ask hi --json --stream",
      "card",
      "task list --json",
      "task list --no-such-flag --json",
      "ask slow --no-wait --json",
      "matrix hi",
      "task --help",
      "--version",
      "--completions bash"
    ]
  ) {
    it.live(`is a fault: a2a ${args} on a full disk`, () =>
      Effect.gen(function*() {
        const { code, stderr } = yield* shell(`a2a ${args} >/dev/full`)
        assert.deepStrictEqual([code, stderr.match(/stdout could not be written: ENOSPC/g)?.length], [70, 1], stderr)
      }), covers("attack:S2-47"))
  }

  it.live("is a fault if the last message of a conversation is lost", () =>
    Effect.gen(function*() {
      const { code, stderr } = yield* shell("echo hello | a2a chat >/dev/full")
      assert.strictEqual(code, 70)
      assert.include(stderr, "ENOSPC")
    }), covers("attack:S2-47"))

  it.live("is a fault if a file takes the beginning of an answer only", () =>
    Effect.gen(function*() {
      const cwd = yield* folder
      const text = "word ".repeat(2000)
      const { code, stderr } = yield* shell(`ulimit -f 1; a2a ask '${text}' >answer.txt`, cwd)
      assert.strictEqual(code, 70)
      assert.match(stderr, /stdout could not be written: EFBIG/)
      assert.isAbove(fs.statSync(path.join(cwd, "answer.txt")).size, 0)
      // and without the limit the file has all of it
      assert.strictEqual((yield* shell(`a2a ask '${text}' >answer.txt`, cwd)).code, 0)
      assert.include(fs.readFileSync(path.join(cwd, "answer.txt"), "utf8"), text.trim())
    }).pipe(Effect.scoped), covers("attack:S2-47"))

  it.live("is a fault if stdout is open for reading only", () =>
    Effect.gen(function*() {
      const { code, stderr } = yield* shell("a2a ask hi 1</dev/zero")
      assert.strictEqual(code, 70)
      assert.include(stderr, "EBADF")
    }), covers("attack:S2-47"))

  it.live("is a fault on stderr only if there is nothing on stdout", () =>
    Effect.gen(function*() {
      const answered = yield* shell("a2a ask 'What is the capital of France?' 2>/dev/full")
      assert.deepStrictEqual([answered.code, answered.stdout], [0, "Paris is the capital of France.\n"])
      // the id of the task is on stderr
      assert.strictEqual((yield* shell("a2a ask slow --no-wait 2>/dev/full")).code, 70)
      const cwd = yield* folder
      const cut = yield* shell("ulimit -f 0; a2a ask hi 2>log.txt", cwd)
      assert.deepStrictEqual([cut.code, cut.stdout], [0, "You asked: hi\n"])
      // the exit code of a failure says more
      assert.strictEqual((yield* shell("a2a ask 'please fail' 2>/dev/full")).code, 1)
    }).pipe(Effect.scoped), covers("attack:S2-47"))

  for (const [error, code] of [["EIO", 70], ["EDQUOT", 70], ["ENXIO", 70], ["ECONNRESET", 0], ["EPIPE", 0]] as const) {
    it.live(`ends a stream with ${code} for ${error}`, () =>
      Effect.gen(function*() {
        const ask = yield* start(["ask", "slow", "--stream", "--json"], { stdin: "" })
        yield* ask.until("\"task\"")
        ask.closeStdout(error)
        const ended = yield* ask.ended
        assert.strictEqual(ended.code, code, ended.stderr)
        assert.strictEqual(ended.stderr.includes(`could not be written: write ${error}`), code === 70)
      }).pipe(Effect.scoped), covers("attack:S2-47", "field:N2-51"))
  }
})
