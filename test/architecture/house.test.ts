/** The measures of `pnpm house` find what they count, in sources written for this test. */
import { assert, describe, it } from "@effect/vitest"
import * as Code from "../../scripts/house/code.ts"
import * as Docs from "../../scripts/house/docs.ts"
import { occurrences, oldWords, phrases } from "../../scripts/house/phrases.ts"
import { inSources } from "../../scripts/house/prose.ts"
import { tree } from "../../scripts/syntax.ts"

const file = "packages/core/src/Example.ts"

const source = (...lines: ReadonlyArray<string>) => [tree(file, lines.join("\n"))]

/** The findings without their places. */
const found = (places: ReadonlyArray<string>) => places.map((place) => place.replace(/^[^:]+:(\d+): /, "$1 "))

const said = (...lines: ReadonlyArray<string>) => {
  const text = lines.join("\n")
  const prose = inSources(file, tree(file, text))
  return Object.values({ ...phrases, ...oldWords }).flatMap((phrase) => found(occurrences(phrase, [prose])))
}

describe("the measures of code", () => {
  it("count casts once each", () => {
    assert.deepStrictEqual(
      found(Code.casts(source("const a = b as never", "const c = d as unknown as E", "const f = g as unknown as any"))),
      ["1 as never", "2 as unknown as", "3 as unknown as"]
    )
    assert.deepStrictEqual(Code.casts(source("const a = b as const", "const c = d as E", "// as any")), [])
  })

  it("count long functions once, with the closures in them", () => {
    const long = ["const outer = () => {", "  const inner = () => {", ...Array(90).fill("    run()"), "  }", "}"]
    assert.deepStrictEqual(found(Code.longFunctions(source(...long))), ["1 outer, 94 lines"])
    assert.deepStrictEqual(Code.longFunctions(source("const short = () => {", ...Array(70).fill("run()"), "}")), [])
  })

  it("find functions that are named by a participle", () => {
    assert.deepStrictEqual(
      found(Code.participles(source(
        "const told = () => 1",
        "const named = Effect.fn(\"named\")(function*() {})",
        "const heldOnSuccess = dual(2, () => 1)",
        "function located() {}",
        "const settled = 1",
        "const feed = () => 1",
        "const isSettled = () => 1"
      ))),
      ["1 told", "2 named", "3 heldOnSuccess", "4 located"]
    )
  })

  it("find values recognised by a part of their tag", () => {
    assert.deepStrictEqual(
      found(Code.tagParts(source(
        "const a = operation._tag.startsWith(\"Send\")",
        "const b = /Config$/.test(operation._tag)",
        "const c = operation._tag === \"GetTask\""
      ))),
      ["1 _tag and startsWith", "2 _tag and test"]
    )
  })

  it("find state of modules, and no constant tables", () => {
    assert.deepStrictEqual(
      found(Code.state(source(
        "let count = 0",
        "const byAgent = new WeakMap()",
        "const seen = new Set()",
        "const table = new Map([[1, 2]])",
        "const add = (x) => { const own = new Set(); seen.add(x); own.add(x) }"
      ))),
      ["1 let count", "2 const byAgent", "3 const seen"]
    )
  })

  it("find words of vendors, and no words that contain their letters", () => {
    const texts = [
      "/** For MemoryLake. */",
      "const adkThought = \"adk_thought\"",
      "const isAdk = ADK_TYPE",
      "// breadkins, adkins"
    ]
    assert.deepStrictEqual(found(Code.vendorWords(source(...texts))), [
      "1 MemoryLake",
      "2 adk",
      "2 adk",
      "3 Adk",
      "3 ADK"
    ])
  })
})

describe("the measures of doc comments", () => {
  it("find question words at the begin", () => {
    assert.deepStrictEqual(
      found(
        Docs.questions(source("/** What a task is. */", "/**", " * Returns what it has.", " */", "// Where it is"))
      ),
      ["1 What a task is."]
    )
  })

  it("find exports without a comment; the header of a module is not one", () => {
    const texts = [
      "/**",
      " * A module.",
      " * @since 0.1.0",
      " */",
      "export const a = 1",
      "/** B. */",
      "export const b = 1"
    ]
    assert.deepStrictEqual(found(Docs.undocumented(source(...texts, "export interface C {}"))), ["5 a", "8 C"])
  })

  it("accept one comment for a value and a type of the same name", () => {
    assert.deepStrictEqual(Docs.undocumented(source("/** T. */", "export const T = 1", "export type T = typeof T")), [])
  })

  it("find ids and rules, and no encodings", () => {
    assert.deepStrictEqual(
      found(Docs.ids(source("/** Reads UTF-16 (SSE-01), rule W8, A2A 1.0 §3.1. */"))),
      ["1 SSE-01", "1 rule W8"]
    )
  })
})

describe("the measures of language", () => {
  const words = ["is", "n" + "one"].join(" ")

  it("find phrases in comments and texts, over line breaks", () => {
    assert.deepStrictEqual(said(`/** The URL ${words}. */`, `const message = "it ${words.replace(" ", "  ")}"`), [
      `1 ${words}`,
      `2 ${words}`
    ])
    assert.deepStrictEqual(said("/**", ` * The URL ${words.replace(" ", "\n * ")}.`, " */"), [`2 ${words}`])
  })

  it("leave code, imports and other sentences alone", () => {
    assert.deepStrictEqual(
      said("import { x } from \"./cell.ts\"", "const cell = seam", "// there is no URL, it is no longer valid"),
      []
    )
  })
})
