/** A failure in the words of our own API: nine kinds instead of the reasons of the SDK. */
import { AgentError } from "@effect-a2a/core"
import { Duration, Schema } from "effect"
import type { Persistence } from "effect/persistence"

/** The agents that are asked. */
export const Source = Schema.Literals(["lake", "travel", "weather"])
export type Source = typeof Source.Type

/** The kinds of refusals that our callers distinguish. */
export const Kind = Schema.Literals([
  "bug",
  "network",
  "slow",
  "login",
  "busy",
  "credit",
  "input",
  "failed",
  "unavailable"
])
export type Kind = typeof Kind.Type

/** The answer that an agent did not give. The message is for people: no URL is part of it. */
export class Refusal extends Schema.TaggedError<Refusal>()("Refusal", {
  source: Source,
  kind: Kind,
  code: Schema.String,
  message: Schema.String,
  retryAfterMillis: Schema.optionalKey(Schema.Number)
}, { httpApiStatus: 502 }) {}

const ofPolicy = (reason: AgentError.PolicyReason): Kind => {
  switch (reason._tag) {
    case "UnauthenticatedError":
    case "AccessDeniedError":
      return "login"
    case "QuotaExceededError":
      return "credit"
    case "RateLimitError":
    case "ServiceUnavailableError":
      return "busy"
  }
}

const ofAgent = (reason: AgentError.AgentReason): Kind => {
  switch (reason._tag) {
    case "InvalidArgumentError":
    case "InvalidParamsError":
    case "ContentTypeNotSupportedError":
      return "input"
    case "InternalError":
      return "failed"
    case "StateNotReadyError":
      return "busy"
    case "NotFoundError":
    case "TaskNotFoundError":
    case "ActorInactiveError":
      return "unavailable"
    default:
      return "bug"
  }
}

const ofLocal = (reason: AgentError.LocalReason): Kind => {
  switch (reason._tag) {
    case "InvalidRequestError":
      return "input"
    case "CredentialsUnavailableError":
      return "login"
    case "NoCompatibleInterfaceError":
    case "UntrustedCardError":
      return "unavailable"
    case "OperationNotInProtocolError":
      return "bug"
  }
}

const kindOf = AgentError.matchOrigin({
  local: ofLocal,
  network: (reason): Kind => reason._tag === "TimeoutError" ? "slow" : "network",
  policy: ofPolicy,
  agent: ofAgent,
  task: (): Kind => "failed",
  contract: (): Kind => "bug",
  other: (): Kind => "bug"
})

/** A failed call, or a conversation that could not be read from the store. */
export type Failure = AgentError.AgentError | Persistence.PersistenceError

/** Returns the refusal of an agent for a failure. */
export const refusal = (source: Source) => (failure: Failure): Refusal => {
  if (failure._tag === "PersistenceError") {
    return new Refusal({ source, kind: "unavailable", code: "STORE", message: failure.message })
  }
  const { code, reason: { message }, retryAfter } = failure
  return new Refusal({
    source,
    kind: kindOf(failure),
    code,
    message,
    ...(retryAfter && { retryAfterMillis: Duration.toMillis(retryAfter) })
  })
}
