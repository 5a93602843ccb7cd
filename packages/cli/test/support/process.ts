// The command in a separate process, as scripts run it.
import { Effect, type Scope } from "effect"
import { spawn } from "node:child_process"
import { tmpdir } from "node:os"
import { fileURLToPath } from "node:url"

export const bin = fileURLToPath(new URL("../../src/bin.ts", import.meta.url))

/** A process starts in half the time if another one has compiled its modules. */
const env = { PATH: process.env.PATH, NODE_COMPILE_CACHE: `${tmpdir()}/effect-a2a-cli-test` }

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  readonly lines: ReadonlyArray<string>
}

export interface Running {
  readonly kill: (signal: NodeJS.Signals) => void
  readonly write: (text: string) => void
  /** Waits until the text is on stdout or stderr. */
  readonly until: (text: string) => Effect.Effect<string>
  readonly ended: Effect.Effect<Ended>
}

export interface Options {
  readonly env?: Record<string, string>
  /** Left open if absent. */
  readonly stdin?: string
}

export const start = (
  args: ReadonlyArray<string>,
  { env: more, stdin }: Options = {}
): Effect.Effect<
  Running & { readonly leave: (readers: ReadonlyArray<"stdout" | "stderr">) => void },
  never,
  Scope.Scope
> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => {
        const child = spawn(process.execPath, [bin, ...args], { env: { ...env, ...more } })
        let [stdout, stderr] = ["", ""]
        child.stdout.setEncoding("utf8").on("data", (text: string) => stdout += text)
        child.stderr.setEncoding("utf8").on("data", (text: string) => stderr += text)
        if (stdin !== undefined) child.stdin.end(stdin)
        const ended = new Promise<Ended>((resolve) =>
          child.on("close", (code) =>
            resolve({ code, stdout, stderr, lines: stdout.split("\n").filter((line) => line !== "") }))
        )
        return {
          child,
          ended,
          output: () =>
            stdout + stderr
        }
      }),
      ({ child }) => Effect.sync(() => child.kill("SIGKILL"))
    ),
    ({ child, ended, output }) => ({
      kill: (signal) => void child.kill(signal),
      write: (text) => void child.stdin.write(text),
      leave: (readers) => readers.forEach((name) => child[name].destroy()),
      until: (text) =>
        Effect.callback<string>((resume) => {
          const check = () => {
            if (!output().includes(text)) return
            stop()
            resume(Effect.succeed(output()))
          }
          void ended.then(() => output().includes(text) || resume(Effect.die(`ended without ${text}: ${output()}`)))
          const stop = () => [child.stdout, child.stderr].forEach((stream) => stream.off("data", check))
          for (const stream of [child.stdout, child.stderr]) stream.on("data", check)
          check()
          return Effect.sync(stop)
        }),
      ended: Effect.promise(() => ended)
    })
  )

/** Runs to the end, with nothing on stdin unless said otherwise. */
export const run = (args: ReadonlyArray<string>, options?: Options): Effect.Effect<Ended> =>
  Effect.scoped(Effect.flatMap(start(args, { stdin: "", ...options }), ({ ended }) => ended))

export const parse = ({ lines }: Ended): ReadonlyArray<any> => lines.map((line) => JSON.parse(line))

export const last = (ended: Ended): any => parse(ended).at(-1)
