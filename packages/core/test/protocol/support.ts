import type * as AgentError from "@effect-a2a/core/AgentError"
import * as Protocol from "@effect-a2a/core/Protocol"
import { assert } from "@effect/vitest"
import * as Result from "effect/Result"

export const dialects = {
  "1.0": Protocol.v1_0.rest.dialect,
  "0.3 REST": Protocol.v0_3.rest.dialect,
  "0.3 JSON-RPC": Protocol.v0_3.jsonRpc.dialect
} as const

const show = (violations: ReadonlyArray<AgentError.Violation>) => JSON.stringify(violations)

/** Decodes to the canonical value; the test fails with the violations. */
export const read = <A>(codec: Protocol.Codec<A> | undefined, json: unknown): A => {
  const result = codec!.decode(json)
  return Result.isSuccess(result) ? result.success : assert.fail(show(result.failure))
}

/** Encodes to JSON, through text as on the wire. */
export const write = <A>(codec: Protocol.Codec<A> | undefined, value: A): any => {
  const result = codec!.encode(value)
  return Result.isSuccess(result) ? JSON.parse(JSON.stringify(result.success)) : assert.fail(show(result.failure))
}

/** Returns the members for which a document is refused. */
export const refused = <A>(codec: Protocol.Codec<A> | undefined, json: unknown): ReadonlyArray<string> => {
  const result = codec!.decode(json)
  return Result.isFailure(result)
    ? result.failure.map(({ field }) => field)
    : assert.fail(`read as ${JSON.stringify(result.success)}`)
}

/** Returns the members for which a value cannot be written. */
export const unwritable = <A>(codec: Protocol.Codec<A> | undefined, value: A): ReadonlyArray<string> => {
  const result = codec!.encode(value)
  return Result.isFailure(result)
    ? result.failure.map(({ field }) => field)
    : assert.fail(`written as ${JSON.stringify(result.success)}`)
}
