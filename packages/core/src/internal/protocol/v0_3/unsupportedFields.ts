/** What requests of 0.3 have no place for. */
import type { Inexpressible } from "../requests.ts"

export const inexpressible: Inexpressible = ({ tenant }) =>
  tenant === undefined || tenant === "" ? [] : [{ field: "tenant", description: "cannot be expressed in protocol 0.3" }]
