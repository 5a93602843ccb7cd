/** The metadata by which most agents in the field mark thoughts, tool calls and their results. */
import * as Recognizer from "@effect-a2a/core/Recognizer"

export const thought = "adk_thought"
export const type = "adk_type"
export const call = "function_call"
export const result = "function_response"

export const recognizer: Recognizer.Recognizer = Recognizer.fromMetadata({ thought, type, call, result })
