/**
 * Reads the meaning of parts from what agents write beside them. A2A has no words for thoughts, tool calls and their
 * results; agents write them into the metadata of parts, each in its own way. A recognizer knows one such way and returns
 * the mark that the part gets when it is decoded.
 *
 * ```ts
 * import { Message, Part, Recognizer } from "@effect-a2a/core"
 * import { Effect } from "effect"
 *
 * const recognizer = Recognizer.fromMetadata({ thought: "x-thought" })
 * const message = await Effect.runPromise(
 *   Message.agent([Part.text("Six by seven.", { metadata: { "x-thought": true } }), "42"])
 * )
 * Message.text(message) // => "Six by seven.42"
 * Message.text(Recognizer.apply([recognizer], message)) // => "42"
 * ```
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { isObject, type Metadata } from "./Metadata.ts"
import type * as Part from "./Part.ts"

/** The place of a part: a message of a task's status, an artifact, or any other message. */
export type Place = "status" | "artifact" | "message"

/** Returns the mark of a part, or `undefined` if it does not recognize the part. */
export type Recognizer = (part: Part.Part, place: Place) => Part.Mark | undefined

/**
 * The usual scheme: metadata that is `true` on thoughts, and metadata of data parts that names their type. A call is an
 * object of `id`, `name`, `args`; a result of `id`, `name`, `response`.
 */
export interface MetadataScheme {
  /** The key that is `true` on thoughts. */
  readonly thought?: string
  /** The key that holds a data part's type. */
  readonly type?: string
  /** The type of calls. */
  readonly call?: string
  /** The type of results. */
  readonly result?: string
}

const parse = /*#__PURE__*/ Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Json))

const toOutcome = (response: Schema.Json | undefined): Part.Outcome => {
  const value = typeof response === "string" ? Option.getOrElse(parse(response), () => response) : response ?? null
  if (!isObject(value) || typeof value.error !== "string") return { _tag: "Success", response: value }
  const { code, error } = value
  return { _tag: "Failure", error, ...(typeof code === "string" || typeof code === "number" ? { code } : undefined) }
}

const identity = (data: Metadata) => {
  const name = typeof data.name === "string" ? data.name : ""
  return typeof data.id === "string" && data.id !== "" ? { id: data.id, name } : { name }
}

/**
 * Creates a recognizer of the usual scheme. A response that is a string of JSON is parsed, and one with a string `error`
 * is a failure.
 */
export const fromMetadata = ({ call, result, thought, type }: MetadataScheme): Recognizer => (part) => {
  const { metadata } = part
  if (metadata === undefined) return undefined
  if (type !== undefined && part._tag === "Data" && isObject(part.data)) {
    const { data } = part
    const named = metadata[type]
    if (named !== undefined && named === call) {
      return { _tag: "Call", ...identity(data), args: isObject(data.args) ? data.args : {} }
    }
    if (named !== undefined && named === result) {
      return { _tag: "Result", ...identity(data), outcome: toOutcome(data.response) }
    }
  }
  return thought !== undefined && metadata[thought] === true ? { _tag: "Thought" } : undefined
}

/**
 * The recognizers of every transport and server made in this context, beside those of its `Protocol`. Read when the
 * transport or the routes are made. Default: none.
 */
export const Current = Context.Reference<ReadonlyArray<Recognizer>>("@effect-a2a/core/Recognizer/Current", {
  defaultValue: () => []
})

/** Adds recognizers to those around the layer. */
export const layer = (...recognizers: ReadonlyArray<Recognizer>): Layer.Layer<never> =>
  Layer.effect(Current, Effect.map(Current, (outer) => [...outer, ...recognizers]))

/**
 * Marks one part by the first recognizer that knows it. Returns the same part if it has a mark, or none knows it.
 * `place`: default `"message"`.
 */
export const mark = <P extends Part.Part>(
  recognizers: ReadonlyArray<Recognizer>,
  part: P,
  place: Place = "message"
): P => {
  if (part.mark !== undefined) return part
  for (const recognizer of recognizers) {
    const mark = recognizer(part, place)
    if (mark !== undefined) return { ...part, mark }
  }
  return part
}

/** The members that lead from a task, an event, a request or a response to parts, and the places that they mean. */
const members: ReadonlyArray<readonly [member: string, place?: Place]> = [
  ["parts"],
  ["status", "status"],
  ["message"],
  ["artifact", "artifact"],
  ["artifacts", "artifact"],
  ["history"],
  ["tasks"]
]

/** Maps an array, and returns the same one if nothing changes. */
const mapItems = <A>(items: ReadonlyArray<A>, f: (item: A) => A): ReadonlyArray<A> => {
  const mapped = items.map(f)
  return mapped.some((item, index) => item !== items[index]) ? mapped : items
}

/** Marks the parts in a value, and returns the same value if nothing changes. */
const markIn = (recognizers: ReadonlyArray<Recognizer>, value: unknown, place?: Place): unknown => {
  if (Array.isArray(value)) return mapItems(value, (item) => markIn(recognizers, item, place))
  if (!Predicate.isReadonlyObject(value)) return value
  let changed: Record<string, unknown> | undefined
  for (const [member, named = place] of members) {
    const before = value[member]
    if (before === undefined) continue
    const after = member === "parts"
      ? mapItems(before as ReadonlyArray<Part.Part>, (part) => mark(recognizers, part, place))
      : markIn(recognizers, before, named)
    if (after !== before) (changed ??= { ...value })[member] = after
  }
  return changed ?? value
}

/**
 * Marks the parts of an event, a task or a message, and those of a request or response that contains one. Returns the
 * same value if no part is recognized, and any other value as it is.
 */
export const apply = <A>(recognizers: ReadonlyArray<Recognizer>, value: A): A =>
  recognizers.length === 0 ? value : markIn(recognizers, value) as A
