// The command in this process, for everything that its output and its exit code show.
import { Cli } from "@effect-a2a/cli"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as NodeStream from "@effect/platform-node/NodeStream"
import { Cause, ConfigProvider, Console, Effect, Exit, Fiber, References, type Scope, Stdio } from "effect"
import { EventEmitter } from "node:events"
import { PassThrough } from "node:stream"
import { CurrentProcess } from "../../src/internal/environment.ts"
import type { Ended, Options, Running } from "./process.ts"

const exitCode = (exit: Exit.Exit<void, { readonly code: number }>): number => {
  if (Exit.isSuccess(exit)) return 0
  if (Cause.hasInterruptsOnly(exit.cause)) return 130
  const error = exit.cause.reasons.find(Cause.isFailReason)
  return error === undefined ? 1 : error.error.code
}

const collect = (heard: () => void) => {
  const stream = new PassThrough()
  const chunks: Array<string> = []
  stream.setEncoding("utf8").on("data", (text: string) => {
    chunks.push(text)
    heard()
  })
  return { stream, write: (text: string) => void stream.write(text), text: () => chunks.join("") }
}

/** Starts the command in this process. */
export const start = (
  args: ReadonlyArray<string>,
  { env = {}, isTerminal = false, stdin: input }: Options & { readonly isTerminal?: boolean } = {}
): Effect.Effect<Running & { readonly closeStdout: (code?: string) => void }, never, Scope.Scope> =>
  Effect.gen(function*() {
    const listeners = new Set<() => void>()
    const heard = () => listeners.forEach((listener) => listener())
    const stdin = new PassThrough()
    if (input !== undefined) stdin.end(input)
    const [stdout, stderr] = [collect(heard), collect(heard)]
    const screen = { isTTY: isTerminal }
    const process = Object.assign(new EventEmitter(), {
      stdin,
      stdout: Object.assign(stdout.stream, screen),
      stderr: Object.assign(stderr.stream, screen)
    })
    const log = (out: typeof stdout) => (...words: ReadonlyArray<unknown>) => out.write(`${words.join(" ")}\n`)
    const stdio = Stdio.make({
      args: Effect.succeed(args),
      stdout: () => {
        throw new Error("unused")
      },
      stderr: () => {
        throw new Error("unused")
      },
      stdin: NodeStream.fromReadable({ evaluate: () => stdin, onError: (cause) => cause as never })
    })
    const fiber = yield* Cli.run(args).pipe(
      Effect.provideService(CurrentProcess, process),
      Effect.provideService(Stdio.Stdio, stdio),
      Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnvRecord(env)),
      Effect.provideService(References.LogToStderr, true),
      Effect.provideService(Console.Console, { ...globalThis.console, log: log(stdout), error: log(stderr) }),
      Effect.provide(NodeServices.layer),
      Effect.forkScoped
    )
    process.on("SIGINT", () => fiber.interruptUnsafe())
    const output = () => stdout.text() + stderr.text()
    const ended = Effect.map(Fiber.await(fiber), (exit): Ended => ({
      code: exitCode(exit),
      stdout: stdout.text(),
      stderr: stderr.text(),
      lines: stdout.text().split("\n").filter((line) => line !== "")
    }))
    return {
      kill: (signal) => void process.emit(signal),
      write: (text) => void stdin.write(text),
      closeStdout: (code = "EPIPE") => void stdout.stream.destroy(Object.assign(new Error(`write ${code}`), { code })),
      until: (text) =>
        Effect.callback<string>((resume) => {
          const check = () => output().includes(text) && resume(Effect.succeed(output()))
          listeners.add(check)
          check()
          return Effect.sync(() => listeners.delete(check))
        }),
      ended
    }
  })

/** Runs the command to its end in this process, with nothing on stdin unless said otherwise. */
export const run = (args: ReadonlyArray<string>, options?: Parameters<typeof start>[1]): Effect.Effect<Ended> =>
  Effect.scoped(Effect.flatMap(start(args, { stdin: "", ...options }), ({ ended }) => ended))

export { last, parse } from "./process.ts"
