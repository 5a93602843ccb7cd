/** Writes to stdout and stderr so that nothing is lost unnoticed. */
import * as Console from "effect/Console"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { CurrentProcess } from "./environment.ts"
import { Exit, internalError } from "./exit.ts"

/** What became of the output so far. */
interface Tally {
  /** True if something was written to stdout. */
  hasStdout: boolean
  /** The reason why something is missing on stderr. */
  stderr: Error | undefined
}

const create = (): Tally => ({ hasStdout: false, stderr: undefined })

const CurrentTally = Context.Reference<Tally>("@effect-a2a/cli/CurrentTally", { defaultValue: create })

/** A reader that leaves early, such as `head`, has seen enough. A socket reports that as a reset if it left in a hurry. */
const hasReaderLeft = (error: NodeJS.ErrnoException) => error.code === "EPIPE" || error.code === "ECONNRESET"

/** The end of a command that {@link lost} interrupts. What runs in its finalizers goes on. */
const untilInterrupted: Effect.Effect<void> = Effect.asVoid(Effect.exit(Effect.interruptible(Effect.never)))

/** Writes the text and waits until it is written, since the process may end right after. */
export const write = (name: "stdout" | "stderr", text: string): Effect.Effect<void> =>
  Effect.flatMap(
    Effect.all([CurrentProcess, CurrentTally]),
    ([process, tally]) =>
      Effect.callback((resume) =>
        void process[name].write(text, (error) => {
          if (name === "stderr") {
            if (error && !hasReaderLeft(error)) tally.stderr = error
            return resume(Effect.void)
          }
          if (!error) tally.hasStdout ||= text !== ""
          resume(error ? untilInterrupted : Effect.void)
        })
      )
  )

const fault = (name: string, error: Error) =>
  Effect.andThen(
    write("stderr", `a2a: ${name} could not be written: ${error.message}; see where it leads\n`),
    new Exit({ code: internalError })
  )

/** Fails when stdout cannot be written any more: with code 0 if its reader left, else with that of a fault. */
const lost: Effect.Effect<never, Exit> = Effect.flatMap(
  CurrentProcess,
  ({ stdout }) =>
    Effect.callback<never, Exit>((resume) => {
      const listener = (error: Error) => resume(hasReaderLeft(error) ? new Exit({ code: 0 }) : fault("stdout", error))
      stdout.on("error", listener)
      return Effect.sync(() => stdout.off("error", listener))
    })
)

/** Waits until all is written that effects such as `Console.log` did not wait for. */
const flush = Effect.flatMap(CurrentProcess, ({ stderr, stdout }) =>
  Effect.forEach([stdout, stderr], (stream) =>
    // a failed write is reported after its callbacks
    Effect.callback<void>((resume) => void stream.write("", () => setImmediate(() => resume(Effect.void)))), {
    discard: true
  }))

/** Nobody has to read stderr, but a command whose whole result was to be there did not succeed. */
const check = Effect.flatMap(
  CurrentTally,
  ({ hasStdout, stderr }) => stderr === undefined || hasStdout ? Effect.void : fault("stderr", stderr)
)

/** The console of libraries. Node's own ignores errors. */
const console = Effect.map(CurrentProcess, ({ stderr, stdout }): Console.Console => {
  const line = (stream: NodeJS.WritableStream) => (...words: ReadonlyArray<unknown>) =>
    void stream.write(`${words.join(" ")}\n`)
  return { ...globalThis.console, log: line(stdout), error: line(stderr) }
})

/** Ends the command when its output cannot be written, and fails with 70 unless it was its reader who left. */
export const guard = <A, R>(self: Effect.Effect<A, Exit, R>): Effect.Effect<A, Exit, R> =>
  self.pipe(
    Effect.tap(Effect.andThen(flush, check)),
    Effect.raceFirst(lost),
    Effect.provideServiceEffect(Console.Console, console),
    Effect.provideServiceEffect(CurrentTally, Effect.sync(create))
  )
