/** How much memory values take, about. */
import type * as StreamEvent from "@effect-a2a/core/StreamEvent"
import * as ByteSize from "effect/ByteSize"

/** Bytes of an object without its members. */
const objectSize = 48

/** Returns the bytes of a value: its texts, its bytes, and some for each object and member. Does not recurse. */
export const sizeOf = (value: unknown): number => {
  let size = 0
  const open: Array<unknown> = []
  const add = (one: unknown) => {
    if (typeof one === "string") size += one.length
    else if (one instanceof Uint8Array) size += objectSize + one.byteLength
    else if (typeof one === "object" && one !== null) open.push(one)
  }
  add(value)
  while (open.length > 0) {
    const one = open.pop() as object
    size += objectSize
    if (Array.isArray(one)) {
      size += 8 * one.length
      for (const member of one) add(member)
    } else {
      for (const [name, member] of Object.entries(one)) {
        size += 8 + name.length
        add(member)
      }
    }
  }
  return size
}

/** Returns the bytes that an event adds to its task; ids are shared. */
export const sizeOfEvent = (event: StreamEvent.StreamEvent): number =>
  event._tag === "ArtifactUpdate"
    ? sizeOf(event.artifact.parts) + sizeOf(event.artifact.metadata) + sizeOf(event.metadata)
    : event._tag === "StatusUpdate"
    ? sizeOf(event.status.message) + sizeOf(event.metadata)
    : sizeOf(event)

/** Returns the bytes of events together. */
export const sizeOfAll = (events: ReadonlyArray<StreamEvent.StreamEvent>): number =>
  events.reduce((sum, event) => sum + sizeOfEvent(event), 0)

/** Returns the bytes of a limit. */
export const toBytes = (limit: ByteSize.Input | undefined, mebibytes: number): number =>
  limit === undefined ? mebibytes * 1024 * 1024 : ByteSize.toNumberUnsafe(ByteSize.fromInputUnsafe(limit))
