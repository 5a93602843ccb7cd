/**
 * A piece of content: text, inline bytes, a file by reference, or JSON (specification §4.1.6).
 *
 * ```ts
 * import { Part } from "@effect-a2a/core"
 *
 * Part.text("hi") // => { _tag: "Text", text: "hi" }
 * Part.url("https://agent.test/a.png", { mediaType: "image/png" }).mediaType // => "image/png"
 * Part.joinText([Part.text("Hello "), Part.data({ n: 1 }), Part.text("world")]) // => "Hello world"
 * ```
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Metadata } from "./Metadata.ts"

const common = {
  /** File name, where the content is a file. */
  filename: Schema.optionalKey(Schema.String),
  /** Media type, such as `image/png`. */
  mediaType: Schema.optionalKey(Schema.String),
  metadata: Schema.optionalKey(Metadata)
}

/** Plain text; the empty string is content too. */
export const Text = Schema.TaggedStruct("Text", { text: Schema.String, ...common })
export type Text = typeof Text.Type

/** Inline bytes. */
export const Raw = Schema.TaggedStruct("Raw", { raw: Schema.Uint8Array, ...common })
export type Raw = typeof Raw.Type

/** A file by reference: any URL the agent understands, `drive://` included. */
export const Url = Schema.TaggedStruct("Url", { url: Schema.String, ...common })
export type Url = typeof Url.Type

/** Any JSON value, `null` included (an object only, for 0.3 peers). */
export const Data = Schema.TaggedStruct("Data", { data: Schema.Json, ...common })
export type Data = typeof Data.Type

export const Part = Schema.Union([Text, Raw, Url, Data])
export type Part = typeof Part.Type

/** What every part may carry besides its content. */
export interface Options {
  readonly filename?: string
  readonly mediaType?: string
  readonly metadata?: Metadata
}

export const text = (text: string, options?: Options): Text => ({ _tag: "Text", text, ...options })

export const raw = (raw: Uint8Array, options?: Options): Raw => ({ _tag: "Raw", raw, ...options })

export const url = (url: string, options?: Options): Url => ({ _tag: "Url", url, ...options })

export const data = (data: Schema.Json, options?: Options): Data => ({ _tag: "Data", data, ...options })

/** True for the parts that hold or name a file. */
export const isFile = (part: Part): part is Raw | Url => part._tag === "Raw" || part._tag === "Url"

/** Whether a part is the agent thinking aloud, which is no part of what it says (`adk_thought`, ML-24). */
export const isThought = (part: Part): boolean => part.metadata?.adk_thought === true

/** The text of all text parts, joined without a separator. */
export const joinText = (parts: ReadonlyArray<Part>): string =>
  parts.reduce((text, part) => part._tag === "Text" ? text + part.text : text, "")
