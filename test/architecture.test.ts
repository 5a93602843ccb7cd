import { assert, describe, it } from "@effect/vitest"
import { stale } from "../scripts/barrels.ts"
import { exists, packages, read } from "../scripts/workspace.ts"
import { all, cycle, type Import, parse, type Source } from "./support/syntax.ts"

// -----------------------------------------------------------------------------
// which package may import which, and from outside
// -----------------------------------------------------------------------------

const libraries = ["core", "transport-rest", "transport-jsonrpc", "transport-adk", "memorylake", "server"]

const mayImport: { readonly [owner: string]: ReadonlyArray<string> } = {
  core: [],
  "transport-rest": ["core"],
  "transport-jsonrpc": ["core"],
  "transport-adk": ["core"],
  memorylake: ["core"],
  server: ["core"],
  testing: libraries,
  node: libraries,
  browser: libraries,
  cli: [...libraries, "node", "testing"],
  conformance: [...libraries, "node", "testing"]
}

/** Outside of the repository everything stands on `effect` alone, save for these (SDK-05). */
const outside: { readonly [owner: string]: RegExp } = {
  node: /^(@effect\/platform-node\/|node:)/,
  cli: /^(@effect\/platform-node\/|node:)/,
  conformance: /^(@effect\/platform-node\/|node:|@a2a-js\/sdk)/
}

const ownerOf = ({ target }: Import) => target?.split("/")[1]

// -----------------------------------------------------------------------------
// what stands on what inside core
// -----------------------------------------------------------------------------

const layers: ReadonlyArray<ReadonlyArray<string>> = [
  "Id Metadata Part Message Artifact TaskState Task StreamEvent AgentCard SecurityScheme PushNotification".split(" "),
  "Operation AgentError AgentStream Answer ToolCall".split(" "),
  "AgentTransport Protocol Credentials ServiceParameters".split(" "),
  "HttpBinding Discovery Agent".split(" "),
  ["Conversation"]
]
const [model = []] = layers

const moduleOf = (file: string | undefined) => /^packages\/core\/src\/(\w+)\.ts$/.exec(file ?? "")?.[1]

/** A module that no layer names is a client's, and may stand on all but conversations. */
const layerOf = (module: string) => {
  const layer = layers.findIndex((modules) => modules.includes(module))
  return layer === -1 ? 3 : layer
}

const sourcesOf = (...owners: ReadonlyArray<string>) => all.filter(({ owner }) => owners.includes(owner))

/** `file → specifier` for each import that a rule forbids. */
const offences = (sources: ReadonlyArray<Source>, forbidden: (source: Source, one: Import) => boolean) =>
  sources.flatMap((source) =>
    source.imports.filter((one) => forbidden(source, one)).map(({ specifier }) => `${source.file} → ${specifier}`)
  )

// -----------------------------------------------------------------------------
// words of the wire
// -----------------------------------------------------------------------------

const wire =
  /message\/(send|stream)|tasks\/(get|cancel|resubscribe)|\bROLE_(USER|AGENT)\b|\bTASK_STATE_|^blocking$|\/v1\//
const wireHomes = /^packages\/(core\/src\/internal\/protocol|memorylake\/src\/internal|transport-adk)\//

// -----------------------------------------------------------------------------
// habits that are allowed, each with its reason
// -----------------------------------------------------------------------------

