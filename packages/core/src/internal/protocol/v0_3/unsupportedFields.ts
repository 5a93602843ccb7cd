/** Members of requests that 0.3 cannot express. */
import type { UnsupportedFields } from "../codec.ts"

/** Returns a violation for a tenant, which 0.3 does not have. */
export const unsupportedFields: UnsupportedFields<{ readonly tenant?: string }> = ({ tenant }) =>
  tenant === undefined || tenant === "" ? [] : [{ field: "tenant", description: "cannot be expressed in protocol 0.3" }]
