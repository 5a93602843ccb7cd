// Public types that are defined under internal/: "go to definition" on a public name ends in a public module.
import * as path from "node:path"
import { type Node, type Tree, tree } from "../syntax.ts"
import { exists } from "../workspace.ts"
import { isPublic, place, trees } from "./sources.ts"

const byFile = new Map(trees.map((one) => [one.file, one]))

const targetOf = ({ file }: Tree, specifier: string): string | undefined => {
  const target = path.posix.join(path.posix.dirname(file), specifier)
  return specifier.startsWith(".") && target.includes("/internal/") && exists(target) ? target : undefined
}

const bodyOf = ({ program }: Tree) => program.type === "Program" ? program.body : []

const isType = (node: Node | null): boolean =>
  node !== null && /^(TSInterfaceDeclaration|TSTypeAliasDeclaration|ClassDeclaration)$/.test(node.type)

/** The names of the types that a file defines and exports. */
const typesOf = (file: string): ReadonlySet<string> =>
  new Set(
    bodyOf(byFile.get(file) ?? tree(file)).flatMap((node) =>
      node.type === "ExportNamedDeclaration" && isType(node.declaration) && node.declaration !== null &&
        "id" in node.declaration && node.declaration.id?.type === "Identifier" ?
        [node.declaration.id.name] :
        []
    )
  )

/** Local names for the types of internal files, and for such files as a whole. */
const importsOf = (source: Tree) => {
  const types = new Set<string>()
  const modules = new Map<string, string>()
  for (const node of bodyOf(source)) {
    const target = node.type === "ImportDeclaration" ? targetOf(source, node.source.value) : undefined
    if (node.type !== "ImportDeclaration" || target === undefined) continue
    for (const one of node.specifiers) {
      if (one.type === "ImportNamespaceSpecifier") modules.set(one.local.name, target)
      else if (
        one.type === "ImportSpecifier" && one.imported.type === "Identifier" &&
        typesOf(target).has(one.imported.name)
      ) types.add(one.local.name)
    }
  }
  return { types, modules }
}

const exportedFrom = (source: Tree): ReadonlyArray<string> => {
  const { modules, types } = importsOf(source)
  const isInternal = (node: Node): boolean =>
    node.type === "Identifier" ?
      types.has(node.name) :
      node.type === "TSQualifiedName" && node.left.type === "Identifier" &&
      typesOf(modules.get(node.left.name) ?? "packages/core/src/index.ts").has(node.right.name)
  return bodyOf(source).flatMap((node): ReadonlyArray<string> => {
    if (node.type === "ExportAllDeclaration" && targetOf(source, node.source.value) !== undefined) {
      return [place(source, node.start, node.source.value)]
    }
    if (node.type !== "ExportNamedDeclaration") return []
    const target = node.source === null ? undefined : targetOf(source, node.source.value)
    const { declaration } = node
    return [
      ...node.specifiers.flatMap(({ local, start }) =>
        local.type === "Identifier" &&
          (node.source === null ? types.has(local.name) : target !== undefined && typesOf(target).has(local.name)) ?
          [place(source, start, local.name)] :
          []
      ),
      ...(declaration?.type === "TSTypeAliasDeclaration" && declaration.typeAnnotation.type === "TSTypeReference" &&
          isInternal(declaration.typeAnnotation.typeName) ?
        [place(source, node.start, declaration.id.name)] :
        [])
    ]
  })
}

export const internalTypes = (sources = trees): ReadonlyArray<string> => sources.filter(isPublic).flatMap(exportedFrom)
