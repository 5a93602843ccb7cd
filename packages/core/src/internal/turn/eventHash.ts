/**
 * Hashes of events, over everything an event reports except what servers write anew: timestamps and the event's own
 * metadata. Tested in `packages/core/test/delivery.test.ts`.
 */
import type * as Schema from "effect/Schema"
import type * as Message from "../../Message.ts"
import type * as Part from "../../Part.ts"
import type * as StreamEvent from "../../StreamEvent.ts"

/** Mixes a number into a hash (FNV-1a, 32 bits). */
export const mixNumber = (hash: number, value: number): number => Math.imul(hash ^ value, 16777619)

/** Mixes a text, character by character: mixing two texts equals mixing their concatenation. */
export const mixText = (hash: number, text: string): number => {
  let mixed = hash
  for (let at = 0; at < text.length; at++) mixed = mixNumber(mixed, text.charCodeAt(at))
  return mixed
}

/** Mixes a text and its length, so that neighbouring texts stay apart. */
const mixWord = (hash: number, text: string): number => mixText(mixNumber(hash, text.length), text)

/** Mixes a JSON value, whatever the order of its members. */
export const mixJson = (hash: number, json: Schema.Json): number => {
  if (Array.isArray(json)) return json.reduce<number>(mixJson, mixNumber(mixWord(hash, "["), json.length))
  if (typeof json !== "object" || json === null) return mixWord(hash, JSON.stringify(json))
  const members = Object.entries(json).sort(([a], [b]) => a < b ? -1 : 1)
  return members.reduce((mixed, [key, value]) => mixJson(mixWord(mixed, key), value), mixWord(hash, "{"))
}

/** Mixes a part with its values. */
export const mixPart = (hash: number, part: Part.Part): number => {
  const mixed = mixWord(mixWord(mixWord(hash, part._tag), part.filename ?? ""), part.mediaType ?? "")
  switch (part._tag) {
    case "Text":
      return mixWord(mixed, part.text)
    case "Url":
      return mixWord(mixed, part.url)
    case "Raw":
      return part.raw.reduce(mixNumber, mixNumber(mixed, part.raw.length))
    case "Data":
      return mixJson(mixed, part.data)
  }
}

const mixParts = (hash: number, parts: ReadonlyArray<Part.Part>): number =>
  parts.reduce(mixPart, mixNumber(hash, parts.length))

const mixMessage = (hash: number, { messageId, parts, role }: Message.Message): number =>
  mixParts(mixWord(mixWord(hash, messageId), role), parts)

const mixStatus = (hash: number, { message, state }: StreamEvent.StatusUpdate["status"]): number =>
  message === undefined ? mixWord(hash, state) : mixMessage(mixWord(hash, state), message)

/** The start of every hash. */
export const seed = 0x811c9dc5

/** Returns the hash of parts with their values. */
export const hashParts = (parts: ReadonlyArray<Part.Part>): number => mixParts(seed, parts)

/** Returns the hash of an event. */
export const hashEvent = (event: StreamEvent.StreamEvent): number => {
  switch (event._tag) {
    case "Message":
      return mixMessage(mixNumber(seed, 1), event)
    case "StatusUpdate":
      return mixStatus(mixNumber(seed, 2), event.status)
    case "ArtifactUpdate": {
      const flags = (event.append === true ? 1 : 0) + (event.lastChunk === true ? 2 : 0)
      return mixParts(mixWord(mixNumber(mixNumber(seed, 3), flags), event.artifact.artifactId), event.artifact.parts)
    }
    case "Task": {
      const status = mixStatus(mixWord(mixNumber(seed, 4), event.id), event.status)
      const artifacts = (event.artifacts ?? []).reduce(
        (mixed, { artifactId, parts }) => mixParts(mixWord(mixed, artifactId), parts),
        status
      )
      return (event.history ?? []).reduce(mixMessage, artifacts)
    }
  }
}
