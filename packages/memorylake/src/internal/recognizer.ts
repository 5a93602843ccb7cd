/** Recognizes MemoryLake's thoughts, tool calls and results, which it marks with the metadata of Google's ADK. */
import * as Recognizer from "@effect-a2a/core/Recognizer"

export const recognizer: Recognizer.Recognizer = Recognizer.fromMetadata({
  thought: "adk_thought",
  type: "adk_type",
  call: "function_call",
  result: "function_response"
})
