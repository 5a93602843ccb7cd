/** How the command ends when not with 0. */
import type { AgentError } from "@effect-a2a/core/AgentError"
import * as Data from "effect/Data"
import * as Runtime from "effect/Runtime"

/** Everything has been said; only the code is left. */
export class Exit extends Data.TaggedError("Exit")<{ readonly code: number }> {
  override readonly [Runtime.errorExitCode] = this.code
  override readonly [Runtime.errorReported] = false
}

/** The command was not used as it is meant to. */
export class UsageError extends Data.TaggedError("UsageError")<{ readonly message: string }> {}

const codes = { local: 2, task: 1, policy: 3, agent: 3, other: 3, network: 4, contract: 5 } as const

export const codeOf = (error: AgentError): number => codes[error.origin]

/** A fault of this program itself, as `sysexits.h` has it. */
export const internalError = 70
