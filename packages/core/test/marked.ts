/** Parts whose meaning a recognizer reads, in words that no vendor uses. */
import { Part, Recognizer } from "@effect-a2a/core"
import type { Schema } from "effect"

export const recognizer = Recognizer.fromMetadata({
  thought: "x-thought",
  type: "x-type",
  call: "x-call",
  result: "x-result"
})

const mark = <P extends Part.Part>(part: P): P => Recognizer.mark([recognizer], part)

export const call = (data: Schema.Json): Part.Data => mark(Part.data(data, { metadata: { "x-type": "x-call" } }))

export const result = (data: Schema.Json): Part.Data => mark(Part.data(data, { metadata: { "x-type": "x-result" } }))

export const thought = (text: string): Part.Text => mark(Part.text(text, { metadata: { "x-thought": true } }))
