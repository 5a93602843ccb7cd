/** The JSON-RPC 2.0 envelope, both ways. */
import * as Schema from "effect/Schema"

/** What a request may be named by; A2A has no notifications. */
export const Id = Schema.NullOr(Schema.Union([Schema.String, Schema.Int]))
export type Id = typeof Id.Type

export const isId = Schema.is(Id)

export const isObject = (json: unknown): json is { readonly [name: string]: unknown } =>
  typeof json === "object" && json !== null && !Array.isArray(json)

export const request = (id: Id, method: string, params: Schema.Json): Schema.Json => ({
  jsonrpc: "2.0",
  id,
  method,
  params
})

export const result = (id: Id, result: Schema.Json): Schema.Json => ({ jsonrpc: "2.0", id, result })

export const error = (id: Id, error: Schema.Json): Schema.Json => ({ jsonrpc: "2.0", id, error })
