/** Wrong JSON, as text: kinds of values that a peer may put in any place of a document, `count` times or `count` deep. */

const list = (item: string) => (count: number) => `[${Array(count).fill(item).join(",")}]`

const members = (value: string) => (count: number) =>
  `{${Array.from({ length: count }, (_, index) => `"k${index}":${value}`).join(",")}}`

const text = (unit: string) => (count: number) => JSON.stringify(unit.repeat(count))

/** The names of what every object of JavaScript has, with values that cannot be called. */
export const inherited = `{${
  Object.getOwnPropertyNames(Object.prototype).map((name) => `${JSON.stringify(name)}:{}`).join(",")
}}`

/** `String` of it fails, as that of anything whose `toString` cannot be called. */
const textless = "{\"toString\":1,\"valueOf\":1}"

export type Kind = (count: number) => string

/** Values of which there are many. */
export const wide: Readonly<Record<string, Kind>> = {
  numbers: list("1"),
  texts: list("\"x\""),
  objects: list("{}"),
  lists: list("[[]]"),
  nulls: list("null"),
  "infinite numbers": list("1e400"),
  "parts of wrong types": list(`{"text":1,"data":[],"raw":{},"url":false,"kind":"text","metadata":[]}`),
  "words of no enumeration": list(`{"kind":"x","role":"x","state":"x","status":"x"}`),
  "objects that have no text": list(`{"@type":${textless},"field":${textless},"loc":[${textless}],"msg":${textless}}`),
  members: members("1"),
  "members that are objects": members("{}"),
  "repeated members": (count) => `{${Array(count).fill("\"text\":[]").join(",")}}`,
  "long names": (count) => `{"${"n".repeat(10 * count)}":{"${"m".repeat(10 * count)}":1e400}}`,
  "a long text": text("x"),
  "a long text of spaces": text(" \t"),
  "a long text of line breaks": text("\r\n"),
  "a long text of brackets": text("<[{\"'"),
  "a long text of digits": text("9"),
  "lone surrogates": text("\ud800"),
  "a number of many digits": (count) => "9".repeat(count)
}

/** Values of which there are few, and those that are nested `count` times. */
export const narrow: Readonly<Record<string, Kind>> = {
  null: () => "null",
  "a number": () => "1",
  "an infinite number": () => "-1e400",
  "minus zero": () => "-0",
  "a fraction": () => "1.5",
  "a flag": () => "true",
  "an empty text": () => "\"\"",
  "an empty object": () => "{}",
  "names of functions": () => inherited,
  "a chain at the limit": () => `${"[".repeat(150)}${"]".repeat(150)}`,
  "a chain beyond the limit of data": () => `${"[".repeat(185)}${"]".repeat(185)}`,
  "a chain of objects at the limit": () => `${"{\"a\":".repeat(150)}1${"}".repeat(150)}`,
  "a chain of lists": (count) => `${"[".repeat(count)}${"]".repeat(count)}`,
  "a chain of objects": (count) => `${"{\"a\":".repeat(count)}1${"}".repeat(count)}`
}

type Path = ReadonlyArray<string | number>

export const all: Readonly<Record<string, Kind>> = { ...wide, ...narrow }

const pick = (...names: ReadonlyArray<string>): Readonly<Record<string, Kind>> =>
  Object.fromEntries(names.map((name) => [name, all[name]!]))

/** The kinds whose work could grow faster than they do. */
export const costly = pick(
  "objects",
  "parts of wrong types",
  "objects that have no text",
  "members that are objects",
  "repeated members",
  "a long text of spaces",
  "a long text of brackets",
  "a number of many digits",
  "a chain of lists"
)

/** The kinds for places that have no members, and for combinations whose decoder was given all kinds already. */
export const few = pick(
  "null",
  "a number",
  "an infinite number",
  "an empty text",
  "names of functions",
  "a chain at the limit",
  "a chain of objects at the limit",
  "a chain beyond the limit of data",
  "a chain of lists",
  "lists",
  "members",
  "a long text",
  "lone surrogates",
  "a number of many digits"
)

/** Returns the kinds to put in a place: all where a list or an object was, unless it is far below. */
export const kindsAt = (document: unknown, path: Path): Readonly<Record<string, Kind>> => {
  const value = path.reduce((value: any, name) => value[name], document)
  return typeof value === "object" && value !== null && path.length < 3 ? all : few
}

/** Returns the places of a document: the whole, and every member and element below. */
export const places = (document: unknown, path: Path = []): ReadonlyArray<Path> => [
  path,
  ...(typeof document === "object" && document !== null
    ? Object.entries(document).flatMap(([name, value]) =>
      places(value, [...path, Array.isArray(document) ? Number(name) : name])
    )
    : [])
]

const replace = (document: any, [name, ...rest]: Path, value: unknown): unknown => {
  if (name === undefined) return value
  const copy = Array.isArray(document) ? [...document] : { ...document }
  copy[name] = replace(document[name], rest, value)
  return copy
}

const marker = "planted here"

/** Returns the text of a document with `json` in one of its places. */
export const plant = (document: unknown, path: Path, json: string): string => {
  const [before, after] = JSON.stringify(replace(document, path, marker)).split(JSON.stringify(marker))
  return `${before}${json}${after}`
}

/** Returns documents that repeat the elements of their lists `count` times, each with one wrong member. */
export const repeated = (document: unknown, wrong: string, count: number): ReadonlyArray<string> =>
  places(document).flatMap((path) => {
    const list = path.reduce((value: any, name) => value[name], document)
    return Array.isArray(list) && list.length > 0
      ? places(list[0]).map((at) =>
        plant(document, path, `[${Array(count).fill(plant(list[0], at, wrong)).join(",")}]`)
      )
      : []
  })

export const nameOf = (path: Path): string => path.join(".") || "the whole"
