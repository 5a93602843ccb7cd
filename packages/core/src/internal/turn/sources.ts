/**
 * Text by source. A peer sends the text of a source in pieces, or all of it again and again, and another source may repeat
 * what the first had: each text is emitted once. Memory does not grow with the text. Tested in
 * `packages/core/test/turn.test.ts`.
 */
import { put } from "./boundedMap.ts"
import * as Content from "./content.ts"

/** The text of one event. */
export interface Said {
  /** The id under which the text came. */
  readonly id: string
  /** The source that the text belongs to: the id, unless several ids have one text. */
  readonly source: string
  readonly kind: Content.Kind
  readonly text: string
}

/** The text so far. */
export interface Sources {
  readonly sources: Map<string, Content.Source>
  /** All text since the last break, as the agent sent it, and with the blank lines between sources. */
  sent: Content.Content
  shown: Content.Content
  /** The source of the last text. */
  last: string | undefined
  hasText: boolean
}

export const make = (): Sources => ({
  sources: new Map(),
  sent: Content.empty,
  shown: Content.empty,
  last: undefined,
  hasText: false
})

/** The length of the text's beginning that is known, and true if the rest stands apart from it. */
export interface Known {
  readonly length: number
  readonly isApart: boolean
}

/** A source without text. */
const nothing: Content.Source = { all: Content.empty, last: Content.empty }

const none: Known = { length: 0, isApart: false }

/** Returns the known part of a text whose source had text before. */
const ofSource = (before: Content.Source, { kind, text }: Said): Known => {
  const length = Content.countRepeated(before, kind, text.length, (content) => Content.beginsText(content, text))
  return { length, isApart: length === 0 && kind === "replace" && before.all.length > 0 }
}

/** Returns the known part of a text of a new source, which may repeat all that others had since the last break. */
const ofOthers = (self: Sources, { id, source, text }: Said): Known => {
  if (id !== source && self.sources.has(source)) return none
  const earlier = [self.shown, self.sent].find((content) => Content.beginsText(content, text))
  if (earlier === undefined) return none
  self.last = source
  return { length: earlier.length, isApart: false }
}

/** Records the text of an event, and returns how much of it is known already. */
export const record = (self: Sources, said: Said): Known => {
  const { sources } = self
  const { id, kind, source, text } = said
  const before = sources.get(id)
  if (text === "") {
    if (before !== undefined && kind === "replace") put(sources, id, nothing)
    return none
  }
  const known = before === undefined ? ofOthers(self, said) : ofSource(before, said)
  const isWhole = before === undefined || (kind === "replace" && known.length === 0)
  const rest = text.slice(known.length)
  const last = Content.ofText(text)
  if (isWhole || rest !== "") put(sources, id, { all: isWhole ? last : Content.addText(before.all, rest), last })
  if (id !== source) put(sources, source, nothing)
  return known
}

const blankLine = "\n\n"

/** Adds a piece that is emitted, and returns it with the blank line that separates it from another source. */
export const emit = (self: Sources, source: string, text: string, isApart: boolean): string => {
  const separator = self.hasText && (isApart || self.last !== source) ? blankLine : ""
  self.sent = Content.addText(self.sent, text)
  self.shown = Content.addText(self.shown, self.shown.length === 0 ? text : separator + text)
  self.last = source
  self.hasText = true
  return separator + text
}

/** Begins a new stretch of text: what follows repeats nothing that came before. */
export const breakOff = (self: Sources): void => {
  self.sent = self.shown = Content.empty
}
