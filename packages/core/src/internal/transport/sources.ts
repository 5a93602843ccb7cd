/**
 * What was delivered of each source of content, an artifact or a message: a length and a running hash. A peer that
 * replays in other pieces is caught up with by them. Tested in `packages/core/test/delivery.test.ts`.
 */
import type * as Part from "../../Part.ts"
import type * as StreamEvent from "../../StreamEvent.ts"
import * as Hash from "../turn/eventHash.ts"

interface Content {
  /** The number of times that the content was replaced. */
  readonly version: number
  length: number
  hash: number
}

/** Content by source. */
export type Sources = Map<string, Content>

// sources that are remembered; the oldest are forgotten first
const maxSources = 4_096

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

const addPart = (content: Content, part: Part.Part): void => {
  if (part._tag === "Text") {
    content.hash = Hash.mixText(content.hash, part.text)
    content.length += part.text.length
  } else {
    content.hash = Hash.mixPart(content.hash, part)
    content.length += 1
  }
}

const contentOf = (sources: Sources, { replaces, source }: Piece): Content => {
  const known = sources.get(source)
  if (known !== undefined && !replaces) return known
  const content = { version: known === undefined ? 0 : known.version + 1, length: 0, hash: Hash.seed }
  sources.delete(source)
  sources.set(source, content)
  if (sources.size > maxSources) {
    for (const oldest of sources.keys()) {
      sources.delete(oldest)
      break
    }
  }
  return content
}

/** Adds the content of a piece. */
export const add = (sources: Sources, piece: Piece): void => {
  const content = contentOf(sources, piece)
  for (const part of piece.parts) addPart(content, part)
}

/**
 * Adds a piece of a replay, and returns the parts beyond what was `delivered` of its source. Content that differs from
 * what was delivered is returned as it is.
 */
export const beyond = (delivered: Sources, replayed: Sources, piece: Piece): ReadonlyArray<Part.Part> => {
  const known = delivered.get(piece.source)
  const content = contentOf(replayed, piece)
  const isEarlier = known !== undefined && content.version < known.version
  const isLater = known === undefined || content.version > known.version
  const rest: Array<Part.Part> = []
  for (const part of piece.parts) {
    const before = { ...content }
    addPart(content, part)
    if (isEarlier) continue
    if (isLater || before.length >= known.length) rest.push(part)
    else if (content.length > known.length && part._tag === "Text") {
      const cut = known.length - before.length
      const isSame = Hash.mixText(before.hash, part.text.slice(0, cut)) === known.hash
      rest.push(isSame ? { ...part, text: part.text.slice(cut) } : part)
    } else if (content.length === known.length && content.hash !== known.hash) rest.push(part)
  }
  return rest
}
