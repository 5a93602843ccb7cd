/**
 * Tool calls and their results, as an agent reports them in parts. A part is known as one by its `mark`, which a
 * `Recognizer` sets.
 *
 * ```ts
 * import { Part, Recognizer, ToolCall } from "@effect-a2a/core"
 *
 * const recognizer = Recognizer.fromMetadata({ type: "x-type", call: "call", result: "result" })
 * const parts = [
 *   Part.data({ id: "c-1", name: "search", args: { q: "x" } }, { metadata: { "x-type": "call" } }),
 *   Part.data({ id: "c-1", response: "{\"hits\":2.0}" }, { metadata: { "x-type": "result" } })
 * ].map((part) => Recognizer.mark([recognizer], part))
 * ToolCall.collect(parts)
 * // => [{ id: "c-1", name: "search", args: { q: "x" }, outcome: { _tag: "Success", response: { hits: 2 } } }]
 * ```
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Metadata } from "./Metadata.ts"
import * as Part from "./Part.ts"

/** A call of a tool. `id` is the tool's name if the agent sent no id. */
export type Call = Part.CallMark

/** The outcome of a call: its response, or an error. A response that came as a string of JSON is parsed. */
export type Outcome = Part.Outcome

/** The result of the call with the same `id`. */
export type Result = Part.ResultMark

/** A call, with its outcome once there is one. */
export class ToolCall extends Schema.Opaque<ToolCall>()(
  Schema.Struct({
    id: Schema.String,
    name: Schema.String,
    args: Metadata,
    outcome: Schema.optionalKey(Part.Outcome)
  }).annotate({ identifier: "ToolCall" })
) {}

/** Returns the call that a part reports, or `undefined`. */
export const call = ({ mark }: Part.Part): Call | undefined => mark?._tag === "Call" ? mark : undefined

/** Returns the result that a part reports, or `undefined`. */
export const result = ({ mark }: Part.Part): Result | undefined => mark?._tag === "Result" ? mark : undefined

/**
 * Adds the call or result of a part to the calls so far. A call whose id is there already is left out. A result completes
 * the call with its id; without such a call it becomes one without arguments.
 */
export const add = (calls: ReadonlyArray<ToolCall>, part: Part.Part): ReadonlyArray<ToolCall> => {
  const { mark } = part
  if (mark === undefined || mark._tag === "Thought") return calls
  const index = calls.findIndex(({ id }) => id === mark.id)
  if (mark._tag === "Call") {
    return index < 0 ? [...calls, { id: mark.id, name: mark.name, args: mark.args }] : calls
  }
  return index < 0
    ? [...calls, { id: mark.id, name: mark.name, args: {}, outcome: mark.outcome }]
    : calls.with(index, { ...calls[index]!, outcome: mark.outcome })
}

/** Collects the calls that parts report, in order, each once. */
export const collect = (parts: Iterable<Part.Part>): ReadonlyArray<ToolCall> => {
  let calls: ReadonlyArray<ToolCall> = []
  for (const part of parts) calls = add(calls, part)
  return calls
}
