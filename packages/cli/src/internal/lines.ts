/** Input of the user, line by line. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import { createInterface } from "node:readline"
import { CurrentProcess } from "./environment.ts"
import { UsageError } from "./exit.ts"
import * as Signal from "./signal.ts"

/** Characters of the longest line: whoever writes to stdin may never end it. */
const maxLine = 1024 * 1024

/** Lines that wait. Beyond it, stdin is read no further until one is taken. */
const maxWaiting = 1000

/** The lines of stdin. */
export interface Lines {
  /** Takes the next line. Fails with a `UsageError` if it is too long. */
  readonly next: Effect.Effect<string, Cause.Done | UsageError>
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
    const queue = yield* Queue.unbounded<string, Cause.Done | UsageError>()
    const { stderr, stdin } = yield* CurrentProcess
    const isTerminal = stdin.isTTY === true && stderr.isTTY === true
    const reader = yield* Effect.acquireRelease(
      Effect.sync(() => createInterface({ input: stdin, output: stderr, terminal: isTerminal, prompt: "> " })),
      (reader) => Effect.sync(() => reader.close())
    )
    let [length, isClosed] = [0, false]
    const measure = (chunk: Buffer | string) => {
      const end = chunk.lastIndexOf("\n")
      length = end < 0 ? length + chunk.length : chunk.length - end - 1
      if (length <= maxLine) return
      const message = `a line on stdin has more than ${maxLine} characters: send long texts with a2a ask -`
      Queue.failCauseUnsafe(queue, Cause.fail(new UsageError({ message })))
      reader.close()
    }
    yield* Effect.acquireRelease(
      Effect.sync(() => stdin.on("data", measure)),
      () => Effect.sync(() => stdin.off("data", measure))
    )
    reader.on("line", (line) => {
      if (!on.line(line)) return
      Queue.offerUnsafe(queue, line)
      if (!isClosed && Queue.sizeUnsafe(queue) >= maxWaiting) reader.pause()
    })
    reader.on("close", () => {
      isClosed = true
      Queue.endUnsafe(queue)
    })
    // on a terminal the reader gets Ctrl-C, otherwise the process does
    reader.on("SIGINT", on.interrupt)
    yield* Signal.onInterrupt(on.interrupt)
    return {
      next: Effect.tap(Queue.take(queue), () =>
        Effect.sync(() => {
          if (!isClosed && Queue.sizeUnsafe(queue) < maxWaiting) reader.resume()
        })),
      prompt: Effect.sync(() => isTerminal && reader.prompt()),
      isTerminal
    }
  })
