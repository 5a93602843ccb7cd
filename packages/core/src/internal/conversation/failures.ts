/** Predicates on failures: what they say about a message or its task. */
import type { AgentError } from "../../AgentError.ts"

/** True if nothing more is to come of the task, for reasons that do not concern the next message. */
export const endsTask = ({ reason }: AgentError): boolean =>
  "task" in reason || reason._tag === "TaskNotFoundError" ||
  (reason._tag === "StreamInterruptedError" && !reason.isResumable)

/** True if the agent refused the message; after any other failure it may have received it. */
export const isRefusal = ({ origin, reason }: AgentError): boolean =>
  (origin === "local" || origin === "agent" || origin === "policy") && reason._tag !== "InternalError" &&
  reason._tag !== "ServiceUnavailableError"

/** True if the agent does not let its task be subscribed to. */
export const cannotSubscribe = ({ origin }: AgentError): boolean =>
  origin === "agent" || origin === "local" || origin === "other"
