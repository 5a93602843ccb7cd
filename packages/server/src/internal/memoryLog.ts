/** The latest events of a task, within a size. Tested in `packages/server/test/limits.test.ts`. */
import type * as StreamEvent from "@effect-a2a/core/StreamEvent"
import * as Size from "./size.ts"

/** Two generations: the older one is dropped when the younger one has half of the size. */
export interface MemoryLog {
  /** The position of the first event of `older`. */
  from: number
  older: ReadonlyArray<StreamEvent.StreamEvent>
  younger: Array<StreamEvent.StreamEvent>
  /** Bytes of `younger`, and of both. */
  youngerSize: number
  size: number
}

export const make = (): MemoryLog => ({ from: 0, older: [], younger: [], youngerSize: 0, size: 0 })

/** Adds events that were written together: none of them is dropped before a reader could have read it. */
export const addAll = (self: MemoryLog, events: ReadonlyArray<StreamEvent.StreamEvent>, maxSize: number): void => {
  if (self.youngerSize > maxSize / 2) {
    self.from += self.older.length
    self.size = self.youngerSize
    self.older = self.younger
    self.younger = []
    self.youngerSize = 0
  }
  const size = Size.sizeOfAll(events)
  for (const event of events) self.younger.push(event)
  self.youngerSize += size
  self.size += size
}

/** Drops all events, and returns their bytes. */
export const clear = (self: MemoryLog): number => {
  const { size } = self
  self.from += self.older.length + self.younger.length
  Object.assign(self, { older: [], younger: [], youngerSize: 0, size: 0 })
  return size
}

/** Returns the events at and behind a position that were kept. */
export const read = ({ from, older, younger }: MemoryLog, position: number) => {
  const start = Math.max(position, from)
  const behind = start - from - older.length
  return {
    from: start,
    events: behind >= 0 ? younger.slice(behind) : [...older.slice(start - from), ...younger]
  }
}
