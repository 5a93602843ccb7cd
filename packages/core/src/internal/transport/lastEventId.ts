/** The last SSE event id of a stream, kept from one connection to the next. */
import * as Context from "effect/Context"

export interface Cursor {
  lastEventId: string | undefined
}

/** Where a connection notes the ids it sees and reads where to go on; `undefined` where nobody takes streams up again. */
export const Current = Context.Reference<Cursor | undefined>("@effect-a2a/core/internal/Cursor", {
  defaultValue: () => undefined
})
