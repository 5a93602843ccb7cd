/**
 * Tool calls, their results and thoughts, as agents built on Google's ADK tell them: data parts whose metadata says
 * `adk_type`, text parts that say `adk_thought` (ML-21, ML-24).
 *
 * ```ts
 * import { Part, ToolCall } from "@effect-a2a/core"
 *
 * const call = Part.data({ id: "c-1", name: "search", args: { q: "x" } }, { metadata: { adk_type: "function_call" } })
 * const result = Part.data({ id: "c-1", response: "{\"hits\":2.0}" }, { metadata: { adk_type: "function_response" } })
 * ToolCall.collect([call, result])
 * // => [{ id: "c-1", name: "search", args: { q: "x" }, outcome: { _tag: "Success", response: { hits: 2 } } }]
 * ```
 *
 * @since 0.1.0
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Metadata } from "./Metadata.ts"
import * as Part from "./Part.ts"

/** What the agent asks a tool. Without an id, the name stands in for it. */
export interface Call {
  readonly _tag: "Call"
  readonly id: string
  readonly name: string
  readonly args: Metadata
}

/** What the tool gave back: JSON that came as a string is parsed where it parses. */
export type Outcome =
  | { readonly _tag: "Success"; readonly response: Schema.Json }
  | { readonly _tag: "Failure"; readonly error: string; readonly code?: string | number }

export interface Result {
  readonly _tag: "Result"
  readonly id: string
  readonly name: string
  readonly outcome: Outcome
}

/** A call with its outcome, once there is one. */
export interface ToolCall {
  readonly id: string
  readonly name: string
  readonly args: Metadata
  readonly outcome?: Outcome
}

const isObject = (json: Schema.Json | undefined): json is Metadata =>
  typeof json === "object" && json !== null && !Array.isArray(json)

const string = (json: Schema.Json | undefined): string | undefined => typeof json === "string" ? json : undefined

const parse = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Json))

const typed = (part: Part.Part, type: string): Metadata | undefined =>
  part._tag === "Data" && part.metadata?.adk_type === type && isObject(part.data) ? part.data : undefined

const outcome = (response: Schema.Json | undefined): Outcome => {
  const value = typeof response === "string" ? Option.getOrElse(parse(response), () => response) : response ?? null
  const error = isObject(value) ? string(value.error) : undefined
  if (error === undefined) return { _tag: "Success", response: value }
  const code = (value as Metadata).code
  return { _tag: "Failure", error, ...(typeof code === "string" || typeof code === "number" ? { code } : undefined) }
}

const identity = (data: Metadata) => {
  const name = string(data.name) ?? ""
  return { id: string(data.id) ?? name, name }
}

/** The call a part tells, if it tells one. */
export const call = (part: Part.Part): Call | undefined => {
  const data = typed(part, "function_call")
  return data && { _tag: "Call", ...identity(data), args: isObject(data.args) ? data.args : {} }
}

/** The result a part tells, if it tells one. */
export const result = (part: Part.Part): Result | undefined => {
  const data = typed(part, "function_response")
  return data && { _tag: "Result", ...identity(data), outcome: outcome(data.response) }
}

/** Whether a part is the agent thinking aloud, which is no part of its answer. */
export const isThought: (part: Part.Part) => boolean = Part.isThought

/** Adds what a part tells to the calls so far; a result joins its call by id, or stands alone where it has none. */
export const add = (calls: ReadonlyArray<ToolCall>, part: Part.Part): ReadonlyArray<ToolCall> => {
  const started = call(part)
  if (started !== undefined) {
    const { _tag, ...toolCall } = started
    return calls.some(({ id }) => id === started.id) ? calls : [...calls, toolCall]
  }
  const ended = result(part)
  if (ended === undefined) return calls
  const index = calls.findIndex(({ id }) => id === ended.id)
  return index < 0
    ? [...calls, { id: ended.id, name: ended.name, args: {}, outcome: ended.outcome }]
    : calls.with(index, { ...calls[index]!, outcome: ended.outcome })
}

/** The calls told by parts, each once, in order. */
export const collect = (parts: Iterable<Part.Part>): ReadonlyArray<ToolCall> => {
  let calls: ReadonlyArray<ToolCall> = []
  for (const part of parts) calls = add(calls, part)
  return calls
}
