/**
 * Recognizes the thoughts, tool calls and results of agents built with Google's Agent Development Kit, which most A2A
 * agents are: metadata `adk_thought` of text parts and `adk_type` of data parts. `node`, `browser` and the command use it
 * by default.
 *
 * ```ts
 * import { Part, Recognizer, ToolCall } from "@effect-a2a/core"
 * import { AdkRecognizer } from "@effect-a2a/transport-adk"
 *
 * const call = Part.data({ id: "c-1", name: "search", args: {} }, { metadata: { adk_type: "function_call" } })
 * ToolCall.call(Recognizer.mark([AdkRecognizer.recognizer], call))
 * // => { _tag: "Call", id: "c-1", name: "search", args: {} }
 * ```
 *
 * @since 0.1.0
 */
import * as Recognizer from "@effect-a2a/core/Recognizer"
import type * as Layer from "effect/Layer"

/** Reads `adk_thought` and `adk_type`. */
export const recognizer: Recognizer.Recognizer = Recognizer.fromMetadata({
  thought: "adk_thought",
  type: "adk_type",
  call: "function_call",
  result: "function_response"
})

/** Adds {@link recognizer} to all transports and servers made above this layer. */
export const layer: Layer.Layer<never> = Recognizer.layer(recognizer)
