/** Wraps every command: provides its output and its scope, and reports its failures. */
import type { AgentError } from "@effect-a2a/core/AgentError"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Exit, UsageError } from "./exit.ts"
import * as Output from "./output.ts"
import * as Report from "./report.ts"

/**
 * Makes a handler from the body of a command. `operation`: what programs read that it was, if it is interrupted before it
 * has begun. Default: they read nothing then.
 */
export const handler = <I, R>(
  f: (input: I) => Effect.Effect<void, AgentError | UsageError | Exit, R | Output.Output | Scope.Scope>,
  operation?: string
) =>
(input: I) =>
  f(input).pipe(
    Effect.onInterrupt(() => operation === undefined ? Effect.void : Report.reportInterruption(operation, undefined)),
    Effect.scoped,
    Report.failures,
    Effect.provideServiceEffect(Output.Output, Output.make)
  )
