/** Parts that are neither text nor thoughts, by source: a source that repeats them adds only those that follow. */
import type * as Part from "../../Part.ts"
import { put } from "./boundedMap.ts"
import * as Content from "./content.ts"
import * as Hash from "./eventHash.ts"
import type * as Sources from "./sources.ts"

/** Returns true for tool calls, results, files and data. */
export const isItem = (part: Part.Part): boolean =>
  part._tag !== "Text" || (part.mark !== undefined && part.mark._tag !== "Thought" && part.mark._tag !== "Delta")

const repeats = (before: Content.Content | undefined, items: ReadonlyArray<number>, kind: Sources.Kind): number =>
  before !== undefined && kind !== "append" && Content.beginsItems(before, items) &&
    (kind !== "piece" || items.length > before.length)
    ? before.length
    : 0

/** Records the items of a source, and returns a function that is true for each of them that is known, in order. */
export const record = (
  contents: Map<string, Content.Content>,
  id: string,
  kind: Sources.Kind,
  parts: ReadonlyArray<Part.Part>
): () => boolean => {
  const items: Array<number> = []
  for (const part of parts) if (isItem(part)) items.push(Hash.mixPart(Hash.seed, part))
  if (items.length === 0) return () => false
  const before = contents.get(id)
  const known = repeats(before, items, kind)
  const isWhole = before === undefined || (kind === "replace" && known === 0)
  put(
    contents,
    id,
    isWhole ? Content.addItems(Content.empty, items) : Content.addItems(before, items.slice(known))
  )
  let at = 0
  return () => at++ < known
}
