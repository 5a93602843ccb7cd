/** Refusals of requests whose members are invalid. */
import { type AgentErrorReason, reason } from "@effect-a2a/core/AgentError"
import * as Effect from "effect/Effect"

/** Creates the reason that names an invalid member. */
export const invalid = (field: string, description: string): AgentErrorReason =>
  reason("InvalidParamsError", { message: `${field}: ${description}`, violations: [{ field, description }] })

/** Fails unless `isValid`. */
export const check = (isValid: boolean, field: string, description: string): Effect.Effect<void, AgentErrorReason> =>
  isValid ? Effect.void : Effect.fail(invalid(field, description))

/** Fails if the history length is negative. */
export const checkHistoryLength = (value: number | undefined, field = "historyLength") =>
  check(value === undefined || value >= 0, field, "must not be negative")
