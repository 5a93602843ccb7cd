// All measures of the house: their values today, and the places that make them up.
import type { bounds } from "./bounds.ts"
import * as Code from "./code.ts"
import { internalTypes } from "./contracts.ts"
import * as Docs from "./docs.ts"
import { streamHover } from "./hover.ts"
import { occurrences, oldWords, type Phrase, phrases } from "./phrases.ts"

export interface Measure {
  readonly name: keyof typeof bounds
  readonly title: string
  readonly value: number
  /** `path:line: what`, each a thing to change. */
  readonly places: ReadonlyArray<string>
}

const counted = (name: Measure["name"], title: string, places: ReadonlyArray<string>): Measure => ({
  name,
  title,
  places,
  value: places.length
})

const listed = (list: Readonly<Record<string, Phrase>>, kind: string): ReadonlyArray<Measure> =>
  Object.entries(list).map(([name, phrase]) =>
    counted(name as Measure["name"], `${kind}: ${phrase.title}`, occurrences(phrase))
  )

/** Measures of texts and syntax trees. */
export const measures: ReadonlyArray<Measure> = [
  counted("casts", "casts: as never, as any, as unknown as", Code.casts()),
  {
    name: "questions",
    title: "% doc comments that open with a question word",
    value: Docs.questionShare(),
    places: Docs.questions()
  },
  counted("undocumented", "public exports without a doc comment", Docs.undocumented()),
  counted("ids", "requirement ids and rules in published comments", Docs.ids()),
  counted("titleIds", "ids in titles of tests", Docs.titleIds()),
  counted("hollowExamples", "examples without a result worth showing", Docs.hollowExamples()),
  counted("vendorWords", "words of vendors in core", Code.vendorWords()),
  counted("tagParts", "values recognised by a part of their tag", Code.tagParts()),
  counted("internalTypes", "public types defined under internal/", internalTypes()),
  counted("longFunctions", "functions over 80 lines", Code.longFunctions()),
  counted("participles", "functions named by a past participle", Code.participles()),
  counted("state", "mutable state of modules", Code.state()),
  counted("bigFiles", "files over 25 kB", Code.bigFiles()),
  { name: "medianSize", title: "median size of a file, kB", value: Code.medianSize(), places: [] },
  ...listed(phrases, "phrase"),
  ...listed(oldWords, "replaced word")
]

/** The length of the type in the hover of `Agent.stream("hi")`. Starts a language server. */
export const hoverMeasure = async (): Promise<Measure> => {
  const text = await streamHover()
  return { name: "hover", title: "characters in the hover of Agent.stream(\"hi\")", value: text.length, places: [text] }
}
