/** Expands and matches the route rows of an edition: both halves of REST read the same rows. */
import type * as Operation from "@effect-a2a/core/Operation"
import type * as Protocol from "@effect-a2a/core/Protocol"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"

type Json = { readonly [name: string]: Schema.Json }

const isObject = (json: Schema.Json): json is Json => typeof json === "object" && json !== null && !Array.isArray(json)

/** A text as a path segment. What is no Unicode cannot be written, and is then nobody's id. */
export const segment = (text: string): string => encodeURIComponent(text.replace(/\p{Surrogate}/gu, "\ufffd"))

/** A request divided among path, query and body as the row says. */
export const expand = (route: Protocol.Route, prefix: string, json: Schema.Json) => {
  const rest: Record<string, Schema.Json> = isObject(json) ? { ...json } : {}
  const path = prefix + route.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(rest[name])
    delete rest[name]
    return segment(value)
  })
  const query: Array<readonly [string, string]> = []
  for (const name of Object.keys(route.query ?? {})) {
    const value = rest[name]
    if (value !== undefined) query.push([name, String(value)])
    delete rest[name]
  }
  const body = route.method === "POST" && route.body !== "none" && Object.keys(rest).length > 0 ? rest : undefined
  return { method: route.method, path, query, body }
}

/** A row made ready for matching. */
interface Row {
  readonly operation: Operation.Tag
  readonly route: Protocol.Route
  readonly pattern: RegExp
  readonly names: ReadonlyArray<string>
}

export interface Match {
  readonly operation: Operation.Tag
  readonly route: Protocol.Route
  readonly params: Json
}

const toRow = (operation: Operation.Tag, route: Protocol.Route, prefix: string): Row => {
  const names: Array<string> = []
  const pattern = (prefix + route.path).replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(
    /\{(\w+)\}/g,
    (_, name: string) => {
      names.push(name)
      return "([^/]+)"
    }
  )
  return { operation, route, names, pattern: new RegExp(`^${pattern}$`) }
}

/** A path segment as text; `undefined` where its percent-encoding is none. */
export const decode = (segment: string): string | undefined =>
  Result.getOrElse(Result.try(() => decodeURIComponent(segment)), () => undefined)

/**
 * Finds the row of a path: rows with a verb behind the id (`:cancel`) first, so that the id does not swallow it. Gives
 * `"method"` where only the method is wrong, `undefined` where nothing lives.
 */
export const matcher = (rest: Protocol.Protocol["rest"]) => {
  const rows = Object.entries(rest.routes)
    .flatMap(([operation, routes]) =>
      routes.map((route) => toRow(operation as Operation.Tag, route, rest.prefix ?? ""))
    )
    .sort((a, b) => Number(b.route.path.includes("}:")) - Number(a.route.path.includes("}:")))
  return (method: string, path: string): Match | "method" | undefined => {
    let other: "method" | undefined
    for (const { names, operation, pattern, route } of rows) {
      const found = pattern.exec(path)
      if (found === null) continue
      if (route.method !== method) {
        other = "method"
        continue
      }
      const values = found.slice(1).map(decode)
      if (values.includes(undefined)) continue
      return { operation, route, params: Object.fromEntries(names.map((name, i) => [name, values[i]!])) }
    }
    return other
  }
}

const value = (type: "string" | "integer" | "boolean", text: string): Schema.Json =>
  type === "boolean" && (text === "true" || text === "false")
    ? text === "true"
    : type === "integer" && /^-?\d{1,15}$/.test(text)
    ? Number(text)
    : text

/** The query members that the row knows, as JSON of their types; what has another form is left for the codec to refuse. */
export const query = (route: Protocol.Route, params: URLSearchParams): Json => {
  const json: Record<string, Schema.Json> = {}
  for (const [name, type] of Object.entries(route.query ?? {})) {
    const text = params.get(name)
    if (text !== null) json[name] = value(type, text)
  }
  return json
}
