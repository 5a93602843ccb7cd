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
import * as Pairing from "./internal/turn/pairing.ts"
import { Metadata } from "./Metadata.ts"
import * as Part from "./Part.ts"

/** A call of a tool. `id` is the agent's; if it sent none, the tool's name, numbered from the second call on. */
export interface Call extends Part.CallMark {
  readonly id: string
}

/** The outcome of a call: its response, or an error. A response that came as a string of JSON is parsed. */
export type Outcome = Part.Outcome

/** The result of the call with the same `id`. */
export interface Result extends Part.ResultMark {
  readonly id: string
}

/** A call, with its outcome once there is one. */
export class ToolCall extends Schema.Opaque<ToolCall>()(
  Schema.Struct({
    id: Schema.String,
    name: Schema.String,
    args: Metadata,
    outcome: Schema.optionalKey(Part.Outcome)
  }).annotate({ identifier: "ToolCall" })
) {}

/** Returns the call that a part reports, or `undefined`. Without an id, its id is the tool's name. */
export const call = ({ mark }: Part.Part): Call | undefined =>
  mark?._tag === "Call" ? { ...mark, id: mark.id || mark.name } : undefined

/** Returns the result that a part reports, or `undefined`. Without an id, its id is the tool's name. */
export const result = ({ mark }: Part.Part): Result | undefined =>
  mark?._tag === "Result" ? { ...mark, id: mark.id || mark.name } : undefined

/** Adds a call, or the outcome of the call with the same id, to the calls so far. */
export const add = (calls: ReadonlyArray<ToolCall>, { id, name, ...one }: Call | Result): ReadonlyArray<ToolCall> => {
  const index = calls.findIndex((call) => call.id === id)
  const next = {
    ...calls[index] ?? { id, name, args: {} },
    ...one._tag === "Call" ? { args: one.args } : { outcome: one.outcome }
  }
  return index < 0 ? [...calls, next] : calls.with(index, next)
}

/**
 * Collects the calls that parts report, in order, each once, with their outcomes. Calls and results without ids are paired
 * by the name of the tool, in order.
 */
export const collect = (parts: Iterable<Part.Part>): ReadonlyArray<ToolCall> => {
  const pairing = Pairing.make()
  let calls: ReadonlyArray<ToolCall> = []
  for (const { mark } of parts) {
    const one = mark?._tag === "Call"
      ? Pairing.call(pairing, mark)
      : mark?._tag === "Result"
      ? Pairing.result(pairing, mark)
      : undefined
    if (one !== undefined) calls = add(calls, one)
  }
  return calls
}
