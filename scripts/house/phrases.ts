// Phrases that docs/glossary.md and the house style rule out, wherever people read them.
import { type Prose, prose } from "./prose.ts"
import { place } from "./sources.ts"

export interface Phrase {
  readonly title: string
  readonly pattern: RegExp
}

/** A space in a pattern is any white space, a line break included. */
const anywhere = ({ flags, source }: RegExp) => new RegExp(source.replaceAll(" ", "\\s+"), `${flags}g`)

export const phrases: Readonly<Record<string, Phrase>> = {
  told: { title: "tell, told", pattern: /\b(tell|tells|telling|told)\b/i },
  beHad: { title: "be had", pattern: /\bbe had\b/i },
  isNone: { title: "is none", pattern: /\b(is|are|was|were|be) none\b/i },
  isNo: {
    title: "is no …",
    pattern:
      /(?<!\b(there|here) )\b(is|are|was|were) no (?!longer\b|more\b|less\b|later\b|earlier\b|further\b|such\b)[a-z]+/i
  },
  anUrl: { title: "an URL", pattern: /\ban URL/i },
  upAgain: { title: "up again", pattern: /\bup again\b|\b(take|takes|took|taken|taking) (\S+ ){0,6}up again\b/i },
  forEver: { title: "for ever", pattern: /\bfor ever\b/i },
  inHand: { title: "in hand", pattern: /\bin hand\b/i },
  atHand: { title: "at hand", pattern: /\bat hand\b/i },
  ofItsOwn: { title: "of its own", pattern: /\bof (its|their|his|her) own\b/i },
  allTheSame: { title: "all the same", pattern: /\ball the same\b/i },
  besides: { title: "besides", pattern: /\bbesides\b/i },
  upon: { title: "upon", pattern: /\bupon\b/i }
}

/** Words that the glossary replaces. */
export const oldWords: Readonly<Record<string, Phrase>> = {
  edition: { title: "edition", pattern: /\beditions?\b/i },
  cell: { title: "cell", pattern: /\bcells?\b/i },
  seam: { title: "seam", pattern: /\bseams?\b/i },
  fake: { title: "fake, mock", pattern: /\b(fakes?|faked|mocks?|mocked)\b/i }
}

/** Sentences in which people tell, by a piece of them. */
const allowed: ReadonlyArray<{ readonly file: string; readonly text: string }> = [
  // the words of an emulated agent
  { file: "packages/emulators/src/internal/adk/answers.ts", text: "Once upon" }
]

const isAllowed = (one: Prose, index: number): boolean =>
  allowed.some(({ file, text }) => {
    const start = file === one.file ? one.text.lastIndexOf(text, index) : -1
    return start !== -1 && index < start + text.length
  })

/** `path:line: found` of each place where people read the phrase. */
export const occurrences = ({ pattern }: Phrase, texts = prose): ReadonlyArray<string> =>
  texts.flatMap((one) =>
    Array.from(one.prose.matchAll(anywhere(pattern)))
      .filter(({ index }) => !isAllowed(one, index))
      .map(({ 0: found, index }) => place(one, index, found.replaceAll(/\s+/g, " ")))
  )
