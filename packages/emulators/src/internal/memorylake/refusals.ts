/**
 * What the emulator refuses, and what makes it: ids, keys and prompts to rehearse each refusal with. The table for users
 * is in docs/memorylake.md.
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

/** Codes that `refuse with CODE`, as the whole message, brings about. */
export type Code = keyof typeof reasons
export const codes = Object.keys(reasons) as ReadonlyArray<Code>

/** How long a rate limit lasts. */
export const retryAfter = Duration.seconds(2)

/** A refusal by its code. */
export const refusal = (code: Code, message: string): AgentError.AgentErrorReason =>
  AgentError.reason(reasons[code], { message, ...(code === "RATE_LIMIT_EXCEEDED" ? { retryAfter } : undefined) })

/** The refusal that a prompt asks for. */
export const byPrompt = (text: string): AgentError.AgentErrorReason | undefined => {
  const code = /^refuse with ([A-Z_]+)$/.exec(text.trim())?.[1]
  return code !== undefined && Object.hasOwn(reasons, code)
    ? refusal(code as Code, `refused with ${code}, as asked`)
    : undefined
}