const allowed: ReadonlyArray<{ readonly file: RegExp; readonly what: string; readonly reason: string }> = [
  { file: /^packages\/cli\/src\//, what: "process.env", reason: "the command's contract is told in variables" }
]

const asAnyCap = 10

describe("packages", () => {
  it("SDK-01: import only what the design lets them, and say so in their manifest", () => {
    assert.deepStrictEqual(packages.filter((name) => !(name in mayImport)), [])
    assert.deepStrictEqual(
      offences(all, ({ owner }, one) => {
        const other = ownerOf(one)
        return other === undefined
          ? !one.specifier.startsWith("effect/") && outside[owner]?.test(one.specifier) !== true
          : other !== owner && mayImport[owner]?.includes(other) !== true
      }),
      []
    )
    assert.deepStrictEqual(
      offences(all, ({ owner }, { specifier }) => {
        const name = /^(@[^/]+\/[^/]+|[^./:#][^/:]*)(\/|$)/.exec(specifier)?.[1]
        const { dependencies, peerDependencies } = JSON.parse(read(`packages/${owner}/package.json`))
        return name !== undefined && name !== `@effect-a2a/${owner}` &&
          !(name in { ...dependencies, ...peerDependencies })
      }),
      []
    )
  })

  it("SDK-05: only node and cli are compiled with the types of Node", () => {
    const free = packages.filter((name) => !(name in outside) && exists(`packages/${name}/tsconfig.json`))
    assert.deepStrictEqual(free.filter((name) => /"types"/.test(read(`packages/${name}/tsconfig.json`))), [])
    assert.match(read("tsconfig.base.json"), /"types": \[\]/)
  })

  it("bindings never see the canonical model", () => {
    assert.deepStrictEqual(
      offences(
        sourcesOf("transport-rest", "transport-jsonrpc"),
        (_, { isType, target }) => !isType && model.includes(moduleOf(target) ?? "")
      ),
      []
    )
  })

  it("have the same shape of manifest", () => {
    const shapes = packages.map((name) => {
      const { exports, files, license, private: isPrivate, publishConfig, sideEffects, type, version } = JSON.parse(
        read(`packages/${name}/package.json`)
      )
      return isPrivate === true ? undefined : {
        name,
        shape: { exports, files, license, sideEffects, type, version, published: publishConfig?.exports }
      }
    }).filter((shape) => shape !== undefined)
    const maps = (folder: string, extension: string) => ({
      "./package.json": "./package.json",
      ".": `./${folder}/index${extension}`,
      "./*": `./${folder}/*${extension}`,
      "./internal/*": null,
      "./index": null
    })
    const { version } = JSON.parse(read("packages/core/package.json"))
    for (const { name, shape } of shapes) {
      assert.deepStrictEqual(shape, {
        exports: maps("src", ".ts"),
        files: ["src/**/*.ts", "dist/**/*.js", "dist/**/*.js.map", "dist/**/*.d.ts", "dist/**/*.d.ts.map"],
        license: "MIT",
        sideEffects: [],
        type: "module",
        version,
        published: maps("dist", ".js")
      }, name)
    }
  })

  it("SDK-04: take versions from the catalog, which pins effect and Node exactly", () => {
    const workspace = read("pnpm-workspace.yaml")
    const catalog = (name: string) => new RegExp(`^ {2}"?${name}"?: (.+)$`, "m").exec(workspace)?.[1] ?? ""
    assert.match(catalog("effect"), /^4\.\d+\.\d+$/)
    assert.strictEqual(catalog("node"), /^nodeVersion: (.+)$/m.exec(workspace)?.[1])
    for (const file of ["package.json", ...packages.map((name) => `packages/${name}/package.json`)]) {
      const { dependencies, devDependencies, peerDependencies } = JSON.parse(read(file))
      for (
        const [name, range] of Object.entries<string>({ ...dependencies, ...devDependencies, ...peerDependencies })
      ) {
        assert.match(range, /^(catalog:|workspace:\^)/, `${file}: ${name}`)
      }
    }
  })

  it("have barrels, references and a root that know every module (else run `pnpm barrels`)", () => {
    assert.deepStrictEqual(stale, [])
  })
})

describe("core", () => {
  it("model ← {Operation, AgentError} ← AgentTransport ← {HttpBinding, Agent} ← Conversation", () => {
    assert.deepStrictEqual(
      offences(sourcesOf("core"), ({ file }, { target }) => {
        const [self, other] = [moduleOf(file), moduleOf(target)]
        return self !== undefined && self !== "index" && other !== undefined && layerOf(other) > layerOf(self)
      }),
      []
    )
  })

  it("AgentStream, Answer and ToolCall need only the model", () => {
    const free = ["AgentStream", "Answer", "ToolCall"]
    assert.deepStrictEqual(
      offences(sourcesOf("core"), ({ file }, { target }) => {
        const other = moduleOf(target)
        return free.includes(moduleOf(file) ?? "") && other !== undefined &&
          ![...model, ...free, "AgentError"].includes(other)
      }),
      []
    )
  })

  it("editions are data: they know no HTTP, no binding and no transport", () => {
    assert.deepStrictEqual(
      offences(
        sourcesOf("core").filter(({ file }) => file.includes("/internal/protocol/")),
        (_, { specifier, target }) =>
          specifier.startsWith("effect/http") || ["HttpBinding", "AgentTransport"].includes(moduleOf(target) ?? "")
      ),
      []
    )
  })

  it("only core's internals and the edition files say how the wire spells things", () => {
    assert.deepStrictEqual(
      all.filter(({ file }) => !wireHomes.test(file)).flatMap(({ words }) =>
        words.filter(({ what }) => wire.test(what))
      ),
      []
    )
  })
})

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

  it("are small: at most 25 kB, half of them at most 5 kB", () => {
    const size = ({ text }: Source) => Buffer.byteLength(text)
    assert.deepStrictEqual(all.filter((source) => size(source) > 25_000).map(({ file }) => file), [])
    const sizes = all.map(size).sort((a, b) => a - b)
    assert.isAtMost(sizes[Math.floor(sizes.length / 2)] ?? 0, 5_000)
  })

  it("leave asynchrony, failure, time and chance to Effect", () => {
    const habits = all.flatMap(({ file, habits }) =>
      habits.filter(({ what }) => !allowed.some((one) => one.what === what && one.file.test(file)))
    )
    const [anys, others] = [
      habits.filter(({ what }) => what === "as any"),
      habits.filter(({ what }) => what !== "as any")
    ]
    assert.deepStrictEqual(others, [])
    assert.isAtMost(anys.length, asAnyCap, anys.map(({ at }) => at).join("\n"))
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

  it("see words in strings, templates and keys, and not in comments", () => {
    const { words } = parse(
      file,
      "// ROLE_USER\nconst x = { blocking: \"message/send\", y: `a/v1/${1}`, ROLE_AGENT: 1 }"
    )
    assert.deepStrictEqual(words.filter(({ what }) => wire.test(what)).map(({ what }) => what), [
      "blocking",
      "message/send",
      "a/v1/",
      "ROLE_AGENT"
    ])
  })

  it("see habits", () => {
    const { habits } = parse(
      file,
      "const f = async () => {\n  try { Date.now() } finally { new Date() }\n}\n(1 as any)\nfunction* g() {}\nclass A { async m() {} }"
    )
    assert.deepStrictEqual(habits.map(({ at, what }) => `${what} ${at.split(":")[1]}`), [
      "async 1",
      "try 2",
      "Date.now 2",
      "new Date 2",
      "as any 4",
      "async 6"
    ])
  })

  it("see cycles", () => {
    assert.deepStrictEqual(cycle(new Map([["a", ["b", "c"]], ["b", []], ["c", ["d"]], ["d", ["c"]]])), ["c", "d", "c"])
    assert.deepStrictEqual(cycle(new Map([["a", ["b", "c"]], ["b", ["c"]], ["c", []]])), [])
  })
})
