/**
 * What was delivered of each source of content, an artifact or a message: a length and a running hash. A peer that
 * replays in other pieces is caught up with by them. Tested in `packages/core/test/delivery.test.ts`.
 */
import type * as Part from "../../Part.ts"
import type * as StreamEvent from "../../StreamEvent.ts"
import { put } from "../turn/boundedMap.ts"
import * as Content from "../turn/content.ts"
import * as Hash from "../turn/eventHash.ts"

interface Source {
  /** The number of times that the content was replaced. */
  readonly version: number
  readonly content: Content.Content
}

/** Content by source. */
export type Sources = Map<string, Source>

/** The content of an event: its source, its parts, and whether it replaces what the source had. */
export interface Piece {
  readonly source: string
  readonly parts: ReadonlyArray<Part.Part>
  readonly replaces: boolean
}

/** Returns the content of an event, if it has any. */
export const pieceOf = (event: StreamEvent.StreamEvent): Piece | undefined => {
  switch (event._tag) {
    case "ArtifactUpdate":
      return { source: `a ${event.artifact.artifactId}`, parts: event.artifact.parts, replaces: event.append !== true }
    case "StatusUpdate": {
      const { message } = event.status
      return message && { source: `m ${message.messageId}`, parts: message.parts, replaces: false }
    }
    case "Message":
      return { source: `m ${event.messageId}`, parts: event.parts, replaces: false }
    case "Task":
      return undefined
  }
}

/** Returns the content that a piece adds to. */
const before = (sources: Sources, { replaces, source }: Piece): Source => {
  const known = sources.get(source)
  if (known !== undefined && !replaces) return known
  return { version: known === undefined ? 0 : known.version + 1, content: Content.empty }
}

/** Adds the content of a piece. */
export const add = (sources: Sources, piece: Piece): void => {
  const { content, version } = before(sources, piece)
  put(sources, piece.source, { version, content: piece.parts.reduce(Content.addPart, content) })
}

/**
 * Adds a piece of a replay, and returns the parts beyond what was `delivered` of its source. Content that differs from
 * what was delivered is returned as it is.
 */
export const beyond = (delivered: Sources, replayed: Sources, piece: Piece): ReadonlyArray<Part.Part> => {
  const source = delivered.get(piece.source)
  const earlier = before(replayed, piece)
  add(replayed, piece)
  if (source === undefined || earlier.version > source.version) return piece.parts
  if (earlier.version < source.version) return []
  const known = source.content
  let { content } = earlier
  const rest: Array<Part.Part> = []
  for (const part of piece.parts) {
    const { hash, length } = content
    content = Content.addPart(content, part)
    if (length >= known.length) rest.push(part)
    else if (content.length > known.length && part._tag === "Text") {
      const cut = known.length - length
      const isSame = Hash.mixText(hash, part.text.slice(0, cut)) === known.hash
      rest.push(isSame ? { ...part, text: part.text.slice(cut) } : part)
    } else if (content.length === known.length && content.hash !== known.hash) rest.push(part)
  }
  return rest
}
