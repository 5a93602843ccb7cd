/**
 * What was delivered of each source of content, an artifact or a message: a length and a running hash. A peer that
 * replays in other pieces is caught up with by them. Tested in `packages/core/test/delivery.test.ts`.
 */
import type * as Part from "../../Part.ts"
import type * as StreamEvent from "../../StreamEvent.ts"
import type { Task } from "../../Task.ts"
import { put } from "../turn/boundedMap.ts"
import * as Content from "../turn/content.ts"

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

/** Returns the content of a task's artifacts. */
export const piecesOf = ({ artifacts = [] }: Task): ReadonlyArray<Piece> =>
  artifacts.map(({ artifactId, parts }) => ({ source: `a ${artifactId}`, parts, replaces: true }))

/** True for text of a message that begins with all that came before, and is longer: it replaces that. */
const isCumulative = ({ content }: Source, { parts, source }: Piece): boolean => {
  if (!source.startsWith("m ") || !parts.every(({ _tag }) => _tag === "Text")) return false
  const text = parts.reduce((all, part) => part._tag === "Text" ? all + part.text : all, "")
  return text.length > content.length && Content.beginsText(content, text)
}

/** Returns the content that a piece adds to. */
const before = (sources: Sources, piece: Piece): Source => {
  const known = sources.get(piece.source)
  if (known === undefined) return { version: 0, content: Content.empty }
  if (piece.replaces) return { version: known.version + 1, content: Content.empty }
  return isCumulative(known, piece) ? { ...known, content: Content.empty } : known
}

/** Adds the content of a piece. */
export const add = (sources: Sources, piece: Piece): void => {
  const { content, version } = before(sources, piece)
  put(sources, piece.source, { version, content: piece.parts.reduce(Content.addPart, content) })
}

const isSame = (one: Content.Content, other: Content.Content): boolean =>
  one.length === other.length && one.hash === other.hash

/** True if a piece is all that its source has: a snapshot of it changes nothing. */
const isKnown = (sources: Sources, { parts, source }: Piece): boolean => {
  const known = sources.get(source)
  return known !== undefined && isSame(known.content, parts.reduce(Content.addPart, Content.empty))
}

/** Adds an artifact of a snapshot. */
export const addSnapshot = (sources: Sources, piece: Piece): void => {
  if (!isKnown(sources, piece)) add(sources, piece)
}

/** Adds an artifact of a snapshot in a replay, and returns true if it has more than was `delivered` of its source. */
export const isBeyond = (delivered: Sources, replayed: Sources, piece: Piece): boolean =>
  !isKnown(replayed, piece) && beyond(delivered, replayed, piece).length > 0

/** The place in a part where what is known ends, if it ends there. */
const endIn = (known: Content.Content, content: Content.Content, part: Part.Part): number | undefined => {
  const cut = known.length - content.length
  if (cut === 0) return isSame(known, content) ? 0 : undefined
  if (part._tag !== "Text" || cut < 0 || part.text.length <= cut) return undefined
  return isSame(known, Content.addText(content, part.text.slice(0, cut))) ? cut : undefined
}

/**
 * Adds a piece of a replay, and returns the parts beyond what was `delivered` of its source. Content that differs from
 * what was delivered is returned as it is, unless it was replaced later.
 */
export const beyond = (delivered: Sources, replayed: Sources, piece: Piece): ReadonlyArray<Part.Part> => {
  const source = delivered.get(piece.source)
  let { content, version } = before(replayed, piece)
  add(replayed, piece)
  if (source === undefined || version > source.version) return piece.parts
  const known = source.content
  const rest: Array<Part.Part> = []
  for (const part of piece.parts) {
    const end = known.length === 0 ? undefined : endIn(known, content, part)
    const isBeyond = content.length >= known.length
    content = Content.addPart(content, part)
    // a replay that leaves events out replaces content less often
    if (end !== undefined) version = source.version
    if (end !== undefined && end > 0 && part._tag === "Text") rest.push({ ...part, text: part.text.slice(end) })
    else if (version === source.version && (isBeyond || differs(known, content))) rest.push(part)
  }
  put(replayed, piece.source, { version, content })
  return rest
}

/** True for content that is as long as what is known, or longer, and another. */
const differs = (known: Content.Content, content: Content.Content): boolean =>
  content.length > known.length || (content.length === known.length && content.hash !== known.hash)
