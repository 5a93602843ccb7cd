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

/** Returns true if a text begins with the content, which is not empty. */
export const beginsText = ({ hash, length }: Content, text: string): boolean =>
  length > 0 && text.length >= length && Hash.mixText(Hash.seed, text.slice(0, length)) === hash

/** Returns true if a list begins with the content, which is not empty. */
export const beginsItems = ({ hash, length }: Content, items: ReadonlyArray<number>): boolean =>
  length > 0 && items.length >= length && items.slice(0, length).reduce(Hash.mixNumber, Hash.seed) === hash
