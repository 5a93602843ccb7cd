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

/** The methods of a path that has routes, none of which has the method of the request. */
export interface Mismatch {
  readonly allowed: ReadonlyArray<string>
}

/** Returns the match of a path, the methods of the path if only the method does not fit, `undefined` for no route. */
export type Matcher = (method: string, path: string) => Match | Mismatch | undefined

/** Creates the matcher of a version's routes. */
export const matcher = ({ prefix = "", routes }: Protocol["rest"]): Matcher => {
  // templates with a verb behind the id (`:cancel`) first, so that the id does not swallow it
  const patterns = Object.entries(routes)
    .flatMap(([operation, routes]) => routes.map((route) => toPattern(operation as Operation.Tag, route, prefix)))
    .sort((a, b) => Number(b.route.path.includes("}:")) - Number(a.route.path.includes("}:")))
  const match: Matcher = (method, path) => {
    const allowed = new Set<string>()
    for (const { expression, names, operation, route } of patterns) {
      const groups = expression.exec(path)
      if (groups === null) continue
      if (route.method !== method) {
        allowed.add(route.method)
        continue
      }
      const params: Record<string, string> = {}
      for (const [i, name] of names.entries()) {
        const value = decodeSegment(groups[i + 1] ?? "")
        if (value !== undefined) params[name] = value
      }
      if (Object.keys(params).length === names.length) return { operation, route, params }
    }
    return allowed.size === 0 ? undefined : { allowed: [...allowed] }
  }
  return (method, path) => {
    const found = match(method, path)
    if (found !== undefined && "operation" in found) return found
    // a colon before the verb may be encoded; the colon of an id is part of the first match
    const plain = path.replaceAll(/%3a/gi, ":")
    const other = plain === path ? undefined : match(method, plain)
    return other !== undefined && ("operation" in other || found === undefined) ? other : found
  }
}

const toJson = (type: "string" | "integer" | "boolean", text: string): Schema.Json =>
  type === "boolean" && (text === "true" || text === "false")
    ? text === "true"
    : type === "integer" && /^-?\d{1,15}$/.test(text)
    ? Number(text)
    : text

const toSnakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/**
 * Reads the query parameters of the route as JSON, in camel case or, as the bodies of some peers, in snake case. A malformed
 * value stays text, so that the codec refuses it.
 */
export const readQuery = (route: Route, params: URLSearchParams): JsonObject => {
  const json: Record<string, Schema.Json> = {}
  for (const [name, type] of Object.entries(route.query ?? {})) {
    const text = params.get(name) ?? params.get(toSnakeCase(name))
    if (text !== null) json[name] = toJson(type, text)
  }
  return json
}
