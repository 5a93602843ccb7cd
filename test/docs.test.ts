import { assert, describe, it } from "@effect/vitest"
import * as Arr from "effect/Array"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { afterAll, beforeAll } from "vitest"
import { exists, files, read, root, sources, tsc } from "../scripts/workspace.ts"
import { examples, extract, same, silent } from "./support/examples.ts"

interface Outcome {
  readonly name: string
  readonly failure?: string
}

describe("examples", () => {
  let folder = ""
  let types = ""
  let outcomes: ReadonlyArray<Outcome> = []
  let end: { readonly status: number | null; readonly stderr: string } = { status: null, stderr: "" }

  beforeAll(() => {
    fs.mkdirSync(path.join(root, ".tmp"), { recursive: true })
    folder = fs.mkdtempSync(path.join(root, ".tmp/docs-"))
    const write = (name: string, text: string) => fs.writeFileSync(path.join(folder, name), text)
    for (const { module, name } of examples) write(name, module)
    write("same.ts", same)
    write("results.jsonl", "")
    write(
      "tsconfig.json",
      JSON.stringify({
        extends: "../../tsconfig.tests.json",
        compilerOptions: {
          incremental: false,
          tsBuildInfoFile: null,
          rootDir: "../..",
          noUnusedLocals: false,
          noUnusedParameters: false
        },
        include: ["*.ts"]
      })
    )
    types = tsc(["-p", folder, "--pretty", "false"], "pipe").output
    end = spawnSync(
      process.execPath,
      [
        path.join(root, "test/support/runExamples.mjs"),
        folder,
        "20000",
        ...examples.filter(({ runs }) => runs).map(({ name }) => name)
      ],
      { cwd: folder, encoding: "utf8", timeout: 120_000, stdio: ["ignore", "ignore", "pipe"] }
    )
    outcomes = fs.readFileSync(path.join(folder, "results.jsonl"), "utf8").split("\n").filter(Boolean).map((line) =>
      JSON.parse(line)
    )
  }, 180_000)

  afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

  const byDocument = Arr.groupBy(examples, ({ at }) => at.replace(/:\d+$/, ""))
  for (const [document, examples] of Object.entries(byDocument)) {
    it(document, () => {
      for (const { at, claims, name, runs } of examples) {
        assert.strictEqual(claims.checked, claims.made, `${at}: each claim follows an expression statement`)
        assert.strictEqual(claims.hollow, 0, `${at}: no claim is about typeof, Layer.isLayer and the like`)
        assert.deepStrictEqual(types.split("\n").filter((line) => line.includes(name)), [])
        if (!runs) continue
        const outcome = outcomes.find((one) => one.name === name)
        assert.isDefined(outcome, `${at} never finished: ${end.stderr}`)
        assert.strictEqual(outcome?.failure, undefined, at)
      }
    })
  }

  it("end by themselves", () => {
    assert.deepStrictEqual(types.split("\n").filter((line) => line.startsWith("error")), [])
    assert.strictEqual(end.status, 0, end.stderr)
  })

  it("belong to every public module", () => {
    assert.deepStrictEqual(silent, [])
  })
})

describe("extraction", () => {
  it("turns claims into comparisons, at the same line, and counts those that check nothing", () => {
    const [first, second, ...others] = extract(
      "a.md",
      [
        "text",
        "```ts",
        "const x = 1 // => 1",
        "Array.of(x).map((n) => {",
        "  return n + 1 // => 2",
        "}) // => [2]",
        "await Promise.resolve(x); // => 1",
        "x",
        "// => 1",
        "```",
        "```ts no-run",
        "x",
        "```",
        "```json",
        "```"
      ].join("\n")
    )
    assert.deepStrictEqual(first?.claims, { made: 5, checked: 3, hollow: 0 })
    assert.deepStrictEqual(first?.module.split("\n").slice(2), [
      "const x = 1 // => 1",
      ";$same((Array.of(x).map((n) => {",
      "  return n + 1 // => 2",
      "})), ([2]))",
      ";$same((await Promise.resolve(x)), (1))",
      ";$same((x), (1))",
      "",
      ""
    ])
    assert.deepStrictEqual([second?.at, second?.runs], ["a.md:11", false])
    assert.deepStrictEqual(others, [])
  })

  it("counts claims that hold for any value of the type", () => {
    const [example] = extract(
      "a.md",
      ["```ts", "Layer.isLayer(x) // => true", "typeof f // => \"function\"", "isLayer // => 1", "```"].join("\n")
    )
    assert.deepStrictEqual(example?.claims, { made: 3, checked: 3, hollow: 2 })
  })

  it("reads comments", () => {
    const [example] = extract("A.ts", "/**\n * Adds.\n *\n * ```ts\n * 1 + 1 // => 2\n * ```\n */\n")
    assert.deepStrictEqual(example?.module.split("\n").slice(4), [";$same((1 + 1), (2))", ""])
    assert.strictEqual(example?.at, "A.ts:4")
  })
})

describe("the map of the tests", () => {
  const names = Array.from(read("test/README.md").matchAll(/`([^`]+)`/g), (match) => match[1] ?? "")
  const missing = (folder: string, pattern: RegExp, except: RegExp) =>
    files(folder, pattern).map((file) => file.slice(folder.length + 1).replace(/(?<!\.test)\.ts$/, ""))
      .filter((name) => !except.test(name) && !names.includes(name))

  it("names every test of this folder and every internal module of core", () => {
    assert.deepStrictEqual(missing("test", /\.test\.ts$/, /^peers\/adk\//), [])
    assert.deepStrictEqual(missing("packages/core/src/internal", /\.ts$/, /^protocol\//), [])
  })

  it("agrees with the headers of modules: the tests that they name exist", () => {
    const named = sources.flatMap((file) =>
      Array.from(read(file).matchAll(/\b[Tt]ested in ([^/]|\/(?!\*))*?\*\//g)).flatMap(([text]) =>
        Array.from(text.matchAll(/`((?:packages|test)\/[^`]+)`/g), (match) => `${file}: ${match[1]}`)
      )
    )
    assert.isNotEmpty(named)
    assert.deepStrictEqual(named.filter((one) => !exists(one.slice(one.indexOf(": ") + 2))), [])
  })

  it("names only files that exist", () => {
    const places = (name: string) => [
      name,
      `${name}.test.ts`,
      `test/${name}`,
      `test/${name}.test.ts`,
      `packages/core/src/internal/${name}.ts`
    ]
    assert.deepStrictEqual(names.filter((name) => /^[^*]*\/[^*]*$/.test(name) && !places(name).some(exists)), [])
  })
})
