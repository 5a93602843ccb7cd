/** Parts that are neither text nor thoughts, by source: a source that repeats them adds only those that follow. */
import type * as Part from "../../Part.ts"
import { put } from "./boundedMap.ts"
import * as Content from "./content.ts"
import * as Hash from "./eventHash.ts"

/** Returns true for tool calls, results, files and data. */
export const isItem = (part: Part.Part): boolean =>
  part._tag !== "Text" || (part.mark !== undefined && part.mark._tag !== "Thought" && part.mark._tag !== "Delta")

/** Items by source. */
export type Contents = Map<string, Content.Source>

/** Records the items of a source, and returns a function that is true for each of them that is known, in order. */
export const record = (
  contents: Contents,
  id: string,
  kind: Content.Kind,
  parts: ReadonlyArray<Part.Part>
): () => boolean => {
  const items: Array<number> = []
  for (const part of parts) if (isItem(part)) items.push(Hash.mixPart(Hash.seed, part))
  if (items.length === 0) return () => false
  const before = contents.get(id)
  const begins = (content: Content.Content) => Content.beginsItems(content, items)
  const known = before === undefined ? 0 : Content.countRepeated(before, kind, items.length, begins)
  const isWhole = before === undefined || (kind === "replace" && known === 0)
  const rest = items.slice(known)
  if (rest.length > 0) {
    const all = Content.addItems(isWhole ? Content.empty : before.all, rest)
    put(contents, id, { all, last: Content.addItems(Content.empty, items) })
  }
  let at = 0
  return () => at++ < known
}
