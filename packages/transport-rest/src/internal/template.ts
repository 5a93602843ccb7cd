/** Route templates such as `/tasks/{id}:cancel`: clients expand them, servers match paths against them. */
import type * as Operation from "@effect-a2a/core/Operation"
import type { Protocol, Route } from "@effect-a2a/core/Protocol"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"

type JsonObject = { readonly [name: string]: Schema.Json }

/** Encodes text as a path segment. Lone surrogates have no encoding and are replaced, which makes an unknown id. */
export const encodeSegment = (text: string): string => encodeURIComponent(text.replace(/\p{Surrogate}/gu, "\ufffd"))

/** Decodes a path segment; `undefined` if its percent-encoding is invalid. */
export const decodeSegment = (segment: string): string | undefined =>
  Result.getOrElse(Result.try(() => decodeURIComponent(segment)), () => undefined)

/** Divides a request among path, query and body as the route says. */
export const expand = (route: Route, prefix: string, json: Schema.Json) => {
  const rest: Record<string, Schema.Json> = isJsonObject(json) ? { ...json } : {}
  const path = prefix + route.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(rest[name])
    delete rest[name]
    return encodeSegment(value)
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

const isJsonObject = (json: Schema.Json): json is JsonObject => Predicate.isReadonlyObject(json)

/** The operation and route of a path, and the parameters in it. */
export interface Match {
  readonly operation: Operation.Tag
  readonly route: Route
  readonly params: JsonObject
}

interface Pattern {
  readonly operation: Operation.Tag
  readonly route: Route
  readonly expression: RegExp
  readonly names: ReadonlyArray<string>
}

const toPattern = (operation: Operation.Tag, route: Route, prefix: string): Pattern => {
  const names: Array<string> = []
  const expression = (prefix + route.path).replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(
    /\{(\w+)\}/g,
    (_, name: string) => {
      names.push(name)
      return "([^/]+)"
    }
  )
  return { operation, route, names, expression: new RegExp(`^${expression}$`) }
}

/** Returns the match of a path, `"method"` if only the method does not fit, `undefined` if no route has this path. */
export type Matcher = (method: string, path: string) => Match | "method" | undefined

/** Creates the matcher of a version's routes. */
export const matcher = ({ prefix = "", routes }: Protocol["rest"]): Matcher => {
  // templates with a verb behind the id (`:cancel`) first, so that the id does not swallow it
  const patterns = Object.entries(routes)
    .flatMap(([operation, routes]) => routes.map((route) => toPattern(operation as Operation.Tag, route, prefix)))
    .sort((a, b) => Number(b.route.path.includes("}:")) - Number(a.route.path.includes("}:")))
  return (method, path) => {
    let result: "method" | undefined
    for (const { expression, names, operation, route } of patterns) {
      const groups = expression.exec(path)
      if (groups === null) continue
      if (route.method !== method) {
        result = "method"
        continue
      }
      const params: Record<string, string> = {}
      for (const [i, name] of names.entries()) {
        const value = decodeSegment(groups[i + 1] ?? "")
        if (value !== undefined) params[name] = value
      }
      if (Object.keys(params).length === names.length) return { operation, route, params }
    }
    return result
  }
}

const toJson = (type: "string" | "integer" | "boolean", text: string): Schema.Json =>
  type === "boolean" && (text === "true" || text === "false")
    ? text === "true"
    : type === "integer" && /^-?\d{1,15}$/.test(text)
    ? Number(text)
    : text

/** Reads the query parameters of the route as JSON. A malformed value stays text, so that the codec refuses it. */
export const readQuery = (route: Route, params: URLSearchParams): JsonObject => {
  const json: Record<string, Schema.Json> = {}
  for (const [name, type] of Object.entries(route.query ?? {})) {
    const text = params.get(name)
    if (text !== null) json[name] = toJson(type, text)
  }
  return json
}
