/** What can stand in a path of every server. */
import type * as AgentError from "@effect-a2a/core/AgentError"

/** Nothing where a value can be a segment of a path; Python reads `%2F` as a slash, and URLs drop dots. */
export const segment = (field: string, value: unknown): ReadonlyArray<AgentError.Violation> => {
  if (typeof value !== "string" || value === "") return [{ field, description: "a string that is not empty" }]
  return /^\.\.?$|\//.test(value) ? [{ field, description: `no "/", "." or "..": servers take it for a path` }] : []
}
