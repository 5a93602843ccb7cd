/** Checks values that become segments of a URL's path. Tested in packages/transport-adk/test/client.test.ts. */
import type * as AgentError from "@effect-a2a/core/AgentError"

/**
 * Returns the reasons why a value cannot be a path segment on every server. Python decodes `%2F` to a slash, and URL
 * parsers drop `.` and `..`.
 */
export const violations = (field: string, value: unknown): ReadonlyArray<AgentError.Violation> => {
  if (typeof value !== "string" || value === "") return [{ field, description: "must be a non-empty string" }]
  if (/\p{Surrogate}/u.test(value)) return [{ field, description: "must be well-formed Unicode" }]
  return /^\.\.?$|\//.test(value)
    ? [{ field, description: `must not be "." or ".." or contain "/": servers read it as a path` }]
    : []
}
