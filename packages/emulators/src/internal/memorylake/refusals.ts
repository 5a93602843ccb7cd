/**
 * Refusals, and the ids, keys and prompts that trigger them. docs/memorylake.md lists them. Tested in
 * `packages/emulators/test/memorylake`.
 */
import * as AgentError from "@effect-a2a/core/AgentError"
import * as Duration from "effect/Duration"

const id = (prefix: string, digit: string) => `${prefix}-${digit.repeat(32)}`

/** A deleted actor: `ACTOR_INACTIVE`. */
export const inactiveActor = id("actor", "0")
/** An actor of another workspace: `INVALID_ARGUMENT`. */
export const unboundActor = id("actor", "f")
/** An actor that the caller may not use: `ACCESS_DENIED`. */
export const deniedActor = id("actor", "e")
/** A project of another workspace: `NOT_FOUND` to write to, skipped to read from. */
export const unknownProject = id("proj", "0")
/** A project that the caller may not use, to write to or to read from: `ACCESS_DENIED`. */
export const deniedProject = id("proj", "e")
/** A conversation of another agent: `INVALID_ARGUMENT`. */
export const foreignContext = "ctx-of-another-agent"
/** An API key whose owner has no actor in the workspace: `STATE_NOT_READY` unless `actorId` names one. */
export const keyWithoutActor = "sk_no_actor"

const reasons = {
  INVALID_ARGUMENT: "InvalidArgumentError",
  STATE_NOT_READY: "StateNotReadyError",
  ACTOR_INACTIVE: "ActorInactiveError",
  UNAUTHENTICATED: "UnauthenticatedError",
  QUOTA_EXCEEDED: "QuotaExceededError",
  ACCESS_DENIED: "AccessDeniedError",
  NOT_FOUND: "NotFoundError",
  RATE_LIMIT_EXCEEDED: "RateLimitError",
  INTERNAL_ERROR: "InternalError"
} as const

/** A code that the message `refuse with CODE` triggers. */
export type Code = keyof typeof reasons
export const codes = Object.keys(reasons) as ReadonlyArray<Code>

/** The duration of a rate limit. */
export const retryAfter = Duration.seconds(2)

/** Creates a refusal from its code. */
export const refusal = (code: Code, message: string): AgentError.AgentErrorReason =>
  AgentError.reason(reasons[code], { message, ...(code === "RATE_LIMIT_EXCEEDED" ? { retryAfter } : undefined) })

/** Returns the refusal that a prompt triggers. */
export const byPrompt = (text: string): AgentError.AgentErrorReason | undefined => {
  const code = /^refuse with ([A-Z_]+)$/.exec(text.trim())?.[1]
  return code !== undefined && Object.hasOwn(reasons, code)
    ? refusal(code as Code, `refused with ${code}, as asked`)
    : undefined
}
