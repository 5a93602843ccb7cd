/** The JSON-RPC 2.0 envelope, written and read. */
import * as AgentError from "@effect-a2a/core/AgentError"
import type { WireFailure } from "@effect-a2a/core/Dialect"
import * as ServerHandler from "@effect-a2a/core/ServerHandler"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/** The longest id: each event of a stream repeats it. */
const maxId = 1000

/** The id of a request. */
export const Id = Schema.NullOr(Schema.Union([Schema.String.check(Schema.isMaxLength(maxId)), Schema.Int]))
export type Id = typeof Id.Type

const isId = Schema.is(Id)

/** Writes a request. */
export const request = (id: Id, method: string, params: Schema.Json): Schema.Json => ({
  jsonrpc: "2.0",
  id,
  method,
  params
})

/** Writes a response that succeeded. */
export const result = (id: Id, result: Schema.Json): Schema.Json => ({ jsonrpc: "2.0", id, result })

/** Writes a response that failed. */
export const error = (id: Id, error: Schema.Json): Schema.Json => ({ jsonrpc: "2.0", id, error })

/** A request whose envelope is valid. */
export interface Request {
  readonly id: Id
  readonly method: string
  readonly params: unknown
  /** True if there is no id: nobody waits for a response. */
  readonly isNotification: boolean
}

/** Reads a request; the failure has the id of the response that reports it. */
export const readRequest = (
  body: unknown
): Result.Result<Request, { readonly id: Id; readonly failure: WireFailure }> => {
  if (!Predicate.isReadonlyObject(body)) {
    return Result.fail({ id: null, failure: toFailure(-32600, "a request is one object; A2A has no batches") })
  }
  const { id = null, jsonrpc, method, params = {} } = body
  const isValid = isId(id)
  const fail = (code: number, message: string) =>
    Result.fail({ id: isValid ? id : null, failure: toFailure(code, message) })
  if (jsonrpc !== "2.0") return fail(-32600, "jsonrpc must be \"2.0\"")
  if (!isValid) return fail(-32600, `id must be a string of at most ${maxId} characters, an integer or null`)
  if (typeof method !== "string" || method === "") return fail(-32600, "method must be a non-empty string")
  // `null` is as good as absent
  return Predicate.isReadonlyObject(params ?? {})
    ? Result.succeed({ id, method, params: params ?? {}, isNotification: body.id === undefined })
    : fail(-32602, "params must be an object")
}

const toFailure = (code: number, message: string): WireFailure => ({
  ...ServerHandler.fromReason(AgentError.reason("InvalidParamsError", { message })),
  code
})
