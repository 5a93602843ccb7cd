/** Content of which only the length and a running hash are kept: enough to recognize it at the beginning of other content. */
import type * as Part from "../../Part.ts"
import * as Hash from "./eventHash.ts"

/** The length and the hash of everything added. */
export interface Content {
  readonly length: number
  readonly hash: number
}

export const empty: Content = { length: 0, hash: Hash.seed }

/** Adds a text. */
export const addText = ({ hash, length }: Content, text: string): Content => ({
  length: length + text.length,
  hash: Hash.mixText(hash, text)
})

/** Adds a part: a text by its characters, any other as one item. */
export const addPart = (content: Content, part: Part.Part): Content =>
  part._tag === "Text"
    ? addText(content, part.text)
    : { length: content.length + 1, hash: Hash.mixPart(content.hash, part) }

/** Returns the content of a text. */
export const ofText = (text: string): Content => addText(empty, text)

/** Adds items, by their hashes. */
export const addItems = (content: Content, items: ReadonlyArray<number>): Content => ({
  length: content.length + items.length,
  hash: items.reduce(Hash.mixNumber, content.hash)
})

/** The content of a source, and the last piece of it. */
export interface Source {
  readonly all: Content
  readonly last: Content
}

/**
 * - `piece`: content of a message, a further piece unless it begins with all that came under the id, and is longer.
 * - `repeat`: the same, but content that equals all that came under the id adds nothing.
 * - `snapshot`: the same, and content that equals the last piece under the id adds nothing.
 * - `append`: a further piece of an artifact.
 * - `replace`: an artifact's whole content.
 */
export type Kind = "piece" | "repeat" | "snapshot" | "append" | "replace"

/** Returns how much of a piece, of `size`, repeats what its source had. `begins`: true if the piece begins with it. */
export const countRepeated = (
  { all, last }: Source,
  kind: Kind,
  size: number,
  begins: (content: Content) => boolean
): number => {
  if (kind === "append") return 0
  if (begins(all) && (kind !== "piece" || size > all.length)) return all.length
  return kind === "snapshot" && size === last.length && begins(last) ? size : 0
}

/** Returns true if a text begins with the content, which is not empty. */
export const beginsText = ({ hash, length }: Content, text: string): boolean =>
  length > 0 && text.length >= length && Hash.mixText(Hash.seed, text.slice(0, length)) === hash

/** Returns true if a list begins with the content, which is not empty. */
export const beginsItems = ({ hash, length }: Content, items: ReadonlyArray<number>): boolean =>
  length > 0 && items.length >= length && items.slice(0, length).reduce(Hash.mixNumber, Hash.seed) === hash
