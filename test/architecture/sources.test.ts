/** Rules for all published sources: no cycles, and no habits that Effect replaces. */
import { assert, describe, it } from "@effect/vitest"
import { exists } from "../../scripts/workspace.ts"
import { all, cycle, offences, parse } from "./support.ts"

/** Habits that are allowed, each with its reason. */
const allowed: ReadonlyArray<{ readonly file: RegExp; readonly what: string; readonly reason: string }> = [
  { file: /^packages\/cli\/src\//, what: "process.env", reason: "the command reads its settings from variables" }
]

describe("sources", () => {
  it("form no cycle, types included", () => {
    const graph = new Map(all.map(({ file, imports }) => [
      file,
      imports.flatMap(({ target }) => target === undefined ? [] : [target])
    ]))
    assert.deepStrictEqual(cycle(graph), [])
  })

  it("name files that exist, by their extension", () => {
    assert.deepStrictEqual(offences(all, (_, { target }) => target !== undefined && !exists(target)), [])
  })

  it("leave asynchrony, failure, time and chance to Effect", () => {
    assert.deepStrictEqual(
      all.flatMap(({ file, habits }) =>
        habits.filter(({ what }) => !allowed.some((one) => one.what === what && one.file.test(file)))
      ),
      []
    )
  })

  it("are finished", () => {
    assert.deepStrictEqual(
      all.filter(({ text }) => /\b(TODO|FIXME|XXX)\b|not implemented/i.test(text)).map(({ file }) => file),
      []
    )
  })
})

describe("these checks", () => {
  const file = "packages/server/src/Example.ts"

  it("see imports of every form", () => {
    const { imports } = parse(
      file,
      [
        `import { type Id, Task } from "@effect-a2a/core"`,
        `import type * as Rest from "@effect-a2a/transport-rest/Rest"`,
        `import "./effects.ts"`,
        `export * as Other from "../../testing/src/Other.ts"`,
        `type T = import("./Type.ts").T`,
        `const later = import("node:fs")`
      ].join("\n")
    )
    assert.deepStrictEqual(imports.map(({ isType, target }) => `${isType ? "type " : ""}${target}`).sort(), [
      "packages/core/src/Task.ts",
      "packages/server/src/effects.ts",
      "packages/testing/src/Other.ts",
      "type packages/core/src/Id.ts",
      "type packages/server/src/Type.ts",
      "type packages/transport-rest/src/Rest.ts",
      "undefined"
    ])
  })

  it("see habits", () => {
    const { habits } = parse(
      file,
      "const f = async () => {\n  try { Date.now() } finally { new Date() }\n}\nfunction* g() {}\nclass A { async m() {} }"
    )
    assert.deepStrictEqual(habits.map(({ at, what }) => `${what} ${at.split(":")[1]}`), [
      "async 1",
      "try 2",
      "Date.now 2",
      "new Date 2",
      "async 5"
    ])
  })

  it("see cycles", () => {
    assert.deepStrictEqual(cycle(new Map([["a", ["b", "c"]], ["b", []], ["c", ["d"]], ["d", ["c"]]])), ["c", "d", "c"])
    assert.deepStrictEqual(cycle(new Map([["a", ["b", "c"]], ["b", ["c"]], ["c", []]])), [])
  })
})
