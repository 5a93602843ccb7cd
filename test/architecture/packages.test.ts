/** Which package may import which, and how their manifests look. */
import { assert, describe, it } from "@effect/vitest"
import { stale } from "../../scripts/barrels.ts"
import { exists, packages, read } from "../../scripts/workspace.ts"
import { covers } from "../support/covers.ts"
import { all, type Import, offences } from "./support.ts"

const libraries = ["core", "transport-rest", "transport-jsonrpc", "transport-adk", "memorylake", "server", "signatures"]
const bindings = ["core", "transport-rest", "transport-jsonrpc", "server"]

const mayImport: { readonly [owner: string]: ReadonlyArray<string> } = {
  core: [],
  "transport-rest": ["core"],
  "transport-jsonrpc": ["core"],
  "transport-adk": ["core"],
  memorylake: ["core"],
  server: ["core"],
  signatures: ["core"],
  testing: bindings,
  emulators: [...bindings, "memorylake", "transport-adk"],
  node: libraries,
  browser: libraries,
  cli: [...libraries, "node", "emulators"]
}

/** Packages that import more than `effect`. */
const outside: { readonly [owner: string]: RegExp } = {
  signatures: /^jose\//,
  node: /^(@effect\/platform-node\/|node:)/,
  cli: /^(@effect\/platform-node\/|node:)/
}

const isOfNode = (name: string) => outside[name]?.test("node:fs") === true

const ownerOf = ({ target }: Import) => target?.split("/")[1]

describe("packages", () => {
  it("import only what the design allows, and what their manifest names", covers("SDK-01", "attack:S2-53"), () => {
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

  it("are compiled without the types of Node, except node and cli", covers("SDK-05"), () => {
    const free = packages.filter((name) => !isOfNode(name) && exists(`packages/${name}/tsconfig.json`))
    assert.deepStrictEqual(free.filter((name) => /"types"/.test(read(`packages/${name}/tsconfig.json`))), [])
    assert.match(read("tsconfig.base.json"), /"types": \[\]/)
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

  it("name the Node that they need, and come with a README", covers("attack:S2-54"), () => {
    // `URL.parse` came with 22.1, and what node and cli depend on needs 22.19
    const expected = (name: string) => isOfNode(name) ? ">=22.19.0" : ">=22.1.0"
    for (const name of packages) {
      const { description, engines, private: isPrivate } = JSON.parse(read(`packages/${name}/package.json`))
      if (isPrivate === true) continue
      assert.deepStrictEqual(engines, { node: expected(name) }, name)
      assert.isNotEmpty(description)
      const readme = read(`packages/${name}/README.md`)
      assert.isTrue(readme.startsWith(`# @effect-a2a/${name}\n`), name)
      assert.match(readme, /^npm install /m, name)
    }
  })

  it("take versions from the catalog, which pins effect and Node exactly", covers("SDK-04"), () => {
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

  it("have an index, references and a root manifest that name every module (`pnpm barrels` writes them)", () => {
    assert.deepStrictEqual(stale, [])
  })
})
