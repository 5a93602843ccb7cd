/** Keeps the last SSE event id of a stream from one connection to the next. Tested in `test/resilience/resume.test.ts`. */
import * as Context from "effect/Context"

export interface Cursor {
  lastEventId: string | undefined
}

/** The place where a connection keeps the ids it sees. Default: `undefined`, since nothing resumes the stream. */
export const Current = Context.Reference<Cursor | undefined>("@effect-a2a/core/internal/LastEventId", {
  defaultValue: () => undefined
})
