// Changes a document a little: its tree first, then its characters.
import type { Random } from "./random.ts"

type Tree = { [name: string]: unknown } | Array<unknown>

// numbers that JSON has and JavaScript has not are written in place of these texts
const tokens = ["1e400", "-1e999", "9007199254740993", "-0", "1E+2", "0.1e-400", `1${"0".repeat(400)}`]
const tokenMark = "\u0001number:"

const deep = (levels: number): unknown => {
  let value: unknown = 1
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { a: value }
  return value
}

const odd = (random: Random): unknown => {
  const values: ReadonlyArray<() => unknown> = [
    () => null,
    () => true,
    () => "",
    () => random.below(20) - 5,
    () => 0.5,
    () => tokenMark + random.pick(tokens),
    () => [],
    () => ({}),
    () => [null],
    () => deep(random.pick([3, 90, 149, 151, 210, 400])),
    () => "x".repeat(random.pick([1, 1000, 20_000])),
    () =>
      random.pick(["\ud800", "a\udc00b", "\u0000", "\u2028", "\u202e", "\r\n", "💥", "%00", "../..", "constructor"]),
    () => random.pick(["task", "message", "status-update", "ROLE_USER", "user", "TASK_STATE_CANCELLED", "completed"]),
    () => random.pick(["2024-02-30T25:61:61Z", "2024-01-01", "9999999999999", "+275760-09-13T00:00:00Z"]),
    () => Array.from({ length: random.pick([5, 300]) }, () => random.pick<unknown>([1, {}, "", null])),
    () => Object.fromEntries(Array.from({ length: random.pick([5, 300]) }, (_, index) => [`k${index}`, index]))
  ]
  return random.pick(values)()
}

const names = [
  "__proto__",
  "constructor",
  "kind",
  "$case",
  "type",
  "id",
  "taskId",
  "parts",
  "status",
  "result",
  "error"
]

const rename = (name: string, random: Random): string =>
  random.pick([
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    name.toUpperCase(),
    `${name}s`,
    random.pick(names),
    "x".repeat(random.pick([1, 500]))
  ])

const isTree = (value: unknown): value is Tree => typeof value === "object" && value !== null

/** Returns a random list or object within a document. */
const place = (root: unknown, random: Random): Tree | undefined => {
  let found = isTree(root) ? root : undefined
  while (found !== undefined) {
    const inner = Object.values(found).filter(isTree)
    if (inner.length === 0 || random.chance(0.3)) return found
    found = random.pick(inner)
  }
  return undefined
}

const put = (tree: Tree, name: string, value: unknown) =>
  Object.defineProperty(tree, name, { value, enumerable: true, configurable: true, writable: true })

const change = (tree: Tree, random: Random, other: unknown) => {
  const keys = Object.keys(tree)
  const key = keys.length === 0 ? "0" : random.pick(keys)
  const value: unknown = Reflect.get(tree, key)
  const isList = Array.isArray(tree)
  switch (random.below(7)) {
    case 0:
      return isList ? tree.splice(Number(key), 1) : Reflect.deleteProperty(tree, key)
    case 1:
      if (!isList) Reflect.deleteProperty(tree, key)
      return put(tree, isList ? key : rename(key, random), structuredClone(value))
    case 2:
      return put(tree, key, structuredClone(place(other, random) ?? other))
    case 3:
      return isList
        ? tree.push(...structuredClone(tree.slice(0, 5)))
        : put(tree, random.pick(names), structuredClone(value))
    case 4:
      return isList ? tree.push(odd(random)) : put(tree, random.pick(names), odd(random))
    default:
      return put(tree, key, odd(random))
  }
}

const write = (document: unknown): string =>
  (JSON.stringify(document) ?? "null").replaceAll(/"\\u0001number:([^"]*)"/g, "$1")

/** Changes the tree of a document, and writes it. `other` lends its parts. */
export const mutateTree = (text: string, other: string, random: Random): string => {
  const root: unknown = JSON.parse(text)
  const donor: unknown = JSON.parse(other)
  const times = random.pick([0, 0, 0, 1, 1, 1, 2, 4])
  for (let i = 0; i < times; i++) {
    const tree = place(root, random)
    if (tree !== undefined) change(tree, random, donor)
  }
  return write(random.chance(0.02) ? odd(random) : root)
}

const inserted = [
  "\r",
  "\n",
  "\r\n\r\n",
  "\ufeff",
  "\u0000",
  "\\u0000",
  "\"",
  "{",
  "]",
  ",",
  "data:",
  "id:1\n",
  "\\ud800"
]

/** Changes the characters of a text. */
export const mutateText = (text: string, other: string, random: Random): string => {
  const at = random.below(text.length + 1)
  switch (random.below(6)) {
    case 0:
      return text.slice(0, at)
    case 1:
      return text.slice(0, at) + text.slice(at + 1 + random.below(5))
    case 2:
      return text.slice(0, at) + random.pick(inserted) + text.slice(at)
    case 3:
      return text.slice(0, at) + other.slice(random.below(other.length + 1))
    case 4:
      return text.slice(0, at) + String.fromCharCode(random.below(300)) + text.slice(at + 1)
    default:
      return text.slice(0, at) + text.slice(Math.max(0, at - 20), at).repeat(random.pick([1, 50])) + text.slice(at)
  }
}

/** Changes a document: mostly its tree, sometimes its characters. */
export const mutate = (text: string, other: string, random: Random): string => {
  const changed = mutateTree(text, other, random)
  return random.chance(0.1) ? mutateText(changed, other, random) : changed
}
