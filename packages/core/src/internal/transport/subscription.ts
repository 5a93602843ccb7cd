/** Failures of subscriptions. Tested in `test/resilience/resume.test.ts`. */
import type { AgentError } from "../../AgentError.ts"

/** True if the agent does not let its task be subscribed to: the task has ended, or cannot be followed. */
export const isRefusal = ({ origin }: AgentError): boolean =>
  origin === "agent" || origin === "other" || origin === "local"
