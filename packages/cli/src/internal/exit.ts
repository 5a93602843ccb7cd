/** The ways to end the command other than with 0. */
import type { AgentError } from "@effect-a2a/core/AgentError"
import * as Data from "effect/Data"
import * as Runtime from "effect/Runtime"

/** Ends the command with a code, after the reason was written. */
export class Exit extends Data.TaggedError("Exit")<{ readonly code: number }> {
  override readonly [Runtime.errorExitCode] = this.code
  override readonly [Runtime.errorReported] = false
}

/** The arguments or the environment are wrong. */
export class UsageError extends Data.TaggedError("UsageError")<{ readonly message: string }> {}

const codes = { local: 2, task: 1, policy: 3, agent: 3, other: 3, network: 4, contract: 5 } as const

/** Returns the exit code of a failure. */
export const codeOf = (error: AgentError): number => codes[error.origin]

/** The exit code of a bug in the command itself, as in `sysexits.h`. */
export const internalError = 70

/** The line that reports such a bug. */
export const faultLine = (defect: unknown): string =>
  `a2a: internal error: ${String(defect).replace(/\s*\n\s*/g, " ")}; please report it as a bug`
