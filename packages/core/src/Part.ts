/**
 * A piece of content: text, inline bytes, a file by reference, or JSON (A2A 1.0 §4.1.6).
 *
 * ```ts
 * import { Part } from "@effect-a2a/core"
 *
 * Part.text("hi") // => { _tag: "Text", text: "hi" }
 * Part.url("https://agent.test/a.png", { mediaType: "image/png" }).mediaType // => "image/png"
 * Part.joinText([Part.thought("Greet."), Part.text("Hello "), Part.data({ n: 1 }), Part.text("world")])
 * // => "Hello world"
 * ```
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Metadata } from "./Metadata.ts"

/** Marks a part as a thought of the agent, which belongs to none of its texts. */
export class ThoughtMark extends Schema.Opaque<ThoughtMark>()(
  Schema.TaggedStruct("Thought", {}).annotate({ identifier: "ThoughtMark" })
) {}

/** Marks text of a status message as the continuation of the text of the status message before it. */
export class DeltaMark extends Schema.Opaque<DeltaMark>()(
  Schema.TaggedStruct("Delta", {}).annotate({ identifier: "DeltaMark" })
) {}

/** Marks a part as a tool call. `id` is absent if the agent sent none: the call is known by its name and its place. */
export class CallMark extends Schema.Opaque<CallMark>()(
  Schema.TaggedStruct("Call", { id: Schema.optionalKey(Schema.String), name: Schema.String, args: Metadata })
    .annotate({ identifier: "CallMark" })
) {}

/** The response of a tool. A response that came as a string of JSON is parsed. */
export class Success extends Schema.Opaque<Success>()(
  Schema.TaggedStruct("Success", { response: Schema.Json }).annotate({ identifier: "Success" })
) {}

/** The error of a tool, with its code if it has one. */
export class Failure extends Schema.Opaque<Failure>()(
  Schema.TaggedStruct("Failure", {
    error: Schema.String,
    code: Schema.optionalKey(Schema.Union([Schema.String, Schema.Number]))
  }).annotate({ identifier: "Failure" })
) {}

/** The outcome of a tool call. */
export const Outcome = Schema.Union([Success, Failure]).annotate({ identifier: "Outcome" })
/** The type of {@link Outcome}. */
export type Outcome = typeof Outcome.Type

/** Marks a part as the result of the tool call with the same `id`, or without one of the first open call of the tool. */
export class ResultMark extends Schema.Opaque<ResultMark>()(
  Schema.TaggedStruct("Result", {
    id: Schema.optionalKey(Schema.String),
    name: Schema.String,
    outcome: Outcome
  }).annotate({ identifier: "ResultMark" })
) {}

/**
 * The meaning of a part beyond its content. A2A has no words for it: agents write it into metadata, each in its own way,
 * and a `Recognizer` reads it. A mark is never sent.
 */
export const Mark = Schema.Union([ThoughtMark, DeltaMark, CallMark, ResultMark]).annotate({ identifier: "Mark" })
/** The type of {@link Mark}. */
export type Mark = typeof Mark.Type

const common = {
  /** File name, if the content is a file. */
  filename: Schema.optionalKey(Schema.String),
  /** Media type, such as `image/png`. */
  mediaType: Schema.optionalKey(Schema.String),
  metadata: Schema.optionalKey(Metadata),
  /** Set when the part is decoded or made, never sent. */
  mark: Schema.optionalKey(Mark)
}

/** Plain text; the empty string is content too. */
export class Text extends Schema.Opaque<Text>()(
  Schema.TaggedStruct("Text", { text: Schema.String, ...common }).annotate({ identifier: "Text" })
) {}

/** Inline bytes. */
export class Raw extends Schema.Opaque<Raw>()(
  Schema.TaggedStruct("Raw", { raw: Schema.Uint8Array, ...common }).annotate({ identifier: "Raw" })
) {}

/** A file by reference: a URL of any scheme that the agent understands. */
export class Url extends Schema.Opaque<Url>()(
  Schema.TaggedStruct("Url", { url: Schema.String, ...common }).annotate({ identifier: "Url" })
) {}

/** Any JSON value, `null` included. A2A 0.3 has objects only: another value is wrapped into one when it is sent. */
export class Data extends Schema.Opaque<Data>()(
  Schema.TaggedStruct("Data", { data: Schema.Json, ...common }).annotate({ identifier: "Data" })
) {}

/** One piece of content. */
export const Part = Schema.Union([Text, Raw, Url, Data]).annotate({ identifier: "Part" })
/** The type of {@link Part}. */
export type Part = typeof Part.Type

/** Members that every part may have beside its content. */
export interface Options {
  /** File name, if the content is a file. */
  readonly filename?: string
  /** Media type, such as `image/png`. */
  readonly mediaType?: string
  readonly metadata?: Metadata
  /** Never sent: write what the peer has to recognise into `metadata`. */
  readonly mark?: Mark
}

/** Creates a part of plain text. */
export const text = (text: string, options?: Options): Text => ({ _tag: "Text", text, ...options })

/** Creates a part of inline bytes. */
export const raw = (raw: Uint8Array, options?: Options): Raw => ({ _tag: "Raw", raw, ...options })

/** Creates a part that names a file by its URL. */
export const url = (url: string, options?: Options): Url => ({ _tag: "Url", url, ...options })

/** Creates a part of JSON. */
export const data = (data: Schema.Json, options?: Options): Data => ({ _tag: "Data", data, ...options })

/**
 * Creates a text that is marked as a thought. The mark stays in this process: a peer knows the part as a thought only by
 * metadata that it recognises.
 */
export const thought = (text: string, options?: Options): Text => ({
  _tag: "Text",
  text,
  ...options,
  mark: { _tag: "Thought" }
})

/** Returns true if the part holds or names a file. */
export const isFile = (part: Part): part is Raw | Url => part._tag === "Raw" || part._tag === "Url"

/** Returns true if the part is marked as a thought of the agent. */
export const isThought = (part: Part): boolean => part.mark?._tag === "Thought"

/** Joins the text of all text parts without a separator. Thoughts are left out. */
export const joinText = (parts: ReadonlyArray<Part>): string =>
  parts.reduce((text, part) => part._tag === "Text" && !isThought(part) ? text + part.text : text, "")
