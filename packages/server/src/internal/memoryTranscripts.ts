/** What was said in contexts, in memory. Tested in `packages/server/test/words.test.ts`. */
import type * as Id from "@effect-a2a/core/Id"
import type * as Message from "@effect-a2a/core/Message"
import * as Owner from "../Owner.ts"
import type * as Ledger from "./ledger.ts"
import * as Size from "./size.ts"

export interface Transcript extends Ledger.Item {
  readonly _tag: "Transcript"
  readonly key: string
  words: ReadonlyArray<Message.Message>
}

export type Transcripts = Map<string, Transcript>

export const make = (): Transcripts => new Map()

const maxWords = 200
const maxSize = 256 * 1024

const keyOf = (owner: Owner.Owner, contextId: Id.ContextId) => `${Owner.toKey(owner)} ${contextId}`

/** Returns the latest messages within the limits, and their bytes. */
const latest = (words: ReadonlyArray<Message.Message>) => {
  let size = 0
  let from = words.length
  while (from > 0 && words.length - from < maxWords) {
    const bytes = Size.sizeOf(words[from - 1])
    if (size + bytes > maxSize) break
    size += bytes
    from -= 1
  }
  return { size, words: words.slice(from) }
}

/** Adds messages; what the ledger has no room for, or is larger than a transcript, is left out. */
export const add = (
  self: Transcripts,
  ledger: Pick<Ledger.Ledger<Transcript>, "enter" | "grow" | "leave" | "makeRoom">,
  owner: Owner.Owner,
  contextId: Id.ContextId,
  words: ReadonlyArray<Message.Message>,
  at: number
): void => {
  const key = keyOf(owner, contextId)
  const transcript = self.get(key) ??
    { _tag: "Transcript", key, owner: Owner.toKey(owner), size: 0, at, words: [] }
  const kept = latest([...transcript.words, ...words])
  // the id is the caller's choice too
  const bytes = key.length + kept.size - transcript.size
  if (kept.words.length === 0 || ledger.makeRoom(transcript, bytes) !== undefined) return
  self.set(key, transcript)
  transcript.words = kept.words
  transcript.at = at
  ledger.grow(transcript, bytes)
  ledger.leave("transcript", transcript)
  ledger.enter("transcript", transcript)
}

export const read = (
  self: Transcripts,
  owner: Owner.Owner,
  contextId: Id.ContextId
): ReadonlyArray<Message.Message> => self.get(keyOf(owner, contextId))?.words ?? []
