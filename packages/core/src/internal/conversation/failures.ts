/** Predicates on failures: what they say about a message or its task. */
import type { AgentError } from "../../AgentError.ts"

/** True if nothing more is to come of the task, for reasons that do not concern the next message. */
export const endsTask = ({ reason }: AgentError): boolean =>
  "task" in reason || reason._tag === "TaskNotFoundError" ||
  (reason._tag === "StreamInterruptedError" && !reason.isResumable)

/** True if the agent has not received the message; after any other failure it may have. */
export const isRefusal = ({ delivery }: AgentError): boolean => delivery === "not-sent" || delivery === "refused"
