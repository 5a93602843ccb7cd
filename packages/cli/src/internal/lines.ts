/** Input of the user, line by line. */
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import { createInterface } from "node:readline"
import { CurrentProcess } from "./environment.ts"
import * as Signal from "./signal.ts"

/** The lines of stdin. */
export interface Lines {
  /** Takes the next line. */
  readonly next: Effect.Effect<string, Cause.Done>
  /** Prints the prompt, if stdin is a terminal. */
  readonly prompt: Effect.Effect<void>
  readonly isTerminal: boolean
}

/**
 * Reads lines from stdin until it ends. `line` runs when a line arrives, and returns true if it is to be queued;
 * `interrupt` runs on Ctrl-C.
 */
export const make = (on: {
  readonly line: (line: string) => boolean
  readonly interrupt: () => void
}): Effect.Effect<Lines, never, Scope.Scope> =>
  Effect.gen(function*() {
    const queue = yield* Queue.unbounded<string, Cause.Done>()
    const { stderr, stdin } = yield* CurrentProcess
    const isTerminal = stdin.isTTY === true && stderr.isTTY === true
    const reader = yield* Effect.acquireRelease(
      Effect.sync(() => createInterface({ input: stdin, output: stderr, terminal: isTerminal, prompt: "> " })),
      (reader) => Effect.sync(() => reader.close())
    )
    reader.on("line", (line) => void (on.line(line) && Queue.offerUnsafe(queue, line)))
    reader.on("close", () => Queue.endUnsafe(queue))
    // on a terminal the reader gets Ctrl-C, otherwise the process does
    reader.on("SIGINT", on.interrupt)
    yield* Signal.onInterrupt(on.interrupt)
    return {
      next: Queue.take(queue),
      prompt: Effect.sync(() => isTerminal && reader.prompt()),
      isTerminal
    }
  })
