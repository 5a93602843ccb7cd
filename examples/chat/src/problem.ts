// Problems, explained to a person: what happened, and what to do.
import type { AgentError, AgentErrorReason } from "@effect-a2a/core/AgentError"
import * as Duration from "effect/Duration"

/** A problem. */
export interface Problem {
  readonly title: string
  readonly detail: string
  readonly advice: string
  readonly code: string
  /** True if nobody is at fault, such as for a canceled task. */
  readonly isMild: boolean
  /** The button that may help. */
  readonly action?: "retry" | "continue" | "settings" | undefined
}

type Words = readonly [title: string, advice: string, action?: Problem["action"]]

const words: { readonly [T in AgentErrorReason["_tag"]]?: Words } = {
  ConnectionError: [
    "The agent cannot be reached",
    "Check the address and your network. If the agent runs, it may not allow this page's origin (CORS).",
    "retry"
  ],
  TimeoutError: ["The agent takes too long", "Wait a little and try again.", "retry"],
  StreamInterruptedError: [
    "The connection broke off",
    "The agent may still be working: resume to see its answer.",
    "continue"
  ],
  UnauthenticatedError: ["The agent does not know you", "Enter a valid key in the settings.", "settings"],
  NoCompatibleInterfaceError: [
    "The agent's card lists no usable interface",
    "Choose another version in the settings.",
    "settings"
  ],
  UntrustedCardError: [
    "The agent's card is not signed by a known key",
    "Choose another agent in the settings.",
    "settings"
  ],
  CredentialsUnavailableError: ["A key is required", "Enter a key in the settings.", "settings"],
  AccessDeniedError: ["You may not talk to this agent", "Use another key, or ask its owner for access.", "settings"],
  RateLimitError: ["Too many questions at once", "Wait a moment, then try again.", "retry"],
  QuotaExceededError: ["The quota is used up", "Top up the account, or use another key.", "settings"],
  ServiceUnavailableError: ["The agent is unavailable", "Try again in a while.", "retry"],
  NotFoundError: ["No agent at this address", "Check the address in the settings.", "settings"],
  MethodNotFoundError: ["The agent does not understand", "Try another version or binding in the settings.", "settings"],
  VersionNotSupportedError: [
    "The agent does not speak this version",
    "Choose another version in the settings.",
    "settings"
  ],
  MalformedResponseError: [
    "The answer cannot be read",
    "Is this an A2A agent? Try another version or binding.",
    "settings"
  ],
  TaskNotFoundError: ["The agent has forgotten this task", "Ask again.", "retry"],
  TaskFailedError: ["The task failed", "Ask again, or ask differently.", "retry"],
  TaskRejectedError: ["The agent declines", "Ask differently."],
  TaskCanceledError: ["Canceled", "Ask again whenever you like.", "retry"],
  InvalidArgumentError: ["The agent does not accept this", "Change the question, or start a new conversation."]
}

const byOrigin: { readonly [O in AgentError["origin"]]: Words } = {
  local: ["This cannot be sent", "Check the settings.", "settings"],
  network: ["The connection failed", "Try again.", "retry"],
  policy: ["The agent refused", "Check your key and your access.", "settings"],
  agent: ["The agent refused", "Change the question, or start a new conversation."],
  task: ["The agent did not finish", "Ask again.", "retry"],
  contract: ["The answer cannot be read", "Try another version or binding.", "settings"],
  other: ["Something went wrong", "Try again.", "retry"]
}

const wait = ({ retryAfter }: AgentError) =>
  retryAfter === undefined ? "" : ` The agent asks you to wait ${Math.ceil(Duration.toSeconds(retryAfter))} s.`

export const fromError = (error: AgentError): Problem => {
  const [title, advice, action] = words[error.reason._tag] ?? byOrigin[error.origin]
  return {
    title,
    detail: error.reason.message,
    advice: advice + wait(error),
    code: error.code,
    isMild: error.reason._tag === "TaskCanceledError",
    action
  }
}

export const stopped: Problem = {
  title: "Stopped",
  detail: "",
  advice: "The agent had not started to answer.",
  code: "",
  isMild: true,
  action: "retry"
}

/** The turn was resumed without any event: it is unknown if the agent received the question. */
export const unknown: Problem = {
  title: "No response to this question",
  detail: "",
  advice: "It is unknown if the agent received the question.",
  code: "",
  isMild: true,
  action: "retry"
}
