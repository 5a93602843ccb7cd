/**
 * Recognizes MemoryLake's thoughts, tool calls and results, which it marks with the metadata of Google's ADK, and the text
 * of its status messages, which are pieces of one text.
 */
import * as Recognizer from "@effect-a2a/core/Recognizer"

const fromMetadata = Recognizer.fromMetadata({
  thought: "adk_thought",
  type: "adk_type",
  call: "function_call",
  result: "function_response"
})

export const recognizer: Recognizer.Recognizer = (part, place) =>
  fromMetadata(part, place) ?? (place === "status" && part._tag === "Text" ? { _tag: "Delta" } : undefined)
