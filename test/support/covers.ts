// The requirements and field cases a test covers, as its metadata: `scripts/covers.ts` reads them from the syntax tree.
import type { TestOptions } from "vitest"

/** An id of docs/requirements.md, `field:` and one of docs/field-cases.md, or `attack:` and one of docs/security.md. */
export type Id = `${"ML" | "SDK" | "ADK"}-${number}` | `field:${string}-${number}` | `attack:S2-${number}`

declare module "vitest" {
  interface TaskMeta {
    readonly covers?: ReadonlyArray<Id>
  }
}

/**
 * Options of a test or a suite that name the ids it covers. To add others: `{ ...covers("ML-16"), timeout: 60_000 }`.
 *
 * Vitest's own functions take options before the function, those of @effect/vitest after it.
 */
export const covers = (...ids: ReadonlyArray<Id>): Pick<TestOptions, "meta"> => ({ meta: { covers: ids } })
