/** Keeps the SSE event ids of a stream from one connection to the next. Tested in `test/resilience/resume.test.ts`. */
import * as Context from "effect/Context"

export interface Cursor {
  lastEventId: string | undefined
  /** The connection was asked for events behind the last id, and its first id is new. */
  isContinued: boolean
  /** The ids received, up to a number. */
  readonly seen: Set<string>
  /** The connection has received an id. */
  hasId: boolean
  /** The connection was asked for events behind the last id. */
  isAsked: boolean
}

// ids that are remembered; the oldest are forgotten first
const maxIds = 4_096

export const make = (): Cursor => ({
  lastEventId: undefined,
  isContinued: false,
  seen: new Set(),
  hasId: false,
  isAsked: false
})

/** Begins a connection and returns the id to continue behind. */
export const begin = (self: Cursor, canContinue: boolean): string | undefined => {
  const lastEventId = canContinue ? self.lastEventId : undefined
  Object.assign(self, { isContinued: false, hasId: false, isAsked: lastEventId !== undefined })
  return lastEventId
}

/** Records the id of an event. */
export const add = (self: Cursor, id: string): void => {
  if (!self.hasId) {
    self.hasId = true
    self.isContinued = self.isAsked && !self.seen.has(id)
  }
  self.lastEventId = id
  self.seen.add(id)
  if (self.seen.size > maxIds) {
    for (const oldest of self.seen) {
      self.seen.delete(oldest)
      break
    }
  }
}

/** The place where a connection keeps the ids it receives. Default: `undefined`, since nothing resumes the stream. */
export const Current = Context.Reference<Cursor | undefined>("@effect-a2a/core/internal/LastEventId", {
  defaultValue: () => undefined
})
